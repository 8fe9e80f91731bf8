import EarshotModel

/// A device's credential in a frame, as the sender gives it.
///
/// Its two signatures are looked at by whoever takes the frame, and only if this node has not seen the same credential
/// before: those who pass on what others wrote give it with every frame.
struct FrameCredential: Hashable, Sendable {
    private let wire: Wire.Credential
    /// The device that it names.
    let deviceID: DeviceID
    /// `nil` until its signatures were looked at.
    private(set) var proved: Credential?

    init(_ credential: Credential) {
        wire = credential.wire
        deviceID = credential.deviceID
        proved = credential
    }

    /// One that was checked before it was written to the disk, on its way out.
    /// - Throws: `ProtocolError` `malformed`.
    init(stored bytes: [UInt8]) throws(ProtocolError) {
        try self.init(try Wire.decode(Wire.Credential.self, from: bytes, as: "a credential"))
    }

    /// - Throws: `ProtocolError` `malformed`.
    init(_ wire: Wire.Credential) throws(ProtocolError) {
        self.wire = wire
        deviceID = try Credential.deviceID(in: wire)
    }

    static func == (a: FrameCredential, b: FrameCredential) -> Bool { a.wire == b.wire }
    func hash(into hasher: inout Hasher) { hasher.combine(wire) }

    var encoded: Wire.Credential { wire }

    /// Looks at its signatures.
    /// - Throws: `ProtocolError` `malformed` or `unauthentic`.
    mutating func prove() throws(ProtocolError) { proved = try Credential(wire: wire) }

    /// Does without if it is one that was checked before.
    /// - Returns: whether it is.
    mutating func isProved(by stored: [UInt8]) -> Bool {
        guard Wire.encode(wire) == stored else { return false }
        // What is on the disk can be read.
        proved = try? Credential(stored: stored)
        return proved != nil
    }
}
