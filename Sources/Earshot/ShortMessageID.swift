import EarshotModel

/// The id of a message as people see and type it: the beginning of its log's id, a hyphen, and its sequence number.
package struct ShortMessageID: Sendable {
    package let prefix: String
    package let sequence: UInt64

    /// How much of a log's id is shown.
    private static let shown = 8
    /// Less is not taken for the beginning of an id.
    private static let shortest = 4

    /// - Returns: `nil` for text that is no beginning of an id with a sequence number.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count >= Self.shortest,
            parts[0].unicodeScalars.allSatisfy({ "a"..."z" ~= $0 || "0"..."9" ~= $0 }),
            let sequence = Int64(parts[1]), sequence > 0, String(sequence) == parts[1]
        else { return nil }
        prefix = String(parts[0])
        self.sequence = UInt64(sequence)
    }

    /// - Parameter logs: those that have a message of this number.
    /// - Throws: `EarshotError` `unknownMessage`; `ambiguousMessage`, with the whole ids.
    func whole(among logs: [LogID]) throws(EarshotError) -> MessageID {
        let matches = logs.filter { $0.description.hasPrefix(prefix) }.sorted()
        guard let log = matches.first else {
            throw EarshotError(.unknownMessage, "there is no message \(prefix)-\(sequence)")
        }
        guard matches.count == 1 else {
            throw EarshotError(
                .ambiguousMessage, "\(matches.count) messages have ids that begin like \(prefix)-\(sequence)",
                .init(suggestions: matches.prefix(Self.suggestions).map { "\($0)-\(sequence)" }))
        }
        return MessageID(log: log, sequence: sequence)
    }

    /// How many messages are named for an ambiguous id.
    private static let suggestions = 8

    /// - Parameter messageID: the text of a whole id.
    package static func shown(_ messageID: String) -> String {
        let parts = messageID.split(separator: "-")
        return parts.count == 2 ? "\(parts[0].prefix(shown))-\(parts[1])" : messageID
    }
}

extension EarshotError.Code {
    /// The beginning of an id begins the ids of several messages; the parameters name them.
    package static let ambiguousMessage = Self("ambiguousMessage")
}
