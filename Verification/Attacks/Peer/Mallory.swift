import EarshotCrypto
import EarshotModel
import EarshotProtocol
import Foundation

/// The attacker's keys, and whatever she claims to be.
struct Mallory: Sendable {
    var identity = SigningKey.generate()
    var device = SigningKey.generate()
    var agreement = AgreementKey.generate()
    var name = "mallory"
    var networkKey: SecretBytes?
    var networkTag: String?
    var version: UInt64 = 1
    var notBefore: Int64 = 0
    var notAfter: Int64 = 4_000_000_000_000
    /// A credential to show in place of her own.
    var credential: [UInt8]?
    /// A device to name in her credential in place of her own.
    var claimedDevice: [UInt8]?
    /// The key that signs her credential, if it is not her own.
    var forger: SigningKey?
    var clock = Int64(Date().timeIntervalSince1970 * 1000)

    var userID: UserID { UserID(identity.publicKey) }
    var deviceID: DeviceID { DeviceID(device.publicKey) }
    var tag: String { networkTag ?? LinkConfiguration.networkTag(of: networkKey) }

    /// The protobuf of section 3.3, with any contents.
    var encodedCredential: [UInt8] {
        if let credential { return credential }
        let body =
            Proto.field(1, Array(name.utf8)) + Proto.field(2, identity.publicKey.bytes)
            + Proto.field(3, claimedDevice ?? device.publicKey.bytes)
            + Proto.field(4, agreement.publicKey.bytes)
            + Proto.field(5, UInt64(bitPattern: notBefore)) + Proto.field(6, UInt64(bitPattern: notAfter))
        return Proto.field(1, body)
            + Proto.field(2, Self.sign("earshot credential v1", body, forger ?? identity))
            + Proto.field(3, Self.sign("earshot credential device v1", body, device))
    }

    static func sign(_ label: String, _ body: [UInt8], _ key: SigningKey) -> [UInt8] {
        key.signature(for: [UInt8(label.utf8.count)] + Array(label.utf8) + body).bytes
    }

    var introduction: [UInt8] {
        Proto.field(1, encodedCredential) + Proto.fixed(2, 77) + Proto.field(4, UInt64(bitPattern: clock))
    }

    var hello: [UInt8] { Proto.field(1, version) + (tag.isEmpty ? [] : Proto.field(2, Array(tag.utf8))) }

    func handshake(_ role: HandshakeState.Role) throws -> HandshakeState {
        try HandshakeState(
            pattern: networkKey == nil ? .xx : .xxpsk3, role: role,
            prologue: Array("earshot v2 \(tag)".utf8),
            staticKey: agreement, ephemeralKey: .generate(), presharedKey: networkKey)
    }

    // MARK: - What she writes

    /// A log of hers to a user.
    func log(to other: UserID, epoch: UInt64 = 1) -> LogDescription {
        LogDescription(conversationID: .direct(userID, other), deviceID: deviceID, epoch: epoch)
    }

    static func body(_ text: String, at milliseconds: Int64, headers: [String: String] = [:]) -> [UInt8] {
        EntryBody(
            timestamp: HybridTimestamp(milliseconds: milliseconds), expiry: .max,
            content: .text(text, headers: headers)
        ).encoded()
    }

    /// A frame of entries that is correct except for what the parameters change.
    func entries(
        _ log: LogDescription, from first: UInt64 = 1, bodies: [[UInt8]], after chain: ChainHash? = nil,
        signedSequence: UInt64? = nil, key: SigningKey? = nil
    ) -> [UInt8] {
        var head = chain ?? .origin(of: log.logID)
        for body in bodies { head = head.appending(.of(body: body)) }
        let sequence = signedSequence ?? first &+ UInt64(bodies.count) &- 1
        let checkpoint = Checkpoint.sign(
            logID: log.logID, sequence: sequence, chain: head, with: key ?? device)
        return Self.entries(log, from: first, bodies: bodies, checkpoint: checkpoint.bytes)
    }

    static func entries(
        _ log: LogDescription, from first: UInt64, bodies: [[UInt8]], checkpoint: [UInt8]
    ) -> [UInt8] {
        let wireLog =
            Proto.field(1, log.conversationID.bytes) + Proto.field(2, log.deviceID.bytes) + Proto.fixed(3, log.epoch)
        let run =
            Proto.field(1, wireLog) + Proto.field(2, first)
            + bodies.flatMap { Proto.field(3, Proto.field(1, $0)) } + Proto.field(4, checkpoint)
        return Proto.field(2, run)
    }

    /// A receipt, signed with her device's key.
    func receipt(_ logID: LogID, _ sequence: UInt64, chain: ChainHash, read: UInt64 = 0, key: SigningKey? = nil)
        -> [UInt8]
    {
        let signed = Receipt.sign(
            logID: logID, sequence: sequence, chain: chain, readSequence: read, deviceID: deviceID,
            with: key ?? device)
        return Proto.field(1, logID.bytes) + Proto.field(2, sequence) + Proto.field(3, chain.bytes)
            + Proto.field(4, read) + Proto.field(5, signed.signature.bytes)
    }

    static func receipts(_ receipts: [[UInt8]]) -> [UInt8] {
        Proto.field(3, receipts.flatMap { Proto.field(1, $0) })
    }

    static func heads(_ receipts: [[UInt8]] = [], isComplete: Bool = true) -> [UInt8] {
        Proto.field(1, receipts.flatMap { Proto.field(1, $0) } + Proto.field(2, isComplete ? 1 : 0))
    }

    static let ping = Proto.field(4, [])
    static func dialBack(port: UInt64, nonce: UInt64) -> [UInt8] {
        Proto.field(8, Proto.field(1, port) + Proto.fixed(2, nonce))
    }
}
