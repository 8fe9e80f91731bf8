import DequeModule
import EarshotModel

/// What programs ask beside plain sends: calls with idempotency keys, acknowledgements that answer, and messages for later.
///
/// It decides which call must wait for another, what was sent already, and what goes into one commit. It writes nothing
/// itself: what is to be written goes the way of all sends (`Outbox`), and comes back when the disk has it.
struct ProgramsMachine: Sendable {
    enum Action: Sendable {
        /// Ask the store for this node's own entries with these keys.
        case findKeys(RequestID, [EntryKey])
        case write(PendingSend)
        case complete(RequestID, Result<RequestAnswer, ProtocolError>)
    }

    /// What a call depends on beside what this machine knows.
    struct Situation: Sendable {
        let now: Moment
        /// Whether logs of this node's own are being taken back, so that nothing is handed out.
        let isTakingBack: Bool
    }

    /// A call whose turn has come.
    private struct Active: Sendable {
        var call: ProgramCall
        /// What was found of the items, in their places.
        var answers: [FoundEntry?] = []
        var changes: [ProgramChange] = []
        var plan: HandOutPlan?
    }

    private let keys: EntryKeys
    private let salts: EntrySalts
    /// See `Snapshot.sharedKeysEnd`.
    private let sharedKeysEnd: Int64
    private(set) var consumers: Consumers
    private(set) var schedule: Schedule
    private(set) var drafts: Drafts
    /// Drafts of conversations that were left since.
    private var leftDrafts: [EntryKey] = []
    private var active: [RequestID: Active] = [:]
    private var claimed: Set<ProgramCall.Claim> = []
    /// Calls that wait for others, in the order in which they came.
    private var waiting: Deque<ProgramCall> = []
    /// Calls that wait until nothing is taken back.
    private var paused: [ProgramCall] = []
    private var bytes = 0
    /// Counts its own calls, which nobody waits for.
    private var ownCalls: UInt64 = 0

    init(
        keys: EntryKeys, salts: EntrySalts, consumers: [ConsumerRecord] = [], scheduled: [ScheduledRecord] = [],
        drafts: Drafts = Drafts(), sharedKeysEnd: Int64 = 0
    ) {
        self.keys = keys
        self.sharedKeysEnd = sharedKeysEnd
        self.salts = salts
        self.consumers = Consumers(consumers)
        schedule = Schedule(scheduled)
        self.drafts = drafts
    }

    /// Whether something waits for time to pass, or for logs to be back.
    var isWaiting: Bool { !paused.isEmpty || !schedule.isEmpty || !leftDrafts.isEmpty }

    /// How many calls are not yet answered.
    var callCount: Int { active.count + waiting.count + paused.count }

    // MARK: - Keys

    /// The key of a message of a call that has a key itself.
    func key(_ name: IdempotencyKey, place: Int = 0, recipient: Int? = nil) -> EntryKey {
        keys.key(name, place: place, recipient: recipient)
    }

    /// The key that a name had while all programs shared their names. A program that repeats then, after the update, what it
    /// asked for before finds it again, if it is the same content for the same recipient.
    /// - Returns: `nil` where it was no other one, and in a home where names were never shared.
    func formerKey(_ name: IdempotencyKey, place: Int = 0, recipient: Int? = nil) -> EntryKey? {
        guard sharedKeysEnd > 0, name.token != nil else { return nil }
        return keys.key(IdempotencyKey(name.text), place: place, recipient: recipient)
    }

    /// The key of an answer that has none from its program: the same whenever the consumer answers that message again.
    func key(ofAnswer place: Int, to messageID: MessageID, by consumer: String) -> EntryKey {
        keys.key(ofAnswer: place, to: messageID, by: consumer)
    }

    /// The former key of an answer that has none from its program; `nil` unless the consumer is that of a token.
    func formerKey(ofAnswer place: Int, to messageID: MessageID, by consumer: String) -> EntryKey? {
        guard sharedKeysEnd > 0, let record = consumers.record(consumer), record.token != nil else { return nil }
        return keys.key(ofAnswer: place, to: messageID, by: record.plainName)
    }

    // MARK: - Calls

