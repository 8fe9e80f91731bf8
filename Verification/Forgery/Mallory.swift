package import EarshotCrypto
package import EarshotModel
package import EarshotProtocol
import Foundation

/// An attacker's keys, whatever she claims to be, and the frames that she writes.
package struct Mallory: Sendable {
    package var identity = SigningKey.generate()
    package var device = SigningKey.generate()
    package var agreement = AgreementKey.generate()
    package var name: String
    package var networkKey: SecretBytes?
    package var networkTag: String?
    package var version = UInt64(LinkConfiguration.protocolVersion)
    package var notBefore: Int64 = 0
    package var notAfter: Int64 = 4_000_000_000_000
    /// A credential to show in place of her own.
    package var credential: [UInt8]?
    /// A device to name in her credential in place of her own.
    package var claimedDevice: [UInt8]?
    /// Whether her credential says that her device holds the identity's key.
    package var isPrimary = false
    /// The key that signs her credential, if it is not her own.
    package var forger: SigningKey?
    package var clock = Int64(Date().timeIntervalSince1970 * 1000)

    package init(name: String = "mallory") { self.name = name }

    /// The time, in milliseconds since 1970.
    package static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    package var userID: UserID { UserID(identity.publicKey) }
    package var deviceID: DeviceID { DeviceID(device.publicKey) }
    package var tag: String { networkTag ?? LinkConfiguration.networkTag(of: networkKey) }

    /// The protobuf of section 3.3, with any contents.
    package var encodedCredential: [UInt8] {
        if let credential { return credential }
        let body = credentialBody
        return Proto.field(1, body)
            + Proto.field(2, Self.sign("earshot credential v1", body, forger ?? identity))
            + Proto.field(3, Self.sign("earshot credential device v1", body, device))
    }

    private var credentialBody: [UInt8] {
        Proto.field(1, Array(name.utf8)) + Proto.field(2, identity.publicKey.bytes)
            + Proto.field(3, claimedDevice ?? device.publicKey.bytes)
            + Proto.field(4, agreement.publicKey.bytes)
            + Proto.field(5, UInt64(bitPattern: notBefore)) + Proto.field(6, UInt64(bitPattern: notAfter))
            + (isPrimary ? Proto.field(7, 1) : [])
    }

    /// A credential without its device's signature.
    package var grant: [UInt8] {
        let body = credentialBody
        return Proto.field(1, body) + Proto.field(2, Self.sign("earshot credential v1", body, forger ?? identity))
    }

    package static func sign(_ label: String, _ body: [UInt8], _ key: SigningKey) -> [UInt8] {
        key.signature(for: [UInt8(label.utf8.count)] + Array(label.utf8) + body).bytes
    }

    package var introduction: [UInt8] {
        Proto.field(1, encodedCredential) + Proto.fixed(2, 77) + Proto.field(4, UInt64(bitPattern: clock))
    }

    package var hello: [UInt8] { Proto.field(1, version) + (tag.isEmpty ? [] : Proto.field(2, Array(tag.utf8))) }

    /// - Parameter ephemeralKey: drawn if none is given.
    package func handshake(
        _ role: HandshakeState.Role, ephemeralKey: AgreementKey = .generate()
    ) throws -> HandshakeState {
        try HandshakeState(
            pattern: networkKey == nil ? .xx : .xxpsk3, role: role,
            prologue: Array("earshot v\(LinkConfiguration.protocolVersion) \(tag)".utf8),
            staticKey: agreement, ephemeralKey: ephemeralKey, presharedKey: networkKey)
    }

    // MARK: - What she writes

    /// A log of hers to a user.
    package func log(to other: UserID, epoch: UInt64 = 1) -> LogDescription {
        log(in: .direct(userID, other), epoch: epoch)
    }

    /// A log of hers in a conversation.
    package func log(in conversationID: ConversationID, epoch: UInt64 = 1, kind: LogKind = .messages) -> LogDescription
    {
        LogDescription(conversationID: conversationID, deviceID: deviceID, epoch: epoch, kind: kind)
    }

    package static func body(_ text: String, at milliseconds: Int64, headers: [String: String] = [:]) -> [UInt8] {
        body(.text(text, headers: headers), at: milliseconds)
    }

    package static func body(_ content: EntryBody.Content, at milliseconds: Int64) -> [UInt8] {
        EntryBody(timestamp: HybridTimestamp(milliseconds: milliseconds), expiry: .max, content: content).encoded()
    }

    package static func profile(_ profile: Profile) -> [UInt8] {
        EntryBody(
            timestamp: HybridTimestamp(milliseconds: now), expiry: .max,
            content: .profile(ProfileEntry(profile, counter: Counting.largest))
        ).encoded()
    }

    /// A frame of entries that is correct except for what the parameters change.
    /// - Parameters:
    ///   - chain: the chain hash before the first of them.
    ///   - credential: that of the log's device, where somebody else brings them.
    package func entries(
        _ log: LogDescription, from first: UInt64 = 1, bodies: [[UInt8]], after chain: ChainHash? = nil,
        signedSequence: UInt64? = nil, key: SigningKey? = nil, credential: [UInt8] = []
    ) -> [UInt8] {
        let before = chain ?? .origin(of: log.logID)
        let sequence = signedSequence ?? first &+ UInt64(bodies.count) &- 1
        let checkpoint = Checkpoint.sign(
            logID: log.logID, sequence: sequence, chain: bodies.reduce(before) { $0.appending(.of(body: $1)) },
            with: key ?? device)
        return Self.entries(
            log, from: first, bodies: bodies, after: before, checkpoint: checkpoint.bytes, credential: credential)
    }

    package static func entries(
        _ log: LogDescription, from first: UInt64, bodies: [[UInt8]], after chain: ChainHash, checkpoint: [UInt8],
        credential: [UInt8] = []
    ) -> [UInt8] {
        frame(
            log, from: first, entries: bodies.map { Proto.field(1, $0) }, after: chain, checkpoint: checkpoint,
            credential: credential)
    }

    /// The same as whoever has erased the contents passes it on: hashes without marks.
    package func stripped(
        _ log: LogDescription, from first: UInt64 = 1, bodies: [[UInt8]], after chain: ChainHash? = nil
    )
        -> [UInt8]
    {
        let (before, hashes) = (chain ?? .origin(of: log.logID), bodies.map { EntryHash.of(body: $0) })
        let checkpoint = Checkpoint.sign(
            logID: log.logID, sequence: first + UInt64(bodies.count) - 1,
            chain: hashes.reduce(before) { $0.appending($1) }, with: device)
        return Self.frame(
            log, from: first, entries: hashes.map { Proto.field(2, $0.bytes) }, after: before,
            checkpoint: checkpoint.bytes, credential: encodedCredential)
    }

    /// A log's first entry, withheld, in a frame that is correct except for what stands behind the entry's hash.
    package func withheld(_ body: [UInt8], in log: LogDescription, _ rest: (EntryHash) -> [UInt8]) -> [UInt8] {
        let (origin, hash) = (ChainHash.origin(of: log.logID), EntryHash.of(body: body))
        let checkpoint = Checkpoint.sign(logID: log.logID, sequence: 1, chain: origin.appending(hash), with: device)
        let entry = Proto.field(2, hash.bytes) + rest(hash)
        return Self.frame(log, from: 1, entries: [entry], after: origin, checkpoint: checkpoint.bytes)
    }

    private static func frame(
        _ log: LogDescription, from first: UInt64, entries: [[UInt8]], after chain: ChainHash, checkpoint: [UInt8],
        credential: [UInt8] = []
    ) -> [UInt8] {
        let run =
            Proto.field(1, wire(log)) + Proto.field(2, first) + entries.flatMap { Proto.field(3, $0) }
            + Proto.field(4, checkpoint) + Proto.field(5, chain.bytes)
        return Proto.field(2, run + (credential.isEmpty ? [] : Proto.field(6, credential)))
    }

    private static func wire(_ log: LogDescription) -> [UInt8] {
        Proto.field(1, log.conversationID.bytes) + Proto.field(2, log.deviceID.bytes) + Proto.fixed(3, log.epoch)
            + (log.kind == .control ? Proto.field(4, 1) : [])
    }

    /// A receipt, signed with her device's key.
    package func receipt(
        _ logID: LogID, _ sequence: UInt64, chain: ChainHash, read: UInt64 = 0, handled: UInt64 = 0,
        key: SigningKey? = nil
    ) -> [UInt8] {
        let signed = Receipt.sign(
            logID: logID, sequence: sequence, chain: chain, readSequence: read, handledSequence: handled,
            deviceID: deviceID, with: key ?? device)
        return Proto.field(1, logID.bytes) + Proto.field(2, sequence) + Proto.field(3, chain.bytes)
            + Proto.field(4, read) + Proto.field(5, signed.signature.bytes)
            + (handled > 0 ? Proto.field(7, handled) : [])
    }

    package static func receipts(_ receipts: [[UInt8]]) -> [UInt8] {
        Proto.field(3, receipts.flatMap { Proto.field(1, $0) })
    }

    /// Somebody's receipt, as whoever carries it passes it on.
    package static func carried(_ receipt: [UInt8], of device: Mallory) -> [UInt8] {
        Proto.field(
            3,
            Proto.field(1, receipt + Proto.field(6, device.deviceID.bytes)) + Proto.field(2, device.encodedCredential))
    }

    /// What she says that she holds of conversations: something else than everybody else.
    package static func digests(
        of conversations: [ConversationID], name: String = "", isPrivate: Bool = false, hasJoined: Bool = false
    ) -> [UInt8] {
        let digests = conversations.map { conversationID in
            Proto.field(1, conversationID.bytes) + Proto.field(2, [UInt8](repeating: 1, count: 32))
                + (name.isEmpty ? [] : Proto.field(3, Array(name.utf8))) + (isPrivate ? Proto.field(5, 1) : [])
                + (hasJoined ? Proto.field(7, 1) : [])
        }
        return Proto.field(13, digests.flatMap { Proto.field(1, $0) })
    }

    /// The end of a log, as she says that she holds it.
    package static func head(_ log: LogDescription, _ sequence: UInt64, chain: ChainHash) -> [UInt8] {
        Proto.field(1, log.deviceID.bytes) + Proto.fixed(2, log.epoch) + Proto.field(4, sequence)
            + Proto.field(5, chain.bytes) + (log.kind == .control ? Proto.field(3, 1) : [])
    }

    /// - Parameters:
    ///   - conversationID: the conversation of all heads; one without heads needs none.
    ///   - asks: whether she wants to know the same of the node.
    package static func heads(
        of conversationID: ConversationID? = nil, _ heads: [[UInt8]] = [], isComplete: Bool = true, asks: Bool = false
    ) -> [UInt8] {
        let conversation = conversationID.map { Proto.field(1, $0.bytes) } ?? []
        return Proto.field(
            1,
            conversation + heads.flatMap { Proto.field(2, $0) } + Proto.field(3, isComplete ? 1 : 0)
                + (asks ? Proto.field(4, 1) : []))
    }

    package static func place(_ sequence: UInt64, _ chain: ChainHash) -> [UInt8] {
        Proto.field(1, sequence) + Proto.field(2, chain.bytes)
    }

    /// - Parameters:
    ///   - end: a place, and so are those in `known`.
    package static func wanted(_ log: LogDescription, end: [UInt8], known: [[UInt8]] = []) -> [UInt8] {
        Proto.field(10, Proto.field(1, wire(log)) + Proto.field(2, end) + known.flatMap { Proto.field(3, $0) })
    }

    package static func taken(_ logID: LogID, through place: [UInt8]) -> [UInt8] {
        Proto.field(11, Proto.field(1, logID.bytes) + Proto.field(2, place))
    }

    package static func unplaced(_ log: LogDescription) -> [UInt8] { Proto.field(12, Proto.field(1, wire(log))) }

    package static let ping = Proto.field(4, [])
    package static func dialBack(port: UInt64, nonce: UInt64) -> [UInt8] {
        Proto.field(8, Proto.field(1, port) + Proto.fixed(2, nonce))
    }
}
