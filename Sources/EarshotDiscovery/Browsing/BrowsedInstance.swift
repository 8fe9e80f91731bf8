import EarshotModel

/// An address of a host, and the interface it is reached through.
struct HostAddress: Hashable {
    let interface: UInt32
    let address: IPAddress
}

/// A service as its SRV and TXT records have it.
struct Resolution {
    let host: String
    let port: UInt16
    let announcement: Announcement
}

/// What is known of one DNS-SD instance.
struct BrowsedInstance {
    /// The interfaces it is seen on, and how often: the daemon reports it once for each address family.
    private var sightings: [UInt32: (name: String, count: Int)] = [:]
    /// The number of its latest search, which tells its timers from those of an earlier one.
    var attempt = 0
    /// The interface of the open lookup.
    var lookupInterface: UInt32?
    /// The host whose addresses this instance waits for.
    var host: String?
    var resolution: Resolution?
    /// What was reported of it and not taken back.
    var reported: [ServiceRecord.Key: ServiceRecord] = [:]
    /// The device that it is of, as it last said.
    var deviceID: DeviceID?
    /// Whether it was not where it was found, so that its next answer may be out of date.
    var isSought = false
    /// Whether it was glanced at in vain, so that others are asked for it.
    var hadGlance = false
    /// Whether one of its goodbyes was heard since its latest search began.
    var hasSaidGoodbye = false
    /// What was last found wrong with it.
    var complaint: String?

    /// The interface to look it up on: any but the loopback, which it is only seen on if it is on this host.
    var bestInterface: UInt32? {
        let cables = sightings.filter { $0.value.name != NetworkInterface.loopbackName }
        return (cables.isEmpty ? sightings : cables).keys.min()
    }

    var isSeen: Bool { !sightings.isEmpty }
    func isSeen(on interface: UInt32) -> Bool { sightings[interface] != nil }
    func isSeen(onInterfaceNamed name: String) -> Bool { sightings.contains { $0.value.name == name } }

    /// - Returns: whether the interface is a new one.
    mutating func seen(on interface: NetworkInterface) -> Bool {
        let count = sightings[interface.index]?.count ?? 0
        sightings[interface.index] = (interface.name, count + 1)
        return count == 0
    }

    mutating func unseen(on interface: UInt32) {
        guard let sighting = sightings[interface] else { return }
        sightings[interface] = sighting.count > 1 ? (sighting.name, sighting.count - 1) : nil
    }

    /// The records that its resolution and the addresses of its host make.
    /// - Parameter neighbourhood: addresses elsewhere are left out.
    func records(
        named instance: String, at addresses: some Sequence<HostAddress>, in neighbourhood: Neighbourhood
    ) -> [ServiceRecord] {
        guard let resolution else { return [] }
        var neighbourhood = neighbourhood
        var peers: [ServiceRecord.Key: Set<PeerAddress>] = [:]
        for place in addresses {
            guard let interface = sightings[place.interface]?.name,
                neighbourhood.includes(place.address, advertisedOn: interface)
            else { continue }
            let key = ServiceRecord.Key(instance: instance, interface: interface, family: place.address.family)
            let peer = PeerAddress(host: place.address.text(on: interface), port: resolution.port)
            peers[key, default: []].insert(peer)
        }
        return peers.map { key, peers in
            let addresses = peers.sorted { $0.description < $1.description }.prefix(Limits.addressesPerDevice)
            return ServiceRecord(key: key, announcement: resolution.announcement, addresses: Array(addresses))
        }
    }
}
