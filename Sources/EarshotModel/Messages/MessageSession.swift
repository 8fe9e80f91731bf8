/// Messages that build on each other, such as the moves of a game: the latest stands, and those before it are shown by
/// their summaries.
public struct SessionID: Hashable, Sendable, Comparable {
    package let bytes: EntryKey

    package init(_ bytes: EntryKey) { self.bytes = bytes }

    /// A session that nobody has begun yet.
    public static func random() -> SessionID {
        SessionID(EntryKey(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max)))
    }

    /// - Returns: `nil` unless the text is that of an id: 16 bytes in Crockford's base32, lower case.
    package init?(_ description: String) {
        guard let bytes = Base32.decode(description).flatMap({ EntryKey($0) }) else { return nil }
        self.init(bytes)
    }

    public var description: String { Base32.encode(bytes.bytes) }

    public static func < (a: SessionID, b: SessionID) -> Bool { a.bytes < b.bytes }
}

/// The session that a message is to belong to.
public struct SessionStep: Hashable, Sendable {
    public let id: SessionID
    /// What is left of the message when a later one has taken its place: 1 byte to `Limits.summaryBytes` of UTF-8.
    public let summary: String

    /// The next message of a session.
    /// - Parameters:
    ///   - id: the session; `SessionID.random()` begins one.
    ///   - summary: what is left of the message when the next one has come.
    public init(_ id: SessionID, summary: String) {
        self.id = id
        self.summary = summary
    }
}

/// A message's part in a session.
public struct MessageSession: Hashable, Sendable {
    public let id: SessionID
    /// Counts the steps of the session from 1.
    public let counter: UInt64
    /// What is left of the message when a later one has taken its place: at most `Limits.summaryBytes` of UTF-8.
    public let summary: String
    /// Whether a later message of the session stands. A message of this node's own that was just sent never is.
    public package(set) var isSuperseded: Bool

    package init(id: SessionID, counter: UInt64, summary: String, isSuperseded: Bool = false) {
        self.id = id
        self.counter = counter
        self.summary = summary
        self.isSuperseded = isSuperseded
    }
}
