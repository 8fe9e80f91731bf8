import EarshotModel

extension ProvedEntries {
    /// What they tell observers once they are on the disk.
    func news(
        of log: IncomingLog, in conversation: ConversationRecord, to reader: LogAuthor, _ logs: Logs,
        _ erasures: Erasures
    ) -> [EntryNews] {
        let source = EntryNews.Source(log, in: conversation, to: reader)
        var news: [EntryNews] = []
        news.reserveCapacity(count)
        // Arrays would hand out copies.
        let (entries, bodies) = (records.span, bodies.span)
        for index in entries.indices {
            if erasures.mayCover, erasures.covers(records[index], of: log) { continue }
            let told = EntryNews(
                bodies[index]?.content, at: entries[index].sequence, timestamp: entries[index].timestamp,
                expiry: entries[index].expiry, of: source, logs)
            if let told { news.append(told) }
        }
        return news
    }
}

extension EntryNews {
    /// What the news of a log have in common.
    struct Source {
        fileprivate let logID: LogID
        fileprivate let authorID: UserID
        fileprivate let conversationID: ConversationID
        /// Others of a conversation of many are not told of a user that way, and nobody of themselves.
        fileprivate let tellsProfiles: Bool
        /// Whom its messages are for, as this node tells it.
        fileprivate let recipientIDs: [UserID]
        fileprivate let states: [UserID: DeliveryState]
        /// Whether this node's user writes it.
        fileprivate let isOwn: Bool

        /// A log of another device.
        init(_ log: IncomingLog, in conversation: ConversationRecord, to reader: LogAuthor) {
            isOwn = log.authorID == reader.userID
            (logID, authorID, conversationID) = (log.logID, log.authorID, log.description.conversationID)
            tellsProfiles = conversation.kind == .direct
            recipientIDs = isOwn ? conversation.recipientIDs(of: reader.userID) : [reader.userID]
            let state = isOwn ? DeliveryState.queued : .delivered
            states = Dictionary(uniqueKeysWithValues: recipientIDs.map { ($0, state) })
        }

        /// - Parameter conversation: the log's, with those who belong to it now.
        init(_ log: OwnLog, in conversation: ConversationRecord) {
            (logID, authorID) = (log.record.logID, log.record.authorID)
            conversationID = log.description.conversationID
            (tellsProfiles, isOwn) = (false, true)
            recipientIDs = conversation.recipientIDs(of: authorID)
            states = Dictionary(uniqueKeysWithValues: recipientIDs.map { ($0, .queued) })
        }
    }

    /// - Parameter content: what the entry says; `nil` for one without a body.
    /// - Returns: `nil` for an entry that tells nothing.
    init?(
        _ content: EntryBody.Content?, at sequence: UInt64, timestamp: HybridTimestamp, expiry: Int64,
        of source: Source, _ logs: Logs
    ) {
        switch content {
        case .text(let content):
            self = .message(
                Message(
                    content, messageID: MessageID(log: source.logID, sequence: sequence),
                    conversationID: source.conversationID, senderID: source.authorID,
                    recipientIDs: source.recipientIDs, timestamp: timestamp, expiry: expiry, states: source.states,
                    notes: LocalNotes(isOwn: source.isOwn)))
        case .amendment(let amendment):
            guard let update = logs.update(by: amendment, of: source.authorID, in: source.conversationID) else {
                return nil
            }
            self = .update(update, by: sequence)
        case .profile:
            guard source.tellsProfiles else { return nil }
            self = .profile(source.authorID, by: sequence)
        case .branches, .join, .leave, .version, .control, .decision, .cut, .erasure, .shown, .unknown, nil: return nil
        }
    }
}
