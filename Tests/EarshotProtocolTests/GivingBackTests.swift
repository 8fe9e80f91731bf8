import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Giving a peer its own entries back")
struct GivingBackTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let now = Moment(wallClock: 0, uptime: 1_000)
    private let connectionID = ConnectionID(1)
    private var givingBack = GivingBack()

    private var session: ReplicationSession {
        ReplicationSession(connectionID: connectionID, userID: alice.userID, deviceID: alice.deviceID)
    }

    private func log(_ written: HandWrittenLog, by userID: UserID) -> IncomingLog {
        IncomingLog(description: written.record.description, authorID: userID, head: written.head)
    }

    @Test("gives nobody another's, and nothing that is not there")
    mutating func others() {
        var written = HandWrittenLog(by: alice, to: bob.userID)
        _ = written.entry("one")
        let own = log(written, by: alice.userID)
        let other = log(HandWrittenLog(by: device("alice", seed: 4), to: bob.userID), by: alice.userID)
        #expect(throws: ProtocolError.self) { try givingBack.add(nil, from: 1, session: session) }
        #expect(throws: ProtocolError.self) { try givingBack.add(other, from: 0, session: session) }
        #expect(throws: ProtocolError.self) { try givingBack.add(own, from: 2, session: session) }
        #expect(givingBack.waiting.isEmpty)
    }

    @Test(
        "lets a user wait who was given much, or for whom much was read of which little can be given",
        arguments: [true, false])
    mutating func budget(hasCheckpoints: Bool) throws {
        var written = HandWrittenLog(by: alice, to: bob.userID)
        let text = String(repeating: "x", count: Limits.textBytes / 2)
        var entries = [written.entry("small")] + (0..<6).map { _ in written.entry(text) }
        if !hasCheckpoints { for index in entries.indices.dropFirst() { entries[index].checkpoint = nil } }
        let own = log(written, by: alice.userID)
        let cost = entries.reduce(0) { $0 + $1.windowBytes } / (hasCheckpoints ? 1 : 4)
        var count = 0
        while count < 10_000 {
            try givingBack.add(own, from: 1, session: session)
            let next = givingBack.takeRead(on: connectionID, to: alice.userID, now: now)
            guard let read = next else { break }
            _ = try givingBack.frame(of: entries, read, log: own, to: alice.userID, now: now)
            count += 1
        }
        #expect(count <= Limits.returnedBytes / cost + 1)
        #expect(givingBack.waiting == [connectionID])
        let later = Moment(wallClock: 0, uptime: now.uptime + 60_000)
        #expect(givingBack.takeRead(on: connectionID, to: alice.userID, now: later) != nil)
    }

    @Test("gives one run at a time, up to the last checkpoint")
    mutating func oneRun() throws {
        var written = HandWrittenLog(by: alice, to: bob.userID)
        var entries = [written.entry("one"), written.entry("two"), written.entry("three")]
        entries[0].checkpoint = nil
        entries[2].checkpoint = nil
        let own = log(written, by: alice.userID)
        try givingBack.add(own, from: 1, session: session)
        #expect(throws: ProtocolError.self) { try givingBack.add(own, from: 1, session: session) }
        let first = givingBack.takeRead(on: connectionID, to: alice.userID, now: now)
        let read = try #require(first)
        let frame = try givingBack.frame(of: entries, read, log: own, to: alice.userID, now: now)
        #expect(frame.contents.count == 2 && frame.checkpoint == entries[1].checkpoint)
        try givingBack.add(own, from: 3, session: session)
        let second = givingBack.takeRead(on: connectionID, to: alice.userID, now: now)
        let next = try #require(second)
        #expect(throws: ProtocolError.self) {
            try givingBack.frame(of: [entries[2]], next, log: own, to: alice.userID, now: now)
        }
    }
}