    /// A program calls.
    mutating func begin(_ call: ProgramCall, in situation: Situation) -> [Action] {
        guard callCount < Limits.programCalls, callCount == 0 || bytes + call.bytes <= Limits.pendingSendBytes else {
            let error = ProtocolError(.overloaded, "\(callCount) calls of programs wait already; try again in a moment")
            return [.complete(call.requestID, .failure(error))]
        }
        bytes += call.bytes
        waiting.append(call)
        return proceed(in: situation)
    }

    /// Begins with every call that waits for no other any more.
    private mutating func proceed(in situation: Situation) -> [Action] {
        var actions: [Action] = []
        var blocked: Set<ProgramCall.Claim> = []
        var left: Deque<ProgramCall> = []
        while let call = waiting.popFirst() {
            let claims = call.claims
            guard claims.isDisjoint(with: claimed), claims.isDisjoint(with: blocked) else {
                // What comes later and wants the same stays behind it.
                blocked.formUnion(claims)
                left.append(call)
                continue
            }
            claimed.formUnion(claims)
            active[call.requestID] = Active(call: call)
            actions += evaluate(call, in: situation)
        }
        waiting = left + waiting
        return actions
    }

    private mutating func evaluate(_ call: ProgramCall, in situation: Situation) -> [Action] {
        if let known = recognized(of: call) { return end(call.requestID, .success(known), in: situation) }
        do throws(ProtocolError) {
            switch call.kind {
            case .send: if call.items.contains(where: { isKept($0.key) }) { throw Self.reused }
            case .acknowledge(let name, _): _ = try consumers.known(name)
            case .receive(let name, let limit, let attempts):
                if situation.isTakingBack { return pause(call, in: situation) }
                let (changes, plan) = try consumers.plan(
                    for: name, limit: limit, attempts: attempts, now: situation.now)
                active[call.requestID]?.plan = plan
                return write(changes.map { .consumer(name, $0) }, for: call, in: situation)
            case .fail(let name, let place, let reason):
                let failure = ConsumerFailure(reason, time: situation.now.wallClock)
                let change = try consumers.fail(place, for: name, failure)
                return write([.consumer(name, change)], for: call, in: situation)
            case .change(let name, let change):
                try consumers.check(change, of: name)
                return write([.consumer(name, change)], for: call, in: situation)
            case .schedule(let record):
                if let known = schedule.record(record.scheduledID) {
                    guard known.draft == record.draft, known.notBefore == record.notBefore else { throw Self.reused }
                    return end(call.requestID, .success(answer(known, messageID: nil)), in: situation)
                }
                try schedule.checkRoom(for: record)
            case .cancel(let scheduledID):
                guard schedule[scheduledID] != nil else {
                    throw ProtocolError(.unknownMessage, "no message with that id waits for its time")
                }
                return write([.unschedule(scheduledID)], for: call, in: situation)
            case .due: break
            case .insertDraft(let record):
                if let known = drafts[record.draftID] {
                    guard known.conversationID == record.conversationID else { throw Self.reused }
                    return end(call.requestID, .success(.draft(known)), in: situation)
                }
                guard !drafts.wasDiscarded(record.draftID) else { throw Self.discarded }
                guard schedule[record.draftID] == nil else { throw Self.reused }
                try drafts.checkRoom(for: record)
            case .updateDraft(let draftID, let content):
                let (known, record) = try known(draftID)
                let changed = record.changed(to: content, to: known.destination, now: situation.now)
                try drafts.checkRoom(changing: changed)
                return write([.draft(.update(changed))], for: call, in: situation)
            case .sendDraft(let draftID):
                // It may have changed while the call waited.
                if let draft = drafts[draftID], var item = call.items.first {
                    item.draft = .message(draft.content)
                    active[call.requestID]?.call.items = [item]
                }
            case .discardDrafts(let draftIDs, let discard):
                let records = draftIDs.compactMap(drafts.record)
                if case .named = discard, records.isEmpty, !draftIDs.allSatisfy(drafts.wasDiscarded) {
                    throw Self.unknownDraft
                }
                return write(records.map { .draft(.discard($0)) }, for: call, in: situation)
            }
        } catch { return end(call.requestID, .failure(error), in: situation) }
        guard call.keys.isEmpty else { return [.findKeys(call.requestID, call.keys)] }
        return resolve(call, found: [:], in: situation)
    }

