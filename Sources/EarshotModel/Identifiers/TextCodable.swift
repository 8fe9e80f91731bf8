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

    /// Reads the text, for a place that must not become *from the beginning* because its text was damaged.
    /// - Throws: `EarshotError` `invalidIdentifier` for a text that is none of such a value.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }

    /// The text, as a key.
    public var codingKey: any CodingKey { TextKey(text: description) }

    /// - Returns: `nil` for a key that is no text of such a value.
    public init?<Key: CodingKey>(codingKey: Key) {
        do { self = try Self.reading(codingKey.stringValue) } catch { return nil }
    }
}

extension TextCodable where Self: LosslessStringConvertible {
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

extension MessageID: TextCodable {}
extension EventID: TextCodable {}
extension DraftID: TextCodable {}
extension ScheduledMessageID: TextCodable {}
extension SessionID: TextCodable {}
extension PeerAddress: TextCodable {}

extension UserName: TextCodable {
    package static func reading(_ text: String) throws(EarshotError) -> UserName { try UserName(text) }
}

extension WebLink: TextCodable {
    package static func reading(_ text: String) throws(EarshotError) -> WebLink { try WebLink(text) }
}

extension FailureReason: Codable {}

extension DeliveryState: LosslessStringConvertible, TextCodable {
    /// Reads what `description` gives: `delivered`, `failed(expired)`.
    /// - Returns: `nil` for anything else.
    public init?(_ description: String) {
        let failures = FailureReason.allCases.map(DeliveryState.failed)
        let states: [DeliveryState] = [.queued, .sent, .delivered, .handled, .read] + failures
        guard let state = states.first(where: { $0.description == description }) else { return nil }
        self = state
    }
}
