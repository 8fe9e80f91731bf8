/// The id of a message: its log and its sequence number in it, which no other message has.
public struct MessageID: Hashable, Sendable, Comparable, LosslessStringConvertible {
    package let log: LogID
    /// Counts from 1 without gaps, to at most `Int64.max`, which is what a database can hold.
    package let sequence: UInt64

    package init(log: LogID, sequence: UInt64) {
        self.log = log
        self.sequence = sequence
    }

    /// - Returns: `nil` unless the text is a log id, a hyphen and a sequence number.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let log = LogID(String(parts[0])), let sequence = Int64(parts[1]), sequence > 0,
            String(sequence) == parts[1]
        else { return nil }
        self.init(log: log, sequence: UInt64(sequence))
    }

    public var description: String { "\(log)-\(sequence)" }

    public static func < (a: MessageID, b: MessageID) -> Bool {
        a.log == b.log ? a.sequence < b.sequence : a.log < b.log
    }
}

/// A text message, as its sender wrote it and everybody who has it sees it.
public struct Message: Hashable, Sendable, Identifiable {
    public let messageID: MessageID
    public let conversationID: ConversationID
    public let senderID: UserID
    /// Its recipients, without the sender, in ascending order.
    public let recipientIDs: [UserID]
    /// At most `Limits.textBytes` of UTF-8.
    public let text: String
    /// Metadata from programs for programs: at most `Limits.headerCount` pairs of `Limits.headerBytes` together.
    public let headers: [String: String]
    /// The sender's hybrid logical clock. It rises within a log, and orders a conversation in the same way for
    /// everybody.
    package let timestamp: HybridTimestamp
    /// When it fails if it is still not delivered, in milliseconds since 1970.
    package let expiry: Int64
    /// Its state for each recipient. This is a copy; the event bus reports changes.
    public package(set) var states: [UserID: DeliveryState]
    /// When it reached its states, for each recipient.
    package var times: NotedTimes
    /// Whether its content was deleted. Then text and headers are empty.
    public package(set) var isDeleted: Bool

    /// The message's id.
    public var id: MessageID { messageID }

    /// When it reached its states for a recipient. For a received message and this node's own user, *delivered* is when
    /// it reached this node's disk. Messages in events have no times.
    public func times(for recipientID: UserID) -> MessageTimes { times.times[recipientID] ?? MessageTimes() }

    package init(
        messageID: MessageID, conversationID: ConversationID, senderID: UserID, recipientIDs: [UserID], text: String,
        headers: [String: String], timestamp: HybridTimestamp, expiry: Int64, states: [UserID: DeliveryState],
        times: NotedTimes = NotedTimes(), isDeleted: Bool = false
    ) {
        self.messageID = messageID
        self.conversationID = conversationID
        self.senderID = senderID
        self.recipientIDs = recipientIDs
        self.text = text
        self.headers = headers
        self.timestamp = timestamp
        self.expiry = expiry
        self.states = states
        self.times = times
        self.isDeleted = isDeleted
    }
}

/// A message to be sent.
public struct MessageDraft: Hashable, Sendable {
    /// The default time to live of a message: 30 days.
    public static let defaultTimeToLive = Duration.milliseconds(Timing.timeToLive)

    /// At most `Limits.textBytes` of UTF-8, and at least one.
    public var text: String
    /// Metadata from programs for programs: at most `Limits.headerCount` pairs of `Limits.headerBytes` together.
    public var headers: [String: String]
    /// The message fails if it is not delivered within this time.
    public var timeToLive: Duration

    public init(
        _ text: String, headers: [String: String] = [:], timeToLive: Duration = Self.defaultTimeToLive
    ) {
        self.text = text
        self.headers = headers
        self.timeToLive = timeToLive
    }

    /// The kind of its entry.
    package var kind: EntryKind { .text }

    /// Why a draft cannot be sent.
    public enum Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        case emptyText
        case textTooLong(bytes: Int)
        case tooManyHeaders(count: Int)
        case headersTooLong(bytes: Int)
        case emptyHeaderName
        case timeToLiveNotPositive

        public var description: String {
            switch self {
            case .emptyText: "the text is empty"
            case .textTooLong(let bytes): "the text is \(bytes) bytes of UTF-8, and the limit is \(Limits.textBytes)"
            case .tooManyHeaders(let count): "there are \(count) headers, and the limit is \(Limits.headerCount)"
            case .headersTooLong(let bytes): "the headers are \(bytes) bytes, and the limit is \(Limits.headerBytes)"
            case .emptyHeaderName: "a header has no name"
            case .timeToLiveNotPositive: "the time to live is not above zero"
            }
        }
    }

    /// - Throws: `Invalid` for the first limit that it is over.
    public func validate() throws(Invalid) {
        let textBytes = text.utf8.count
        guard textBytes > 0 else { throw .emptyText }
        guard textBytes <= Limits.textBytes else { throw .textTooLong(bytes: textBytes) }
        guard timeToLive > .zero else { throw .timeToLiveNotPositive }
        guard !headers.isEmpty else { return }
        guard headers.count <= Limits.headerCount else { throw .tooManyHeaders(count: headers.count) }
        guard !headers.keys.contains("") else { throw .emptyHeaderName }
        let headerBytes = headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard headerBytes <= Limits.headerBytes else { throw .headersTooLong(bytes: headerBytes) }
    }
}
