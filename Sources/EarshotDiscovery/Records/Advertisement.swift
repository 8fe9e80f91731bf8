package import EarshotModel

/// What this node tells the network about itself.
package struct Advertisement: Sendable, Hashable {
    /// The DNS-SD type of the service (RFC 6763 section 7).
    package static let serviceType = "_earshot._tcp"
    /// The version of the link protocol, in the TXT key `v`.
    package static let protocolVersion = 2
    /// An instance name is one DNS label (RFC 6763 section 4.1.1).
    static let maximumInstanceNameBytes = 63
    /// How much of the device id's text an instance name ends with: 40 bits.
    static let instanceSuffixCharacters = 8

    package var name: UserName
    package var userID: UserID
    package var deviceID: DeviceID
    /// Tells apart networks that share a cable; no secret is in it.
    package var networkTag: String?
    /// The TCP port that links are accepted on. With 0 nothing is advertised: whoever has it only looks for others.
    package var port: UInt16

    package init(name: UserName, userID: UserID, deviceID: DeviceID, networkTag: String? = nil, port: UInt16) {
        self.name = name
        self.userID = userID
        self.deviceID = deviceID
        self.networkTag = networkTag
        self.port = port
    }

    /// The DNS-SD instance name: the user's name and the beginning of the device id, so that equal names never
    /// collide. A name that does not fit is cut at a character.
    ///
    /// While discovery moves from one stack to the other, both advertise this node. The one that comes second finds
    /// the name taken, and adds ` #2` to it (RFC 6762 section 9).
    package var instanceName: String {
        let room = Self.maximumInstanceNameBytes - shortID.utf8.count - 1
        var text = name.text
        while text.utf8.count > room { text.removeLast() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text.isEmpty ? shortID : "\(text) \(shortID)"
    }

    /// The host name that the embedded stack advertises. The daemon advertises the system's own.
    var embeddedHostName: String { "earshot-\(shortID.lowercased())" }

    private var shortID: String { String(deviceID.description.prefix(Self.instanceSuffixCharacters)) }

    /// - Throws: `invalidAnnouncement` for a network tag that other nodes would not read.
    package func txtRecord() throws(DiscoveryError) -> TXTRecord {
        try Announcement(
            deviceID: deviceID, name: name, fingerprint: userID.fingerprint.filter { $0 != " " },
            protocolVersion: Self.protocolVersion, networkTag: networkTag
        ).txtRecord()
    }
}