    /// Whether a message with the key waits for its time, or for a person.
    private func isKept(_ key: EntryKey?) -> Bool {
        key.map { schedule[$0] != nil || drafts.record($0) != nil } ?? false
    }

    private func known(_ draftID: EntryKey) throws(ProtocolError) -> (draft: Draft, record: DraftRecord) {
        guard let draft = drafts[draftID], let record = drafts.record(draftID) else { throw Self.unknownDraft }
        return (draft, record)
    }

    private static let unknownDraft = ProtocolError(
        .unknownDraft, "no draft with that id waits: it may have been sent or discarded")
    private static let discarded = ProtocolError(
        .draftDiscarded, "the draft was discarded, and is not inserted again")

    private static let tooLate = ProtocolError(
        .alreadyAcknowledged, "it is acknowledged already, and this message did not go with that; it is not sent")
    private static let notCovered = ProtocolError(
        .invalidMessage, "it answers a message that is not acknowledged with it")
    private static let reused = ProtocolError(
        .keyReused, "the idempotency key belongs to another message, which was sent or scheduled before")

    /// It is asked again when nothing is taken back any more.
    private mutating func pause(_ call: ProgramCall, in situation: Situation) -> [Action] {
        active[call.requestID] = nil
        claimed.subtract(call.claims)
        paused.append(call)
        return []
    }

    /// Nobody waits for the answer any more. A consumer's question whose turn has not come is given nothing.
    mutating func withdraw(_ requestID: RequestID) -> [Action] {
        let isMeant = { (call: ProgramCall) in
            if case .receive = call.kind { call.requestID == requestID } else { false }
        }
        let call: ProgramCall
        if let index = paused.firstIndex(where: isMeant) {
            call = paused.remove(at: index)
        } else if let index = waiting.firstIndex(where: isMeant) {
            call = waiting.remove(at: index)
        } else {
            return []
        }
        guard case .receive(let name, _, _) = call.kind else { return [] }
        do throws(ProtocolError) {
            let cursor = try consumers.known(name).cursor
            return [.complete(requestID, .success(.planned(.after(cursor, limit: 0))))]
        } catch { return [.complete(requestID, .failure(error))] }
    }

    // MARK: - What was sent already

    /// The store's answer. The entries' messages are those that this node shows.
    mutating func keysFound(
        _ requestID: RequestID, _ found: [EntryKey: FoundEntry], in situation: Situation
    ) -> [Action] {
        guard let call = active[requestID]?.call else { return [] }
        return resolve(call, found: found, in: situation)
    }

    /// The store could not answer.
    mutating func keysNotFound(_ requestID: RequestID, _ error: ProtocolError, in situation: Situation) -> [Action] {
        end(requestID, .failure(error), in: situation)
    }

    /// A call was held while logs were taken back, which may have brought its messages.
    mutating func lookUpAgain(_ requestID: RequestID, in situation: Situation) -> [Action] {
        guard let call = active[requestID]?.call else { return [] }
        return evaluate(call, in: situation)
    }

    /// With what has a former key of the call, under the key that it has now. What has become of somebody else's key since
    /// then, or says something else, is not meant.
    private func recognized(_ found: [EntryKey: FoundEntry], of call: ProgramCall) -> [EntryKey: FoundEntry] {
        var recognized = found
        for (key, conversationID, draft) in call.named where found[key] == nil {
            guard let known = call.formerKeys[key].flatMap({ found[$0] }),
                known.entry.timestamp.milliseconds < sharedKeysEnd,
                known.isSame(in: conversationID, draft: draft, salts)
            else { continue }
            recognized[key] = known
        }
        return recognized
    }

    /// The same for what waits for its time, or for a person.
    private func recognized(of call: ProgramCall) -> RequestAnswer? {
        switch call.kind {
        case .schedule(let record):
            guard let known = call.formerKeys[record.scheduledID].flatMap(schedule.record),
                known.createdAt < sharedKeysEnd, known.notBefore == record.notBefore,
                let old = ScheduledMessage(known), let new = ScheduledMessage(record), old.draft == new.draft,
                old.destination == new.destination
            else { return nil }
            return answer(known, messageID: nil)
        case .insertDraft(let record):
            guard let former = call.formerKeys[record.draftID], let known = drafts.record(former),
                known.createdAt < sharedKeysEnd, known.conversationID == record.conversationID,
                known.insertedBy == record.insertedBy
            else { return nil }
            return answer(former)
        default: return nil
        }
    }

