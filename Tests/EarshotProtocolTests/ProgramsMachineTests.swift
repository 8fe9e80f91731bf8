import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Calls of programs that want the same")
struct ProgramsMachineTests {
    private let alice = device("alice")
    private let bob = device("bob").userID
    private let now = Moment(wallClock: 1_700_000_000_000, uptime: 5)
    private var programs: ProgramsMachine

    init() {
        programs = ProgramsMachine(
            keys: EntryKeys(alice.signingKey), salts: EntrySalts(alice.signingKey),
            consumers: [ConsumerRecord(name: "bot", cursor: 0, createdAt: 0)])
    }

    private func situation(isTakingBack: Bool = false) -> ProgramsMachine.Situation {
        ProgramsMachine.Situation(now: now, isTakingBack: isTakingBack)
    }

    private func send(_ request: UInt64, key: IdempotencyKey, text: String = "text") -> ProgramCall {
        let item = ProgramCall.Item(
            conversation: .direct(alice.userID, bob), destination: .user(bob), draft: .message(MessageDraft(text)),
            key: programs.key(key), isNamed: true)
        return ProgramCall(requestID: RequestID(request), kind: .send, items: [item])
    }

    private func receive(_ request: UInt64) -> ProgramCall {
        ProgramCall(requestID: RequestID(request), kind: .receive(consumer: "bot", limit: 5, attempts: 5))
    }

    /// What is done, by request.
    private func summary(_ actions: [ProgramsMachine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .findKeys(let requestID, _): "find \(requestID.number)"
            case .write(let send): "write \(send.requestID?.number ?? 0)"
            case .complete(let requestID, .success): "done \(requestID.number)"
            case .complete(let requestID, .failure(let error)): "\(error.code) \(requestID.number)"
            }
        }
    }

    @Test("wait for each other in their order, and others go on")
    mutating func order() throws {
        let begun =
            [1, 2, 3].map { programs.begin(send($0, key: "k"), in: situation()) } + [
                programs.begin(send(4, key: "other"), in: situation())
            ]
        #expect(begun.map(summary) == [["find 1"], [], [], ["find 4"]])
        let found = programs.keysFound(RequestID(1), [:], in: situation())
        let failure = ProtocolError(.storageFull, "full")
        let failed = programs.ended(RequestID(1), .failure(failure), in: situation())
        #expect(summary(found) == ["write 1"])
        #expect(summary(try #require(failed)) == ["storageFull 1", "find 2"])
        #expect(programs.callCount == 3)
    }

    @Test("are others' matter where they are none of these")
    mutating func others() {
        let actions = programs.ended(RequestID(9), .success(.accepted([])), in: situation())
        #expect(actions.map(summary) == nil)
    }

    @Test("are refused when too many wait")
    mutating func bounded() {
        for number in 1...UInt64(Limits.programCalls) {
            _ = programs.begin(send(number, key: "k"), in: situation())
        }
        let refused = programs.begin(send(10_000, key: "other"), in: situation())
        #expect(summary(refused) == ["overloaded 10000"])
    }

    @Test("are given nothing from the inbox while logs are taken back, and then at once")
    mutating func takingBack() {
        let waiting = programs.begin(receive(1), in: situation(isTakingBack: true))
        #expect(summary(waiting) == [] && programs.isWaiting)
        let due = programs.advance(in: situation(), mayGo: { _ in true }) { _, _ in fatalError("nothing is scheduled") }
        #expect(summary(due) == ["done 1"])
        #expect(!programs.isWaiting)
    }

    @Test("are given nothing at once if nobody waits for them any more, whatever is taken back")
    mutating func withdrawn() {
        _ = programs.begin(receive(1), in: situation(isTakingBack: true))
        _ = programs.begin(receive(2), in: situation(isTakingBack: true))
        let withdrawn = programs.withdraw(RequestID(1))
        let again = programs.withdraw(RequestID(1))
        guard case .complete(_, .success(.planned(let plan)))? = withdrawn.first else {
            Issue.record("it is not answered")
            return
        }
        #expect(plan == .after(0, limit: 0) && summary(withdrawn) == ["done 1"] && again.isEmpty)
        #expect(programs.callCount == 1)
    }
}
