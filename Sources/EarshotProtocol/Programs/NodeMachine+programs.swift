package import EarshotModel

/// A message that answers what a consumer has acknowledged, or something that is said about a message then.
package struct ProgramReply: Sendable {
    package enum Key: Sendable {
        /// The program's own.
        case named(IdempotencyKey)
        /// Which of the answers to a message it is, from 0.
        case answer(Int, to: MessageID)

        var isNamed: Bool { if case .named = self { true } else { false } }
    }

    package let destination: Destination
    package let draft: EntryDraft
    package let key: Key
    /// The place of the message that it answers; `nil` if it answers none.
    package let answering: Int64?
    /// When it goes out, in milliseconds since 1970; at once if there is none.
    package let notBefore: Int64?
    /// The name of the program, if it is a draft that waits for a person.
    package let draftedBy: String?

    package init(
        to destination: Destination, draft: EntryDraft, key: Key, answering: Int64? = nil, notBefore: Int64? = nil,
        draftedBy: String? = nil
    ) {
        self.destination = destination
        self.draft = draft
        self.key = key
        self.answering = answering
        self.notBefore = notBefore
        self.draftedBy = draftedBy
    }
}

/// Inputs that concern programs, on their way to `ProgramsMachine`.
extension NodeMachine {
    func situation(_ now: Moment) -> ProgramsMachine.Situation {
        ProgramsMachine.Situation(now: clocks.settled(now), isTakingBack: replication.isTakingBack)
    }

    // MARK: - Sending

    /// Messages are sent once, however often this is called with one key.
    /// - Parameter place: which of several recipients of one call it is, from 0; `nil` if there is only one.
    package mutating func send(
        _ drafts: [MessageDraft], to destination: Destination, at place: Int? = nil, key: IdempotencyKey,
        requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        send(drafts.map(EntryDraft.message), to: destination, at: place, key: key, requestID: requestID, now: now)
    }