    private mutating func resolve(
        _ call: ProgramCall, found: [EntryKey: FoundEntry], in situation: Situation
    ) -> [Action] {
        let found = recognized(found, of: call)
        do throws(ProtocolError) {
            let answers = try answers(to: call, among: found)
            active[call.requestID]?.answers = answers
            switch call.kind {
            case .send:
                guard answers.contains(where: { $0 == nil }) else {
                    return end(call.requestID, .success(.accepted(call.sent(answers))), in: situation)
                }
                if let refusal = call.items.first?.refusal { throw refusal }
                return write([], for: call, in: situation)
            case .acknowledge(let name, let through):
                let consumer = try consumers.known(name)
                try check(call, through: through, consumer, found: found, now: situation.now)
                // A program that has not heard the answer asks again.
                guard consumer.isAhead(through) else {
                    return end(call.requestID, .success(.accepted(call.sent(answers))), in: situation)
                }
                let change = ConsumerChange.acknowledge(through: through, time: situation.now.wallClock)
                let later = try scheduled(of: call, without: answers, now: situation.now)
                let drafted = try drafted(of: call, without: answers, now: situation.now)
                return write(
                    [.consumer(name, change)] + later.map(ProgramChange.schedule)
                        + drafted.map { .draft(.insert($0)) }, for: call, in: situation)
            case .schedule(let record):
                guard let key = record.key, let known = found[key] else {
                    if let refusal = call.refusal { throw refusal }
                    return write([.schedule(record)], for: call, in: situation)
                }
                guard let message = ScheduledMessage(record),
                    known.isSame(as: (message, record.conversationID), salts)
                else {
                    throw Self.reused
                }
                return end(
                    call.requestID, .success(answer(record, messageID: known.message?.messageID)), in: situation)
            case .due(let scheduledID): return write([.unschedule(scheduledID)], for: call, in: situation)
            case .insertDraft(let record):
                guard let known = found[record.draftID] else {
                    if let refusal = call.refusal { throw refusal }
                    return write([.draft(.insert(record))], for: call, in: situation)
                }
                guard let message = known.message, message.conversationID == record.conversationID,
                    var draft = Draft(record)
                else { throw Self.reused }
                draft.messageID = message.messageID
                return end(call.requestID, .success(.draft(draft)), in: situation)
            case .sendDraft(let draftID):
                let sent = found[draftID]?.message
                guard let record = drafts.record(draftID) else {
                    guard let sent else { throw Self.unknownDraft }
                    return end(call.requestID, .success(.accepted([sent])), in: situation)
                }
                if sent == nil, let refusal = call.items.first?.refusal { throw refusal }
                return write([.draft(.send(record, sentBefore: sent?.messageID))], for: call, in: situation)
            case .receive, .fail, .change, .cancel, .updateDraft, .discardDrafts:
                return write([], for: call, in: situation)
            }
        } catch { return end(call.requestID, .failure(error), in: situation) }
    }

    /// What the items have become already, in their places.
    private func answers(
        to call: ProgramCall, among found: [EntryKey: FoundEntry]
    ) throws(ProtocolError) -> [FoundEntry?] {
        var answers: [FoundEntry?] = []
        for (index, item) in call.items.enumerated() {
            let known = item.key.flatMap { found[$0] }
            // A person may have changed a draft before they sent it.
            if let known, item.isNamed, item.draftedBy == nil, !known.isSame(as: item, salts) {
                if case .acknowledge = call.kind { throw Self.reused.about(index) }
                throw Self.reused
            }
            answers.append(known)
        }
        if call.next.map({ found[$0] != nil }) == true { throw Self.reused }
        return answers
    }

