import EarshotModel

/// Receipts of others for logs of others, which this node passes on to whom they concern: the authors were not there when
/// they were signed.
///
/// Of each device the furthest receipt for a log is kept, and beside it those for the ends of the log's branches: in a log
/// that has parted, the furthest one says nothing of the other branches.
struct CarriedReceipts: Sendable {
    private struct Key: Hashable, Comparable {
        let logID: LogID
        let deviceID: DeviceID

        init(_ receipt: Receipt) { (logID, deviceID) = (receipt.logID, receipt.deviceID) }

        static func < (a: Key, b: Key) -> Bool {
            a.logID == b.logID ? a.deviceID < b.deviceID : a.logID < b.logID
        }
    }

    /// Ascending by place: at most one for each.
    private var receipts: [LogID: [DeviceID: [Receipt]]] = [:]
    private var count = 0
    /// Whose receipts the disk does not have yet.
    private var unwritten: Set<Key> = []
    /// What was not passed on to others yet.
    private var fresh: Set<Receipt> = []

    init(_ receipts: [Receipt] = []) {
        for receipt in receipts { put(receipt) }
    }

    /// Whether a receipt is for a place of which nothing is kept of its device, or says more of one.
    /// - Parameter ends: where the log's branches end, as this node holds them.
    func isNews(_ receipt: Receipt, ends: Set<Place>) -> Bool {
        let known = receipts[receipt.logID]?[receipt.deviceID] ?? []
        guard !known.isEmpty else {
            return count < Limits.allCarriedReceipts
                && receipts[receipt.logID, default: [:]].count < Limits.carriedReceipts
        }
        guard let same = known.first(where: { $0.place == receipt.place }) else {
            // A device whose database was restored from an older copy may hold more than before, and say less of what was
            // read.
            return known.allSatisfy { $0.sequence < receipt.sequence }
                || ends.contains(receipt.place) && count < Limits.allCarriedReceipts
        }
        let numbers = zip(receipt.numbers, same.numbers)
        return numbers.allSatisfy { $0 >= $1 } && (numbers.contains { $0 > $1 } || receipt.fills(same.missing))
    }

    /// - Parameter ends: where the log's branches end, as this node holds them.
    /// - Returns: whether it is kept.
    mutating func keep(_ receipt: Receipt, ends: Set<Place>) -> Bool {
        guard isNews(receipt, ends: ends) else { return false }
        put(receipt)
        let furthest = receipts[receipt.logID]?[receipt.deviceID]?.last?.sequence ?? 0
        drop(of: Key(receipt)) { $0.place != receipt.place && $0.sequence < furthest && !ends.contains($0.place) }
        unwritten.insert(Key(receipt))
        fresh.insert(receipt)
        return true
    }

    private mutating func put(_ receipt: Receipt) {
        drop(of: Key(receipt)) { $0.place == receipt.place }
        var kept = receipts[receipt.logID, default: [:]][receipt.deviceID] ?? []
        kept.insert(receipt, at: kept.firstIndex { $0.isBehind(receipt) } ?? kept.endIndex)
        receipts[receipt.logID, default: [:]][receipt.deviceID] = kept
        count += 1
    }

    private mutating func drop(of key: Key, where isOld: (Receipt) -> Bool) {
        guard let kept = receipts[key.logID]?[key.deviceID] else { return }
        let left = kept.filter { !isOld($0) }
        count -= kept.count - left.count
        fresh.subtract(kept.filter(isOld))
        receipts[key.logID]?[key.deviceID] = left
    }

    /// Ascending by device.
    func receipts(for logID: LogID) -> [Receipt] {
        receipts[logID, default: [:]].sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// Those for logs that have come since this was last asked of these logs, ascending.
    mutating func takeFresh(where isWanted: (LogID) -> Bool) -> [Receipt] {
        let taken = fresh.filter { isWanted($0.logID) }
        fresh.subtract(taken)
        return taken.sorted { a, b in Key(a) == Key(b) ? b.isBehind(a) : Key(a) < Key(b) }
    }

    // MARK: - On their way to the disk

    var hasUnwritten: Bool { !unwritten.isEmpty }

    /// All that is kept of each device and log of which that has changed.
    mutating func takeUnwritten() -> [Receipt] {
        defer { unwritten = [] }
        return unwritten.sorted().flatMap { receipts[$0.logID]?[$0.deviceID] ?? [] }
    }

    /// They are not on the disk, and go into the next commit again.
    mutating func writeAgain(_ receipts: [Receipt]) { unwritten.formUnion(receipts.map(Key.init)) }
}

extension Receipt {
    fileprivate var numbers: [UInt64] { [readSequence, handledSequence] }

    /// Whether it is for a later place, in an order that all nodes have.
    fileprivate func isBehind(_ other: Receipt) -> Bool { (sequence, chain) > (other.sequence, other.chain) }
}
