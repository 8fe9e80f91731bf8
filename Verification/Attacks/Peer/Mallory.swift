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
    var version = UInt64(LinkConfiguration.protocolVersion)
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
            prologue: Array("earshot v\(LinkConfiguration.protocolVersion) \(tag)".utf8),
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
    /// - Parameter chain: the chain hash before the first of them.
    func entries(
        _ log: LogDescription, from first: UInt64 = 1, bodies: [[UInt8]], after chain: ChainHash? = nil,
        signedSequence: UInt64? = nil, key: SigningKey? = nil
    ) -> [UInt8] {
        let before = chain ?? .origin(of: log.logID)
        let sequence = signedSequence ?? first &+ UInt64(bodies.count) &- 1
        let checkpoint = Checkpoint.sign(
            logID: log.logID, sequence: sequence, chain: bodies.reduce(before) { $0.appending(.of(body: $1)) },
            with: key ?? device)
        return Self.entries(log, from: first, bodies: bodies, after: before, checkpoint: checkpoint.bytes)
    }

    static func entries(
        _ log: LogDescription, from first: UInt64, bodies: [[UInt8]], after chain: ChainHash, checkpoint: [UInt8]
    ) -> [UInt8] {
        frame(log, from: first, entries: bodies.map { Proto.field(1, $0) }, after: chain, checkpoint: checkpoint)
    }

    /// A log's first entry, withheld, in a frame that is correct except for what stands behind the entry's hash.
    func withheld(_ body: [UInt8], in log: LogDescription, _ rest: (EntryHash) -> [UInt8]) -> [UInt8] {
        let (origin, hash) = (ChainHash.origin(of: log.logID), EntryHash.of(body: body))
        let checkpoint = Checkpoint.sign(logID: log.logID, sequence: 1, chain: origin.appending(hash), with: device)
        let entry = Proto.field(2, hash.bytes) + rest(hash)
        return Self.frame(log, from: 1, entries: [entry], after: origin, checkpoint: checkpoint.bytes)
    }

    private static func frame(
        _ log: LogDescription, from first: UInt64, entries: [[UInt8]], after chain: ChainHash, checkpoint: [UInt8]
    ) -> [UInt8] {
        let run =
            Proto.field(1, wire(log)) + Proto.field(2, first) + entries.flatMap { Proto.field(3, $0) }
            + Proto.field(4, checkpoint) + Proto.field(5, chain.bytes)
        return Proto.field(2, run)
    }

    private static func wire(_ log: LogDescription) -> [UInt8] {
        Proto.field(1, log.conversationID.bytes) + Proto.field(2, log.deviceID.bytes) + Proto.fixed(3, log.epoch)
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

    /// The end of a log, as she says that she holds it.
    static func head(_ log: LogDescription, _ sequence: UInt64, chain: ChainHash) -> [UInt8] {
        Proto.field(1, log.deviceID.bytes) + Proto.fixed(2, log.epoch) + Proto.field(4, sequence)
            + Proto.field(5, chain.bytes)
    }

    /// - Parameter conversationID: the conversation of all heads; one without heads needs none.
    static func heads(
        of conversationID: ConversationID? = nil, _ heads: [[UInt8]] = [], isComplete: Bool = true
    ) -> [UInt8] {
        let conversation = conversationID.map { Proto.field(1, $0.bytes) } ?? []
        return Proto.field(
            1, conversation + heads.flatMap { Proto.field(2, $0) } + Proto.field(3, isComplete ? 1 : 0))
    }

    static func place(_ sequence: UInt64, _ chain: ChainHash) -> [UInt8] {
        Proto.field(1, sequence) + Proto.field(2, chain.bytes)
    }

    /// - Parameters:
    ///   - end: a place, and so are those in `known`.
    static func wanted(_ log: LogDescription, end: [UInt8], known: [[UInt8]] = []) -> [UInt8] {
        Proto.field(10, Proto.field(1, wire(log)) + Proto.field(2, end) + known.flatMap { Proto.field(3, $0) })
    }

    static func taken(_ logID: LogID, through place: [UInt8]) -> [UInt8] {
        Proto.field(11, Proto.field(1, logID.bytes) + Proto.field(2, place))
    }

    static func unplaced(_ log: LogDescription) -> [UInt8] { Proto.field(12, Proto.field(1, wire(log))) }

    static let ping = Proto.field(4, [])
    static func dialBack(port: UInt64, nonce: UInt64) -> [UInt8] {
        Proto.field(8, Proto.field(1, port) + Proto.fixed(2, nonce))
    }
}
