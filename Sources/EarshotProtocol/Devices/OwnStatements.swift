import EarshotModel

/// What the devices of a user say to each other in entries of one kind, which stand in the user's own conversation.
///
/// It decides which of them count: not those of a revoked device behind its end.
struct OwnStatements<Value: Sendable>: Sendable {
    private struct Statement: Sendable {
        let log: LogDescription
        let place: Place
        let values: [Value]
    }

    private let userID: UserID
    private let read: @Sendable (EntryRecord) -> [Value]?
    private var statements: [LogPlace: Statement] = [:]
    /// Where the logs of revoked devices end in the user's own conversation.
    private var cuts = Cuts()

    /// - Parameter read: what an entry says; `nil` for one of another kind.
    init(of userID: UserID, read: @escaping @Sendable (EntryRecord) -> [Value]?) {
        (self.userID, self.read) = (userID, read)
    }

    /// Takes entries of the user's own conversation, from whichever device.
    /// - Returns: what they say, as far as it counts, and whether there is a cut among them, so that less counts than before.
    mutating func insert(_ entries: RecordedEntries) -> (said: [Value], hasCut: Bool) {
        let log = entries.log.description
        let hasCut = !cuts.insert(entries.entries, by: entries.log.authorID, in: log.conversationID).isEmpty
        var said: [Value] = []
        for entry in entries.entries {
            guard let values = read(entry) else { continue }
            let statement = Statement(log: log, place: entry.place, values: values)
            statements[LogPlace(logID: log.logID, sequence: entry.sequence, chain: entry.chain)] = statement
            if counts(statement) { said += values }
        }
        return (said, hasCut)
    }

    /// All that counts, in no order.
    var counting: some Sequence<Value> {
        statements.values.lazy.filter { counts($0) }.flatMap(\.values)
    }

    private func counts(_ statement: Statement) -> Bool {
        cuts.counts(statement.place, of: statement.log, by: userID)
    }
}
