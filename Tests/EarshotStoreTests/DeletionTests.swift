import EarshotModel
import EarshotProtocol
import EarshotStore
import EarshotTesting
import Synchronization
import Testing

@Suite("The deletion of contents")
struct DeletionTests {
    private let log = SampleLog.at([1, 2, 3, 4])

    /// The first is delivered; the second and the fourth failed and may have left, the third was withheld anyway.
    private func stored() throws -> Store {
        let store = try Store.inMemory()
        var commit = log.commit
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered) = (4, 4, 1)
        commit.deliveries = [
            DeliveryRecord(logID: log.logID, recipientID: log.record.peerID, progress: progress)
        ]
        commit.failures = (1...4).map {
            DeliveryFailure(messageID: log.messageID($0), reason: .expired, isWithheld: $0 == 3)
        }
        try store.commit(commit)
        return store
    }

    @Test(
        "tells of the messages that are withheld from then on, once they are so on the disk", arguments: [true, false])
    func tells(isWhole: Bool) throws {
        let store = try stored()
        let told = Mutex<[[MessageID]]>([])
        let (log, device) = (log, log.record.description.deviceID)
        for _ in 1...2 {
            if isWhole {
                _ = try store.deleteContents(
                    of: log.conversationID, deviceID: device, listed: 9, hash: { .of(body: $0) },
                    withheld: { messageIDs in told.withLock { $0.append(messageIDs) } })
            } else {
                _ = try store.deleteContents(
                    of: (1...4).map(log.messageID), deviceID: device, hash: { .of(body: $0) },
                    withheld: { messageIDs in told.withLock { $0.append(messageIDs) } })
            }
        }
        #expect(told.withLock { $0 } == [[log.messageID(2), log.messageID(4)]])
        let withheld = try store.snapshot().failures.filter(\.isWithheld).map(\.messageID)
        #expect(Set(withheld) == Set([2, 3, 4].map(log.messageID)))
    }

    @Test("tells of none where it was refused")
    func refused() throws {
        let store = try stored()
        let told = Mutex(0)
        let outcome = try store.deleteContents(
            of: [log.messageID(2), log.messageID(9)], deviceID: log.record.description.deviceID,
            hash: { .of(body: $0) }, withheld: { _ in told.withLock { $0 += 1 } })
        #expect(outcome.unknown == [log.messageID(9)] && outcome.deletedCount == 0)
        #expect(told.withLock { $0 } == 0)
    }
}
