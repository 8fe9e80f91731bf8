import EarshotModel

/// A message that has no place in a log yet, as it is kept until then: as an entry without a time, whose expiry is its time
/// to live, behind its recipient.
struct KeptMessage: Sendable {
    let destination: Destination
    let draft: MessageDraft

    init(_ draft: MessageDraft, to destination: Destination) {
        self.destination = destination
        self.draft = draft
    }

    /// - Returns: `nil` if the bytes are not what `encoded` has written.
    init?(decoding bytes: [UInt8], in conversationID: ConversationID) {
        guard let userID = UserID(bytes: bytes.prefix(Bytes32.count)),
            let body = try? EntryBody(decoding: Array(bytes.dropFirst(Bytes32.count))),
            case .text(let content) = body.content
        else { return nil }
        self.init(
            MessageDraft(content, timeToLive: .milliseconds(body.expiry)),
            to: userID == .nobody ? .conversation(conversationID) : .user(userID))
    }

    /// The recipient of a conversation of many is zeros.
    func encoded(with key: EntryKey? = nil) -> [UInt8] {
        let body = EntryBody(
            timestamp: HybridTimestamp(rawValue: 0), expiry: draft.timeToLive.milliseconds,
            content: .text(draft.content), key: key)
        let recipientID: UserID = if case .user(let userID) = destination { userID } else { .nobody }
        return recipientID.bytes + body.encoded()
    }
}

extension UserID {
    /// No signing key has these bytes.
    fileprivate static let nobody = UserID(Bytes32())
}
