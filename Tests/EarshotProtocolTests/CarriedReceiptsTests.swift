import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Receipts that are passed on")
struct CarriedReceiptsTests {
    private var receipts = CarriedReceipts()
    private let log = HandWrittenLog(by: device("alice"), to: device("bob").userID).logID

    private func receipt(
        _ sequence: UInt64, read: UInt64 = 0, handled: UInt64 = 0, by name: String = "bob"
    ) -> Receipt {
        let device = device(name)
        return Receipt.sign(
            logID: log, sequence: sequence, chain: .origin(of: log), readSequence: read,
            handledSequence: handled, deviceID: device.deviceID, with: device.signingKey)
    }

    @Test("are the furthest of each device, and no device goes back")
    mutating func furthest() {
        let first = receipts.keep(receipt(2), ends: [])
        let further = receipts.keep(receipt(2, read: 1), ends: [])
        let back = receipts.keep(receipt(1), ends: [])
        let mixed = receipts.keep(receipt(2, handled: 2), ends: [])
        let other = receipts.keep(receipt(1, by: "carol"), ends: [])
        #expect(first && further && !back && !mixed && other)
        #expect(Set(receipts.receipts(for: log)) == [receipt(2, read: 1), receipt(1, by: "carol")])
    }

    @Test("go further with a device that was restored from an older copy, and has not said again what was read")
    mutating func restored() {
        let kept = [receipt(2, read: 2), receipt(3, read: 1)].map { receipts.keep($0, ends: []) }
        #expect(kept == [true, true] && receipts.receipts(for: log) == [receipt(3, read: 1)])
    }

    @Test("take the place of one that lacks more bodies, and not of one that lacks fewer")
    mutating func missing() {
        func receipt(_ missing: ClosedRange<UInt64>) -> Receipt {
            let bob = device("bob")
            return Receipt.sign(
                logID: log, sequence: 5, chain: .origin(of: log), readSequence: 0, missing: SequenceSet(missing),
                deviceID: bob.deviceID, with: bob.signingKey)
        }
        let kept = [receipt(2...3), receipt(3...3), receipt(2...3)].map { receipts.keep($0, ends: []) }
        #expect(kept == [true, true, false])
        #expect(receipts.receipts(for: log) == [receipt(3...3)])
    }

    @Test("are those for the ends of all branches, beside the furthest, and go when a branch goes on")
    mutating func branches() {
        let bob = device("bob")
        func receipt(_ sequence: UInt64, _ branch: UInt8) -> Receipt {
            Receipt.sign(
                logID: log, sequence: sequence, chain: .origin(of: log).appending(.of(body: [branch])),
                readSequence: 0, deviceID: bob.deviceID, with: bob.signingKey)
        }
        let (long, short, other, longer) = (receipt(9, 1), receipt(5, 2), receipt(7, 3), receipt(10, 1))
        let kept = [long, short, other].map { receipts.keep($0, ends: [long.place, short.place]) }
        #expect(kept == [true, true, false] && receipts.receipts(for: log) == [short, long])
        let again = receipts.keep(short, ends: [long.place, short.place])
        let written = receipts.takeUnwritten()
        let fresh = receipts.takeFresh { _ in true }
        #expect(!again && written == [short, long] && fresh == [short, long])
        let grown = receipts.keep(longer, ends: [longer.place, other.place])
        #expect(grown && receipts.receipts(for: log) == [longer])
        #expect(CarriedReceipts([long, short]).receipts(for: log) == [short, long])
    }

    @Test("go into a commit, and again into the next one where the disk refuses it")
    mutating func written() {
        _ = receipts.keep(receipt(2), ends: [])
        let taken = receipts.takeUnwritten()
        #expect(taken == [receipt(2)] && !receipts.hasUnwritten)
        receipts.writeAgain(taken)
        let again = receipts.takeUnwritten()
        #expect(again == taken)
    }

    @Test("are passed on once, unless they go further")
    mutating func fresh() {
        _ = receipts.keep(receipt(2), ends: [])
        let first = receipts.takeFresh { _ in true }
        let second = receipts.takeFresh { _ in true }
        _ = receipts.keep(receipt(3), ends: [])
        let third = receipts.takeFresh { _ in true }
        #expect(first == [receipt(2)] && second.isEmpty && third == [receipt(3)])
    }

    @Test("are known again after a start, and not passed on once more for that")
    mutating func restart() {
        receipts = CarriedReceipts([receipt(2)])
        let isNews = receipts.keep(receipt(2), ends: [])
        let fresh = receipts.takeFresh { _ in true }
        #expect(!isNews && fresh.isEmpty && receipts.receipts(for: log) == [receipt(2)])
    }
}
