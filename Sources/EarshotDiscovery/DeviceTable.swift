import EarshotModel

/// Merges the reports of all sources into one view, keyed by device: a pure state machine.
///
/// A device is there as long as one of its records is, of any source, interface or address family.
struct DeviceTable {
    /// Records of one device, over all sources, interfaces and families. No honest device has more.
    static let recordsPerDevice = 32

    private struct RecordID: Hashable {
        let source: String
        let key: ServiceRecord.Key
    }

    private enum SourceState: Hashable {
        case available(DiscoveryStack)
        case unavailable(reason: String)
    }

    private struct Device {
        var records: [RecordID: (record: ServiceRecord, serial: UInt64)]
        var merged: DiscoveredDevice
    }

    private let ownDevice: DeviceID
    private let ownPort: UInt16
    private let ownNetworkTag: String?
    private let ownAddresses: @Sendable () -> Set<String>
    private let capacity: Int
    private var copies = OwnDeviceRecords<RecordID>(capacity: recordsPerDevice)
    private var devices: [DeviceID: Device] = [:]
    private var owners: [RecordID: DeviceID] = [:]
    private var sources: [String: SourceState] = [:]
    private var serial: UInt64 = 0

    /// - Parameters:
    ///   - own: what this node advertises.
    ///   - ownAddresses: the IP addresses that this host has now; a link-local IPv6 address with its scope.
    init(
        own: Advertisement, ownAddresses: @escaping @Sendable () -> Set<String>,
        capacity: Int = Limits.discoveredDevices
    ) {
        ownDevice = own.deviceID
        ownPort = own.port
        ownNetworkTag = own.networkTag
        self.ownAddresses = ownAddresses
        self.capacity = capacity
    }

    var deviceCount: Int { devices.count }

    /// The stack that finds devices now.
    var stack: DiscoveryStatus.Stack {
        let states = sources.sorted { $0.key < $1.key }
        for case .available(let stack) in states.map(\.value) { return .used(stack) }
        let reasons = states.compactMap { source, state in
            switch state {
            case .unavailable(let reason): "\(source): \(reason)"
            case .available: nil
            }
        }
        return .none(reason: reasons.isEmpty ? "no source has answered yet" : reasons.joined(separator: "; "))
    }

    /// Takes in a report and returns what it changed.
    mutating func received(_ report: SourceReport, from source: String) -> [DiscoveryEvent] {
        switch report {
        case .available(let stack):
            guard sources.updateValue(.available(stack), forKey: source) != .available(stack) else { return [] }
            return [.sourceAvailable(source: stack.description)]
        case .unavailable(let reason):
            let lost = removeRecords(of: source)
            let state = SourceState.unavailable(reason: reason)
            guard sources.updateValue(state, forKey: source) != state else { return lost }
            return [.sourceUnavailable(source: source, reason: reason)] + lost
        case .appeared(let record):
            return appeared(record, id: RecordID(source: source, key: record.key))
        case .disappeared(let key):
            let id = RecordID(source: source, key: key)
            return disown(id) + copiesRemoved { $0 == id }
        case .malformed(let instance, let reason):
            return [.malformed(instance: instance, reason: reason)]
        }
    }

    private mutating func appeared(_ record: ServiceRecord, id: RecordID) -> [DiscoveryEvent] {
        let deviceID = record.announcement.deviceID
        var events: [DiscoveryEvent] = []
        if owners[id] != deviceID { events = disown(id) }
        guard deviceID != ownDevice else { return events + ownDeviceAppeared(at: record.addresses, id: id) }
        events += copiesRemoved { $0 == id }
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
        let merged = merged(deviceID, [(record, serial)])
        devices[deviceID] = Device(records: [id: (record, serial)], merged: merged)
        return events + [.found(merged)]
    }

    /// Every stack also shows this node its own records: those that lead to its port on this host.
    private mutating func ownDeviceAppeared(at addresses: [PeerAddress], id: RecordID) -> [DiscoveryEvent] {
        let here = ownAddresses()
        let elsewhere = addresses.filter { $0.port != ownPort || !here.contains($0.host) }
        return Self.news(of: copies.appeared(id, at: elsewhere))
    }

