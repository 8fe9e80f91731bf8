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
