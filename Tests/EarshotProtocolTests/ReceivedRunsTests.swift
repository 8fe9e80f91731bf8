import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Entries that came and are not on the disk")
struct ReceivedRunsTests {
    private var runs = ReceivedRuns()
    private let alice = device("alice").deviceID
    private let carol = device("carol").deviceID

    private func run(_ bytes: Int, of deviceID: DeviceID) -> ReceivedRun {
        let record = HandWrittenLog(by: device("alice"), to: device("bob").userID).record
        return ReceivedRun(
            connectionID: ConnectionID(1), deviceID: deviceID, branch: IncomingLog(record),
            conversation: record.conversation, before: record.start.place, isOwn: false, isByOwnUser: false,
            isFromOwnUser: false, entries: [], missing: SequenceSet(), news: [], bytes: bytes, unreached: [])
    }

    /// What a frame of a log brings over a link to its author.
    private mutating func take(
        _ frame: EntriesFrame, into branch: IncomingLog, known: Int = 0, by reader: LogAuthor, logs: inout Logs
    ) throws -> ReceivedRuns.Intake {
        let link = ReplicationSession(
            connectionID: ConnectionID(1), userID: device("alice").userID, deviceID: device("alice").deviceID)
        var privates = PrivateConversations(userID: reader.userID, deviceID: reader.deviceID)
        return try runs.take(
            frame, into: branch, known: known, of: .direct(device("alice").userID, reader.userID), from: link,
            isStranger: true, logs: &logs, privates: &privates, cuts: Cuts(), erasures: Erasures(of: reader.userID),
            showings: Showings(of: reader.userID),
            author: reader,
            now: Moment(wallClock: 0, uptime: 0))
    }

    @Test("are what is new in a frame, once, and end the branch that they belong to from then on")
    mutating func taken() throws {
        let reader = LogAuthor(device("bob"))
        var logs = Logs(author: reader)
        var written = HandWrittenLog(by: device("alice"), to: reader.userID)
        let empty = IncomingLog(written.record)
        let frame = written.append(["one", "two"])
        guard case .new(let run, let timestamps) = try take(frame, into: empty, by: reader, logs: &logs) else {
            Issue.record("nothing was taken")
            return
        }
        #expect(run.news.map(\.message?.text) == ["one", "two"] && run.head == written.head && timestamps.count == 2)
        var record = written.record
        record.bytes = run.bytes
        #expect(!run.isOwn && run.record(in: logs) == record)
        let branch = try #require(logs.proved(written.logID))
        #expect(branch.proved == written.head && logs.branches(of: frame.log) == [written.logID])
        guard case .known(isSettled: false) = try take(frame, into: branch, known: 2, by: reader, logs: &logs) else {
            Issue.record("it was taken again, or is on the disk")
            return
        }
    }

    @Test("are no messages where they are this device's own, and have their keys")
    mutating func own() throws {
        let author = LogAuthor(device("alice"))
        var logs = Logs(author: author)
        var written = HandWrittenLog(by: device("alice"), to: device("bob").userID)
        let empty = IncomingLog(written.record)
        let key = EntryKeys(author.signingKey).key("order", place: 0)
        let entry = written.entry("one", key: key)
        let frame = written.frame([entry], after: empty.committed)
        guard case .new(let run, _) = try take(frame, into: empty, by: author, logs: &logs) else {
            Issue.record("nothing was taken")
            return
        }
        #expect(run.isOwn && run.news.isEmpty && run.entries.map(\.key) == [key])
        #expect(runs.containsOwn(in: frame.log.conversationID))
        _ = runs.takeForCommit()
        #expect(!runs.containsOwn(in: frame.log.conversationID))
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

    @Test("are in nobody's window where a device passes on what another has written, and are bounded all the same")
    mutating func given() throws {
        // Alice has written what Carol passes on.
        runs.add(run(Limits.windowBytes + Limits.frameBytes, of: carol))
        for isGiven in [true, false] {
            let error = #expect(throws: ProtocolError.self) {
                try runs.checkRoom(for: 1, of: carol, isGiven: isGiven, isStranger: false)
            }
            #expect(error?.code == .overloaded && error?.closeReason == .storageFailure)
        }
        runs.written(runs.takeForCommit()[0])
        try runs.checkRoom(for: 1, of: carol, isGiven: true, isStranger: false)
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
