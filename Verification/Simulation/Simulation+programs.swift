import EarshotModel
import EarshotProtocol

/// Programs on the nodes: what they do, and what must hold for it. They take what comes from the inbox, answer each
/// message once with the acknowledgement, and die between the two as they like. Now and then they acknowledge out of
/// order, move back, fail until a message is set aside, and ask for that again.
extension Simulation {
    mutating func planPrograms() {
        guard configuration.hasPrograms else { return }
        for index in nodes.indices {
            for number in 0..<8 {
                let contacts = nodes[index].contacts
                let peer = contacts[Int.random(in: contacts.indices, using: &programChance)]
                let delay = programChance.oneIn(2) ? Int64.random(in: 0...30_000, using: &programChance) : nil
                nodes[index].programs.own.append(
                    .init(peer: peer, key: "\(number)", text: "own \(number) of node \(index)", delay: delay))
            }
            for _ in 0..<30 {
                let at = Int64.random(in: 2_000_000..<configuration.trouble, using: &programChance)
                queue.push(.program(node: index), at: at)
            }
        }
    }

    // MARK: - What they do

    mutating func runProgram(on index: Int) throws {
        guard nodes[index].isUp, !nodes[index].isStopping else { return }
        try sendOwn(on: index)
        guard !nodes[index].programs.isReading else { return }
        nodes[index].programs.isReading = true
        guard nodes[index].consumers.contains(where: { $0.name == SimulatedProgram.consumer }) else {
            let made = ConsumerRecord(
                name: SimulatedProgram.consumer, cursor: 0, createdAt: nodes[index].now(at: time).wallClock)
            try ask(.consumer, on: index) { $0.change(made.name, .make(made), requestID: $1, now: $2) }
            return
        }
        if let repeated = nodes[index].programs.repeats {
            nodes[index].programs.repeats = nil
            try acknowledge(repeated, on: index)
            return
        }
        if let change = change(on: index) {
            return try ask(.goBack(change), on: index) {
                $0.change(SimulatedProgram.consumer, change, requestID: $1, now: $2)
            }
        }
        let limit = Int.random(in: 1...6, using: &programChance)
        let attempts = attempts
        try ask(.plan, on: index) {
            $0.receive(SimulatedProgram.consumer, limit: limit, attempts: attempts, requestID: $1, now: $2)
        }
    }

    /// After so many failures a message is set aside.
    private var attempts: Int { isHealed ? .max : 3 }

    /// It goes back to what it has not answered, or to any place, or has what was set aside handed out again.
    private mutating func change(on index: Int) -> ConsumerChange? {
        guard let record = nodes[index].consumers.first else { return nil }
        if !isHealed, programChance.oneIn(20) {
            let owed = nodes[index].programs.owed ?? .max
            nodes[index].programs.owed = min(owed, Int64.random(in: 0...record.cursor, using: &programChance))
        }
        // To be moved past what is to come again gives that up.
        let place = min(record.cursor, record.again.first.map { $0 - 1 } ?? .max)
        if let owed = nodes[index].programs.owed { return .move(to: min(owed, place)) }
        guard let entry = record.setAside.min(), isHealed || programChance.oneIn(2) else { return nil }
        return .handOutAgain(entry)
    }

    private mutating func ask(
        _ step: SimulatedProgram.Step, on index: Int,
        _ body: (inout NodeMachine, RequestID, Moment) -> [NodeAction]
    ) throws {
        let requestID = nodes[index].nextRequest()
        nodes[index].programs.steps[requestID] = step
        try perform(index) { body(&$0, requestID, $1) }
    }

    mutating func answered(
        _ step: SimulatedProgram.Step, _ result: Result<RequestAnswer, ProtocolError>, at index: Int
    ) throws {
        switch (step, result) {
        case (.own(let message), _): ownAnswered(message, result, at: index)
        case (.plan, .success(.planned(let plan))): try handOut(plan, on: index)
        case (.acknowledge(let done), .success(.accepted(let messages))):
            log("\(name(index)): program acknowledged through \(done.through)")
            checkAnswers(messages, to: done, at: index)
            if let late = nodes[index].programs.late {
                nodes[index].programs.late = nil
                return try acknowledge(late, on: index)
            }
            if programChance.oneIn(6) { nodes[index].programs.repeats = done }
            rest(index)
        case (.goBack(let change), .success):
            if case .move = change { (nodes[index].programs.owed, nodes[index].programs.repeats) = (nil, nil) }
            rest(index)
        case (.fail(let place), .success(.failureNoted(let isSetAside))):
            if isSetAside != nodes[index].consumers.first?.setAside.contains(place) {
                violated("\(name(index)) does not say whether it has set a message aside")
            }
            rest(index)
        case (.acknowledge(let failed), .failure(let error)) where error.code == .alreadyAcknowledged:
            if !failed.isLate, !nodes[index].isRestored { violated("\(name(index)) calls a repeated answer late") }
            rest(index)
        case (.acknowledge(var failed), .failure(let error)):
            guard let place = error.index, failed.replies.indices.contains(place) else { return rest(index) }
            if error.code == .invalidMessage, !nodes[index].isRestored {
                violated("\(name(index)) says that an answer is to another message than is acknowledged")
            }
            if error.code == .keyReused { violated("\(name(index)) calls the key of an answer reused") }
            nodes[index].programs.unanswerable.insert(failed.replies.remove(at: place).message)
            try acknowledge(failed, on: index)
        default: rest(index)
        }
    }

