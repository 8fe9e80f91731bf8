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
