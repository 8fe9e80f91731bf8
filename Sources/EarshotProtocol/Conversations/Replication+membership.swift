import EarshotCrypto
import EarshotModel

extension Replication {
    /// Open conversations whose names linked users tell, and which this node's user does not belong to, ascending by name.
    var advertised: [AdvertisedConversation] {
        var names: [ConversationID: String] = [:]
        var users: [ConversationID: Set<UserID>] = [:]
        for session in sessions.chosen.compactMap({ sessions[$0] }) {
            for (conversationID, name) in session.sharing.advertised where !conversations.isJoined(conversationID) {
                names[conversationID] = name
                users[conversationID, default: []].insert(session.userID)
            }
        }
        return names.map {
            AdvertisedConversation(conversationID: $0, uniqueName: $1, userIDs: Array(users[$0] ?? []))
        }.sorted { ($0.uniqueName, $0.conversationID) < ($1.uniqueName, $1.conversationID) }
    }

    /// Whether a user is told what is here of a conversation.
    func isToBeTold(_ userID: UserID, of conversationID: ConversationID) -> Bool {
        userID == author.userID || !conversations.privates.contains(conversationID)
            || conversations.isParticipant(userID, in: conversationID)
    }

    /// Whether entries of a log are looked at.
    func mayTake(_ log: LogDescription, from userID: UserID) -> Bool {
        guard conversations.privates.contains(log.conversationID) else { return log.kind == .messages }
        return log.kind == .control || conversations.privates.takesMessages(from: userID, in: log.conversationID)
    }

    /// Whether a frame of a private conversation cannot be looked at now, or ever.
    mutating func mustWait(
        _ frame: EntriesFrame, on connectionID: ConnectionID
    ) throws(ProtocolError) -> Bool {
        guard let session = sessions[connectionID] else { return true }
        guard mayTake(frame.log, from: session.userID) else {
            // The author may know more of who is in than this node does.
            let isAuthors = frame.log.deviceID == session.deviceID
            if isAuthors, conversations.privates.mayYetTakeMessages(in: frame.log.conversationID) {
                try conversations.privates.waits.add(frame, on: connectionID)
            } else {
                if isAuthors { sessions[connectionID]?.refuse(frame.log.conversationID) }
                actions.append(.credit(-1, connectionID))
            }
            return true
        }
        let isBehind = conversations.privates.waits.isWaiting(frame.log, on: connectionID)
        guard isBehind || conversations.privates.lacksVersion(of: frame) else { return false }
        try conversations.privates.waits.add(frame, on: connectionID)
        if !isBehind { sendHeads(of: frame.log.conversationID, asks: true, on: connectionID) }
        return true
    }

    /// Entries of a conversation are on the disk. What they say of a private one counts from `fold` on.
    mutating func absorb(_ entries: [EntryRecord], of record: LogRecord, after before: Place) {
        conversations.takeCuts(in: entries, of: record)
        conversations.noteJoins(in: entries, of: record)
        guard record.conversation.kind == .private else { return }
        conversations.privates.noteOwnVersions(in: entries, of: record)
        conversations.privates.take(entries, of: record, after: before)
    }

    /// What was absorbed counts, all of a conversation at once.
    mutating func fold(trust: TrustMachine, clocks: inout ClockMachine, now: Moment) {
        for conversationID in conversations.privates.fold() {
            membershipChanged(in: conversationID, trust: trust, clocks: &clocks, now: now)
        }
    }

    mutating func membershipChanged(
        in conversationID: ConversationID, trust: TrustMachine, clocks: inout ClockMachine, now: Moment
    ) {
        conversations.privates.noteDuties(in: conversationID)
        conversations.regard(in: conversationID)
        reconsiderBodies(of: conversationID)
        conversations.changed(conversationID)
        for connectionID in sessions.chosen { accessChanged(to: conversationID, on: connectionID) }
        endRefusals(of: conversationID)
        for (connectionID, frame) in conversations.privates.waits.take(of: conversationID) {
            guard sessions[connectionID] != nil else { continue }
            do throws(ProtocolError) {
                guard try !mustWait(frame, on: connectionID) else { continue }
                try place(frame, on: connectionID, isStranger: false, trust: trust, clocks: &clocks, now: now)
            } catch { close(connectionID, error.closeReason ?? .violation, error) }
        }
    }

