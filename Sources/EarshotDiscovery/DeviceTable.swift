import EarshotModel

/// Merges what all sources report into one view, keyed by device: a pure state machine.
///
/// A device is there as long as one record of it is: of whatever source, interface and address family.
struct DeviceTable {
    /// Records of one device, over all sources, interfaces and families. Who has more is up to no good.
    static let recordsPerDevice = 32

    private struct RecordID: Hashable {
        let source: String
        let key: ServiceRecord.Key
    }

    private struct Device {
        var records: [RecordID: (record: ServiceRecord, serial: UInt64)]
        var merged: DiscoveredDevice
    }

    private let ownDevice: DeviceID
    private let capacity: Int
    private var devices: [DeviceID: Device] = [:]
    private var owners: [RecordID: DeviceID] = [:]
    /// For each source that has reported, why it is unavailable, or `nil` if it works.
    private var sources: [String: String?] = [:]
    private var serial: UInt64 = 0

    init(ownDevice: DeviceID, capacity: Int = Limits.discoveredDevices) {
        self.ownDevice = ownDevice
        self.capacity = capacity
    }

    /// Takes in a report and returns what it changed.
    mutating func received(_ report: SourceReport, from source: String) -> [DiscoveryEvent] {
        switch report {
        case .available:
            guard sources.updateValue(nil, forKey: source) != .some(nil) else { return [] }
            return [.sourceAvailable(source: source)]
        case .unavailable(let reason):
            let lost = removeRecords(of: source)
            guard sources.updateValue(reason, forKey: source) != .some(reason) else { return lost }
            return [.sourceUnavailable(source: source, reason: reason)] + lost
        case .appeared(let record):
            return appeared(record, id: RecordID(source: source, key: record.key))
        case .disappeared(let key):
            return disappeared(RecordID(source: source, key: key))
        case .malformed(let instance, let reason):
            return [.malformed(instance: instance, reason: reason)]
        }
    }

    private mutating func appeared(_ record: ServiceRecord, id: RecordID) -> [DiscoveryEvent] {
        let deviceID = record.announcement.deviceID
        var events: [DiscoveryEvent] = []
        if owners[id] != deviceID { events = disappeared(id) }
        guard deviceID != ownDevice else { return events }
        guard hasRoom(for: id, of: deviceID) else {
            let reason = "more devices or more records of one device than are kept track of"
            return events + [.malformed(instance: record.key.instance, reason: reason)]
        }
        if devices[deviceID]?.records[id]?.record == record { return events }
        serial += 1
        owners[id] = deviceID
        if devices[deviceID] != nil {
            devices[deviceID]?.records[id] = (record, serial)
            return events + merge(deviceID)
        }
        let merged = Self.merged(deviceID, [(record, serial)])
        devices[deviceID] = Device(records: [id: (record, serial)], merged: merged)
        return events + [.found(merged)]
    }

    private func hasRoom(for id: RecordID, of deviceID: DeviceID) -> Bool {
        guard let device = devices[deviceID] else { return devices.count < capacity }
        return device.records[id] != nil || device.records.count < Self.recordsPerDevice
    }

    private mutating func disappeared(_ id: RecordID) -> [DiscoveryEvent] {
        guard let deviceID = owners.removeValue(forKey: id) else { return [] }
        devices[deviceID]?.records[id] = nil
        return merge(deviceID)
    }

    private mutating func removeRecords(of source: String) -> [DiscoveryEvent] {
        let ids = owners.keys.filter { $0.source == source }
        let affected = Set(ids.compactMap { owners.removeValue(forKey: $0) })
        return affected.sorted().flatMap { deviceID in
            let remaining = devices[deviceID]?.records.filter { $0.key.source != source }
            devices[deviceID]?.records = remaining ?? [:]
            return merge(deviceID)
        }
    }

    /// Works out a device anew after one of its records changed.
    private mutating func merge(_ deviceID: DeviceID) -> [DiscoveryEvent] {
        guard let device = devices[deviceID] else { return [] }
        guard !device.records.isEmpty else {
            devices[deviceID] = nil
            return [.lost(deviceID)]
        }
        let merged = Self.merged(deviceID, Array(device.records.values))
        guard merged != device.merged else { return [] }
        devices[deviceID]?.merged = merged
        return [.updated(merged)]
    }

    /// The newest record has the say over the name; the addresses are those of all.
    private static func merged(
        _ deviceID: DeviceID, _ records: [(record: ServiceRecord, serial: UInt64)]
    ) -> DiscoveredDevice {
        let newestFirst = records.sorted { $0.serial > $1.serial }
        guard let newest = newestFirst.first?.record.announcement else {
            preconditionFailure("a device without records is removed, not merged")
        }
        return DiscoveredDevice(
            deviceID: deviceID, name: newest.name, fingerprint: newest.fingerprint,
            protocolVersion: newest.protocolVersion, networkTag: newest.networkTag,
            addresses: Self.ordered(newestFirst.flatMap(\.record.addresses)))
    }

    /// The best reach first, each once. Within a reach by text, so that the order does not depend on who came first.
    private static func ordered(_ addresses: [PeerAddress]) -> [PeerAddress] {
        let ranked = Set(addresses).map { address in
            let literal = address.host.prefix { $0 != "%" }
            return (reach: IPAddress(literal: String(literal))?.reach ?? .routable, address: address)
        }
        let sorted = ranked.sorted { ($0.reach, $0.address.description) < ($1.reach, $1.address.description) }
        return sorted.prefix(Limits.addressesPerDevice).map(\.address)
    }
}
