package import EarshotCrypto
package import EarshotModel

// Every hash and every signature of the protocol, each with a label of its own, so that bytes made for one purpose are
// never valid for another. Integers are 8 bytes, big-endian; everything else is 32 bytes, except the last part.
// docs/PROTOCOL.md, sections 3 and 4, has the same list with test vectors.

extension ConversationID {
    private static let directBeginning = Blake2b(label: "earshot direct conversation v1")

    /// The conversation of a pair of users, whichever of them asks.
    package static func direct(_ a: UserID, _ b: UserID) -> ConversationID {
        var hash = directBeginning
        hash.update(min(a, b).bytes32)
        hash.update(max(a, b).bytes32)
        return ConversationID(hash.finalize())
    }
}

extension ConversationID {
    /// The open conversation of a name on a network: the same for everybody, whoever comes first.
    package static func open(_ uniqueName: String, networkTag: String) -> ConversationID {
        var hash = Blake2b(label: "earshot open conversation v2")
        let tag = Array(networkTag.utf8)
        hash.update(UInt64(tag.count))
        hash.update(tag)
        hash.update(Array(uniqueName.utf8))
        return ConversationID(hash.finalize())
    }

    /// What stands for the id of an open conversation that is not advertised, on one link and from one end. Whoever does not know
    /// the conversation cannot tell which it is, and what one end says is nothing that the other could say.
    /// - Parameters:
    ///   - deviceID: that of the end which says it.
    ///   - handshakeHash: of the link (Noise, section 11.2).
    func hidden(by deviceID: DeviceID, on handshakeHash: Bytes32) -> ConversationID {
        var hash = Blake2b(label: "earshot hidden conversation v1")
        hash.update(handshakeHash)
        hash.update(deviceID.bytes32)
        hash.update(bytes32)
        return ConversationID(hash.finalize())
    }
}

extension ConversationID {
    /// The private conversation that a user has created with a salt.
    package static func `private`(_ origin: ConversationOrigin) -> ConversationID {
        var hash = Blake2b(label: "earshot private conversation v2")
        hash.update(origin.creatorID.bytes32)
        hash.update(origin.salt)
        return ConversationID(hash.finalize())
    }
}

extension HeadsHash {
    /// - Parameter heads: ascending by log and chain hash.
    static func of(_ heads: [BranchHead]) -> HeadsHash {
        var hash = Blake2b(label: "earshot heads v2")
        for head in heads {
            hash.update(head.log.logID.bytes32)
            hash.update(head.place.sequence)
            hash.update(head.place.chain.bytes32)
        }
        return HeadsHash(hash.finalize())
    }

    /// The same where bodies are missing: so it differs as soon as some of them have come.
    /// - Parameter missing: ascending by chain hash.
    func lacking(_ missing: [(end: ChainHash, bodies: SequenceSet)]) -> HeadsHash {
        guard !missing.isEmpty else { return self }
        var hash = Blake2b(label: "earshot missing bodies v2")
        hash.update(bytes32)
        for (end, bodies) in missing {
            hash.update(end.bytes32)
            hash.update(UInt64(bodies.ranges.count))
            for range in bodies.ranges {
                hash.update(range.lowerBound)
                hash.update(range.upperBound)
            }
        }
        return HeadsHash(hash.finalize())
    }
}

/// How far one user has come with one log.
struct LogProgress: Hashable, Sendable {
    let logID: LogID
    let userID: UserID
    var delivered: UInt64 = 0
    var read: UInt64
    var handled: UInt64 = 0
    var missing = SequenceSet()
}

extension ProgressHash {
    /// - Parameter progress: ascending by log and user.
    static func of(_ progress: [LogProgress]) -> ProgressHash {
        var hash = Blake2b(label: "earshot progress v2")
        for place in progress {
            hash.update(place.logID.bytes32)
            hash.update(place.userID.bytes32)
            for number in [place.delivered, place.read, place.handled] { hash.update(number) }
            hash.update(UInt64(place.missing.ranges.count))
            for range in place.missing.ranges {
                hash.update(range.lowerBound)
                hash.update(range.upperBound)
            }
        }
        return ProgressHash(hash.finalize())
    }
}

extension ConversationRecord {
    /// The conversation of a pair of users, whichever of them asks.
    package static func direct(_ a: UserID, _ b: UserID) -> ConversationRecord {
        ConversationRecord(
            conversationID: .direct(a, b), kind: .direct, participantIDs: a == b ? [a] : [a, b])
    }
}

extension LogDescription {
    package init(conversationID: ConversationID, deviceID: DeviceID, epoch: UInt64, kind: LogKind = .messages) {
        var hash =
            switch kind {
            case .messages: Blake2b(label: "earshot log v1")
            case .control: Blake2b(label: "earshot control log v2")
            }
        hash.update(conversationID.bytes32)
        hash.update(deviceID.bytes32)
        hash.update(epoch)
        self.init(
            logID: LogID(hash.finalize()), conversationID: conversationID, deviceID: deviceID, epoch: epoch, kind: kind)
    }

