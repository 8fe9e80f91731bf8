import Glibc

/// The IP addresses of this host.
enum HostAddresses {
    /// As they are now, in the form that `IPAddress.text(on:)` gives them. Empty where the system does not tell.
    static func current() -> Set<String> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: Set<String> = []
        var next = first
        while let entry = next?.pointee {
            if let socketAddress = entry.ifa_addr, let address = ipAddress(socketAddress) {
                addresses.insert(address.text(on: String(cString: entry.ifa_name)))
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
