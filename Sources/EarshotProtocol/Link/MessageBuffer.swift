import EarshotModel

/// Cuts a TCP stream into Noise messages: each is preceded by its length, 2 bytes, big-endian (Noise, section 3).
///
/// A length of zero is not a Noise message. It begins a refusal, which a responder sends in the clear.
struct MessageBuffer: Sendable {
    enum Message {
        case noise([UInt8])
        case refusal(reason: UInt8, version: UInt8)
    }

    private var bytes: [UInt8] = []
    private var start = 0

    mutating func append(_ more: [UInt8]) {
        if start == bytes.count {
            bytes = more
            start = 0
            return
        }
        if start > 1 << 16 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next whole message; `nil` until more bytes come.
    /// - Parameter isRefusalAllowed: whether a length of zero may stand here.
    /// - Throws: `ProtocolError` for a length that may not stand here, as soon as the length is known.
    mutating func next(limit: Int, isRefusalAllowed: Bool) throws(ProtocolError) -> Message? {
        let available = bytes.count - start
        guard available >= 2 else { return nil }
        let length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        guard length <= limit else {
            throw ProtocolError(.malformed, "the other end does not speak this protocol")
        }
        guard length > 0 else {
            guard isRefusalAllowed else { throw ProtocolError(.violation, "a refusal where none is allowed") }
            guard available >= 4 else { return nil }
            defer { start += 4 }
            return .refusal(reason: bytes[start + 2], version: bytes[start + 3])
        }
        guard available >= 2 + length else { return nil }
        defer { start += 2 + length }
        return .noise(Array(bytes[start + 2..<start + 2 + length]))
    }

    static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }
}

/// What a responder says in the clear when it cannot even begin: two zero bytes, the reason, its own version.
///
/// Anybody on the way could have written it, so it is a hint for people and changes nothing else.
enum Refusal {
    static func bytes(_ reason: CloseReason) -> [UInt8] {
        [0, 0, UInt8(reason.rawValue), UInt8(LinkConfiguration.protocolVersion)]
    }

    /// - Parameter networkTag: this node's own.
    static func error(reason: UInt8, version: UInt8, networkTag: String) -> ProtocolError {
        let reason = CloseReason(rawValue: UInt32(reason))
        switch reason {
        case .unsupportedVersion:
            return ProtocolError(
                .unsupportedVersion,
                "the peer speaks version \(version) of the protocol, and this node \(LinkConfiguration.protocolVersion)",
                closeReason: reason)
        case .otherNetwork:
            return ProtocolError(.otherNetwork, otherNetwork(own: networkTag, peer: nil), closeReason: reason)
        // No node sends anything else in the clear, so this is not to be believed.
        default: return ProtocolError(.closedByPeer, "the peer refused this node without a reason that counts")
        }
    }

    /// Says that two nodes are of different networks.
    /// - Parameter peer: the other's network tag, as it reports it; `nil` if it did not.
    static func otherNetwork(own: String, peer: String?) -> String {
        let ownKey = own.isEmpty ? "this node has no network key" : "this node is of the network \(own)"
        let peerKey =
            switch peer {
            case nil: "the peer belongs to another network"
            case "": "the peer has no network key"
            case let tag?: "the peer is of the network \(tag.prefix(otherTagCharacters))"
            }
        return "\(peerKey), and \(ownKey)"
    }

    /// How much is shown of a tag, which anybody may have sent.
    private static let otherTagCharacters = 16
}
