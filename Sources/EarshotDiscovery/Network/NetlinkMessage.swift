import CLinuxNetwork

/// One message of the kernel: netlink(7).
struct NetlinkMessage: Equatable {
    static let headerSize = 16

    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    /// What follows the header.
    let body: [UInt8]

    /// The messages in the result of one `recv`. Anything after a malformed message is left out.
    static func messages(in bytes: [UInt8]) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = bytes[...]
        while let length = rest.integer(UInt32.self, at: 0), length >= headerSize, length <= rest.count,
            let type = rest.integer(UInt16.self, at: 4), let flags = rest.integer(UInt16.self, at: 6),
            let sequence = rest.integer(UInt32.self, at: 8)
        {
            let body = Array(rest.dropFirst(headerSize).prefix(Int(length) - headerSize))
            messages.append(NetlinkMessage(type: type, flags: flags, sequence: sequence, body: body))
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return messages
    }

    /// The message as it is sent, from a process to the kernel.
    var encoded: [UInt8] {
        bytes(of: UInt32(Self.headerSize + body.count)) + bytes(of: type) + bytes(of: flags) + bytes(of: sequence)
            + bytes(of: UInt32(0)) + body
    }

    /// The kernel's answer to a request that failed, as an `errno`; 0 for one that succeeded.
    var failure: CInt? {
        guard CInt(type) == NLMSG_ERROR else { return nil }
        return body[...].integer(Int32.self, at: 0).map { CInt(clamping: -Int64($0)) }
    }

    /// The attributes that follow the part of fixed length: rtnetlink(7). Of several of one type the last.
    func attributes(after fixed: Int) -> [Int: [UInt8]] { Self.attributes(in: body.dropFirst(Self.aligned(fixed))) }

    /// Nested attributes are attributes again.
    static func attributes(in bytes: ArraySlice<UInt8>) -> [Int: [UInt8]] {
        var attributes: [Int: [UInt8]] = [:]
        var rest = bytes
        while let length = rest.integer(UInt16.self, at: 0), length >= 4, length <= rest.count,
            let type = rest.integer(UInt16.self, at: 2)
        {
            // The two highest bits say how the value is encoded: NLA_TYPE_MASK.
            attributes[Int(type & 0x3fff)] = Array(rest.dropFirst(4).prefix(Int(length) - 4))
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return attributes
    }

    static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        let bytes = bytes(of: UInt16(4 + value.count)) + bytes(of: UInt16(type)) + value
        return bytes + [UInt8](repeating: 0, count: aligned(bytes.count) - bytes.count)
    }

    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

/// The bytes of an integer in this machine's order, as netlink has all of its own.
func bytes(of integer: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: integer) { Array($0) } }

extension ArraySlice<UInt8> {
    /// - Returns: `nil` when that is not all there.
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer? {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, count >= offset + size else { return nil }
        return dropFirst(offset).prefix(size).withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}
