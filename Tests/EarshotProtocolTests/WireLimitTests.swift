import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

/// The limits of docs/PROTOCOL.md on what one frame, or one entry's body, may name.
@Suite("What a frame or an entry may hold")
struct WireLimitTests {
    /// A list with a limit.
    struct Limited: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Int
        /// Decodes bytes whose list has so many parts.
        let decode: @Sendable (Int) throws -> Void

        init(_ name: String, _ limit: Int, decode: @escaping @Sendable (Int) throws -> Void) {
            (testDescription, self.limit, self.decode) = (name, limit, decode)
        }

        static func frame(_ name: String, _ limit: Int, _ make: @escaping @Sendable (Int) throws -> Frame) -> Limited {
            Limited(name, limit) { count in
                let frame = try Frame.decode(try make(count).encoded(), from: DeviceID(Bytes32()))
                #expect(frame != nil)
            }
        }

        static func body(
            _ name: String, _ limit: Int, _ make: @escaping @Sendable (Int) -> EntryBody.Content
        ) -> Limited {
            Limited(name, limit) { count in
                let body = EntryBody(timestamp: HybridTimestamp(milliseconds: 1), expiry: 1, content: make(count))
                let decoded = try EntryBody(decoding: body.encoded())
                #expect(decoded == body)
            }
        }
    }

    private static let (userID, deviceID) = (UserID(Bytes32()), DeviceID(Bytes32()))
    private static let signature = device("alice").signingKey.signature(for: [])
    private static let log = LogDescription(
        conversationID: .direct(device("alice").userID, device("bob").userID), deviceID: device("alice").deviceID,
        epoch: 1)
    private static let place = LogPlace(logID: log.logID, sequence: 1, chain: .origin(of: log.logID))
    private static let first = Place(sequence: 1, chain: .origin(of: log.logID))

    static let lists: [Limited] = [
        .frame("the digests of a frame", Limits.digestsPerFrame) { count in
            .digests(
                Array(
                    repeating: ConversationDigest(conversationID: log.conversationID, heads: HeadsHash(Bytes32())),
                    count: count))
        },
        .frame("the credentials of a frame of receipts", Limits.credentialsPerFrame) { count in
            // No more than there are receipts, which have a higher limit.
            let receipt = Receipt(
                logID: log.logID, sequence: 1, chain: .origin(of: log.logID), readSequence: 0,
                deviceID: device("bob").deviceID, signature: signature)
            let credential = FrameCredential(device("bob").link.credential)
            return .carried(
                Array(repeating: receipt, count: Limits.receiptsPerFrame), Array(repeating: credential, count: count))
        },
        .frame("the credentials of a frame of contacts", Limits.credentialsPerFrame) { count in
            .contacts(Array(repeating: device("bob").link.credential.wire, count: count))
        },
        .frame("the bodies of a frame", Limits.bodiesPerQuestion) { count in
            .bodies(
                BodiesFrame(
                    logID: log.logID, first: first, contents: Array(repeating: .body([1]), count: count), marks: [:]))
        },
        .frame("the users whom a sender does not reach", Limits.unreachedUsers) { count in
            .entries(
                EntriesFrame(
                    log: log, firstSequence: 1, previousChain: .origin(of: log.logID), contents: [.body([1])],
                    checkpoint: signature, unreached: Array(repeating: userID, count: count)))
        },
        .frame("the revocations of a frame", Limits.revocationsPerFrame) { count in
            .revocations(
                Array(repeating: Revocation(userID: userID, deviceID: deviceID, signature: signature), count: count))
        },
        .frame("the names of devices in a frame", Limits.ownDevices) { count in
            let names = try (0..<count).map { number in
                var bytes = [UInt8](repeating: 0, count: Bytes32.count)
                bytes[0] = UInt8(number)
                return (try #require(DeviceID(bytes: bytes)), DeviceName())
            }
            return .deviceNames(Dictionary(uniqueKeysWithValues: names))
        },
        .body("the cuts of a removal", Limits.removalCuts) { count in
            .control(ControlBody(.remove(userID, cuts: Array(repeating: place, count: count))))
        },
        .body("the heads of a control log's first entry", Limits.controlHeads) { count in
            let begin = ControlBegin(
                term: 2, follows: place, heads: Array(repeating: place, count: count), cause: .pass)
            return .control(ControlBody(.begin(begin)))
        },
        .body("the ends of a revoked device's logs", Limits.deviceCuts) { count in
            .cut(DeviceCut(of: deviceID, after: Array(repeating: place, count: count), proof: signature))
        },
    ]

    @Test("is as much as the limit says, and one more is a violation", arguments: lists)
    func limit(list: Limited) throws {
        try list.decode(list.limit)
        let error = #expect(throws: ProtocolError.self) { try list.decode(list.limit + 1) }
        #expect(error?.code == .violation)
    }

    @Test("is asked for in questions of as many bodies as a frame may have, and not of one more")
    func wantedBodies() throws {
        func decode(_ count: Int) throws {
            let wanted = WantedBodiesFrame(log: Self.log, first: Self.first, last: UInt64(count))
            _ = try Frame.decode(Frame.wantedBodies(wanted).encoded(), from: Self.deviceID)
        }
        try decode(Limits.bodiesPerQuestion)
        let error = #expect(throws: ProtocolError.self) { try decode(Limits.bodiesPerQuestion + 1) }
        #expect(error?.code == .malformed)
    }
}
