import EarshotCrypto
import EarshotModel
import TestSupport

@testable import EarshotProtocol

/// The test vectors of docs/PROTOCOL.md, computed by this implementation. Nothing in them is random.
struct Vectors {
    /// Values by section and name: hexadecimal for bytes, decimal for numbers, else text.
    private(set) var sections: [String: [String: String]] = [:]

    static let networkKey = (0..<32).map { 0xff - $0 as UInt8 }

    /// The SDK reads and writes it (`NetworkKeyTests`); this module knows only the key.
    private static let networkKeyText =
        "earshot-network-1-zzzfv-z7vzb-wzhxz-pyqtf-7wqhy-3qyxv-fcxfn-ekt77-wvjy9-rz2w7-g3f7t-hqryg"

    private let alice: LocalDevice
    private let bob: LocalDevice
    private let conversationID: ConversationID
    private let log: LogDescription

    init() throws {
        alice = try VectorDevice.alice().local(networkKey: nil)
        bob = try VectorDevice.bob().local(networkKey: nil)
        conversationID = .direct(alice.userID, bob.userID)
        log = LogDescription(conversationID: conversationID, deviceID: alice.deviceID, epoch: 1_700_000_000_000)
        sections["alice"] = try identity(.alice(), alice)
        sections["bob"] = try identity(.bob(), bob)
        sections["network"] = network()
        sections["safetyNumber"] = safetyNumber()
        sections["frames"] = frames()
        sections["refusals"] = Self.refusals()
        sections["devices"] = try devices()
        sections["log"] = try logValues()
        sections["branches"] = try branchValues()
        sections["conversations"] = try ConversationVectors(alice: alice, bob: bob, log: log, cut: firstPlace()).values
        sections["handshake"] = try Transcript(networkKey: nil, entries: entries()).values
        sections["handshakeWithNetworkKey"] = try Transcript(networkKey: Self.networkKey, entries: entries()).values
    }

    private func identity(_ device: VectorDevice, _ local: LocalDevice) throws -> [String: String] {
        [
            "name": device.name.text,
            "identitySecret": Hex.text(device.identitySecret),
            "signingSecret": Hex.text(device.signingSecret),
            "agreementSecret": Hex.text(device.agreementSecret),
            "ephemeralSecret": Hex.text(device.ephemeralSecret),
            "run": String(device.run),
            "clock": String(VectorDevice.now),
            "notBefore": String(VectorDevice.notBefore),
            "notAfter": String(VectorDevice.notAfter),
            "userID": Hex.text(local.userID.bytes),
            "userIDText": local.userID.description,
            "fingerprint": local.userID.fingerprint,
            "deviceID": Hex.text(local.deviceID.bytes),
            "agreementKey": Hex.text(local.link.agreementKey.publicKey.bytes),
            "credential": Hex.text(local.link.credential.encoded()),
        ]
    }

    /// Section 11.
    private func devices() throws -> [String: String] {
        let code = PairingCode(secret: SecretBytes(copying: Array(1...16)))
        let identityKey = try SigningKey(seed: SecretBytes(copying: VectorDevice.alice().identitySecret))
        let revocation = Revocation.sign(bob.deviceID, with: identityKey)
        let salts = EntrySalts(try VectorDevice.alice().signingKey())
        let cut = DeviceCut.sign(bob.deviceID, after: [try firstPlace()], in: log.conversationID, with: identityKey)
        let decision = Decision(.verify, about: bob.userID, name: bob.name, counter: 1)
            .signed(for: alice.deviceID, with: identityKey)
        func body(_ content: EntryBody.Content) -> String {
            Hex.text(
                EntryBody(
                    timestamp: HybridTimestamp(milliseconds: 1_700_000_000_007), expiry: .max, content: content
                ).encoded(with: salts))
        }
        return [
            "cutBody": body(.cut(cut)), "decisionBody": body(.decision(decision)),
            "erasureBody": body(.erasure([ErasedRun(through: try firstPlace(), count: 1)])),
            "shownBody": body(.shown([try firstPlace()])),
            "pairingTag": Hex.text(code.tag),
            "pairingKey": Hex.text(code.key.withUnsafeBytes { Array($0) }),
            "revocation": Hex.text(Frame.revocations([revocation]).encoded()),
        ]
    }

    private func network() -> [String: String] {
        let key = SecretBytes(copying: Self.networkKey)
        return [
            "key": Hex.text(Self.networkKey), "tag": LinkConfiguration.networkTag(of: key),
            "text": Self.networkKeyText,
        ]
    }

    private func safetyNumber() -> [String: String] {
        let (aliceHash, bobHash) = (SafetyNumber.hash(of: alice.userID), SafetyNumber.hash(of: bob.userID))
        return [
            "aliceHash": Hex.text(aliceHash),
            "aliceDigits": NumericFingerprint.digits(of: aliceHash),
            "bobHash": Hex.text(bobHash),
            "bobDigits": NumericFingerprint.digits(of: bobHash),
            "number": SafetyNumber(alice.userID, bob.userID).digits,
        ]
    }