    /// The same for anything that an entry can say. What is no message is answered without one.
    package mutating func send(
        _ drafts: [EntryDraft], to destination: Destination, at place: Int? = nil, key: IdempotencyKey,
        requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.checkIsRunning()
            try node.check(drafts)
            try Self.checkKey(key)
            let refusal = node.refusal(of: destination)
            let keys = (0...drafts.count).map { node.programs.key(key, place: $0, recipient: place) }
            let items = try zip(drafts, keys).map { draft, key throws(ProtocolError) in
                var item = try node.item(draft, to: destination, key: key, isNamed: true)
                item.refusal = refusal
                return item
            }
            var call = ProgramCall(requestID: requestID, kind: .send, items: items)
            call.next = keys.last
            for (number, entryKey) in keys.enumerated() {
                call.formerKeys[entryKey] = node.programs.formerKey(key, place: number, recipient: place)
            }
            if refusal == nil { node.use(destination, now: now) }
            node.run(node.programs.begin(call, in: node.situation(now)), now: now)
        }
    }

    /// A message goes out when it is due.
    /// - Parameters:
    ///   - notBefore: milliseconds since 1970.
    ///   - scheduledID: drawn at random; not used for a message with a key.
    package mutating func schedule(
        _ draft: MessageDraft, to destination: Destination, notBefore: Int64, key: IdempotencyKey?,
        scheduledID: EntryKey, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.checkIsRunning()
            try node.check([.message(draft)])
            if let key { try Self.checkKey(key) }
            let entryKey = key.map { node.programs.key($0) }
            let record = ScheduledRecord(
                scheduledID: entryKey ?? scheduledID, by: node.local.userID, to: destination, draft: draft,
                notBefore: notBefore, key: entryKey, now: now)
            var call = ProgramCall(requestID: requestID, kind: .schedule(record))
            if let key { call.formerKeys[record.scheduledID] = node.programs.formerKey(key) }
            call.refusal = node.refusal(of: destination)
            if call.refusal == nil { node.use(destination, now: now) }
            node.run(node.programs.begin(call, in: node.situation(now)), now: now)
        }
    }

    /// A message that waits for its time is not to be sent.
    package mutating func cancelScheduled(
        _ scheduledID: ScheduledMessageID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.call(.cancel(scheduledID.bytes), requestID, now: now)
        }
    }

    /// The messages that wait for their time, the first due first.
    package var scheduled: [ScheduledMessage] { programs.schedule.all }

    /// The bytes that stand in an entry for a key of a program.
    /// - Parameter place: which of several recipients of one call it is for, from 0; `nil` if there is only one.
    package func entryKey(_ key: IdempotencyKey, at place: Int? = nil) -> EntryKey {
        programs.key(key, recipient: place)
    }

    /// The same for a message that goes with an acknowledgement.
    package func entryKey(_ key: ProgramReply.Key, of consumer: String) -> EntryKey {
        switch key {
        case .named(let key): programs.key(key)
        case .answer(let place, let messageID): programs.key(ofAnswer: place, to: messageID, by: consumer)
        }
    }

    private func formerKey(_ key: ProgramReply.Key, of consumer: String) -> EntryKey? {
        switch key {
        case .named(let key): programs.formerKey(key)
        case .answer(let place, let messageID): programs.formerKey(ofAnswer: place, to: messageID, by: consumer)
        }
    }

    // MARK: - The inbox

    /// A consumer has dealt with everything up to a place, and answers some of it.
    /// - Parameter handled: the last message of each log up to that place.
    package mutating func acknowledge(
        _ consumer: String, through cursor: Int64, handled: [MessageID] = [], sending replies: [ProgramReply],
        requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.checkIsRunning()
            guard replies.count <= Limits.messagesPerSend else {
                throw ProtocolError(
                    .invalidMessage, "one call sends at most \(Limits.messagesPerSend) messages, not \(replies.count)")
            }
            var call = ProgramCall(
                requestID: requestID, kind: .acknowledge(consumer: consumer, through: cursor),
                items: try node.items(replies, of: consumer))
            call.handled = handled
            for reply in replies {
                call.formerKeys[node.entryKey(reply.key, of: consumer)] = node.formerKey(reply.key, of: consumer)
            }
            if call.items.allSatisfy({ $0.refusal == nil }) {
                for reply in replies { node.use(reply.destination, now: now) }
            }
            node.run(node.programs.begin(call, in: node.situation(now)), now: now)
        }
    }

    private mutating func items(
        _ replies: [ProgramReply], of consumer: String
    ) throws(ProtocolError) -> [ProgramCall.Item] {
        var keys: Set<EntryKey> = []
        var items: [ProgramCall.Item] = []
        for (index, reply) in replies.enumerated() {
            var item: ProgramCall.Item
            do throws(ProtocolError) {
                item = try self.item(
                    reply.draft, to: reply.destination, key: entryKey(reply.key, of: consumer),
                    isNamed: reply.key.isNamed)
            } catch { throw error.about(index) }
            item.answering = reply.answering
            item.notBefore = reply.notBefore
            item.draftedBy = reply.draftedBy
            do throws(ProtocolError) {
                try checkDestination(reply.destination)
                try check([reply.draft])
                if case .named(let key) = reply.key { try Self.checkKey(key) }
                guard item.key.map({ keys.insert($0).inserted }) ?? true else {
                    throw ProtocolError(.keyReused, "two messages of one call have the same idempotency key")
                }
            } catch { item.refusal = error }
            items.append(item)
        }
        return items
    }

    /// What a consumer is to be given next, as `RequestAnswer.planned`.
    /// - Parameter attempts: after so many hand-outs in vain a message is set aside.
    package mutating func receive(
        _ consumer: String, limit: Int, attempts: Int, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.call(.receive(consumer: consumer, limit: limit, attempts: attempts), requestID, now: now)
        }
    }

    /// Nobody waits any more for the answer to `receive`. If its turn has not come, it is answered at once with a plan of no
    /// messages, and the consumer is free.
    package mutating func withdraw(_ requestID: RequestID, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.programs.withdraw(requestID), now: now) }
    }

    /// A consumer was given messages, at these places, ascending.
    /// - Parameter attempts: after so many hand-outs in vain a message is set aside.
    package mutating func handedOut(
        _ places: [Int64], attempts: Int, to consumer: String, now: Moment
    ) -> [NodeAction] {
        handle(now: now) { $0.programs.handedOut(places, attempts: attempts, to: consumer, now: now) }
    }

    /// A consumer ends, and gives back what it has not dealt with: that is held against no message.
    package mutating func handBack(_ consumer: String, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.programs.handedBack(by: consumer) }
    }

    /// A consumer could do nothing with the first message that it was given and has not acknowledged. It is answered with
    /// `RequestAnswer.failureNoted`.
    /// - Parameter place: that of the message.
    package mutating func fail(
        _ consumer: String, _ place: Int64, reason: String, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.call(.fail(consumer: consumer, place, reason: reason), requestID, now: now)
        }
    }

    /// Makes, moves or removes a consumer, or has it given again what was set aside.
    package mutating func change(
        _ consumer: String, _ change: ConsumerChange, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.call(.change(consumer: consumer, change), requestID, now: now)
        }
    }

    /// Ascending by name.
    package var consumers: [ConsumerRecord] { programs.consumers.all }

    mutating func call(
        _ kind: ProgramCall.Kind, _ requestID: RequestID, now: Moment
    ) throws(ProtocolError) {
        try checkIsRunning()
        run(programs.begin(ProgramCall(requestID: requestID, kind: kind), in: situation(now)), now: now)
    }

    // MARK: - Checks

    func checkIsRunning() throws(ProtocolError) {
        guard !isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
    }

    /// Why nothing can be written there now.
    func refusal(of destination: Destination) -> ProtocolError? {
        do throws(ProtocolError) {
            try checkDestination(destination)
            return nil
        } catch { return error }
    }

    mutating func use(_ destination: Destination, now: Moment) {
        if case .user(let userID) = destination { use(userID, now: now) }
    }

    static func checkKey(_ key: IdempotencyKey) throws(ProtocolError) {
        guard (1...Limits.idempotencyKeyBytes).contains(key.text.utf8.count) else {
            throw ProtocolError(
                .invalidMessage, "an idempotency key is 1 to \(Limits.idempotencyKeyBytes) bytes of UTF-8")
        }
    }

    /// - Throws: `ProtocolError` `unknownConversation`.
    func item(
        _ draft: EntryDraft, to destination: Destination, key: EntryKey?, isNamed: Bool
    ) throws(ProtocolError) -> ProgramCall.Item {
        guard let conversation = conversation(of: destination) else {
            throw ProtocolError(.unknownConversation, "this node knows no such conversation: join it first")
        }
        return ProgramCall.Item(
            conversation: conversation, destination: destination, draft: draft, key: key, isNamed: isNamed)
    }

    // MARK: - The store's answers

    /// The answer to `findKeys`.
    package mutating func keysFound(_ lookup: KeyLookup, _ entries: [KeyedEntry], now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            guard case .call(let requestID) = lookup else {
                node.replication.keysFound(lookup, entries)
                return
            }
            var found: [EntryKey: FoundEntry] = [:]
            for known in entries {
                if let key = known.entry.key { found[key] = node.replication.found(known) }
            }
            node.run(node.programs.keysFound(requestID, found, in: node.situation(now)), now: now)
        }
    }

    /// The store could not answer `findKeys`: nothing is sent.
    package mutating func findKeysFailed(_ lookup: KeyLookup, _ error: String, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            guard case .call(let requestID) = lookup else {
                node.replication.findKeysFailed(lookup, clocks: &node.clocks, now: now)
                return
            }
            let error = ProtocolError(.storage, error)
            node.run(node.programs.keysNotFound(requestID, error, in: node.situation(now)), now: now)
        }
    }

    // MARK: - What it wants

    mutating func run(_ actions: [ProgramsMachine.Action], now: Moment) {
        for action in actions {
            switch action {
            case .findKeys(let requestID, let keys): emit(.findKeys(.call(requestID), keys))
            case .write(let send):
                do throws(ProtocolError) {
                    let conversation = send.parts.first?.conversation
                    let recipientID =
                        conversation?.kind == .direct ? conversation?.peerID(of: local.userID) : nil
                    let name = recipientID.flatMap { trust.directory.users[$0]?.name }
                    try replication.send(send, name: name)
                } catch {
                    if let requestID = send.requestID { complete(requestID, .failure(error), now: now) }
                }
            case .complete(let requestID, let result): emit(.complete(requestID, result))
            }
        }
    }

    /// A request is answered; what it was part of may have more to do.
    mutating func complete(_ requestID: RequestID, _ result: Result<RequestAnswer, ProtocolError>, now: Moment) {
        guard programs.callCount > 0, let actions = programs.ended(requestID, result, in: situation(now)) else {
            emit(.complete(requestID, result))
            return
        }
        run(actions, now: now)
    }

    /// Calls that are answered once the commit that is under way is on the disk, and of which nothing else follows.
    package var callsInCommit: [AcceptedCall] {
        programs.callCount > 0 ? [] : replication.commits.inFlight?.accepted ?? []
    }

    mutating func complete(_ calls: [AcceptedCall], now: Moment) {
        guard programs.callCount > 0 else { return emit(.accepted(calls)) }
        for call in calls { complete(call.requestID, .success(call.answer), now: now) }
    }

    mutating func lookUpAgain(_ send: PendingSend, now: Moment) {
        guard let requestID = send.requestID else { return }
        run(programs.lookUpAgain(requestID, in: situation(now)), now: now)
    }

    /// Goes on with what has waited for time to pass, or for logs to be back.
    mutating func advancePrograms(now: Moment) {
        guard !isStopping else { return }
        let (userID, conversations) = (local.userID, replication.conversations)
        // A message to a conversation that this user has left waits until they join it again.
        let isRevoked = isRevoked(local.deviceID, of: userID)
        let mayGo = { (destination: Destination) in
            if case .conversation(let conversationID) = destination {
                !isRevoked && conversations.mayWrite(to: conversationID)
            } else {
                !isRevoked
            }
        }
        let actions = programs.advance(in: situation(now), mayGo: mayGo) { message, requestID in
            let conversation: ConversationRecord? =
                switch message.destination {
                case .user(let peerID): .direct(userID, peerID)
                case .conversation(let conversationID): conversations.record(conversationID)
                }
            // An older copy of the database may hold it still, though it has been sent.
            let key = message.id.bytes
            return conversation.map { conversation in
                let item = ProgramCall.Item(
                    conversation: conversation, destination: message.destination, draft: .message(message.draft),
                    key: key, isNamed: false)
                return ProgramCall(requestID: requestID, kind: .due(key), items: [item])
            }
        }
        run(actions, now: now)
        if let wait = programs.schedule.wait(now: clocks.settled(now), mayGo: mayGo) {
            let (due, overflow) = now.uptime.addingReportingOverflow(wait)
            clocks.wake(by: overflow ? .max : due)
        }
    }
}

