/// What the entries of a private conversation say it is, as the store keeps it for whoever reads the tables.
package struct PrivateConversationRecord: Hashable, Sendable {
    package let conversationID: ConversationID
    package let uniqueName: String
    package let friendlyName: String
    /// JSON.
    package let attributes: String
    package let ownerID: UserID
    /// The device of the owner that decides; `nil` in what was noted before that was.
    package let decidingDeviceID: DeviceID?
    /// Whether this node's user has joined it, and is in.
    package let isJoined: Bool
    package let givesHistory: Bool
    package let isClosed: Bool
    package let participants: [Participant]

    package init(
        conversationID: ConversationID, uniqueName: String, friendlyName: String, attributes: String, ownerID: UserID,
        decidingDeviceID: DeviceID?, isJoined: Bool, givesHistory: Bool, isClosed: Bool, participants: [Participant]
    ) {
        self.conversationID = conversationID
        self.uniqueName = uniqueName
        self.friendlyName = friendlyName
        self.attributes = attributes
        self.ownerID = ownerID
        self.decidingDeviceID = decidingDeviceID
        self.isJoined = isJoined
        self.givesHistory = givesHistory
        self.isClosed = isClosed
        self.participants = participants
    }

    /// - Returns: `nil` for a user who was never added.
    package func status(of userID: UserID) -> Participant.Status? {
        participants.first { $0.userID == userID }?.status
    }
}

extension PrivateConversationRecord {
    /// What programs are told when this takes the place of what they were told last.
    ///
    /// A device that decides from now on knows that.
    ///
    /// Somebody who is new to a conversation hears of the whole of it, and not of each participant.
    package func news(
        since old: PrivateConversationRecord?, for userID: UserID, on deviceID: DeviceID
    ) -> [JournalRecord] {
        guard let status = status(of: userID) else { return [] }
        let known = old.flatMap { $0.status(of: userID) == nil ? nil : $0 }
        var changes: Set<ConversationChange> = status == known?.status(of: userID) ? [] : [.status]
        if let known {
            if ownerID != known.ownerID {
                changes.insert(.owner)
            } else if let before = known.decidingDeviceID, before != decidingDeviceID, decidingDeviceID != deviceID {
                changes.insert(.decidingDevice)
            }
            if friendlyName != known.friendlyName || attributes != known.attributes { changes.insert(.attributes) }
        }
        var news: [JournalRecord] = []
        if !changes.isEmpty {
            news.append(
                .conversation(
                    ConversationUpdate(
                        conversationID: conversationID, kind: .private, uniqueName: uniqueName, status: status,
                        ownerID: ownerID, changes: changes)))
        }
        // Closing changes everybody's status, and is told once.
        guard let known, !isClosed else { return news }
        let before = Dictionary(known.participants.map { ($0.userID, $0) }) { first, _ in first }
        return news
            + participants.filter { $0.userID != userID && !$0.isSame(as: before[$0.userID]) }.map {
                .participant(ParticipantUpdate(conversationID: conversationID, participant: $0))
            }
    }
}

extension Participant {
    fileprivate func isSame(as other: Participant?) -> Bool { role == other?.role && status == other?.status }
}

/// Some entries of a log that the disk has.
package struct RecordedEntries: Hashable, Sendable {
    package let log: LogRecord
    package let entries: [EntryRecord]

    package init(log: LogRecord, entries: [EntryRecord]) {
        self.log = log
        self.entries = entries
    }
}