    /// It goes on a little later.
    private mutating func rest(_ index: Int) {
        nodes[index].programs.isReading = false
        let wait = Int64.random(in: 1_000...300_000, using: &programChance)
        queue.push(.program(node: index), at: time + wait)
    }

    private mutating func handOut(_ plan: HandOutPlan, on index: Int) throws {
        let (store, userID, attempts) = (nodes[index].store, nodes[index].local.userID, attempts)
        let batch =
            switch plan {
            case .after(let cursor, let limit): try store.arrived(after: cursor, for: userID, limit: limit)
            case .again(let entry):
                try store.arrived(after: entry - 1, for: userID, limit: 1).filter { $0.cursor == entry }
            }
        for (_, message) in batch { observeHandedOut(message, at: index) }
        guard let first = batch.first, let last = batch.last else {
            if case .again(let entry) = plan { return try acknowledge(.init(through: entry, replies: []), on: index) }
            nodes[index].programs.isReading = false
            return
        }
        try perform(index) {
            $0.handedOut(batch.map(\.cursor), attempts: attempts, to: SimulatedProgram.consumer, now: $1)
        }
        guard nodes[index].isUp else { return rest(index) }
        if !isHealed, isFailing(index) {
            // It dies before it has answered, or says that it cannot.
            guard programChance.oneIn(2) else { return rest(index) }
            return try ask(.fail(first.cursor), on: index) {
                $0.fail(SimulatedProgram.consumer, first.cursor, reason: "by chance", requestID: $1, now: $2)
            }
        }
        let replies = batch.filter { !$0.message.isAutomatic }.map { cursor, message in
            SimulatedProgram.Reply(
                message: message.messageID, place: cursor, recipientID: message.log.authorID,
                text: "answer of node \(index) to \(message.messageID)")
        }
        if case .after(let cursor, _) = plan, replies.count > 1, !isHealed, programChance.oneIn(6) {
            nodes[index].programs.owed = cursor
            nodes[index].programs.late = .init(through: replies[0].place, replies: [replies[0]], isLate: true)
            return try acknowledge(.init(through: last.cursor, replies: Array(replies.suffix(1))), on: index)
        }
        try acknowledge(.init(through: last.cursor, replies: replies), on: index)
    }

    private mutating func isFailing(_ index: Int) -> Bool {
        if nodes[index].programs.failures == 0, programChance.oneIn(30) { nodes[index].programs.failures = 6 }
        guard nodes[index].programs.failures > 0 else { return programChance.oneIn(8) }
        nodes[index].programs.failures -= 1
        return true
    }

    private mutating func acknowledge(_ done: SimulatedProgram.Acknowledgement, on index: Int) throws {
        let replies = done.replies.map { reply in
            ProgramReply(
                to: .user(reply.recipientID),
                draft: .message(
                    MessageDraft(
                        reply.text,
                        headers: [
                            SimulatedProgram.header: "auto-replied", SimulatedProgram.answerTo: "\(reply.message)",
                        ])), key: .answer(0, to: reply.message), answering: reply.place)
        }
        try ask(.acknowledge(done), on: index) {
            $0.acknowledge(
                SimulatedProgram.consumer, through: done.through, sending: replies, requestID: $1, now: $2)
        }
        // It has not heard the answer, and asks again at once.
        guard programChance.oneIn(10), nodes[index].isUp else { return }
        try ask(.acknowledge(done), on: index) {
            $0.acknowledge(
                SimulatedProgram.consumer, through: done.through, sending: replies, requestID: $1, now: $2)
        }
    }

    // MARK: - What they send by themselves

