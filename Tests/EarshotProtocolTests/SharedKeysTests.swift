import EarshotModel
import EarshotStore
import Testing

@testable import EarshotProtocol

@Suite("A call that is repeated after the update that gave each token keys of its own")
struct SharedKeysTests {
    /// Every call that takes a key.
    enum Call: CaseIterable { case send, sendToOneOfSeveral, schedule, draft, answer, namedAnswer }

    /// What it became, as text.
    private func id(_ pair: StoredPair, _ requestID: RequestID) throws -> String {
        let answer = try #require(pair.alice.completions[requestID])
        return switch try answer.get() {
        case .accepted(let messages): messages.map { $0.messageID.description }.joined(separator: " ")
        case .scheduled(let scheduled): scheduled.messageID?.description ?? scheduled.id.description
        case .draft(let draft): draft.messageID?.description ?? draft.id.description
        default: "\(answer)"
        }
    }

    private func ask(
        _ call: Call, _ text: String = "text", key: IdempotencyKey, consumer: String, in pair: inout StoredPair
    ) throws -> RequestID {
        let bob = pair.bob.local.userID
        let random = EntryKey([UInt8](repeating: UInt8.random(in: 0...255), count: EntryKey.count))
        let (drawn, notBefore) = (try #require(random), pair.now.wallClock / 3_600_000 * 3_600_000 + 86_400_000)
        let cursor = try pair.alice.store.latestCursor()
        let question = try pair.rows(.alice).first.map { MessageID(log: $0.log.logID, sequence: $0.entry.sequence) }
        let requestID = try pair.request(.alice) { node, requestID, now in
            switch call {
            case .send:
                node.send(
                    [MessageDraft(text), MessageDraft("more")], to: .user(bob), key: key, requestID: requestID, now: now
                )
            case .sendToOneOfSeveral:
                node.send(
                    [MessageDraft(text)], to: .user(bob), at: 3, key: key, requestID: requestID, now: now)
            case .schedule:
                node.schedule(
                    MessageDraft(text), to: .user(bob), notBefore: notBefore, key: key, scheduledID: drawn,
                    requestID: requestID, now: now)
            case .draft:
                node.insertDraft(
                    MessageDraft(text), to: .user(bob), by: "ci", key: key, draftID: drawn, requestID: requestID,
                    now: now)
            case .answer, .namedAnswer:
                node.acknowledge(
                    consumer, through: cursor,
                    sending: [
                        ProgramReply(
                            to: .user(bob), draft: .message(MessageDraft(text)),
                            key: call == .answer
                                ? .answer(0, to: question ?? MessageID(log: LogID(Bytes32()), sequence: 1))
                                : .named(key))
                    ], requestID: requestID, now: now)
            }
        }
        try pair.settle()
        return requestID
    }

    private func updated(
        asking call: Call, _ body: (inout StoredPair, _ before: String) throws -> Void
    ) throws {
        var pair = try StoredPair.linked()
        try pair.request(.alice) {
            $0.change("bot", .make(ConsumerRecord(name: "bot", cursor: 0, createdAt: 0)), requestID: $1, now: $2)
        }
        try pair.send("question", from: .bob)
        // As the token's program asked before, when its keys were those of all.
        let first = try ask(call, key: "k", consumer: "bot", in: &pair)
        let before = try id(pair, first)
        let time = pair.now.wallClock + 1
        try pair.restart(.alice) { snapshot in
            snapshot.sharedKeysEnd = time
            snapshot.consumers = snapshot.consumers.map { record in
                var renamed = ConsumerRecord(
                    name: "ci/bot", cursor: record.cursor, createdAt: record.createdAt, token: "ci")
                renamed.acknowledgedAt = record.acknowledgedAt
                return renamed
            }
        }
        try pair.link()
        try body(&pair, before)
    }

    private static let key = IdempotencyKey("k", of: "ci")

    @Test("is answered with what it became before", arguments: Call.allCases)
    func recognized(call: Call) throws {
        try updated(asking: call) { pair, before in
            for _ in 0..<2 {
                let requestID = try ask(call, key: Self.key, consumer: "ci/bot", in: &pair)
                #expect(try id(pair, requestID) == before)
            }
            #expect(pair.alice.machine.scheduled.count + pair.alice.machine.drafts.count <= 1)
        }
    }

    @Test("is another one if it says something else", arguments: [Call.send, .sendToOneOfSeveral, .schedule])
    func another(call: Call) throws {
        try updated(asking: call) { pair, before in
            let requestID = try ask(call, "other", key: Self.key, consumer: "ci/bot", in: &pair)
            #expect(try id(pair, requestID) != before)
        }
    }

    @Test("finds nothing of what was written since", arguments: [Call.send, .sendToOneOfSeveral, .schedule, .draft])
    func since(call: Call) throws {
        try updated(asking: .send) { pair, _ in
            pair.pass(2)
            let key: IdempotencyKey = "later"
            let owners = try ask(call, key: key, consumer: "ci/bot", in: &pair)
            let tokens = try ask(call, key: IdempotencyKey("later", of: "ci"), consumer: "ci/bot", in: &pair)
            #expect(try id(pair, owners) != id(pair, tokens))
        }
    }
}
