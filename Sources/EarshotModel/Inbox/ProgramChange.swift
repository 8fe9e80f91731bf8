/// What a program changes beside messages, in the same commit.
package enum ProgramChange: Hashable, Sendable {
    case consumer(String, ConsumerChange)
    case schedule(ScheduledRecord)
    /// It has taken its place in a log, or was cancelled.
    case unschedule(EntryKey)
    indirect case draft(DraftStep)
}
