import EarshotModel

/// Receipts of others for logs of others, which this node passes on to whom they concern: the authors were not there when
/// they were signed.
///
/// Of each device the furthest receipt for a branch is kept.
struct CarriedReceipts: Sendable {
    private struct Key: Hashable, Comparable {
        let logID: LogID
        let deviceID: DeviceID

        static func < (a: Key, b: Key) -> Bool {
            a.logID == b.logID ? a.deviceID < b.deviceID : a.logID < b.logID
        }
    }

    private var receipts: [LogID: [DeviceID: Receipt]] = [:]
    private var count = 0
    /// What the disk does not have yet.
    private var unwritten: Set<Key> = []
    /// What was not passed on to others yet.
    private var fresh: Set<Key> = []

    init(_ receipts: [Receipt] = []) {
        for receipt in receipts { _ = put(receipt) }
    }

    /// Whether a receipt says more than what is kept of its device.
    func isNews(_ receipt: Receipt) -> Bool {
        guard let known = receipts[receipt.logID]?[receipt.deviceID] else {
            return count < Limits.allCarriedReceipts
                && receipts[receipt.logID, default: [:]].count < Limits.carriedReceipts
        }
        // A device whose database was restored from an older copy may hold more than before, and say less of what was read.
        guard receipt.sequence == known.sequence else { return receipt.sequence > known.sequence }
        let numbers = zip(receipt.numbers, known.numbers)
        return numbers.allSatisfy { $0 >= $1 } && (numbers.contains { $0 > $1 } || receipt.fills(known.missing))
    }

    /// - Returns: whether it is kept.
    mutating func keep(_ receipt: Receipt) -> Bool {
        guard isNews(receipt), put(receipt) else { return false }
        let key = Key(logID: receipt.logID, deviceID: receipt.deviceID)
        unwritten.insert(key)
        fresh.insert(key)
        return true
    }

    private mutating func put(_ receipt: Receipt) -> Bool {
        if receipts[receipt.logID, default: [:]].updateValue(receipt, forKey: receipt.deviceID) == nil { count += 1 }
        return true
    }

    /// Ascending by device.
    func receipts(for logID: LogID) -> [Receipt] {
        receipts[logID, default: [:]].values.sorted { $0.deviceID < $1.deviceID }
    }

    /// Those for logs that have come since this was last asked of these logs, ascending.
    mutating func takeFresh(where isWanted: (LogID) -> Bool) -> [Receipt] {
        let taken = fresh.filter { isWanted($0.logID) }
        fresh.subtract(taken)
        return taken.sorted().compactMap { receipts[$0.logID]?[$0.deviceID] }
    }

    // MARK: - On their way to the disk

    var hasUnwritten: Bool { !unwritten.isEmpty }

    mutating func takeUnwritten() -> [Receipt] {
        defer { unwritten = [] }
        return unwritten.sorted().compactMap { receipts[$0.logID]?[$0.deviceID] }
    }

    /// They are not on the disk, and go into the next commit again.
    mutating func writeAgain(_ receipts: [Receipt]) {
        for receipt in receipts { unwritten.insert(Key(logID: receipt.logID, deviceID: receipt.deviceID)) }
    }
}

extension Receipt {
    fileprivate var numbers: [UInt64] { [readSequence, handledSequence] }
}