    /// A place in it, by the id that all of its branches have.
    func place(_ place: Place) -> LogPlace { LogPlace(logID: logID, sequence: place.sequence, chain: place.chain) }
}

extension LogID {
    /// Names the log in which the unsent end of another one waits, on this node alone.
    static func limbo(of log: LogID, after sequence: UInt64) -> LogID {
        var hash = Blake2b(label: "earshot limbo v2")
        hash.update(log.bytes32)
        hash.update(sequence)
        return LogID(hash.finalize())
    }

    /// Names a branch of a log by its first entry, on this node alone.
    package static func branch(of log: LogDescription, from first: UInt64, _ chain: ChainHash) -> LogID {
        var hash = Blake2b(label: "earshot branch v2")
        hash.update(log.logID.bytes32)
        hash.update(first)
        hash.update(chain.bytes32)
        return LogID(hash.finalize())
    }
}

extension EntryKey {
    /// The key that an entry which was sent without one gets when it is written anew, on this device alone.
    static func rewriting(_ hash: EntryHash) -> EntryKey? {
        var digest = Blake2b(label: "earshot rewritten v2")
        digest.update(hash.bytes32)
        return EntryKey(EntryHash(digest.finalize()).bytes.prefix(EntryKey.count))
    }
}

extension EntryContent {
    package var hash: EntryHash {
        switch self {
        case .body(let bytes): .of(body: bytes)
        case .withheld(let hash): hash
        }
    }
}

extension ChainHash {
    /// The chain hash of a log without entries: the log's id, so that no two logs share a chain.
    package static func origin(of logID: LogID) -> ChainHash { ChainHash(logID.bytes32) }

    private static let beginning = Blake2b(label: "earshot chain v1")

    /// The chain hash after one more entry.
    package func appending(_ entry: EntryHash) -> ChainHash {
        var hash = Self.beginning
        hash.update(bytes32)
        hash.update(entry.bytes32)
        return ChainHash(hash.finalize())
    }
}

extension LogHead {
    package static func origin(of logID: LogID) -> LogHead {
        LogHead(sequence: 0, chain: .origin(of: logID), timestamp: HybridTimestamp(rawValue: 0))
    }
}

/// A device's signature over the end of one of its own logs, and so over everything in the log up to there.
package enum Checkpoint {
    static func signedBytes(logID: LogID, sequence: UInt64, chain: ChainHash) -> [UInt8] {
        SignedBytes(label: "earshot checkpoint v1").adding(logID).adding(sequence).adding(chain).bytes
    }

    package static func sign(logID: LogID, sequence: UInt64, chain: ChainHash, with key: SigningKey) -> Signature {
        key.signature(for: signedBytes(logID: logID, sequence: sequence, chain: chain))
    }

    package static func isValid(
        _ signature: Signature, logID: LogID, sequence: UInt64, chain: ChainHash, by deviceID: DeviceID
    ) -> Bool {
        let bytes = signedBytes(logID: logID, sequence: sequence, chain: chain)
        return Ed25519.isValid(signature, for: bytes, by: deviceID.bytes32)
    }
}

/// A device's signature that it never sends the content of an entry of its own. Whoever passes the entry on passes it on,
/// too, so that nobody else can strip contents.
package enum WithheldMark {
    private static func signedBytes(logID: LogID, sequence: UInt64, hash: EntryHash) -> [UInt8] {
        SignedBytes(label: "earshot withheld v2").adding(logID).adding(sequence).adding(hash).bytes
    }

    package static func sign(logID: LogID, sequence: UInt64, hash: EntryHash, with key: SigningKey) -> Signature {
        key.signature(for: signedBytes(logID: logID, sequence: sequence, hash: hash))
    }

    package static func isValid(
        _ mark: Signature, logID: LogID, sequence: UInt64, hash: EntryHash, by deviceID: DeviceID
    ) -> Bool {
        Ed25519.isValid(
            mark, for: signedBytes(logID: logID, sequence: sequence, hash: hash), by: deviceID.bytes32)
    }
}

/// The identity key's word that a device which writes control logs of a conversation holds that key.
package enum PrimaryProof {
    private static func signedBytes(_ deviceID: DeviceID, in conversationID: ConversationID) -> [UInt8] {
        SignedBytes(label: "earshot primary v2").adding(conversationID).adding(deviceID).bytes
    }

    package static func sign(
        _ deviceID: DeviceID, in conversationID: ConversationID, with identityKey: SigningKey
    ) -> Signature {
        identityKey.signature(for: signedBytes(deviceID, in: conversationID))
    }

    package static func isValid(_ proof: Signature, of log: LogDescription, by userID: UserID) -> Bool {
        Ed25519.isValid(proof, for: signedBytes(log.deviceID, in: log.conversationID), by: userID.bytes32)
    }
}