    private mutating func copiesRemoved(where isGone: (RecordID) -> Bool) -> [DiscoveryEvent] {
        Self.news(of: copies.removed(where: isGone))
    }

    private static func news(of copies: [PeerAddress]?) -> [DiscoveryEvent] {
        copies.map { [.ownDeviceElsewhere(addresses: ordered($0))] } ?? []
    }

    private func hasRoom(for id: RecordID, of deviceID: DeviceID) -> Bool {
        guard let device = devices[deviceID] else { return devices.count < capacity }
        return device.records[id] != nil || device.records.count < Self.recordsPerDevice
    }

    /// Takes a record from the device that has it.
    private mutating func disown(_ id: RecordID) -> [DiscoveryEvent] {
        guard let deviceID = owners.removeValue(forKey: id) else { return [] }
        devices[deviceID]?.records[id] = nil
        return merge(deviceID)
    }

    private mutating func removeRecords(of source: String) -> [DiscoveryEvent] {
        let copies = copiesRemoved { $0.source == source }
        let ids = owners.keys.filter { $0.source == source }
        let affected = Set(ids.compactMap { owners.removeValue(forKey: $0) })
        return copies
            + affected.sorted().flatMap { deviceID in
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
        let merged = merged(deviceID, Array(device.records.values))
        guard merged != device.merged else { return [] }
        devices[deviceID]?.merged = merged
        return [.updated(merged)]
    }

    /// If some records are of this node's network and version, only they count: anybody can add others, and that must
    /// not move the device to another network. The newest of them decides the name. The addresses are those of all of
    /// them; none pushes out another's.
    private func merged(
        _ deviceID: DeviceID, _ records: [(record: ServiceRecord, serial: UInt64)]
    ) -> DiscoveredDevice {
        let own = records.filter { isOfOwnNetwork($0.record.announcement) }
        let newestFirst = (own.isEmpty ? records : own).sorted { $0.serial > $1.serial }
        guard let newest = newestFirst.first?.record.announcement else {
            preconditionFailure("a device without records is removed, not merged")
        }
        return DiscoveredDevice(
            deviceID: deviceID, name: newest.name, fingerprint: newest.fingerprint,
            protocolVersion: newest.protocolVersion, networkTag: newest.networkTag,
            addresses: Self.fair(newestFirst.map(\.record.addresses)))
    }

    private func isOfOwnNetwork(_ announcement: Announcement) -> Bool {
        announcement.networkTag == ownNetworkTag && announcement.protocolVersion == Advertisement.protocolVersion
    }

    /// The best address of each record, then the second best of each, and so on: `Limits.advertisedAddresses` has room
    /// for the best of all. So additional records cannot push out the ones that were there.
    private static func fair(_ records: [[PeerAddress]]) -> [PeerAddress] {
        let records = records.map(ordered)
        var fair: [PeerAddress] = []
        for place in 0..<Limits.addressesPerDevice where fair.count < Limits.advertisedAddresses {
            let best = records.compactMap { place < $0.count ? $0[place] : nil }
            fair += ordered(best, limit: best.count).filter { !fair.contains($0) }
        }
        return Array(fair.prefix(Limits.advertisedAddresses))
    }

    /// The best reach first, each once. Addresses of the same reach are sorted by text, so that the order does not
    /// depend on who came first.
    private static func ordered(_ addresses: [PeerAddress]) -> [PeerAddress] {
        ordered(addresses, limit: Limits.addressesPerDevice)
    }

    private static func ordered(_ addresses: [PeerAddress], limit: Int) -> [PeerAddress] {
        let ranked = Set(addresses).map { address in
            let literal = address.host.prefix { $0 != "%" }
            return (reach: IPAddress(literal: String(literal))?.reach ?? .routable, address: address)
        }
        let sorted = ranked.sorted { ($0.reach, $0.address.description) < ($1.reach, $1.address.description) }
        return sorted.prefix(limit).map(\.address)
    }
}
