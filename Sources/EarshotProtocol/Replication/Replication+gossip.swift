import EarshotCrypto
import EarshotModel

extension Replication {
    /// Tells peers what they may lack.
    mutating func gossip(now: Moment) {
        guard sessions.gossip.deadline <= now.uptime else { return }
        let due = sessions.gossip.takeDue(now: now)
        for conversationID in due.comparisons {
            guard let conversation = conversations.record(conversationID) ?? logs.conversations[conversationID] else {
                continue
            }
            for connectionID in sessions.chosen {
                guard let session = sessions[connectionID], isCompared(conversation, with: session),
                    isToBeTold(session.userID, of: conversationID)
                else { continue }
                tell(conversation, on: connectionID)
            }
            passOn(of: conversationID)
        }
        for announcement in due.announcements {
            guard let log = logs.incoming(announcement.logID), log.committed.sequence > 0 else { continue }
            let conversationID = log.description.conversationID
            let head = BranchHead(log: log.description, place: log.committed.place)
            for connectionID in sessions[announcement.userID] {
                guard let session = sessions[connectionID], session.deviceID != head.log.deviceID,
                    let conversation = common(conversationID, with: session),
                    conversation.kind == .direct || session.sharing.contains(conversationID)
                else { continue }
                let heads = access(to: conversationID, of: session).heads(among: [head])
                guard !heads.isEmpty else { continue }
                let frame = HeadsFrame(conversationID: conversationID, heads: heads, isComplete: false)
                actions.append(.send(.heads(frame), connectionID))
            }
        }
    }

    /// Receipts that are new here go to others, if their authors are not here.
    private mutating func passOn(of conversationID: ConversationID) {
        let (logs, sessions) = (logs, sessions)
        let fresh = deliveries.takeFreshReceipts { logID in
            logs.incoming(logID).map { $0.description.conversationID == conversationID } ?? false
        }
        let receipts = fresh.filter { !(logs.incoming($0.logID).map { sessions.isLinked($0.authorID) } ?? true) }
        for connectionID in receipts.isEmpty ? [] : sessions.carriers(of: conversationID) {
            actions.append(.carry(receipts, connectionID))
        }
    }

    /// Participants whom this node does not reach: those who hear of it from others.
    func unreached(by record: LogRecord) -> [UserID] {
        let conversation = conversations.record(record.description.conversationID) ?? record.conversation
        var unreached: [UserID] = []
        for userID in conversation.participantIDs
        where userID != author.userID && !sessions.isLinked(userID) && unreached.count < Limits.unreachedUsers {
            unreached.append(userID)
        }
        return unreached
    }
}
