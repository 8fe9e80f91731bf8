import EarshotSimulation
import SwiftProtobuf
import Testing

@testable import EarshotProtocol

@Suite("The wire's encoding")
struct WireTests {
    /// What the library makes of bytes, without what it does not know: in the order of the fields, and of the names of headers.
    private func expected<Message: SwiftProtobuf.Message>(_: Message.Type, _ bytes: [UInt8]) -> [UInt8]? {
        var decoding = BinaryDecodingOptions()
        decoding.discardUnknownFields = true
        var encoding = BinaryEncodingOptions()
        encoding.useDeterministicOrdering = true
        return try? Message(serializedBytes: bytes, options: decoding).serializedBytes(options: encoding)
    }

    private func found<Message: WireMessage>(_: Message.Type, _ bytes: [UInt8]) -> [UInt8]? {
        try? Wire.encode(Wire.decode(Message.self, from: bytes, as: "a message"))
    }

    /// Reads and writes the same bytes with both.
    private func compare<Ours: WireMessage, Theirs: SwiftProtobuf.Message>(
        _ ours: Ours.Type, _ theirs: Theirs.Type, _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var random = WireNoise(seed: 7)
        var readable = 0
        for _ in 0..<4000 {
            let bytes = random.message(depth: 0)
            let expected = expected(theirs, bytes)
            if expected != nil { readable += 1 }
            #expect(found(ours, bytes) == expected, "\(bytes)", sourceLocation: sourceLocation)
        }
        #expect((1000..<4000).contains(readable), "\(readable) are readable", sourceLocation: sourceLocation)
    }

    @Test("is protobuf's: whatever comes, it reads and writes what the library does")
    func library() {
        compare(Wire.Hello.self, Earshot_V2_Hello.self)
        compare(Wire.Introduction.self, Earshot_V2_Introduction.self)
        compare(Wire.Credential.self, Earshot_V2_Credential.self)
        compare(Wire.CredentialBody.self, Earshot_V2_CredentialBody.self)
        compare(Wire.Frame.self, Earshot_V2_Frame.self)
        compare(Wire.Heads.self, Earshot_V2_Heads.self)
        compare(Wire.Head.self, Earshot_V2_Head.self)
        compare(Wire.Place.self, Earshot_V2_Place.self)
        compare(Wire.Log.self, Earshot_V2_Log.self)
        compare(Wire.Entries.self, Earshot_V2_Entries.self)
        compare(Wire.Entry.self, Earshot_V2_Entry.self)
        compare(Wire.EntryBody.self, Earshot_V2_EntryBody.self)
        compare(Wire.Branches.self, Earshot_V2_Branches.self)
        compare(Wire.Text.self, Earshot_V2_Text.self)
        compare(Wire.Edit.self, Earshot_V2_Edit.self)
        compare(Wire.Retract.self, Earshot_V2_Retract.self)
        compare(Wire.Reaction.self, Earshot_V2_Reaction.self)
        compare(Wire.Answer.self, Earshot_V2_Join.self)
        compare(Wire.Answer.self, Earshot_V2_Leave.self)
        compare(Wire.Version.self, Earshot_V2_Version.self)
        compare(Wire.Created.self, Earshot_V2_Created.self)
        compare(Wire.Attributes.self, Earshot_V2_Attributes.self)
        compare(Wire.Add.self, Earshot_V2_Add.self)
        compare(Wire.Remove.self, Earshot_V2_Remove.self)
        compare(Wire.Update.self, Earshot_V2_Update.self)
        compare(Wire.Pass.self, Earshot_V2_Pass.self)
        compare(Wire.HandOver.self, Earshot_V2_HandOver.self)
        compare(Wire.Begin.self, Earshot_V2_Begin.self)
        compare(Wire.State.self, Earshot_V2_State.self)
        compare(Wire.Member.self, Earshot_V2_Member.self)
        compare(Wire.Digest.self, Earshot_V2_Digest.self)
        compare(Wire.Session.self, Earshot_V2_Session.self)
        compare(Wire.Layout.self, Earshot_V2_Layout.self)
        compare(Wire.Profile.self, Earshot_V2_Profile.self)
        compare(Wire.Bot.self, Earshot_V2_Bot.self)
        compare(Wire.BotCommand.self, Earshot_V2_BotCommand.self)
        compare(Wire.Receipts.self, Earshot_V2_Receipts.self)
        compare(Wire.Receipt.self, Earshot_V2_Receipt.self)
        compare(Wire.DialBack.self, Earshot_V2_DialBack.self)
        compare(Wire.DialBackResult.self, Earshot_V2_DialBackResult.self)
        compare(Wire.Wanted.self, Earshot_V2_Wanted.self)
        compare(Wire.Unplaced.self, Earshot_V2_Unplaced.self)
        compare(Wire.Taken.self, Earshot_V2_Taken.self)
        compare(Wire.WantedBodies.self, Earshot_V2_WantedBodies.self)
        compare(Wire.Bodies.self, Earshot_V2_Bodies.self)
        compare(Wire.Range.self, Earshot_V2_Range.self)
        compare(Wire.Close.self, Earshot_V2_Close.self)
        compare(Wire.Typing.self, Earshot_V2_Typing.self)
        compare(Wire.CredentialGrant.self, Earshot_V2_CredentialGrant.self)
        compare(Wire.Revocations.self, Earshot_V2_Revocations.self)
        compare(Wire.Revocation.self, Earshot_V2_Revocation.self)
        compare(Wire.DeviceNames.self, Earshot_V2_DeviceNames.self)
        compare(Wire.Contacts.self, Earshot_V2_Contacts.self)
        compare(Wire.Digest.self, Earshot_V2_Digest.self)
        compare(Wire.DeviceName.self, Earshot_V2_DeviceName.self)
        compare(Wire.Pairing.self, Earshot_V2_Pairing.self)
        compare(Wire.PairingRequest.self, Earshot_V2_PairingRequest.self)
        compare(Wire.PairingOffer.self, Earshot_V2_PairingOffer.self)
        compare(Wire.PairingDecision.self, Earshot_V2_PairingDecision.self)
        compare(Wire.PairingGift.self, Earshot_V2_PairingGift.self)
        compare(Wire.PairingResult.self, Earshot_V2_PairingResult.self)
    }