    private mutating func sendOwn(on index: Int) throws {
        let own = nodes[index].programs.own
        nodes[index].programs.own = []
        for var message in own {
            guard nodes[index].isUp else {
                nodes[index].programs.own.append(message)
                continue
            }
            let recipientID = nodes[message.peer].local.userID
            let draft = MessageDraft(message.text, headers: [SimulatedProgram.header: "auto-generated"])
            if let delay = message.delay, message.notBefore == nil {
                message.notBefore = nodes[index].now(at: time).wallClock + delay
            }
            for _ in 0..<(programChance.oneIn(3) ? 2 : 1) where nodes[index].isUp {
                let key = IdempotencyKey(message.key)
                if let notBefore = message.notBefore, let drawn = EntryKey([UInt8](repeating: 1, count: 16)) {
                    try ask(.own(message), on: index) {
                        $0.schedule(
                            draft, to: .user(recipientID), notBefore: notBefore, key: key, scheduledID: drawn,
                            requestID: $1,
                            now: $2)
                    }
                } else {
                    try ask(.own(message), on: index) {
                        $0.send([draft], to: .user(recipientID), key: key, requestID: $1, now: $2)
                    }
                }
            }
        }
    }

    private mutating func ownAnswered(
        _ message: SimulatedProgram.OwnMessage, _ result: Result<RequestAnswer, ProtocolError>, at index: Int
    ) {
        switch result {
        case .success: nodes[index].programs.accepted.insert(message.text)
        case .failure(let error):
            if error.code == .keyReused { violated("\(name(index)) calls the key of \(message.text) reused") }
            if !nodes[index].programs.own.contains(where: { $0.key == message.key }) {
                nodes[index].programs.own.append(message)
            }
        }
    }

    // MARK: - What must hold

    /// An acknowledgement that is repeated has the same answer.
    private mutating func checkAnswers(
        _ messages: [Message], to done: SimulatedProgram.Acknowledgement, at index: Int
    ) {
        if messages.map(\.text) != done.replies.map(\.text), !nodes[index].isRestored {
            violated("an acknowledgement of \(name(index)) is answered with other messages")
        }
    }

    func isProgramDone(on index: Int) throws -> Bool {
        guard configuration.hasPrograms else { return true }
        // What was scheduled while the clock was years ahead may wait for years.
        let end = nodes[index].now(at: configuration.trouble + configuration.patience / 2).wallClock
        // What is for somebody whose name belongs to another key is tried in vain.
        let hasOwn =
            nodes[index].programs.own.contains { isOpen(index, $0.peer) }
            || nodes[index].programs.steps.values.contains { step in
                if case .own(let message) = step { isOpen(index, message.peer) } else { true }
            }
        guard !hasOwn, nodes[index].scheduled.allSatisfy({ $0.notBefore > end }) else { return false }
        let consumer = nodes[index].consumers.first
        guard nodes[index].programs.owed == nil, consumer?.again.isEmpty ?? true, consumer?.setAside.isEmpty ?? true
        else { return false }
        let cursor = consumer?.cursor ?? 0
        return try nodes[index].store.arrived(after: cursor, for: nodes[index].local.userID, limit: 1).isEmpty
    }

    /// Everything that came is answered once, and what a program sent with a key or for later is there once.
    mutating func checkProgram(on index: Int) throws {
        guard configuration.hasPrograms else { return }
        var answers: [String: Int] = [:]
        var texts: [String: Int] = [:]
        for peer in nodes[index].contacts {
            for message in try history(of: index, with: peer)
            where message.log.authorID == nodes[index].local.userID && message.hasBody {
                texts[message.text, default: 0] += 1
                if let answered = message.headers[SimulatedProgram.answerTo] { answers[answered, default: 0] += 1 }
            }
        }
        for (text, count) in texts.sorted(by: { $0.key < $1.key }) where count > 1 {
            violated("\"\(text.prefix(60))\" was sent \(count) times by \(name(index))")
        }
        for (answered, count) in answers.sorted(by: { $0.key < $1.key }) where count > 1 {
            violated("\(name(index)) has answered \(answered) \(count) times")
        }
        let waiting = Set(nodes[index].scheduled.map(\.draft.text))
        for text in nodes[index].programs.accepted.sorted()
        where texts[text] == nil && !waiting.contains(text) && isAtRest && !nodes[index].isRestored {
            violated("\"\(text)\" of \(name(index)) was accepted and is missing")
        }
        guard isAtRest else { return }
        for (_, message) in try nodes[index].store.arrived(after: 0, for: nodes[index].local.userID, limit: .max)
        where !message.isAutomatic && answers["\(message.messageID)"] == nil
            && !nodes[index].programs.unanswerable.contains(message.messageID)
        {
            violated("\(name(index)) has not answered \(message.messageID)")
        }
    }
}

extension HeldMessage {
    var headers: [String: String] {
        guard case .body(let bytes) = entry.content,
            case .text(let message) = try? EntryBody(decoding: bytes).content
        else { return [:] }
        return message.headers
    }

    var isAutomatic: Bool { headers[SimulatedProgram.header] != nil }
}
