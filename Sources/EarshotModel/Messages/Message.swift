/// The id of a message: its log and its sequence number in it, which no other message has.
public struct MessageID: Hashable, Sendable, Comparable {
    package let log: LogID
    /// Counts from 1 without gaps, to at most `Int64.max`, which is what a database can hold.
    package let sequence: UInt64

    package init(log: LogID, sequence: UInt64) {
        self.log = log
        self.sequence = sequence
    }

    /// - Returns: `nil` unless the text is a log id, a hyphen and a sequence number.
    package init?(_ description: String) {
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
///
/// It never changes, and its copies share what it holds.
public struct Message: Hashable, Sendable, Identifiable {
    private struct Fields: Hashable, Sendable {
        let content: MessageContent
        let messageID: MessageID
        let conversationID: ConversationID
        let senderID: UserID
        let recipientIDs: [UserID]
        let timestamp: HybridTimestamp
        let expiry: Int64
        let states: [UserID: DeliveryState]
        let notes: LocalNotes
        let isDeleted: Bool
        let isEdited: Bool
        let isRetracted: Bool
        let reactions: [Reaction]
    }

    private let fields: Shared<Fields>

    public var messageID: MessageID { fields.value.messageID }
    public var conversationID: ConversationID { fields.value.conversationID }
    /// Who has written it. What they call themselves now: `await node.users.user(message.senderID)?.name`.
    public var senderID: UserID { fields.value.senderID }
    /// Whether the user of the node that gave it has written it, on whatever device of theirs.
    public var isOwn: Bool { fields.value.notes.isOwn }
    /// Its recipients, without the sender, in ascending order.
    public var recipientIDs: [UserID] { fields.value.recipientIDs }
    /// At most `Limits.textBytes` of UTF-8.
    public var text: String { fields.value.content.text }
    /// Metadata from programs for programs: at most `Limits.headerCount` pairs of `Limits.headerBytes` together.
    public var headers: [String: String] { fields.value.content.headers }
    /// The sender's hybrid logical clock. It rises within a log, and orders a conversation in the same way for
    /// everybody.
    package var timestamp: HybridTimestamp { fields.value.timestamp }
    /// When it fails if it is still not delivered, in milliseconds since 1970.
    package var expiry: Int64 { fields.value.expiry }
    /// Its state for each recipient. This is a copy; the event bus reports changes.
    public var states: [UserID: DeliveryState] { fields.value.states }
    /// Whether its content was deleted. Then text and headers are empty, and it has no layout.
    public var isDeleted: Bool { fields.value.isDeleted }
    /// The message that it answers; it need not be here.
    public var replyTo: MessageID? {
        fields.value.content.replyTo.map { MessageID(log: $0.logID, sequence: $0.sequence) }
    }
    /// Users whom it is meant for in particular, ascending.
    public var mentions: [UserID] { fields.value.content.mentions }
    /// The files that it brings along, in its author's order.
    public var attachments: [Attachment] { fields.value.content.attachments }
    /// Its part in a session of messages that build on each other.
    public var session: MessageSession? { fields.value.content.session }
    /// How it looks where there is room for more than its text; `nil` if its author said nothing of that.
    public var layout: MessageLayout? { fields.value.content.layout }
    /// Whether its author gave it another text, which `text` is.
    public var isEdited: Bool { fields.value.isEdited }
    /// Whether its author took it back. Then text and headers are empty, and it has no layout.
    public var isRetracted: Bool { fields.value.isRetracted }
    /// Who reacts to it with what. Messages in events have none yet.
    public var reactions: [Reaction] { fields.value.reactions }

    /// The message's id.
    public var id: MessageID { messageID }

    /// Its place in the order in which entries reached this node's disk; `nil` for a message that was just sent, or comes
    /// from the event bus. Indexes rise and never change; what is not shown has one, too, so there are gaps.
    public var index: Int64? { fields.value.notes.index }

    /// When it reached its states for a recipient. For a received message and this node's own user, *delivered* is when
    /// it reached this node's disk. Messages in events have no times.
    public func times(for recipientID: UserID) -> MessageTimes {
        fields.value.notes.times[recipientID] ?? MessageTimes()
    }

    /// - Parameters:
    ///   - content: what its author wrote last.
    ///   - notes: what this node has noted of it.
    package init(
        _ content: MessageContent, messageID: MessageID, conversationID: ConversationID, senderID: UserID,
        recipientIDs: [UserID], timestamp: HybridTimestamp, expiry: Int64, states: [UserID: DeliveryState],
        notes: LocalNotes, isDeleted: Bool = false, isEdited: Bool = false,
        isRetracted: Bool = false, reactions: [Reaction] = []
    ) {
        fields = Shared(
            Fields(
                content: content, messageID: messageID, conversationID: conversationID, senderID: senderID,
                recipientIDs: recipientIDs, timestamp: timestamp, expiry: expiry, states: states, notes: notes,
                isDeleted: isDeleted, isEdited: isEdited, isRetracted: isRetracted, reactions: reactions))
    }
}

/// A message to be sent.
public struct MessageDraft: Hashable, Sendable {
    /// The default time to live of a message: 30 days.
    public static let defaultTimeToLive = Duration.milliseconds(Timing.timeToLive)

    /// At most `Limits.textBytes` of UTF-8. It may be empty only with `attachments`.
    public var text: String
    /// The message fails if it is not delivered within this time.
    public var timeToLive: Duration
    private var parts: Seldom<MessageParts>

    public init(
        _ text: String, headers: [String: String] = [:], timeToLive: Duration = Self.defaultTimeToLive
    ) {
        self.text = text
        self.timeToLive = timeToLive
        parts = Seldom()
        if !headers.isEmpty { self.headers = headers }
    }

    /// Metadata from programs for programs: at most `Limits.headerCount` pairs of `Limits.headerBytes` together.
    public var headers: [String: String] {
        get { parts.present?.headers ?? [:] }
        set { parts.values.headers = newValue }
    }
    /// Users whom it is meant for in particular: at most `Limits.mentions`. A text that names somebody mentions nobody.
    public var mentions: [UserID] {
        get { parts.present?.mentions ?? [] }
        set { parts.values.mentions = newValue }
    }
    /// The files that it brings along, which the node holds: at most `Limits.attachments`.
    public var attachments: [Attachment] {
        get { parts.present?.attachments ?? [] }
        set { parts.values.attachments = newValue }
    }
    /// How it looks where there is room for more than its text. One that is empty is none.
    public var layout: MessageLayout? {
        get { parts.present?.layout }
        set { parts.values.layout = newValue?.isEmpty == true ? nil : newValue }
    }
    /// The message that it answers.
    package var replyTo: LogPlace? {
        get { parts.present?.replyTo }
        set { parts.values.replyTo = newValue }
    }
    package var session: MessageSession? {
        get { parts.present?.session }
        set { parts.values.session = newValue }
    }
    /// The id of the message that it answers.
    package var repliesTo: MessageID? { replyTo.map { MessageID(log: $0.logID, sequence: $0.sequence) } }

    /// Why a draft cannot be sent.
    public enum Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        case emptyText
        case textTooLong(bytes: Int)
        case tooManyHeaders(count: Int)
        case headersTooLong(bytes: Int)
        case emptyHeaderName
        case timeToLiveNotPositive
        case tooManyMentions(count: Int)
        case invalidAttachment(Attachment.Invalid)
        case summaryTooLong(bytes: Int)
        case emptySummary
        case layoutTextTooLong(part: String, bytes: Int)
        case emptyEmoji
        case emojiTooLong(bytes: Int)
        case counterOutOfRange

        public var description: String {
            switch self {
            case .emptyText: "the text is empty"
            case .textTooLong(let bytes): "the text is \(bytes) bytes of UTF-8, and the limit is \(Limits.textBytes)"
            case .tooManyHeaders(let count): "there are \(count) headers, and the limit is \(Limits.headerCount)"
            case .headersTooLong(let bytes): "the headers are \(bytes) bytes, and the limit is \(Limits.headerBytes)"
            case .emptyHeaderName: "a header has no name"
            case .timeToLiveNotPositive: "the time to live is not above zero"
            case .tooManyMentions(let count): "it mentions \(count) users, and the limit is \(Limits.mentions)"
            case .invalidAttachment(let reason): reason.description
            case .summaryTooLong(let bytes):
                "the summary is \(bytes) bytes of UTF-8, and the limit is \(Limits.summaryBytes)"
            case .emptySummary: "a message of a session has no summary"
            case .layoutTextTooLong(let part, let bytes):
                "the \(part) is \(bytes) bytes of UTF-8, and the limit is \(Limits.layoutTextBytes)"
            case .emptyEmoji: "a reaction has no emoji"
            case .emojiTooLong(let bytes): "the emoji is \(bytes) bytes of UTF-8, and the limit is \(Limits.emojiBytes)"
            case .counterOutOfRange: "its counter is not between 1 and \(Counting.largest)"
            }
        }
    }

    /// - Throws: `EarshotError` `invalidMessage` for the first limit that it is over, which its cause (`Invalid`) names.
    public func validate() throws(EarshotError) {
        do throws(Invalid) { try check() } catch {
            throw EarshotError(.invalidMessage, error.description, cause: error)
        }
    }

    /// - Throws: `Invalid` for the first limit that it is over.
    package func check() throws(Invalid) {
        try Self.check(text: text, attachments)
        guard timeToLive > .zero else { throw .timeToLiveNotPositive }
        guard parts.present != nil else { return }
        try Self.check(mentions: mentions, session, headers)
        try layout?.validate()
    }

    /// - Parameter attachments: what a text may be empty beside.
    static func check(text: String, _ attachments: [Attachment] = []) throws(Invalid) {
        let bytes = text.utf8.count
        guard bytes > 0 || !attachments.isEmpty else { throw .emptyText }
        guard attachments.count <= Limits.attachments else {
            throw .invalidAttachment(.tooMany(count: attachments.count))
        }
        guard bytes <= Limits.textBytes else { throw .textTooLong(bytes: bytes) }
    }

    static func check(
        mentions: [UserID], _ session: MessageSession?, _ headers: [String: String]
    ) throws(Invalid) {
        guard mentions.count <= Limits.mentions else { throw .tooManyMentions(count: mentions.count) }
        if let session { try check(session) }
        guard !headers.isEmpty else { return }
        guard headers.count <= Limits.headerCount else { throw .tooManyHeaders(count: headers.count) }
        guard !headers.keys.contains("") else { throw .emptyHeaderName }
        let headerBytes = headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard headerBytes <= Limits.headerBytes else { throw .headersTooLong(bytes: headerBytes) }
    }

    private static func check(_ session: MessageSession) throws(Invalid) {
        let bytes = session.summary.utf8.count
        guard bytes > 0 else { throw .emptySummary }
        guard bytes <= Limits.summaryBytes else { throw .summaryTooLong(bytes: bytes) }
        try check(counter: session.counter)
    }

    static func check(counter: UInt64) throws(Invalid) {
        guard (1...Counting.largest).contains(counter) else { throw .counterOutOfRange }
    }

    /// When it fails if it is still not delivered, in milliseconds since 1970.
    package func expiry(from now: Int64) -> Int64 {
        let (expiry, overflow) = now.addingReportingOverflow(timeToLive.milliseconds)
        return overflow ? .max : expiry
    }

    /// The size of its texts, in bytes.
    var byteCount: Int {
        guard let parts = parts.present else { return text.utf8.count }
        return parts.headers.reduce(text.utf8.count + (parts.layout?.byteCount ?? 0)) {
            $0 + $1.key.utf8.count + $1.value.utf8.count
        } + parts.attachments.reduce(0) { $0 + $1.byteSize }
    }

    package var content: MessageContent {
        guard mentions.count > 1 else { return MessageContent(text, parts) }
        var sorted = parts
        sorted.values.mentions = Set(mentions).sorted()
        return MessageContent(text, sorted)
    }

    package init(_ content: MessageContent, timeToLive: Duration = Self.defaultTimeToLive) {
        text = content.text
        self.timeToLive = timeToLive
        parts = content.parts
    }
}
