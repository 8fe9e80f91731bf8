import EarshotModel

/// The records of two stacks as one set: a record is there as long as one of the two has it.
struct StackRecords {
    enum Side: Hashable, CaseIterable {
        case daemon
        case embedded
    }

    private struct Entry {
        var records: [Side: ServiceRecord] = [:]
        /// The sides that have stopped, and can no longer say that a record is gone.
        var stale: Set<Side> = []
        var reported: ServiceRecord?
    }

    private var entries: [ServiceRecord.Key: Entry] = [:]
    /// How many records of a device each side has.
    private var counts: [Side: [DeviceID: Int]] = [:]

    var hasStale: Bool { entries.values.contains { !$0.stale.isEmpty } }

    /// Whether a device is new on one side, and known from the other. The records may have different names.
    func isConfirmed(by record: ServiceRecord, on side: Side) -> Bool {
        let device = record.announcement.deviceID
        return Side.allCases.allSatisfy { (counts[$0]?[device] == nil) == ($0 == side) }
    }

    mutating func appeared(_ record: ServiceRecord, on side: Side) -> [SourceReport] {
        count(entries[record.key]?.records[side], on: side, by: -1)
        count(record, on: side, by: 1)
        entries[record.key, default: Entry()].records[side] = record
        entries[record.key]?.stale.remove(side)
        return report(record, of: record.key)
    }

    /// If a running stack has seen a record go, it is gone, whatever a stopped stack had found.
    mutating func disappeared(_ key: ServiceRecord.Key, on side: Side) -> [SourceReport] {
        guard let stale = entries[key]?.stale else { return [] }
        return remove(stale.union([side]), from: key)
    }

    /// A stack has stopped.
    mutating func expire(_ side: Side) {
        for (key, entry) in entries where entry.records[side] != nil { entries[key]?.stale.insert(side) }
    }

    /// Removes what only a stack that has stopped had found.
    mutating func removeStale() -> [SourceReport] {
        let stale = entries.filter { !$0.value.stale.isEmpty }
        return stale.flatMap { remove($0.value.stale, from: $0.key) }
    }

    private mutating func remove(_ sides: Set<Side>, from key: ServiceRecord.Key) -> [SourceReport] {
        for side in sides {
            count(entries[key]?.records.removeValue(forKey: side), on: side, by: -1)
            entries[key]?.stale.remove(side)
        }
        guard let remaining = entries[key]?.records.values.first else {
            return entries.removeValue(forKey: key) == nil ? [] : [.disappeared(key)]
        }
        return report(remaining, of: key)
    }

    private mutating func count(_ record: ServiceRecord?, on side: Side, by change: Int) {
        guard let device = record?.announcement.deviceID else { return }
        let count = (counts[side]?[device] ?? 0) + change
        counts[side, default: [:]][device] = count > 0 ? count : nil
    }

    private mutating func report(_ record: ServiceRecord, of key: ServiceRecord.Key) -> [SourceReport] {
        guard entries[key]?.reported != record else { return [] }
        entries[key]?.reported = record
        return [.appeared(record)]
    }
}