    @Test("gives a field its length, however long it is", arguments: [0, 1, 127, 128, 16_383, 16_384, 70_000])
    func lengths(count: Int) throws {
        let body = [UInt8](repeating: 7, count: count)
        let entry = Wire.Entry(content: .body(body), deletedTimestamp: 5)
        let bytes = Wire.encode(Wire.Entries(firstSequence: 1, entries: [entry, entry]))
        let read = try Earshot_V2_Entries(serializedBytes: bytes)
        #expect(read.entries.map { Array($0.body) } == [body, body])
        #expect(read.entries.map(\.deletedTimestamp) == [5, 5])
        #expect(expected(Earshot_V2_Entries.self, bytes) == bytes)
    }

    @Test("refuses groups in groups without end", arguments: [50, 100_000])
    func groups(depth: Int) {
        let bytes = [UInt8](repeating: 0x5b, count: depth) + [UInt8](repeating: 0x5c, count: depth)
        #expect((found(Wire.Hello.self, bytes) != nil) == (depth == 50))
    }
}

/// Bytes that are mostly a message: fields of all kinds and small numbers, some of them damaged.
private struct WireNoise {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func message(depth: Int) -> [UInt8] {
        var bytes = (0..<Int.random(in: 0...5, using: &random)).flatMap { _ in field(depth: depth) }
        if depth == 0, Int.random(in: 0..<4, using: &random) == 0, !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = .random(in: 0...255, using: &random)
            case 1: bytes.removeLast(bytes.count - index)
            default: bytes.insert(.random(in: 0...255, using: &random), at: index)
            }
        }
        return bytes
    }

    private mutating func field(depth: Int) -> [UInt8] {
        let number = UInt64.random(in: 1...21, using: &random) << 3
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: return varint(number) + varint(value())
        case 3...4: return varint(number | 1) + (0..<8).map { _ in .random(in: 0...255, using: &random) }
        case 5: return varint(number | 5) + [1, 2, 3, 4]
        case 6: return varint(number | 3) + message(depth: 1) + varint(number | 4)
        case 7...9 where depth < 4: return counted(number, message(depth: depth + 1))
        case 10: return counted(number, Array(["", "bob", "hé", "\u{1F35C}"].randomElement(using: &random)!.utf8))
        default:
            let count = Int.random(in: 0...40, using: &random)
            return counted(number, (0..<count).map { _ in .random(in: 0...255, using: &random) })
        }
    }

    private mutating func value() -> UInt64 {
        let values: [UInt64] = [0, 1, 127, 128, 1 << 32, 1 << 40 | 5, 1 << 63, .max]
        return values.randomElement(using: &random)!
    }

    private func counted(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number | 2) + varint(UInt64(bytes.count)) + bytes
    }

    private func varint(_ value: UInt64) -> [UInt8] {
        var (value, bytes) = (value, [UInt8]())
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        return bytes + [UInt8(value)]
    }
}