extension Replication {
    /// An own entry with a key; `nil` for one that is no longer there.
    func found(_ known: KeyedEntry) -> FoundEntry? {
        guard let log = logs.own(known.logID) else { return nil }
        var content = MessageContent("")
        if case .body(let bytes) = known.entry.content, known.entry.kind.isShown {
            guard case .text(let written) = try? EntryBody(decoding: bytes).content else { return nil }
            content = written
        }
        let conversation = conversations.record(log.description.conversationID) ?? log.record.conversation
        let recipientIDs = conversation.recipientIDs(of: log.record.authorID)
        let states = recipientIDs.map { userID in
            let progress = deliveries.committed(log.deliveryKey(for: userID)) ?? DeliveryProgress()
            return (userID, progress.state(of: known.entry.sequence, failure: deliveries.failure(of: known.messageID)))
        }
        let message = Message(
            content, messageID: known.messageID, conversationID: log.description.conversationID,
            senderID: log.record.authorID, recipientIDs: recipientIDs, timestamp: known.entry.timestamp,
            expiry: known.entry.expiry, states: Dictionary(uniqueKeysWithValues: states),
            notes: LocalNotes(isOwn: true), isDeleted: known.entry.isDeleted)
        return FoundEntry(
            entry: known.entry, conversationID: message.conversationID,
            message: known.entry.kind.isShown ? message : nil)
    }
}
