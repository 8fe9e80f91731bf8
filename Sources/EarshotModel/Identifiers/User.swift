/// How far a user's key is known to be theirs.
public enum Trust: String, Hashable, Sendable, CaseIterable {
    /// Pinned when it was first seen, and the same ever since.
    case unverified
    /// Two people compared the safety number.
    case verified
    /// Nothing is sent to this user, and nothing is taken.
    case blocked
}

/// A user as this node knows it: the pin of a name to a key.
public struct UserRecord: Hashable, Sendable {
    public let userID: UserID
    public var name: UserName
    public var trust: Trust
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    /// Milliseconds since 1970 of the last link.
    public var lastSeen: Int64

    public init(userID: UserID, name: UserName, trust: Trust, firstSeen: Int64, lastSeen: Int64) {
        self.userID = userID
        self.name = name
        self.trust = trust
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// A device as this node last met it.
public struct DeviceRecord: Hashable, Sendable {
    public let deviceID: DeviceID
    public let userID: UserID
    /// The credential it showed, encoded: what proves its log entries.
    public var credential: [UInt8]
    /// Where it was reached, the latest first; at most `Limits.addressesPerDevice`.
    public var addresses: [PeerAddress]

    public init(deviceID: DeviceID, userID: UserID, credential: [UInt8], addresses: [PeerAddress]) {
        self.deviceID = deviceID
        self.userID = userID
        self.credential = credential
        self.addresses = addresses
    }
}

/// Where a peer may be reached: a host name or an address literal (`fe80::1%eth0` keeps its scope), and a port.
public struct PeerAddress: Hashable, Sendable, LosslessStringConvertible {
    public let host: String
    public let port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, `1.2.3.4:port` and `[v6]:port`.
    public init?(_ description: String) {
        let text = description[...]
        guard let colon = text.lastIndex(of: ":"), !text.contains(where: \.isWhitespace) else { return nil }
        let digits = text[text.index(after: colon)...]
        guard let port = UInt16(digits), port > 0, String(port) == digits else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