extension Receipt {
    static func signedBytes(
        logID: LogID, sequence: UInt64, chain: ChainHash, readSequence: UInt64, handledSequence: UInt64,
        missing: SequenceSet = SequenceSet()
    ) -> [UInt8] {
        let bytes = SignedBytes(label: "earshot receipt v1").adding(logID).adding(sequence).adding(chain)
            .adding(readSequence)
        let isShort = handledSequence == 0 && missing.isEmpty
        return missing.ranges.reduce(isShort ? bytes : bytes.adding(handledSequence)) {
            $0.adding($1.lowerBound).adding($1.upperBound)
        }.bytes
    }

    package static func sign(
        logID: LogID, sequence: UInt64, chain: ChainHash, readSequence: UInt64, handledSequence: UInt64 = 0,
        missing: SequenceSet = SequenceSet(), deviceID: DeviceID, with key: SigningKey
    ) -> Receipt {
        let bytes = signedBytes(
            logID: logID, sequence: sequence, chain: chain, readSequence: readSequence,
            handledSequence: handledSequence, missing: missing)
        return Receipt(
            logID: logID, sequence: sequence, chain: chain, readSequence: readSequence,
            handledSequence: handledSequence, missing: missing, deviceID: deviceID, signature: key.signature(for: bytes)
        )
    }

    /// Whether the device that it names has signed it.
    package var isAuthentic: Bool {
        let bytes = Self.signedBytes(
            logID: logID, sequence: sequence, chain: chain, readSequence: readSequence,
            handledSequence: handledSequence, missing: missing)
        return Ed25519.isValid(signature, for: bytes, by: deviceID.bytes32)
    }
}

extension Revocation {
    /// It names the device only: the key that verifies it says whose device it is.
    private static func signedBytes(_ deviceID: DeviceID) -> [UInt8] {
        SignedBytes(label: "earshot revocation v2").adding(deviceID).bytes
    }

    package static func sign(_ deviceID: DeviceID, with identityKey: SigningKey) -> Revocation {
        Revocation(
            userID: UserID(identityKey.publicKey), deviceID: deviceID,
            signature: identityKey.signature(for: signedBytes(deviceID)))
    }

    /// Whether the identity that it names has signed it.
    package var isAuthentic: Bool {
        Ed25519.isValid(signature, for: Self.signedBytes(deviceID), by: userID.bytes32)
    }
}

extension Decision {
    /// It is for one device: no other can say the same again.
    private func signedBytes(for deviceID: DeviceID) -> [UInt8] {
        SignedBytes(label: "earshot decision v2").adding(deviceID).adding(userID).adding(UInt64(verdict.number))
            .adding(counter).adding(Array(name.text.utf8)).bytes
    }

    /// The same with the identity key's signature, for the device that says it.
    package func signed(for deviceID: DeviceID, with identityKey: SigningKey) -> Decision {
        var signed = self
        signed.proof = identityKey.signature(for: signedBytes(for: deviceID))
        return signed
    }

    /// Whether the identity that it is a decision of has signed it.
    func isProved(for deviceID: DeviceID, by userID: UserID) -> Bool {
        proof.map { Ed25519.isValid($0, for: signedBytes(for: deviceID), by: userID.bytes32) } ?? false
    }
}

extension DeviceCut {
    private static func signedBytes(
        of deviceID: DeviceID, after ends: [LogPlace], in conversationID: ConversationID
    ) -> [UInt8] {
        ends.reduce(SignedBytes(label: "earshot cut v2").adding(conversationID).adding(deviceID)) {
            $0.adding($1.logID).adding($1.sequence).adding($1.chain)
        }.bytes
    }

    package static func sign(
        _ deviceID: DeviceID, after ends: [LogPlace], in conversationID: ConversationID,
        with identityKey: SigningKey
    ) -> DeviceCut {
        let bytes = signedBytes(of: deviceID, after: ends, in: conversationID)
        return DeviceCut(of: deviceID, after: ends, proof: identityKey.signature(for: bytes))
    }

    /// Whether an identity has signed it for a conversation.
    func isAuthentic(in conversationID: ConversationID, by userID: UserID) -> Bool {
        let bytes = Self.signedBytes(of: deviceID, after: ends, in: conversationID)
        return Ed25519.isValid(proof, for: bytes, by: userID.bytes32)
    }
}

/// The bytes that a signature covers: a label after its length, then the parts.
struct SignedBytes {
    private(set) var bytes: [UInt8]

    init(label: StaticString) {
        bytes = [UInt8(label.utf8CodeUnitCount)]
        label.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    func adding(_ identifier: some Identifier) -> SignedBytes { adding(identifier.bytes) }

    func adding(_ value: UInt64) -> SignedBytes { adding(withUnsafeBytes(of: value.bigEndian) { Array($0) }) }

    func adding(_ more: [UInt8]) -> SignedBytes {
        var copy = self
        copy.bytes.append(contentsOf: more)
        return copy
    }
}
