import EarshotModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A store's snapshot")
struct SnapshotTests {
    @Test("gives back everything but the entries, as it was committed and after opening again")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let store = try Store(path: folder.file("history.db"))
        let commit = try Self.everything()
        try store.commit(commit)
        try expect(store.snapshot(), holds: commit)
        try store.close()
        try expect(Store(path: folder.file("history.db")).snapshot(), holds: commit)
    }

    @Test("is all in the one file once the store is closed")
    func closedFile() throws {
        let folder = try TemporaryFolder()
        let store = try Store(path: folder.file("history.db"))
        let commit = try Self.everything()
        try store.commit(commit)
        try store.close()
        try FileManager.default.copyItem(atPath: folder.file("history.db"), toPath: folder.file("copy.db"))
        try expect(Store(path: folder.file("copy.db")).snapshot(), holds: commit)
    }

    @Test("of a new store is empty")
    func empty() throws {
        #expect(try Store.inMemory().snapshot() == Snapshot())
    }

    @Test("has the receipt that a log's progress goes by, while the store keeps what other devices have signed")
    func receipts() throws {
        let store = try Store.inMemory()
        let log = SampleLog.at([1, 2, 3])
        try store.commit(log.commit)
        for (device, sequence) in [(41, 3), (42, 2), (42, 2), (41, 3), (43, 1)] as [(UInt8, UInt64)] {
            var progress = DeliveryProgress()
            (progress.offered, progress.sent, progress.delivered) = (3, 3, 3)
            progress.receipt = Receipt(
                logID: log.logID, sequence: sequence, chain: identifier(40), readSequence: 1,
                deviceID: identifier(device), signature: signature(device))
            var commit = Commit()
            commit.deliveries = [DeliveryRecord(logID: log.logID, recipientID: identifier(4), progress: progress)]
            try store.commit(commit)
            #expect(try store.snapshot().deliveries == commit.deliveries)
        }
        let kept = try store.read { db in
            try Row.fetchAll(db, sql: "SELECT deviceID, sequence FROM receipt ORDER BY deviceID")
                .map { ($0["deviceID"] as Data, $0["sequence"] as Int64) }
        }
        #expect(kept.map(\.0) == [41, 42].map { Data(repeating: $0, count: 32) } && kept.map(\.1) == [3, 2])
    }

    @Test("leaves out failures that a receipt has overtaken")
    func overtakenFailure() throws {
        let failures = try failuresInSnapshot(isWithheld: false, delivered: 1, read: 0)
        #expect(failures.isEmpty)
    }

    @Test("keeps a withheld message's failure for ever: no receipt undoes it, and whoever asks again gets nothing")
    func withheldFailure() throws {
        #expect(try failuresInSnapshot(isWithheld: true, delivered: 0, read: 0).count == 1)
        #expect(try failuresInSnapshot(isWithheld: true, delivered: 1, read: 0).count == 1)
        #expect(try failuresInSnapshot(isWithheld: true, delivered: 1, read: 1).count == 1)
    }

    private func failuresInSnapshot(
        isWithheld: Bool, delivered: UInt64, read: UInt64
    ) throws -> [DeliveryFailure] {
        let store = try Store.inMemory()
        let log = SampleLog.at([1])
        var commit = log.commit
        var progress = DeliveryProgress()
        (progress.delivered, progress.read) = (delivered, read)
        commit.deliveries = [DeliveryRecord(logID: log.logID, recipientID: identifier(4), progress: progress)]
        commit.failures = [
            DeliveryFailure(
                messageID: log.messageID(1), recipientID: identifier(4), reason: .expired, isWithheld: isWithheld)
        ]
        try store.commit(commit)
        return try store.snapshot().failures
    }

    private func expect(_ snapshot: Snapshot, holds commit: Commit) {
        #expect(Set(snapshot.users) == Set(commit.users))
        #expect(Set(snapshot.devices) == Set(commit.devices))
        #expect(Set(snapshot.logs) == Set(commit.logs))
        #expect(Set(snapshot.deliveries) == Set(commit.deliveries))
        #expect(Set(snapshot.failures) == Set(commit.failures))
    }

    /// One of each kind with extreme values, and more of what has several shapes.
    private static func everything() throws -> Commit {
        let log = SampleLog.at([1, 2, 3])
        var other = SampleLog(conversation: 8, device: 9)
        other.append(at: .max, expiry: 1)
        var commit = log.commit
        commit.logs.append(
            LogRecord(
                description: LogDescription(
                    logID: identifier(70), conversationID: identifier(71), deviceID: identifier(72), epoch: .max),
                authorID: identifier(73),
                conversation: ConversationRecord(
                    conversationID: identifier(71), kind: .direct, participantIDs: [identifier(74), identifier(73)]),
                head: other.record.head, nextExpiry: 12))
        for trust in Trust.allCases {
            commit.users.append(
                UserRecord(
                    userID: identifier(UInt8(20 + commit.users.count)), name: try UserName("Zoë \(trust)"),
                    trust: trust, isPinned: true,
                    firstSeen: -1, lastSeen: .max))
        }
        let addresses = ["[fe80::1%eth0]:4000", "10.0.0.2:1", "bob.local:65535"].compactMap { PeerAddress($0) }
        commit.devices = [
            DeviceRecord(deviceID: identifier(30), userID: identifier(20), credential: [], addresses: []),
            DeviceRecord(deviceID: identifier(31), userID: identifier(20), credential: [0, 255], addresses: addresses),
        ]
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered, progress.read) = (UInt64(Int64.max), 3, 2, 1)
        progress.receipt = Receipt(
            logID: log.logID, sequence: 2, chain: identifier(40), readSequence: 1, deviceID: identifier(41),
            signature: signature(42))
        commit.deliveries = [
            DeliveryRecord(logID: log.logID, recipientID: identifier(4), progress: progress),
            DeliveryRecord(logID: log.logID, recipientID: identifier(5), progress: DeliveryProgress()),
        ]
        for (index, reason) in FailureReason.allCases.enumerated() {
            commit.failures.append(
                DeliveryFailure(
                    messageID: log.messageID(UInt64(10 + index)), recipientID: identifier(4), reason: reason,
                    isWithheld: index.isMultiple(of: 2)))
        }
        return commit
    }
}
