/// A question to everyone on the cable for the service that nodes advertise: RFC 6762 section 5.4.
struct MulticastQuery: Equatable {
    /// `_earshot._tcp.local`, RFC 1035 section 3.1.
    private static let name: [UInt8] =
        ["_earshot", "_tcp", "local"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]

    /// Tells the packet from all others. Receivers are to ignore it (RFC 6762 section 18.1), and others send 0.
    let identifier: UInt16

    /// One question of type PTR, class IN, to be answered by multicast.
    var packet: [UInt8] {
        let counts: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 0]
        return [UInt8(identifier >> 8), UInt8(identifier & 0xff), 0, 0] + counts + Self.name + [0, 12, 0, 1]
    }

    /// As many different identifiers, none of them 0.
    static func identifiers(count: Int) -> [UInt16] {
        var identifiers: Set<UInt16> = []
        while identifiers.count < count { identifiers.insert(.random(in: 1 ... .max)) }
        return Array(identifiers)
    }
}
