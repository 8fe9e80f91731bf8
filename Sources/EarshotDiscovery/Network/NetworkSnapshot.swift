import CLinuxNetwork

/// Everything about the network that matters: if two are equal, nothing has changed for a peer.
struct NetworkSnapshot: Equatable {
    /// How many routes are looked at. A desktop has a dozen.
    static let routeLimit = 4096

    var interfaces: [HostInterface] = []
    var routes: Set<NetworkRoute> = []

    init(interfaces: [HostInterface] = [], routes: Set<NetworkRoute> = []) {
        self.interfaces = interfaces
        self.routes = routes
    }

    /// - Parameter includes: whether an interface counts, by its name.
    static func taken(
        from kernel: NetlinkSocket, of includes: (String) -> Bool
    ) throws(DiscoveryError) -> NetworkSnapshot {
        let interfaces = try HostInterface.all(asking: kernel)
        let ignored = Set(interfaces.filter { !includes($0.name) }.map(\.index))
        let routes = try kernel.dump(RTM_GETROUTE, header: NetworkRoute.request, into: Set<NetworkRoute>()) {
            routes, message in
            guard routes.count < routeLimit, let route = NetworkRoute(message) else { return }
            if let interface = route.interface, ignored.contains(interface) { return }
            routes.insert(route)
        }
        return NetworkSnapshot(interfaces: interfaces.filter { !ignored.contains($0.index) }, routes: routes)
    }
}

/// What `RTM_NEWROUTE` says of a route to others: rtnetlink(7), `struct rtmsg`.
struct NetworkRoute: Hashable {
    static let size = 12
    static let request = [UInt8](repeating: 0, count: size)

    let family: UInt8
    let prefixLength: UInt8
    /// Unicast, or how packets are refused.
    let type: UInt8
    let destination: [UInt8]?
    let gateway: [UInt8]?
    let source: [UInt8]?
    let priority: [UInt8]?
    let table: UInt32
    /// The index; none where there are several ways, which `ways` has then.
    let interface: UInt32?
    let ways: [UInt8]?

    /// - Returns: `nil` for this machine's own addresses, for multicast, and for what the kernel only remembers.
    init?(_ message: NetlinkMessage) {
        let body = message.body[...]
        guard Int(message.type) == RTM_NEWROUTE, body.count >= Self.size,
            let flags = body.integer(UInt32.self, at: 8), flags & UInt32(RTM_F_CLONED) == 0
        else { return nil }
        let fixed = Array(body.prefix(Self.size))
        switch Int(fixed[7]) {
        case RTN_UNICAST, RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT, RTN_THROW: break
        default: return nil
        }
        let attributes = message.attributes(after: Self.size)
        func attribute(_ type: rtattr_type_t) -> [UInt8]? { attributes[Int(type.rawValue)] }
        family = fixed[0]
        prefixLength = fixed[1]
        type = fixed[7]
        destination = attribute(RTA_DST)
        gateway = attribute(RTA_GATEWAY)
        source = attribute(RTA_PREFSRC)
        priority = attribute(RTA_PRIORITY)
        table = attribute(RTA_TABLE)?[...].integer(UInt32.self, at: 0) ?? UInt32(fixed[4])
        interface = attribute(RTA_OIF)?[...].integer(UInt32.self, at: 0)
        ways = attribute(RTA_MULTIPATH)
    }
}
