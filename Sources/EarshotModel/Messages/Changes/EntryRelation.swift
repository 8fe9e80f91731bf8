/// What an entry has to do with others: the part of its content that decides what a conversation shows. A history is read
/// with it, and it stays when the content is erased.
package indirect enum EntryRelation: Hashable, Sendable {
    case edit(of: LogPlace, counter: UInt64)
    case retraction(of: LogPlace)
    case reaction(to: LogPlace, emoji: String, counter: UInt64, isRemoved: Bool)
    case session(SessionID, counter: UInt64)
    /// From this entry on its author knew the control logs of the conversation up to a place.
    case version(LogPlace)
}

extension Amendment {
    package var relation: EntryRelation {
        switch content {
        case .edit(_, let counter): .edit(of: target, counter: counter)
        case .retract: .retraction(of: target)
        case .reaction(let emoji, let counter, let isRemoved):
            .reaction(to: target, emoji: emoji, counter: counter, isRemoved: isRemoved)
        }
    }
}