    /// Checks what goes with an acknowledgement. What was sent before is only repeated.
    private func check(
        _ call: ProgramCall, through: Int64, _ consumer: ConsumerRecord, found: [EntryKey: FoundEntry],
        now: Moment
    ) throws(ProtocolError) {
        for (index, item) in call.items.enumerated() {
            do throws(ProtocolError) {
                let known = item.key.flatMap { found[$0] }
                let isWaiting = item.scheduled(now: now).map(waits) ?? wasDrafted(item)
                let isRepeated = isWaiting || known?.isRepeated(by: item, salts) ?? false
                guard consumer.isAhead(through) else {
                    guard isRepeated else { throw Self.tooLate }
                    continue
                }
                if let place = item.answering, !isRepeated, !consumer.covers(place, acknowledging: through) {
                    throw Self.notCovered
                }
                if item.isNamed, item.isSent, isKept(item.key) { throw Self.reused }
                if known == nil, !isWaiting, let refusal = item.refusal { throw refusal }
            } catch { throw error.about(index) }
        }
    }

    /// The items that are to wait for their time. Those that wait already, or were sent since, are left out.
    private func scheduled(
        of call: ProgramCall, without answers: [FoundEntry?], now: Moment
    ) throws(ProtocolError) -> [ScheduledRecord] {
        var records: [ScheduledRecord] = []
        for (index, (item, answer)) in zip(call.items, answers).enumerated() {
            guard answer == nil, let record = item.scheduled(now: now) else { continue }
            guard schedule.record(record.scheduledID) == nil else {
                guard waits(record) || !item.isNamed else { throw Self.reused.about(index) }
                continue
            }
            do throws(ProtocolError) { try schedule.checkRoom(for: record, after: records) } catch {
                throw error.about(index)
            }
            records.append(record)
        }
        return records
    }

    /// The items that are to wait for a person. Those that wait already, or were sent or discarded since, are left out.
    private func drafted(
        of call: ProgramCall, without answers: [FoundEntry?], now: Moment
    ) throws(ProtocolError) -> [DraftRecord] {
        var records: [DraftRecord] = []
        for (index, (item, answer)) in zip(call.items, answers).enumerated() {
            guard answer == nil, !wasDrafted(item), let record = item.drafted(now: now) else { continue }
            do throws(ProtocolError) { try drafts.checkRoom(for: record, after: records) } catch {
                throw error.about(index)
            }
            records.append(record)
        }
        return records
    }

    /// Whether an item waits for a person already, or waited and was discarded.
    private func wasDrafted(_ item: ProgramCall.Item) -> Bool {
        guard item.draftedBy != nil, let key = item.key else { return false }
        return drafts.record(key) != nil || drafts.wasDiscarded(key)
    }

    /// Whether just this waits for its time.
    private func waits(_ record: ScheduledRecord) -> Bool {
        guard let known = schedule.record(record.scheduledID) else { return false }
        return known.draft == record.draft && known.notBefore == record.notBefore
    }

    private func answer(_ record: ScheduledRecord, messageID: MessageID?) -> RequestAnswer {
        guard var message = ScheduledMessage(record) else { preconditionFailure("a record that was read is readable") }
        message.messageID = messageID
        return .scheduled(message)
    }

    private func answer(_ draftID: EntryKey) -> RequestAnswer {
        guard let draft = drafts[draftID] else { preconditionFailure("a draft that was written is known") }
        return .draft(draft)
    }

    // MARK: - To the disk and back

    private mutating func write(_ changes: [ProgramChange], for call: ProgramCall, in situation: Situation) -> [Action]
    {
        let parts = call.parts(without: active[call.requestID]?.answers ?? [])
        active[call.requestID]?.changes = changes
        guard !changes.isEmpty || !parts.isEmpty else {
            return ended(call.requestID, .success(.accepted([])), in: situation) ?? []
        }
        // What is acknowledged already changes nothing.
        let handled = changes.isEmpty ? [] : call.handled
        return [
            .write(PendingSend(requestID: call.requestID, parts: parts, changes: changes, handled: handled))
        ]
    }

