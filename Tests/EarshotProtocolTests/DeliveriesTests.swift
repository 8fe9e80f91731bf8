import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What has become of messages")
struct DeliveriesTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private var log: OwnLog
    private var deliveries = Deliveries()

    init() {
        var written = HandWrittenLog(by: alice, to: bob.userID)
        for number in 1...5 { _ = written.entry("message \(number)") }
        log = OwnLog(record: written.record)
    }

    private func receipt(
        _ sequence: UInt64, read: UInt64 = 0, handled: UInt64 = 0, missing: ClosedRange<UInt64>? = nil
    ) -> Receipt {
        Receipt.sign(
            logID: log.record.logID, sequence: sequence, chain: log.head.chain, readSequence: read,
            handledSequence: handled, missing: missing.map { SequenceSet($0) } ?? SequenceSet(),
            deviceID: bob.deviceID, with: bob.signingKey)
    }

    @Test("is told as delivered of what a receipt names as missing only when a device has it")
    mutating func missing() {
        var steps: [JournalRecord] = []
        for receipt in [receipt(4, read: 4, missing: 2...3), receipt(5, read: 4, missing: 3...3), receipt(5, read: 4)] {
            let isNews = deliveries.acknowledge(receipt, log.deliveryKey)
            #expect(isNews)
            for written in deliveries.takeUnwritten(receipt: { _, _ in nil }) {
                steps += deliveries.steps(to: written.value, of: written.key)
                _ = deliveries.written(written.key, written.value)
            }
        }
        let (logID, bobID) = (log.record.logID, bob.userID)
        func step(_ step: JournalRecord.Step, _ run: ClosedRange<UInt64>) -> JournalRecord {
            .progress(logID, bobID, step, run)
        }
        #expect(
            steps == [
                step(.sent, 1...4), step(.delivered, 1...1), step(.delivered, 4...4), step(.read, 1...1),
                step(.read, 4...4), step(.sent, 5...5), step(.delivered, 2...2), step(.delivered, 5...5),
                step(.read, 2...2), step(.delivered, 3...3), step(.read, 3...3),
            ])
    }

    @Test("is delivered when one of a user's devices has it, whatever the others lack")
    mutating func devices() {
        for receipt in [receipt(5, missing: 2...4), receipt(3, missing: 1...2)] {
            _ = deliveries.acknowledge(receipt, log.deliveryKey)
        }
        let target = deliveries.target(log.deliveryKey)
        #expect(target?.missing.ranges == [2...2, 4...4] && target?.delivered == 5)
        // Neither receipt proves all of it.
        #expect(target?.receipt == nil)
        let isNews = deliveries.acknowledge(receipt(5, missing: 1...4), log.deliveryKey)
        #expect(!isNews)
    }

    @Test("is told when it is on the disk, each step of each message once")
    mutating func steps() {
        deliveries.offer(log.deliveryKey, through: 2)
        _ = deliveries.sent(log.deliveryKey, through: 2)
        _ = deliveries.acknowledge(receipt(1, read: 1), log.deliveryKey)
        let taken = deliveries.takeUnwritten { _, _ in nil }
        #expect(deliveries.committed(log.deliveryKey)?.sent ?? 0 == 0)
        var steps: [JournalRecord] = []
        for written in taken + taken {
            steps += deliveries.steps(to: written.value, of: written.key)
            _ = deliveries.written(written.key, written.value)
        }
        let (logID, bobID) = (log.record.logID, bob.userID)
        #expect(
            steps == [
                .progress(logID, bobID, .sent, 1...2), .progress(logID, bobID, .delivered, 1...1),
                .progress(logID, bobID, .read, 1...1),
            ])
        #expect(deliveries.undelivered(in: log) == 4)
    }

    @Test("never goes back, whatever a later receipt says")
    mutating func receipts() {
        let isNews = deliveries.acknowledge(receipt(4, read: 2), log.deliveryKey)
        let isOldNews = deliveries.acknowledge(receipt(3, read: 1), log.deliveryKey)
        #expect(isNews && !isOldNews)
        _ = deliveries.acknowledge(receipt(3, read: 3), log.deliveryKey)
        let target = deliveries.target(log.deliveryKey)
        #expect(target?.delivered == 4 && target?.read == 3)
        // No receipt says both.
        #expect(target?.receipt == nil)
    }

    @Test("is handled, read, or both, whichever comes first, and shown as read where it is both")
    mutating func handledAndRead() {
        _ = deliveries.acknowledge(receipt(4, read: 1, handled: 3), log.deliveryKey)
        let target = deliveries.target(log.deliveryKey) ?? DeliveryProgress()
        #expect((1...5).map { target.state(of: $0, failure: nil) } == [.read, .handled, .handled, .delivered, .queued])
        let isNews = deliveries.acknowledge(receipt(4, read: 1, handled: 4), log.deliveryKey)
        let isOldNews = deliveries.acknowledge(receipt(4, read: 1, handled: 2), log.deliveryKey)
        #expect(isNews && !isOldNews)
        let (logID, bobID) = (log.record.logID, bob.userID)
        let told = deliveries.steps(to: deliveries.target(log.deliveryKey) ?? target, of: log.deliveryKey)
        #expect(
            told.suffix(2) == [.progress(logID, bobID, .handled, 1...4), .progress(logID, bobID, .read, 1...1)])
    }

    @Test("is handled up to what has come, and not where the acknowledgement is not on the disk")
    mutating func handling() {
        let key = log.deliveryKey
        deliveries.keep(key, through: 3)
        deliveries.markHandled(key, through: 2)
        for written in deliveries.takeUnwritten(receipt: { _, _ in nil }) {
            _ = deliveries.written(written.key, written.value)
        }
        deliveries.markHandled(key, through: 9)
        #expect(deliveries.target(key)?.handled == 3)
        deliveries.takeBackHandled(key)
        #expect(deliveries.target(key)?.handled == 2)
    }

    @Test("is not told as sent of a message that has failed")
    mutating func sentAfterFailure() {
        deliveries.offer(log.deliveryKey, through: 4)
        deliveries.fail([1, 3], of: log, reason: .expired)
        var progress = DeliveryProgress()
        (progress.sent, progress.delivered) = (4, 3)
        let (logID, bobID) = (log.record.logID, bob.userID)
        // What may have left may still be delivered.
        #expect(
            deliveries.steps(to: progress, of: log.deliveryKey) == [
                .progress(logID, bobID, .sent, 2...2), .progress(logID, bobID, .sent, 4...4),
                .progress(logID, bobID, .delivered, 1...3),
            ])
    }

    @Test("is told as failed where no receipt in the same commit was first, in one group for messages that follow")
    mutating func toldFailures() {
        deliveries.offer(log.deliveryKey, through: 5)
        deliveries.fail([1, 2, 4, 5], of: log, reason: .blocked)
        let written = deliveries.takePending().map(\.failure)
        var progress = DeliveryProgress()
        progress.delivered = 1
        let told = deliveries.told(written, with: [WrittenProgress(key: log.deliveryKey, value: progress)])
        let (logID, bobID) = (log.record.logID, bob.userID)
        #expect(told == [.failed(logID, bobID, .blocked, 2...2), .failed(logID, bobID, .blocked, 4...5)])
    }

    @Test("is read up to what has come, and what was seen of it stays read where the rest is not kept")
    mutating func reading() {
        let key = log.deliveryKey
        deliveries.keep(key, through: 3)
        for written in deliveries.takeUnwritten(receipt: { _, _ in nil }) {
            _ = deliveries.written(written.key, written.value)
        }
        let isTooFar = deliveries.markRead(key, through: 4)
        #expect(!isTooFar)
        deliveries.keep(key, through: 5)
        let isRead = deliveries.markRead(key, through: 4)
        #expect(isRead && deliveries.target(key)?.read == 4)
        deliveries.dropUncommitted(key)
        #expect(deliveries.target(key)?.delivered == 3 && deliveries.target(key)?.read == 3)
        #expect(deliveries.hasUnwritten)
    }

    @Test("is taken back where the disk does not say that an entry may leave, but for what was delivered")
    mutating func offers() {
        deliveries.offer(log.deliveryKey, through: 5)
        _ = deliveries.acknowledge(receipt(2), log.deliveryKey)
        deliveries.takeBackOffers { [alice] in $0.recipientID != alice.userID }
        #expect(deliveries.target(log.deliveryKey)?.offered == 2)
    }

    @Test("is not sent of entries that came back in a commit that failed: others may take their places")
    mutating func sentAfterWhatCameBack() {
        deliveries.offer(log.deliveryKey, through: 2)
        for written in deliveries.takeUnwritten(receipt: { _, _ in nil }) {
            _ = deliveries.written(written.key, written.value)
        }
        deliveries.returned(log.deliveryKey, 3...5, after: 0)
        #expect(deliveries.target(log.deliveryKey)?.sent == 5)
        deliveries.takeBackOffers { [alice] in $0.recipientID != alice.userID }
        let target = deliveries.target(log.deliveryKey)
        #expect(target?.offered == 2 && target?.sent == 2)
    }

    @Test("is failed for all that was not delivered, and withheld of what was not offered")
    mutating func failures() {
        deliveries.offer(log.deliveryKey, through: 3)
        _ = deliveries.acknowledge(receipt(1), log.deliveryKey)
        deliveries.failUndelivered(of: log, reason: .blocked)
        let withheld = deliveries.failures(in: log.record.logID).mapValues(\.isWithheld)
        #expect(withheld == [2: false, 3: false, 4: true, 5: true])
        #expect(deliveries.hasPendingFailures(in: log.record.logID))
        let taken = deliveries.takePending()
        #expect(taken.count == 4 && !deliveries.hasPendingFailures)
        // What may have left may still have been delivered; what was withheld never was.
        deliveries.forgetSettledFailures(log.deliveryKey, by: DeliveryProgress(delivered: 5))
        #expect(deliveries.failures(in: log.record.logID).keys.sorted() == [4, 5])
    }

    @Test("stays failed where many could have it, whichever of them has it, and fails once")
    mutating func failedForMany() {
        let conversation = ConversationRecord(
            conversationID: log.description.conversationID, kind: .private,
            participantIDs: [alice.userID, bob.userID])
        let log = OwnLog(
            record: LogRecord(
                description: log.description, authorID: alice.userID, conversation: conversation, head: log.head))
        deliveries.offer(log.deliveryKey, through: 5)
        deliveries.failUncounted(3...5, of: log.deliveryKey, isOwn: true)
        #expect(deliveries.takePending().count == 3)
        deliveries.forgetSettledFailures(log.deliveryKey(for: bob.userID), by: DeliveryProgress(delivered: 5))
        deliveries.failUncounted(3...5, of: log.deliveryKey, isOwn: true)
        #expect(!deliveries.hasPendingFailures)
    }

    @Test("has not failed where it turns out to count, whether the disk has the failure or not, unless never sent")
    mutating func counting() {
        let key = log.deliveryKey
        func messageID(_ sequence: UInt64) -> MessageID { MessageID(log: key.logID, sequence: sequence) }
        deliveries.failUncounted([2, 3], of: key, isOwn: false)
        #expect(deliveries.takePending().count == 2)
        deliveries.failUncounted([4, 5], of: key, isOwn: false)
        _ = deliveries.noteWithheld(messageID(2), for: key.recipientID, .cancelled)
        #expect(deliveries.failure(of: messageID(2))?.reason == .removed)
        deliveries.withdrawRemoved(of: key, except: [5...5])
        #expect(deliveries.takeWithdrawn().map(\.messageID.sequence) == [3, 4])
        #expect(deliveries.takePending().map(\.failure.messageID.sequence) == [5])
        #expect(deliveries.failures(in: key.logID).mapValues(\.isWithheld) == [2: true, 5: false])
        // It may turn out to count after that, too.
        deliveries.forgetSettledFailures(key, by: DeliveryProgress(delivered: 5))
        #expect(deliveries.failures(in: key.logID).keys.sorted() == [2, 5])
    }

    @Test("is failed of what came back with this device's mark, and of nothing that came back without its content only")
    mutating func returnedMarked() {
        func entry(_ sequence: UInt64, isDeleted: Bool = false, isMarked: Bool = false) -> EntryRecord {
            var entry = EntryRecord(
                sequence: sequence, timestamp: HybridTimestamp(rawValue: 1), expiry: .max, kind: .unknown,
                content: .withheld(.of(body: [UInt8(sequence)])), chain: log.head.chain, isDeleted: isDeleted)
            if isMarked {
                entry.mark = WithheldMark.sign(
                    logID: log.record.logID, sequence: sequence, hash: entry.content.hash, with: alice.signingKey)
            }
            return entry
        }
        let entries = [entry(1), entry(2, isMarked: true), entry(3, isDeleted: true)]
        deliveries.returnedMarked(entries, of: log.record.logID, to: bob.userID)
        #expect(deliveries.failures(in: log.record.logID).mapValues(\.isWithheld) == [2: true])
        _ = deliveries.acknowledge(receipt(3, read: 3), log.deliveryKey)
        for written in deliveries.takeUnwritten(receipt: { _, _ in nil }) {
            let steps = deliveries.steps(to: written.value, of: written.key)
            #expect(!steps.contains { $0 == .progress(log.record.logID, bob.userID, .delivered, 1...3) })
            #expect(steps.contains(.progress(log.record.logID, bob.userID, .delivered, 1...1)))
        }
    }

    @Test("moves with a message that gets another name, whether the disk has the failure or not")
    mutating func renamed() {
        let logID = log.record.logID
        let limbo = LogID.limbo(of: logID, after: 2)
        deliveries.failUndelivered(of: log, reason: .expired)
        let early = deliveries.takePending().prefix(1)
        for pending in early { deliveries.writeAgain(pending) }
        deliveries.rename([
            RenamedMessages(from: MessageID(log: logID, sequence: 3), to: MessageID(log: limbo, sequence: 3), count: 3)
        ])
        #expect(deliveries.failures(in: logID).keys.sorted() == [1, 2])
        #expect(deliveries.failures(in: limbo).keys.sorted() == [3, 4, 5])
        #expect(deliveries.failures(in: limbo)[3]?.messageID == MessageID(log: limbo, sequence: 3))
        #expect(deliveries.hasPendingFailures(in: logID) && !deliveries.hasPendingFailures(in: limbo))

        deliveries.failUndelivered(of: log, reason: .expired)
        deliveries.rename([
            RenamedMessages(from: MessageID(log: logID, sequence: 3), to: MessageID(log: limbo, sequence: 3), count: 3)
        ])
        #expect(deliveries.takePending().map(\.failure.messageID.log) == [logID, limbo, limbo, limbo])
    }

    @Test(
        "is what a peer's content proves: who has it was sent it, and who has only a hash was not, unless it was erased"
    )
    mutating func compared() {
        let (logID, bobID) = (log.record.logID, bob.userID)
        func message(_ sequence: UInt64) -> MessageID { MessageID(log: logID, sequence: sequence) }
        let (body, hash) = (EntryContent.body([1]), EntryContent.withheld(.of(body: [1])))
        deliveries.fail([1, 2], of: log, reason: .cancelled)
        deliveries.compare(body, isErased: false, with: message(1), to: bobID)
        deliveries.compare(hash, isErased: true, with: message(2), to: bobID)
        deliveries.compare(hash, isErased: false, with: message(3), to: bobID)
        deliveries.compare(hash, isErased: true, with: message(4), to: bobID)
        deliveries.compare(body, isErased: false, with: message(5), to: bobID)
        #expect(deliveries.failures(in: logID).mapValues(\.isWithheld) == [1: false, 2: true, 3: true])
        #expect(deliveries.takeWithdrawn() == [Addressed(messageID: message(1), recipientID: bobID)])
    }
}

extension DeliveryProgress {
    fileprivate init(delivered: UInt64) {
        self.init()
        self.delivered = delivered
    }
}
