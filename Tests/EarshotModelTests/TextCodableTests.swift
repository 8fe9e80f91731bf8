import EarshotModel
import Foundation
import Testing

/// Everything that programs store as a text. `InboxCursor` has its test where it is.
private let kinds: [any TextCodable & Hashable & Sendable] = {
    let log = LogID(Bytes32())
    do {
        return [
            UserID(Bytes32()), DeviceID(Bytes32()), ConversationID(Bytes32()), FileID(Bytes32()), log,
            MessageID(log: log, sequence: 12), EventID(generation: 0xAB, row: 3, index: 1),
            DraftID(EntryKey(high: 1, low: 2)), ScheduledMessageID(EntryKey(high: 3, low: 4)),
            SessionID(EntryKey(high: 5, low: 6)), PeerAddress(host: "fe80::1%eth0", port: 7410),
            try UserName("Zoë"), try WebLink("https://example.org/menu"),
            DeliveryState.delivered, DeliveryState.failed(.expired),
        ]
    } catch { preconditionFailure("\(error)") }
}()

@Suite("A value that programs store as its text")
struct TextCodableTests {
    @Test("is a single string in JSON, and is read again", arguments: kinds.indices)
    func value(index: Int) throws { try roundTrip(kinds[index]) }

    private func roundTrip<Value: TextCodable & Hashable>(_ value: Value) throws {
        let json = try JSONEncoder().encode([value])
        #expect(try JSONDecoder().decode([String].self, from: json) == [value.description])
        #expect(try JSONDecoder().decode([Value].self, from: json) == [value])
        #expect(try Value.reading(value.description) == value)
    }

    @Test("is a string also as the key of a dictionary", arguments: kinds.indices)
    func key(index: Int) throws { try roundTripAsKey(kinds[index]) }

    private func roundTripAsKey<Value: TextCodable & Hashable>(_ value: Value) throws {
        let json = try JSONEncoder().encode([value: 1])
        #expect(try JSONDecoder().decode([String: Int].self, from: json) == [value.description: 1])
        #expect(try JSONDecoder().decode([Value: Int].self, from: json) == [value: 1])
    }

    @Test(
        "is refused with a sentence where the text is another", arguments: kinds.indices, ["", "no\u{0}thing @", "0-0"])
    func garbage(index: Int, text: String) throws { try refuse(text, as: kinds[index]) }

    private func refuse<Value: TextCodable & Hashable>(_ text: String, as value: Value) throws {
        // It may be a name.
        if Value.self == UserName.self, text == "0-0" { return }
        let json = try JSONEncoder().encode([text])
        #expect {
            try JSONDecoder().decode([Value].self, from: json)
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return !context.debugDescription.isEmpty && !context.debugDescription.contains("EarshotModel")
        }
        #expect(throws: EarshotError.self) { try Value.reading(text) }
        let keys = try JSONEncoder().encode([text: 1])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Value: Int].self, from: keys) }
    }

    @Test("says what it is not")
    func sentence() {
        #expect {
            try MessageID(parsing: "12")
        } throws: { error in
            (error as? EarshotError)?.code == .invalidIdentifier
                && "\(error)" == "\"12\" is not the text of a MessageID"
        }
    }

    @Test("may be the state of a message, with why it failed", arguments: FailureReason.allCases)
    func failures(reason: FailureReason) {
        #expect(DeliveryState("failed(\(reason.rawValue))") == .failed(reason))
        #expect(DeliveryState("\(DeliveryState.failed(reason))") == .failed(reason))
    }
}
