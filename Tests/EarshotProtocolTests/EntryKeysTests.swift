import EarshotCrypto
import EarshotModel
import SwiftProtobuf
import Testing

@testable import EarshotProtocol

@Suite("The key in an entry")
struct EntryKeysTests {
    private let keys = EntryKeys(device("alice").signingKey)

    private func body(_ key: [UInt8]) -> [UInt8] {
        var wire = Wire.EntryBody()
        wire.timestamp = 1 << 16
        wire.content = .text(Wire.Text(text: "hello", headers: [:]))
        wire.key = key
        return Wire.encode(wire)
    }

    @Test("is the same for the same device, key and place, and another for any other")
    func distinct() {
        let key = keys.key("order 7", place: 0)
        #expect(EntryKeys(device("alice").signingKey).key("order 7", place: 0) == key)
        #expect(keys.key("order 7", place: 1) != key && keys.key("order 8", place: 0) != key)
        #expect(EntryKeys(device("bob").signingKey).key("order 7", place: 0) != key)
        let messageID = MessageID(log: LogID(Bytes32()), sequence: 1)
        let answer = keys.key(ofAnswer: 0, to: messageID, by: "bot")
        #expect(keys.key(ofAnswer: 0, to: messageID, by: "bot") == answer)
        #expect(keys.key(ofAnswer: 1, to: messageID, by: "bot") != answer)
        #expect(keys.key(ofAnswer: 0, to: messageID, by: "other") != answer)
    }

    @Test("is another for each token that gives it, and for the owner, whatever the names are")
    func tokens() {
        let names: [IdempotencyKey] =
            ["order", "rorder", "", "token"].flatMap { text in
                [nil, "", "o", "or", "ord", "token", "tokeno"].map { IdempotencyKey(text, of: $0) }
            }
        var seen: Set<EntryKey> = []
        for name in names {
            for place in 0..<2 {
                for recipient in [nil, 0, 1] as [Int?] {
                    #expect(seen.insert(keys.key(name, place: place, recipient: recipient)).inserted, "\(name)")
                }
            }
        }
    }

    @Test("of the owner is what it always was, so that what was sent before is found again")
    func ownersStay() throws {
        let hash = KeyedHash(label: "earshot idempotency v1", secret: device("alice").signingKey.seed)
        func bytes(_ label: StaticString, _ numbers: [UInt64]) -> [UInt8] {
            let whole = numbers.reduce(SignedBytes(label: label)) { $0.adding($1) }.adding(Array("order 7".utf8)).bytes
            return hash.digest(of: whole[...], count: EntryKey.count)
        }
        #expect(keys.key("order 7", place: 3).bytes == bytes("earshot idempotency key v1", [3]))
        #expect(
            keys.key("order 7", place: 3, recipient: 2).bytes == bytes("earshot idempotency recipient v1", [2, 3]))
    }

    @Test("is read as it was written, and stands behind all that earlier versions know")
    func written() throws {
        let key = keys.key("order 7", place: 0)
        let body = EntryBody(
            timestamp: HybridTimestamp(milliseconds: 5), expiry: 9, content: .text("hello", headers: [:]), key: key)
        #expect(try EntryBody(decoding: body.encoded()) == body)
        let without = EntryBody(timestamp: body.timestamp, expiry: 9, content: body.content).encoded()
        #expect(body.encoded() == without + [4 << 3 | 2, 16] + key.bytes)
        #expect(try Array(Earshot_V2_EntryBody(serializedBytes: body.encoded()).key) == key.bytes)
    }

    @Test("is nothing to a reader if it has another length", arguments: [0, 1, 15, 17, 40])
    func otherLength(count: Int) throws {
        let decoded = try EntryBody(decoding: body([UInt8](repeating: 7, count: count)))
        #expect(decoded.key == nil && decoded.content == .text("hello", headers: [:]))
    }
}
