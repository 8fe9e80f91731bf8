import EarshotModel

/// The records by which someone else advertises this node's own device id: a pure state machine.
struct OwnDeviceRecords<ID: Hashable> {
    private let capacity: Int
    private var addresses: [ID: [PeerAddress]] = [:]
    /// What was last told.
    private var told: Set<PeerAddress> = []

    /// - Parameter capacity: records that are kept track of; further ones are not seen.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes a record's addresses that are not this node's.
    /// - Returns: the addresses of all records, if there are some that were not told yet.
    mutating func appeared(_ id: ID, at elsewhere: [PeerAddress]) -> [PeerAddress]? {
        guard !elsewhere.isEmpty else {
            removed(id)
            return nil
        }
        guard addresses[id] != nil || addresses.count < capacity else { return nil }
        addresses[id] = elsewhere
        let all = Set(addresses.values.joined())
        defer { told = all }
        return all.isSubset(of: told) ? nil : Array(all)
    }

    mutating func removed(_ id: ID) { removed { $0 == id } }

    /// Forgets records; what comes back is told again.
    mutating func removed(where isGone: (ID) -> Bool) {
        guard !addresses.isEmpty else { return }
        addresses = addresses.filter { !isGone($0.key) }
        told.formIntersection(addresses.values.joined())
    }
}