    private func frames() -> [String: String] {
        let (port, nonce) = (7000 as UInt16, 0x2122_2324_2526_2728 as UInt64)
        let origin = LogHead.origin(of: log.logID).place
        return [
            "port": String(port), "nonce": String(nonce),
            "dialBack": Hex.text(Frame.dialBack(port: port, nonce: nonce).encoded()),
            "dialBackResult": Hex.text(Frame.dialBackResult(nonce: nonce, isReachable: true).encoded()),
            "noHeads": Hex.text(
                Frame.heads(HeadsFrame(conversationID: conversationID, heads: [], isComplete: true)).encoded()),
            "unplaced": Hex.text(Frame.unplaced(log).encoded()),
            "takenNothing": Hex.text(Frame.taken(log.logID, through: origin).encoded()),
            "typing": Hex.text(Frame.typing(conversationID, isTyping: true).encoded()),
            "typingEnded": Hex.text(Frame.typing(conversationID, isTyping: false).encoded()),
        ]
    }

    /// How each side says no: in the clear, and in the handshake.
    private static func refusals() -> [String: String] {
        var introduction = Wire.Introduction()
        introduction.refusal = CloseReason.blocked.rawValue
        introduction.clock = VectorDevice.now
        return [
            "version": Hex.text(Refusal.bytes(.unsupportedVersion)),
            "network": Hex.text(Refusal.bytes(.otherNetwork)),
            "introduction": Hex.text(Wire.encode(introduction)),
            "close": Hex.text(Frame.close(.blocked).encoded()),
        ]
    }

    /// Two entries, the first with a header and the second withheld.
    private static let bodies = [
        EntryBody(
            timestamp: HybridTimestamp(milliseconds: 1_700_000_000_001, counter: 2), expiry: 1_702_592_000_001,
            content: .text("Hello, Bob", headers: ["client": "vectors"])),
        EntryBody(
            timestamp: HybridTimestamp(milliseconds: 1_700_000_000_005), expiry: 1_702_592_000_005,
            content: .text("never mind", headers: [:])),
    ]

    private func logValues() throws -> [String: String] {
        let encoded = try encodedBodies()
        let hashes = encoded.map { EntryHash.of(body: $0) }
        let first = ChainHash.origin(of: log.logID).appending(hashes[0])
        let second = first.appending(hashes[1])
        let (aliceKey, bobKey) = (try VectorDevice.alice().signingKey(), try VectorDevice.bob().signingKey())
        let receipt = Receipt.sign(
            logID: log.logID, sequence: 2, chain: second, readSequence: 1, deviceID: bob.deviceID, with: bobKey)
        let handled = Receipt.sign(
            logID: log.logID, sequence: 2, chain: second, readSequence: 1, handledSequence: 2, deviceID: bob.deviceID,
            with: bobKey)
        let head = BranchHead(log: log, place: Place(sequence: 2, chain: second))
        return [
            "conversationID": Hex.text(conversationID.bytes),
            "epoch": String(log.epoch),
            "logID": Hex.text(log.logID.bytes),
            "messageID1": MessageID(log: log.logID, sequence: 1).description,
            "body1": Hex.text(encoded[0]), "body2": Hex.text(encoded[1]),
            "mark2": Hex.text(try mark(of: encoded[1]).bytes),
            "entryHash1": Hex.text(hashes[0].bytes), "entryHash2": Hex.text(hashes[1].bytes),
            "chain1": Hex.text(first.bytes), "chain2": Hex.text(second.bytes),
            "checkpoint2": Hex.text(
                Checkpoint.sign(logID: log.logID, sequence: 2, chain: second, with: aliceKey).bytes),
            "receiptSignature": Hex.text(receipt.signature.bytes),
            "receiptsFrame": Hex.text(Frame.receipts([receipt]).encoded()),
            "handledFrame": Hex.text(Frame.receipts([handled]).encoded()),
            "headsFrame": Hex.text(
                Frame.heads(HeadsFrame(conversationID: conversationID, heads: [head], isComplete: true)).encoded()),
            "entriesFrame": Hex.text(Frame.entries(try entries()).encoded()),
            "profileBody": Hex.text(Self.profile.encoded(with: EntrySalts(aliceKey))),
        ]
    }

    private static let profile = EntryBody(
        timestamp: HybridTimestamp(milliseconds: 1_700_000_000_006), expiry: .max,
        content: .profile(
            ProfileEntry(
                Profile(
                    friendlyName: "Alice", attributes: #"{"floor":2}"#, picture: [1, 2, 3],
                    bot: BotProfile(commands: [
                        BotProfile.Command(name: "greet", summary: "Greets.", usage: "/greet WHOM")
                    ])), counter: 7)))

