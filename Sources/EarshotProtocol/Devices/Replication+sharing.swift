import EarshotModel

/// What devices of one user tell each other in entries.
extension Replication {
    /// This node's user has decided about another: the other devices hear of it, from the commit on that writes that.
    mutating func share(_ decision: Decision) {
        changes.write(
            PendingSend(
                requestID: nil, parts: [.init(conversation: author.ownConversation, drafts: [.decision(decision)])]))
    }

    /// Entries of this device are on the disk that stand in its user's own conversation.
    mutating func tellShared(_ entries: [EntryRecord], of record: LogRecord) {
        let shared = RecordedEntries(log: record, entries: entries)
        _ = conversations.erasures.insert(shared)
        conversations.hearShown([shared])
        actions.append(.shared(shared))
    }

    /// What other devices of this node's user have said, and the next commit writes, if it is made now.
    func heard(now: Moment) -> [RecordedEntries] {
        let conversationID = author.ownConversation.conversationID
        guard !commits.isWriting, runs.contains(conversationID) || fetching.bodies.hasFound,
            commits.isDue(work, now: now)
        else { return [] }
        let runs = runs.next.filter { $0.log.conversationID == conversationID }
            .map { RecordedEntries(log: $0.record(in: logs), entries: $0.entries) }
        let bodies = fetching.bodies.found(in: conversationID).compactMap { found in
            logs.proved(found.logID).map {
                RecordedEntries(log: $0.record(in: found.conversation), entries: found.entries.records)
            }
        }
        return runs + bodies
    }

    // MARK: - Revocation

    /// The conversations in which devices of this node's user have written, with the ends of the logs of one of them.
    func ends(of deviceID: DeviceID) -> [ConversationID: [LogPlace]] {
        let written = logs.conversations.keys.filter { conversationID in
            logs.hasWritten(in: conversationID)
                && (!isOfMany(conversationID) || conversations.mayWrite(to: conversationID))
        }
        let all = Set(written + [author.ownConversation.conversationID])
        return all.reduce(into: [:]) { ends, conversationID in
            let places = logs.heads(of: conversationID).filter { $0.log.deviceID == deviceID }.map {
                LogPlace(logID: $0.log.logID, sequence: $0.place.sequence, chain: $0.place.chain)
            }
            ends[conversationID] = Array(places.prefix(Limits.deviceCuts))
        }
    }

    /// A device of this node's user is revoked: says where its logs end, in the commit that writes that.
    mutating func write(_ cuts: [ConversationID: DeviceCut]) {
        let parts = cuts.sorted { $0.key < $1.key }.compactMap { conversationID, cut -> PendingSend.Part? in
            let known = conversations.record(conversationID) ?? logs.conversations[conversationID]
            let own = author.ownConversation.conversationID == conversationID ? author.ownConversation : nil
            return (known ?? own).map { .init(conversation: $0, drafts: [.cut(cut)]) }
        }
        if !parts.isEmpty { changes.write(PendingSend(requestID: nil, parts: parts)) }
    }
}
