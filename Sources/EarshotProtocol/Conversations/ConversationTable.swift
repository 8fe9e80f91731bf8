import EarshotModel

/// The open conversations that this node's user belongs to, or has belonged to, and who else is known to.
///
/// A participant is whoever has written that they join and has not written later that they leave; so everybody who holds
/// the same entries knows the same participants.
struct ConversationTable: Sendable {
    private let userID: UserID
    private var open: [ConversationID: OpenConversationRecord] = [:]
    /// What the disk does not have yet.
    private var unwritten: Set<ConversationID> = []

    init(userID: UserID, records: [OpenConversationRecord] = []) {
        self.userID = userID
        for record in records { open[record.conversationID] = record }
    }

    // MARK: - What there is

    subscript(conversationID: ConversationID) -> OpenConversationRecord? { open[conversationID] }

    /// Those that this node's user belongs to, ascending by id.
    var joined: [OpenConversationRecord] {
        open.values.filter(\.isJoined).sorted { $0.conversationID < $1.conversationID }
    }

    /// All of them, ascending by name.
    var all: [OpenConversationRecord] {
        open.values.sorted { ($0.uniqueName, $0.conversationID) < ($1.uniqueName, $1.conversationID) }
    }

    func isJoined(_ conversationID: ConversationID) -> Bool { open[conversationID]?.isJoined == true }

    func checkJoined(_ conversationID: ConversationID) throws(ProtocolError) {
        guard let conversation = open[conversationID] else {
            throw ProtocolError(.unknownConversation, "this node knows no such conversation: join it first")
        }
        guard conversation.isJoined else {
            throw ProtocolError(.notJoined, "you have left #\(conversation.uniqueName): join it again first")
        }
    }

    // MARK: - Joining

    /// Prepares to join, and so to create it if nobody has yet: with the entry that says so this node's user belongs to it.
    /// - Returns: the conversation, if they do not belong to it already.
    /// - Throws: `ProtocolError` `tooManyConversations`.
    mutating func prepare(
        _ conversationID: ConversationID, uniqueName: String, isAdvertised: Bool
    ) throws(ProtocolError) -> ConversationRecord? {
        var conversation =
            open[conversationID]
            ?? OpenConversationRecord(conversationID: conversationID, uniqueName: uniqueName, isJoined: false)
        guard open[conversationID] != nil || open.count < Limits.conversationsOfMany else {
            throw ProtocolError(
                .tooManyConversations, "a node belongs to at most \(Limits.conversationsOfMany) conversations of many")
        }
        if open[conversationID] == nil || conversation.isAdvertised != isAdvertised {
            conversation.isAdvertised = isAdvertised
            open[conversationID] = conversation
            unwritten.insert(conversationID)
        }
        return conversation.isJoined ? nil : conversation.record
    }

    /// What entries say is on the disk.
    /// - Returns: the participants whose status is new.
    mutating func adopt(_ written: OpenConversationRecord) -> [Participant] {
        let old = open[written.conversationID]
        var conversation = old ?? written
        (conversation.isJoined, conversation.participants) = (written.isJoined, written.participants)
        open[written.conversationID] = conversation
        return written.participants.values.filter { $0 != old?.participants[$0.userID] }
            .sorted { $0.userID < $1.userID }
    }

    // MARK: - On their way to the disk

    var hasUnwritten: Bool { !unwritten.isEmpty }

    mutating func takeUnwritten() -> [OpenConversationRecord] {
        defer { unwritten = [] }
        return unwritten.sorted().compactMap { open[$0] }
    }

    /// They are not on the disk, and go into the next commit again.
    mutating func writeAgain(_ records: [OpenConversationRecord]) {
        unwritten.formUnion(records.map(\.conversationID))
    }
}
