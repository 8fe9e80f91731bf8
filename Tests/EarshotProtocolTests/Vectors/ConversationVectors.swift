import EarshotCrypto
import EarshotModel
import TestSupport

@testable import EarshotProtocol

/// The ids of conversations of many, and each entry that says who belongs to one. Alice has written all of them.
struct ConversationVectors {
    private(set) var values: [String: String] = [:]

    private static let start: Int64 = 1_700_000_000_020
    private static let epoch: UInt64 = 1_700_000_000_020
    private static let name = "crew"

    private let salts: EntrySalts
    private var count: Int64 = 0

    /// - Parameter cut: the last entry of somebody that counts.
    init(alice: LocalDevice, bob: LocalDevice, log: LogDescription, cut: LogPlace) throws {
        salts = EntrySalts(try VectorDevice.alice().signingKey())
        let origin = ConversationOrigin(creatorID: alice.userID, salt: (0x30..<0x40).map { UInt8($0) })
        let conversationID = ConversationID.private(origin)
        let control = LogDescription(
            conversationID: conversationID, deviceID: alice.deviceID, epoch: Self.epoch, kind: .control)
        let proof = PrimaryProof.sign(
            alice.deviceID, in: conversationID,
            with: try SigningKey(seed: SecretBytes(copying: VectorDevice.alice().identitySecret)))
        let tag = LinkConfiguration.networkTag(of: SecretBytes(copying: Vectors.networkKey))
        values = [
            "start": String(Self.start), "epoch": String(Self.epoch), "uniqueName": Self.name,
            "salt": Hex.text(origin.salt),
            "openID": Hex.text(ConversationID.open(Self.name, networkTag: "").bytes),
            "openIDWithNetworkKey": Hex.text(ConversationID.open(Self.name, networkTag: tag).bytes),
            "privateID": Hex.text(conversationID.bytes), "controlLogID": Hex.text(control.logID.bytes),
            "proof": Hex.text(proof.bytes),
        ]
        let creation = Creation(
            conversationID: conversationID, uniqueName: Self.name,
            attributes: ConversationAttributes(friendlyName: "The crew", json: #"{"a":1}"#), givesHistory: true)
        let created = add("created", .control(ControlBody(.created(creation), origin: origin, proof: proof)))
        let added = add("add", .control(ControlBody(.add(bob.userID))))
        let first = ChainHash.origin(of: control.logID).appending(.of(body: created))
        let places = [
            LogPlace(logID: control.logID, sequence: 1, chain: first),
            LogPlace(logID: control.logID, sequence: 2, chain: first.appending(.of(body: added))),
        ]
        addChanges(of: bob, cut, places, proof)
        addAnswers(to: places[1])
    }

    private mutating func addChanges(of bob: LocalDevice, _ cut: LogPlace, _ places: [LogPlace], _ proof: Signature) {
        let attributes = ConversationAttributes(friendlyName: "Crew", counter: 1)
        let begin = ControlBegin(
            term: 2, follows: places[1], heads: [places[0]],
            cause: .takeover(
                RestatedConversation(
                    uniqueName: Self.name, attributes: attributes,
                    members: [.init(userID: bob.userID, added: places[1])])))
        for (name, entry) in [
            ("remove", .remove(bob.userID, cuts: [cut])), ("removeWhoHasLeft", .remove(bob.userID, reason: .left)),
            ("addAgain", .add(bob.userID, returnsAfter: places[1])), ("update", .update(attributes)),
            ("pass", .pass(to: bob.deviceID)), ("handOver", .handOver(to: bob.userID)), ("closed", .closed),
        ] as [(String, ControlEntry)] { add(name, .control(ControlBody(entry))) }
        add("begin", .control(ControlBody(.begin(begin), proof: proof)))
    }

    private mutating func addAnswers(to place: LogPlace) {
        for (name, content) in [
            ("version", .version(place)), ("join", .join(answering: place)), ("leave", .leave(answering: place)),
            ("joinOpen", .join(answering: nil)),
            ("leaveOpen", .leave(answering: nil)),
        ] as [(String, EntryBody.Content)] { add(name, content) }
    }

    @discardableResult
    private mutating func add(_ name: String, _ content: EntryBody.Content) -> [UInt8] {
        let timestamp = HybridTimestamp(milliseconds: Self.start + count)
        let body = EntryBody(timestamp: timestamp, expiry: .max, content: content).encoded(with: salts)
        values[name] = Hex.text(body)
        count += 1
        return body
    }
}
