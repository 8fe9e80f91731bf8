import Glibc

/// The IP addresses of this host.
enum HostAddresses {
    /// As they are now, in the form that `IPAddress.text(on:)` gives them.
    static func current() -> Set<String> {
        Set(byInterface().flatMap { interface, addresses in addresses.map { $0.text(on: interface) } })
    }

    /// As they are now, by the name of the interface. Empty where the system does not tell.
    static func byInterface() -> [String: Set<IPAddress>] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [:] }
        defer { freeifaddrs(first) }
        var addresses: [String: Set<IPAddress>] = [:]
        var next = first
        while let entry = next?.pointee {
            if let socketAddress = entry.ifa_addr, let address = ipAddress(socketAddress) {
                addresses[String(cString: entry.ifa_name), default: []].insert(address)
            }
            next = entry.ifa_next
        }
        return addresses
    }

    /// The networks that it has addresses in now. Empty where the system does not tell.
    static func networks() -> Set<Subnet> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var networks: Set<Subnet> = []
        var next = first
        while let entry = next?.pointee {
            if let socketAddress = entry.ifa_addr, let address = ipAddress(socketAddress), let mask = entry.ifa_netmask
            {
                let prefixLength = bytes(mask).reduce(0) { $0 + $1.nonzeroBitCount }
                // One without a prefix, as some tunnels have, would be all networks.
                if prefixLength > 0 { networks.insert(Subnet(containing: address, prefixLength: prefixLength)) }
            }
            next = entry.ifa_next
        }
        return networks
    }

    /// Of an address or a mask.
    private static func bytes(_ socketAddress: UnsafeMutablePointer<sockaddr>) -> [UInt8] {
        let raw = UnsafeRawPointer(socketAddress)
        return switch CInt(socketAddress.pointee.sa_family) {
        case AF_INET: withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6: withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: []
        }
    }

    private static func ipAddress(_ socketAddress: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
        IPAddress(bytes(socketAddress))
    }
}