    /// What a call wrote is on the disk, or is not.
    /// - Returns: `nil` for a request that is none of these calls.
    mutating func ended(
        _ requestID: RequestID, _ result: Result<RequestAnswer, ProtocolError>, in situation: Situation
    ) -> [Action]? {
        guard let done = active[requestID] else { return nil }
        guard case .success(let written) = result else { return end(requestID, result, in: situation) }
        for change in done.changes { apply(change) }
        var messages = written.messages[...]
        let answer: RequestAnswer
        switch done.call.kind {
        case .receive: answer = done.plan.map(RequestAnswer.planned) ?? .accepted([])
        case .fail(_, let place, _):
            answer = .failureNoted(isSetAside: done.changes.contains { $0.setsAside(place) })
        case .schedule(let record): answer = self.answer(record, messageID: nil)
        case .insertDraft(let record): answer = self.answer(record.draftID)
        case .updateDraft(let draftID, _): answer = self.answer(draftID)
        case .send, .acknowledge, .change, .cancel, .due, .sendDraft, .discardDrafts:
            answer = .accepted(done.call.sent(done.answers) { messages.popFirst() })
        }
        return end(requestID, .success(answer), in: situation)
    }

    private mutating func apply(_ change: ProgramChange) {
        switch change {
        case .consumer(let name, let change): consumers.apply(change, to: name)
        case .schedule(let record): schedule.add(record)
        case .unschedule(let scheduledID): schedule.remove(scheduledID)
        case .draft(let step): drafts.apply(step)
        }
    }

    /// A call is answered, and those that waited for it go on.
    private mutating func end(
        _ requestID: RequestID, _ result: Result<RequestAnswer, ProtocolError>, in situation: Situation
    ) -> [Action] {
        guard let ended = active.removeValue(forKey: requestID) else { return [] }
        claimed.subtract(ended.call.claims)
        bytes -= ended.call.bytes
        if case .due(let scheduledID) = ended.call.kind {
            if case .failure = result { schedule.putBack(scheduledID, now: situation.now) }
            return proceed(in: situation)
        }
        if case .discardDrafts(_, .ofLeft) = ended.call.kind { return proceed(in: situation) }
        return [.complete(requestID, result)] + proceed(in: situation)
    }

    // MARK: - Time

    /// What has waited for time to pass, or for logs to be back.
    /// - Parameter mayGo: whether messages may go there now; others wait until they may.
    mutating func advance(
        in situation: Situation, mayGo: (Destination) -> Bool,
        due: (ScheduledMessage, RequestID) -> ProgramCall?
    ) -> [Action] {
        var actions: [Action] = []
        if !situation.isTakingBack, !paused.isEmpty {
            waiting += paused
            paused = []
            actions += proceed(in: situation)
        }
        if !leftDrafts.isEmpty {
            waiting.append(ProgramCall(requestID: ownRequest(), kind: .discardDrafts(leftDrafts, .ofLeft)))
            leftDrafts = []
            actions += proceed(in: situation)
        }
        for record in schedule.takeDue(now: situation.now, mayGo: mayGo) {
            guard let message = schedule[record.scheduledID],
                let call = due(message, ownRequest())
            else { continue }
            bytes += call.bytes
            waiting.append(call)
            actions += proceed(in: situation)
        }
        return actions
    }

    private mutating func ownRequest() -> RequestID {
        ownCalls += 1
        return RequestID(.max - ownCalls)
    }

    /// This node's user belongs to a conversation no longer: its drafts go.
    mutating func left(_ conversationID: ConversationID) { leftDrafts += drafts.ids(in: conversationID) }

    // MARK: - Handing out

    /// A consumer was given messages.
    mutating func handedOut(_ places: [Int64], attempts: Int, to consumer: String, now: Moment) {
        consumers.handedOut(places, attempts: attempts, to: consumer, now: now)
    }

    /// A consumer gives back what it was given.
    mutating func handedBack(by consumer: String) { consumers.handedBack(by: consumer) }
}

extension ProgramChange {
    fileprivate func setsAside(_ place: Int64) -> Bool {
        if case .consumer(_, .setAside(place, _)) = self { true } else { false }
    }
}

extension FoundEntry {
    /// What is said about a message counts on from what was said before: the key alone tells that it is said again.
    fileprivate func isRepeated(by item: ProgramCall.Item, _ salts: EntrySalts) -> Bool {
        isSame(as: item, salts) || item.draftedBy != nil
            || (message == nil && !item.draft.kind.isShown && !item.isNamed)
    }

    fileprivate func isSame(as scheduled: (ScheduledMessage, ConversationID), _ salts: EntrySalts) -> Bool {
        guard message != nil else { return false }
        return isSame(in: scheduled.1, draft: .message(scheduled.0.draft), salts)
    }
}
