package import EarshotModel

/// The content of a node's TXT record: hints, which the handshake proves or refutes.
package struct Announcement: Sendable, Hashable {
    /// The largest network tag, in bytes of UTF-8.
    package static let networkTagBytes = 64
    /// A fingerprint without its spaces.
    static let fingerprintCharacters = 20
    /// The largest version that is read. No node has so high a one.
    static let maximumVersion = 999

    package let deviceID: DeviceID
    package let name: UserName
    /// `UserID.fingerprint` without spaces.
    package let fingerprint: String
    package let protocolVersion: Int
    package let networkTag: String?

    package init(
        deviceID: DeviceID, name: UserName, fingerprint: String, protocolVersion: Int, networkTag: String?
    ) {
        self.deviceID = deviceID
        self.name = name
        self.fingerprint = fingerprint
        self.protocolVersion = protocolVersion
        self.networkTag = networkTag
    }

    /// Reads the keys `v`, `name`, `id`, `dev` and, if it is there, `net`.
    /// - Throws: `invalidAnnouncement`, which names the first key that is missing or wrong.
    package init(_ record: TXTRecord) throws(DiscoveryError) {
        deviceID = try Self.read("dev", from: record) { DeviceID($0) }
        name = try Self.readName(from: record)
        fingerprint = try Self.read("id", from: record) { Self.isFingerprint($0) ? $0 : nil }
        protocolVersion = try Self.read("v", from: record) { text in
            // Written in one way only: without a sign, and without zeros before it.
            Int(text).flatMap { (1...Self.maximumVersion).contains($0) && String($0) == text ? $0 : nil }
        }
        if record.attributes.contains(where: { $0.key.lowercased() == "net" }) {
            networkTag = try Self.read("net", from: record) { Self.isNetworkTag($0) ? $0 : nil }
        } else {
            networkTag = nil
        }
    }

    /// - Throws: `invalidAnnouncement` for a network tag that `init(_:)` would not read.
    func txtRecord() throws(DiscoveryError) -> TXTRecord {
        var record = TXTRecord()
        try record.set("v", to: String(protocolVersion))
        try record.set("name", to: name.text)
        try record.set("id", to: fingerprint)
        try record.set("dev", to: deviceID.description)
        if let networkTag {
            guard Self.isNetworkTag(networkTag) else {
                throw DiscoveryError(
                    .invalidAnnouncement,
                    "a network tag has 1 to \(Self.networkTagBytes) bytes of UTF-8 and no control characters")
            }
            try record.set("net", to: networkTag)
        }
        return record
    }

    private static func read<Value>(
        _ key: String, from record: TXTRecord, _ convert: (String) -> Value?
    ) throws(DiscoveryError) -> Value {
        guard let text = record.text(key) else {
            throw DiscoveryError(.invalidAnnouncement, "the TXT record has no text for '\(key)'")
        }
        guard let value = convert(text) else {
            throw DiscoveryError(.invalidAnnouncement, "the TXT record's value of '\(key)' cannot be")
        }
        return value
    }

    private static func readName(from record: TXTRecord) throws(DiscoveryError) -> UserName {
        let text = try read("name", from: record) { $0 }
        do {
            return try UserName(text)
        } catch {
            throw DiscoveryError(.invalidAnnouncement, "the TXT record's value of 'name' cannot be", cause: error)
        }
    }

    private static func isFingerprint(_ text: String) -> Bool {
        // A fingerprint is cut from a longer text, so it need not decode as a whole: only each character must.
        text.utf8.count == fingerprintCharacters && text.allSatisfy { Base32.decode("\($0)0") != nil }
    }

    private static func isNetworkTag(_ text: String) -> Bool {
        (1...networkTagBytes).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