    /// Alice's database is replaced by one of the time before the log's second entry. She writes another one in its place,
    /// which gets to Bob; then he gives her the first one back, whose content he has deleted.
    private func branchValues() throws -> [String: String] {
        let (key, salts) = (try VectorDevice.alice().signingKey(), EntrySalts(try VectorDevice.alice().signingKey()))
        let encoded = try encodedBodies()
        let base = ChainHash.origin(of: log.logID).appending(.of(body: encoded[0]))
        let end = Place(sequence: 2, chain: base.appending(.of(body: encoded[1])))
        let other = EntryBody(
            timestamp: HybridTimestamp(milliseconds: 1_700_000_000_009), expiry: 1_702_592_000_009,
            content: .text("another second", headers: [:])
        ).encoded(with: salts)
        let branch = Place(sequence: 2, chain: base.appending(.of(body: other)))
        let receipt = Receipt.sign(
            logID: log.logID, sequence: 2, chain: branch.chain, readSequence: 0, deviceID: bob.deviceID,
            with: try VectorDevice.bob().signingKey())
        let ends = [branch, end].map { BranchHead(log: log, place: $0) }
        let next = LogDescription(conversationID: conversationID, deviceID: alice.deviceID, epoch: Self.nextEpoch)
        let first = EntryBody(
            timestamp: HybridTimestamp(milliseconds: 1_700_000_000_010), expiry: .max, content: .branches(ends)
        ).encoded(with: salts)
        let places = [LogHead.origin(of: log.logID).place, Place(sequence: 1, chain: base)]
        let deleted = HybridTimestamp(milliseconds: 1_700_000_000_005)
        return [
            "body2": Hex.text(other), "chain2": Hex.text(branch.chain.bytes),
            "branchID": Hex.text(LogID.branch(of: log, from: 2, branch.chain).bytes),
            "messageID2": MessageID(log: .branch(of: log, from: 2, branch.chain), sequence: 2).description,
            "branchFrame": Hex.text(
                Frame.entries(
                    EntriesFrame(
                        log: log, firstSequence: 2, previousChain: base, contents: [.body(other)],
                        checkpoint: .over(branch, of: log, by: key))
                ).encoded()),
            "receiptsFrame": Hex.text(Frame.receipts([receipt]).encoded()),
            "headsFrame": Hex.text(
                Frame.heads(HeadsFrame(conversationID: conversationID, heads: ends, isComplete: true)).encoded()),
            "wantedByEnds": Hex.text(Frame.wanted(WantedFrame(log: log, end: end, known: [branch])).encoded()),
            "unplaced": Hex.text(Frame.unplaced(log).encoded()),
            "wantedByPlaces": Hex.text(
                Frame.wanted(WantedFrame(log: log, end: end, known: places + [branch])).encoded()),
            "deletedFrame": Hex.text(
                Frame.entries(
                    EntriesFrame(
                        log: log, firstSequence: 2, previousChain: base, contents: [.withheld(.of(body: encoded[1]))],
                        checkpoint: .over(end, of: log, by: key), deleted: [2: deleted])
                ).encoded()),
            "taken": Hex.text(Frame.taken(log.logID, through: end).encoded()),
            "nextEpoch": String(next.epoch), "nextLogID": Hex.text(next.logID.bytes), "nextBody1": Hex.text(first),
            "nextFrame": Hex.text(
                Frame.entries(
                    EntriesFrame(
                        log: next, firstSequence: 1, previousChain: .origin(of: next.logID), contents: [.body(first)],
                        checkpoint: .over(
                            Place(
                                sequence: 1,
                                chain: ChainHash.origin(of: next.logID).appending(.of(body: first))),
                            of: next, by: key))
                ).encoded()),
        ]
    }

    /// Of the log's first entry.
    private func firstPlace() throws -> LogPlace {
        let chain = ChainHash.origin(of: log.logID).appending(.of(body: try encodedBodies()[0]))
        return LogPlace(logID: log.logID, sequence: 1, chain: chain)
    }

    private static let nextEpoch: UInt64 = 1_700_000_000_010

    private func encodedBodies() throws -> [[UInt8]] {
        let salts = EntrySalts(try VectorDevice.alice().signingKey())
        return Self.bodies.map { $0.encoded(with: salts) }
    }

    private func mark(of body: [UInt8]) throws -> Signature {
        WithheldMark.sign(
            logID: log.logID, sequence: 2, hash: .of(body: body), with: try VectorDevice.alice().signingKey())
    }

    private func entries() throws -> EntriesFrame {
        let encoded = try encodedBodies()
        let chain = encoded.reduce(ChainHash.origin(of: log.logID)) { $0.appending(.of(body: $1)) }
        let checkpoint = Checkpoint.sign(
            logID: log.logID, sequence: 2, chain: chain, with: try VectorDevice.alice().signingKey())
        return EntriesFrame(
            log: log, firstSequence: 1, previousChain: .origin(of: log.logID),
            contents: [.body(encoded[0]), .withheld(.of(body: encoded[1]))],
            checkpoint: checkpoint, marks: [2: try mark(of: encoded[1])])
    }
}

extension Signature {
    /// A checkpoint.
    fileprivate static func over(_ place: Place, of log: LogDescription, by key: SigningKey) -> Signature {
        Checkpoint.sign(logID: log.logID, sequence: place.sequence, chain: place.chain, with: key)
    }
}
