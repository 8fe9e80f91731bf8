import EarshotModel

/// The records in which someone else advertises this node's own device id: a pure state machine.
struct OwnDeviceRecords<ID: Hashable> {
    private let capacity: Int
    private var addresses: [ID: [PeerAddress]] = [:]
    /// The addresses that were last reported.
    private var told: Set<PeerAddress> = []

    /// - Parameter capacity: records that are kept track of; further ones are not seen.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes a record's addresses that are not this node's.
    /// - Returns: the addresses of all records, if they differ from those that were last reported.
    mutating func appeared(_ id: ID, at elsewhere: [PeerAddress]) -> [PeerAddress]? {
        guard !elsewhere.isEmpty else { return removed { $0 == id } }
        guard addresses[id] != nil || addresses.count < capacity else { return nil }
        addresses[id] = elsewhere
        return news()
    }

    /// Forgets records.
    /// - Returns: the addresses of the remaining records, if they differ from those that were last reported; empty if
    ///   all are gone.
    mutating func removed(where isGone: (ID) -> Bool) -> [PeerAddress]? {
        guard !addresses.isEmpty else { return nil }
        addresses = addresses.filter { !isGone($0.key) }
        return news()
    }

    private mutating func news() -> [PeerAddress]? {
        let all = Set(addresses.values.joined())
        defer { told = all }
        return all == told ? nil : Array(all)
    }
}
