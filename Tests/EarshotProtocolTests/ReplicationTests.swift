import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A node's replication")
struct ReplicationTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let connectionID = ConnectionID(1)
    private let now = Moment(wallClock: 1_000, uptime: 1_000)
    private var replication: Replication
    private var clocks = ClockMachine()
    private let trust = TrustMachine()

    init() {
        replication = .linked(alice, to: bob, on: connectionID)
        let heads = HeadsFrame(conversationID: nil, heads: [], isComplete: true)
        replication.receivedHeads(heads, on: connectionID, trust: TrustMachine(), now: now)
        _ = replication.takeActions()
    }

    /// What is to leave, and whether a commit is to be made.
    private mutating func output() -> (frames: [Frame], commits: [Commit], events: [EventName]) {
        var output: (frames: [Frame], commits: [Commit], events: [EventName]) = ([], [], [])
        for action in replication.takeActions() {
            switch action {
            case .send(let frame, _): output.frames.append(frame)
            case .commit(let commit): output.commits.append(commit)
            case .post(let event): output.events.append(event.name)
            case .postRun(let run): output.events += run.events.map(\.name)
            default: break
            }
        }
        return output
    }

    private mutating func commitIfDue() { replication.commitIfDue(trust: trust, clocks: &clocks, now: now) }

    @Test("lets an entry out only after the commit that holds it and says that it may leave")
    mutating func entryAfterCommit() throws {
        try replication.send(
            PendingSend(
                requestID: RequestID(1),
                parts: [
                    .init(
                        conversation: .direct(alice.userID, bob.userID),
                        drafts: [.message(MessageDraft("one"))])
                ]), name: bob.name)
        commitIfDue()
        let before = output()
        #expect(before.frames.isEmpty && before.events.isEmpty)
        #expect(before.commits.first?.deliveries.first?.progress.offered == 1)
        replication.commitFinished(trust: trust, clocks: &clocks, now: now)
        let after = output()
        #expect(after.frames.count == 1 && after.events == [.messageQueued])
    }

    @Test("signs for entries and tells of them only after the commit that holds them")
    mutating func receiptAfterCommit() throws {
        var written = HandWrittenLog(by: bob, to: alice.userID)
        let frame = written.append("one")
        try replication.receivedEntries(
            frame, on: connectionID, isStranger: true, trust: trust, clocks: &clocks, now: now)
        commitIfDue()
        let before = output()
        #expect(before.frames.isEmpty && before.events.isEmpty && before.commits.count == 1)
        replication.commitFinished(trust: trust, clocks: &clocks, now: now)
        let after = output()
        #expect(after.events == [.messageReceived])
        guard case .receipts(let receipts) = after.frames.first else {
            Issue.record("no receipt is sent")
            return
        }
        #expect(receipts.map(\.sequence) == [1])
    }

    @Test("asks a peer again for what the disk refused: its link ends")
    mutating func refused() throws {
        var written = HandWrittenLog(by: bob, to: alice.userID)
        let frame = written.append("one")
        try replication.receivedEntries(
            frame, on: connectionID, isStranger: true, trust: trust, clocks: &clocks, now: now)
        commitIfDue()
        replication.commitFailed("no", isDiskFull: false, trust: trust, clocks: &clocks, now: now)
        let isClosed = replication.takeActions().contains { action in
            if case .close(connectionID, .storageFailure, _) = action { true } else { false }
        }
        #expect(isClosed && replication.logs.incoming(written.logID) == nil)
    }
}
