import Glibc

/// A network interface at the time something was heard on it.
struct NetworkInterface: Hashable {
    /// The name of the loopback interface on Linux.
    static let loopbackName = "lo"

    let index: UInt32
    let name: String
}

extension NetworkInterface {
    /// An interface that is gone has its number for a name.
    init(index: UInt32) {
        var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &buffer) != nil else {
            self.init(index: index, name: "#\(index)")
            return
        }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.init(index: index, name: name)
    }

    /// All that this host has now, up or down.
    static func present() -> [NetworkInterface] {
        guard let first = if_nameindex() else { return [] }
        defer { if_freenameindex(first) }
        var interfaces: [NetworkInterface] = []
        var entry = first
        // The list ends with an entry without a name.
        while let name = entry.pointee.if_name {
            interfaces.append(NetworkInterface(index: entry.pointee.if_index, name: String(cString: name)))
            entry += 1
        }
        return interfaces
    }
}