    /// A peer that did not notice that this node's user was out believes that its messages came. Once the user is in again,
    /// the link ends, and they come again on the next.
    mutating func endRefusals(of conversationID: ConversationID) {
        for connectionID in sessions.chosen {
            guard let session = sessions[connectionID], session.sharing.isRefused(conversationID),
                conversations.privates.takesMessages(from: session.userID, in: conversationID)
                    || conversations.hasEverJoined(session.userID, conversationID)
            else { continue }
            let error = ProtocolError(
                .notJoined, "messages came while this node's user did not belong to the conversation",
                closeReason: .storageFailure)
            close(connectionID, .storageFailure, error)
        }
    }

    /// Who is in may have changed: what goes over a link follows.
    mutating func accessChanged(to conversationID: ConversationID, on connectionID: ConnectionID) {
        guard let session = sessions[connectionID], isToBeTold(session.userID, of: conversationID) else { return }
        let access = access(to: conversationID, of: session)
        if sessions[connectionID]?.allow(access, in: conversationID, logs: logs) == true {
            // What the peer holds of what it may have now is to be found out.
            sessions[connectionID]?.restart(conversationID)
        }
        giving.keep(in: conversationID, on: connectionID) { access.end(of: $0) != nil }
        if let conversation = conversations.record(conversationID) { tell(conversation, on: connectionID) }
        acknowledgePremature(by: session.userID, in: conversationID)
        sessions.pump(connectionID)
        if sessions[connectionID]?.sharing.contains(conversationID) == true {
            compare(conversationID, on: connectionID)
        }
    }

    /// Founds a private conversation.
    mutating func found(
        _ conversation: ConversationRecord, _ creation: Creation, _ origin: ConversationOrigin, proof: Signature?,
        _ invited: [EntryDraft], requestID: RequestID
    ) throws(ProtocolError) {
        let created = ControlBody(.created(creation), origin: origin, proof: proof)
        try control([.control(created)] + invited, of: conversation, requestID: requestID)
    }

    /// Writes what a call decides about a private conversation.
    mutating func control(
        _ drafts: [EntryDraft], of conversation: ConversationRecord, requestID: RequestID
    ) throws(ProtocolError) {
        try outbox.add(
            PendingSend(
                requestID: requestID, parts: [.init(conversation: conversation, drafts: drafts, kind: .control)]),
            isHeld: isHolding(conversation.conversationID), to: conversation.label(for: author.userID))
    }

    /// This node's user belongs to an open conversation from now on, which begins with that if nobody else was first.
    mutating func join(
        _ uniqueName: String, _ conversationID: ConversationID, isAdvertised: Bool, requestID: RequestID, now: Moment
    ) throws(ProtocolError) {
        let prepared = try conversations.prepare(conversationID, uniqueName: uniqueName, isAdvertised: isAdvertised)
        guard let conversation = prepared else {
            answer(requestID, .conversation(conversationID))
            return
        }
        try outbox.add(
            PendingSend(requestID: requestID, parts: [.init(conversation: conversation, drafts: [.join])]),
            isHeld: isHolding(conversationID), to: "#\(uniqueName)")
    }

    /// This node's user belongs to it no longer. What is here stays.
    mutating func leave(_ conversationID: ConversationID, requestID: RequestID) throws(ProtocolError) {
        try conversations.checkJoined(conversationID)
        guard let conversation = conversations[conversationID]?.record else { return }
        try outbox.add(
            PendingSend(requestID: requestID, parts: [.init(conversation: conversation, drafts: [.leave])]),
            isHeld: isHolding(conversationID), to: conversation.label(for: author.userID))
    }
}
