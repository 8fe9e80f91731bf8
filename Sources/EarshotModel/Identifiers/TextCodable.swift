/// A value that programs store as its text: a single string, also where it is the key of a dictionary.
package protocol TextCodable: CustomStringConvertible, Codable, CodingKeyRepresentable {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError`, whose message says what is wrong with the text.
    static func reading(_ text: String) throws(EarshotError) -> Self
}

extension TextCodable {
    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Reads the text.
    /// - Throws: `DecodingError` `dataCorrupted` for a text that is none of such a value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do { self = try Self.reading(text) } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "\(error)", underlyingError: error))
        }
    }

    /// The text, as a key.
    public var codingKey: any CodingKey { TextKey(text: description) }

    /// - Returns: `nil` for a key that is no text of such a value.
    public init?<Key: CodingKey>(codingKey: Key) {
        do { self = try Self.reading(codingKey.stringValue) } catch { return nil }
    }
}

/// A text that is none is a `nil` inside this package alone, and for a key of a dictionary (`CodingKeyRepresentable`).
/// Programs get an error (`init(parsing:)`), since a `nil` in place of an id would mean *everybody* or *from the beginning*.
package protocol TextReadable: TextCodable {
    init?(_ description: String)
}

extension TextReadable {
    package static func reading(_ text: String) throws(EarshotError) -> Self {
        guard let value = Self(text) else {
            throw EarshotError(.invalidIdentifier, "\(ShownText.quoted(text)) is not the text of a \(Self.self)")
        }
        return value
    }
}

private struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension MessageID: TextReadable {}
extension EventID: TextReadable {}
extension DraftID: TextReadable {}
extension ScheduledMessageID: TextReadable {}
extension SessionID: TextReadable {}
extension PeerAddress: TextReadable {}

extension UserName: TextCodable {
    package static func reading(_ text: String) throws(EarshotError) -> UserName { try UserName(text) }
}

extension WebLink: TextCodable {
    package static func reading(_ text: String) throws(EarshotError) -> WebLink { try WebLink(text) }
}

extension FailureReason: Codable {}

extension DeliveryState: TextReadable {
    /// Reads what `description` gives: `delivered`, `failed(expired)`.
    /// - Returns: `nil` for anything else.
    package init?(_ description: String) {
        let failures = FailureReason.allCases.map(DeliveryState.failed)
        let states: [DeliveryState] = [.queued, .sent, .delivered, .handled, .read] + failures
        guard let state = states.first(where: { $0.description == description }) else { return nil }
        self = state
    }
}
