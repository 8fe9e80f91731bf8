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

    private static func ipAddress(_ socketAddress: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
        let raw = UnsafeRawPointer(socketAddress)
        switch CInt(socketAddress.pointee.sa_family) {
        case AF_INET:
            return withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { IPAddress(Array($0)) }
        case AF_INET6:
            return withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { IPAddress(Array($0)) }
        default: return nil
        }
    }
}
