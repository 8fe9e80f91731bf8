import EarshotCrypto
import EarshotModel
import TestSupport

@testable import EarshotProtocol

/// The test vectors of docs/PROTOCOL.md, computed by this implementation. Nothing in them is random.
struct Vectors {
    /// Values by section and name: hexadecimal for bytes, decimal for numbers, else text.
    private(set) var sections: [String: [String: String]] = [:]

    static let networkKey = (0..<32).map { 0xff - $0 as UInt8 }

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
        sections["frames"] = Self.frames()
        sections["log"] = try logValues()
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

    private func network() -> [String: String] {
        let key = SecretBytes(copying: Self.networkKey)
        return ["key": Hex.text(Self.networkKey), "tag": LinkConfiguration.networkTag(of: key)]
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

    private static func frames() -> [String: String] {
        let (port, nonce) = (7000 as UInt16, 0x2122_2324_2526_2728 as UInt64)
        return [
            "port": String(port), "nonce": String(nonce),
            "dialBack": Hex.text(Frame.dialBack(port: port, nonce: nonce).encoded()),
            "dialBackResult": Hex.text(Frame.dialBackResult(nonce: nonce, isReachable: true).encoded()),
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
            "headsFrame": Hex.text(headsFrame(through: second).encoded()),
            "wantedFrame": Hex.text(wantedFrame(through: second, knowing: first).encoded()),
            "unplacedFrame": Hex.text(Frame.unplaced(log).encoded()),
            "takenFrame": Hex.text(
                Frame.taken(log.logID, through: Place(sequence: 2, chain: second)).encoded()),
            "entriesFrame": Hex.text(Frame.entries(try entries()).encoded()),
        ]
    }

    private func headsFrame(through chain: ChainHash) -> Frame {
        let head = BranchHead(log: log, place: Place(sequence: 2, chain: chain))
        return .heads(HeadsFrame(conversationID: conversationID, heads: [head], isComplete: true))
    }

    private func wantedFrame(through end: ChainHash, knowing first: ChainHash) -> Frame {
        let known = [Place(sequence: 0, chain: .origin(of: log.logID)), Place(sequence: 1, chain: first)]
        return .wanted(WantedFrame(log: log, end: Place(sequence: 2, chain: end), known: known))
    }

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
