import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Entries that came and are not on the disk")
struct ReceivedRunsTests {
    private var runs = ReceivedRuns()
    private let alice = device("alice").deviceID
    private let carol = device("carol").deviceID

    private func run(_ bytes: Int, of deviceID: DeviceID) -> ReceivedRun {
        let logID = LogID(Bytes32())
        return ReceivedRun(
            connectionID: ConnectionID(1), deviceID: deviceID, logID: logID, head: .origin(of: logID), entries: [],
            messages: [], bytes: bytes)
    }

    @Test("are what is new in a peer's frame, once, and of no log but the peer's")
    mutating func taken() throws {
        let (author, reader) = (device("alice"), LogAuthor(device("bob")))
        var logs = Logs(author: reader)
        var written = HandWrittenLog(by: author, to: reader.userID)
        let link = ReplicationSession(connectionID: ConnectionID(1), userID: author.userID, deviceID: author.deviceID)
        let frame = written.append("one")
        guard
            case .new(let run, let timestamps) = try runs.take(
                frame, from: link, isStranger: true, logs: &logs, author: reader)
        else {
            Issue.record("nothing was taken")
            return
        }
        #expect(run.messages.map(\.text) == ["one"] && run.head == written.head && timestamps.count == 1)
        guard
            case .known(isSettled: false) = try runs.take(
                frame, from: link, isStranger: true, logs: &logs, author: reader)
        else {
            Issue.record("it was taken again, or is on the disk")
            return
        }
        let other = ReplicationSession(connectionID: ConnectionID(2), userID: author.userID, deviceID: carol)
        let error = #expect(throws: ProtocolError.self) {
            try runs.take(frame, from: other, isStranger: true, logs: &logs, author: reader)
        }
        #expect(error?.code == .violation)
    }

    @Test("are at most a window of a device, with those that are being written")
    mutating func window() throws {
        runs.add(run(Limits.windowBytes + Limits.frameBytes, of: alice))
        let taken = runs.takeForCommit()
        let error = #expect(throws: ProtocolError.self) { try runs.checkRoom(for: 1, of: alice, isStranger: false) }
        #expect(error?.code == .violation)
        try runs.checkRoom(for: 1, of: carol, isStranger: false)
        runs.written(taken[0])
        try runs.checkRoom(for: 1, of: alice, isStranger: false)
    }

    @Test("are bounded for strangers together, and others have as much again")
    mutating func total() throws {
        runs.add(run(Limits.receivedBytes / 2, of: carol))
        let error = #expect(throws: ProtocolError.self) { try runs.checkRoom(for: 1, of: alice, isStranger: true) }
        #expect(error?.closeReason == .storageFailure)
        try runs.checkRoom(for: 1, of: alice, isStranger: false)
    }

    @Test("go into one commit up to its size, in their order")
    mutating func commitSize() {
        for deviceID in [alice, carol, alice] { runs.add(run(Limits.commitBytes / 2 + 1, of: deviceID)) }
        let (first, second) = (runs.takeForCommit(), runs.takeForCommit())
        #expect(first.map(\.deviceID) == [alice, carol] && second.map(\.deviceID) == [alice])
        #expect(runs.isEmpty)
    }

    @Test("are forgotten, with those of the commit, when the disk does not take them")
    mutating func dropped() throws {
        runs.add(run(Limits.windowBytes + Limits.frameBytes, of: alice))
        let failed = runs.takeForCommit()
        runs.add(run(1, of: carol))
        let dropped = runs.drop(with: failed)
        #expect(dropped.map(\.deviceID) == [alice, carol])
        #expect(runs.isEmpty && runs.load(with: []).all == 0)
        try runs.checkRoom(for: 1, of: alice, isStranger: true)
    }
}
