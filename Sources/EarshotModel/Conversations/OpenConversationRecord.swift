/// An open conversation, as the store holds it.
package struct OpenConversationRecord: Hashable, Sendable {
    package let conversationID: ConversationID
    package let uniqueName: String
    /// Whether this node's user belongs to it. What was there when they left stays on the disk.
    package var isJoined: Bool
    /// Whether others on the network are told its name.
    package var isAdvertised: Bool
    /// Everybody who is known to have joined it, those who have left among them.
    package var participants: [UserID: Participant]

    package init(
        conversationID: ConversationID, uniqueName: String, isJoined: Bool = true, isAdvertised: Bool = false,
        participants: [UserID: Participant] = [:]
    ) {
        self.conversationID = conversationID
        self.uniqueName = uniqueName
        self.isJoined = isJoined
        self.isAdvertised = isAdvertised
        self.participants = participants
    }

    /// The conversation that its logs are part of.
    package var record: ConversationRecord {
        ConversationRecord(
            conversationID: conversationID, kind: .open,
            participantIDs: participants.values.filter { $0.status == .joined }.map(\.userID), uniqueName: uniqueName)
    }

    /// Whether this node's user belongs to it, as programs are told.
    package var status: Participant.Status { isJoined ? .joined : .left }

    package func update(_ changes: Set<ConversationChange>) -> ConversationUpdate {
        ConversationUpdate(
            conversationID: conversationID, kind: .open, uniqueName: uniqueName, status: status, changes: changes)
    }

    /// Entries of a user's log say that they join or leave. What they said last counts.
    /// - Parameter isOwn: whether it is this node's user: what one of their devices has written holds for all.
    /// - Returns: whether that is news.
    package mutating func note(_ entries: [EntryRecord], by userID: UserID, isOwn: Bool) -> Bool {
        var participant = participants[userID]
        for entry in entries where entry.kind == .join || entry.kind == .leave {
            // Of two at one time, in branches of a log, the same counts for everybody.
            let isLeave = entry.kind == .leave
            guard
                participant.map({ ($0.since, $0.status == .left ? 1 : 0) < (entry.timestamp, isLeave ? 1 : 0) }) ?? true
            else { continue }
            participant = Participant(
                userID: userID, role: .participant, status: isLeave ? .left : .joined,
                since: entry.timestamp)
        }
        guard let participant, participant != participants[userID],
            isOwn || participants[userID] != nil || participants.count < Limits.rememberedParticipants
        else { return false }
        participants[userID] = participant
        if isOwn { isJoined = participant.status == .joined }
        return true
    }
}
