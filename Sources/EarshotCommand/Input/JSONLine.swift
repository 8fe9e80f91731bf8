import Foundation

/// Why a line is refused.
struct LineError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
    /// What the line is about, if it names something.
    var id: String?

    init(_ description: String, id: String? = nil) {
        self.description = description
        self.id = id
    }

    init(_ error: any Error) {
        description =
            switch error {
            case DecodingError.keyNotFound(let key, _): "the field \"\(key.stringValue)\" is missing"
            case DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty,
                DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty:
                "the field \"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" is of the wrong type"
            default: "the line is not a JSON object"
            }
    }
}

struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// The fields of an object that has no others than these.
    func fields(_ names: [String]) throws -> KeyedDecodingContainer<AnyKey> {
        let fields = try container(keyedBy: AnyKey.self)
        if let unknown = fields.allKeys.map(\.stringValue).filter({ !names.contains($0) }).min() {
            throw LineError(
                "there is no field \"\(SafeText.line(unknown))\"; there are: \(names.joined(separator: ", "))")
        }
        return fields
    }
}

extension KeyedDecodingContainer<AnyKey> {
    func read<Value: Decodable>(_ name: String, _ type: Value.Type = Value.self) throws -> Value {
        try decode(type, forKey: AnyKey(stringValue: name))
    }

    func readIfPresent<Value: Decodable>(_ name: String, _ type: Value.Type = Value.self) throws -> Value? {
        guard contains(AnyKey(stringValue: name)) else { return nil }
        return try read(name, type)
    }
}

extension Decodable {
    /// Reads a line: one JSON object.
    /// - Throws: `LineError` with what is wrong.
    init(line: some Sequence<UInt8>) throws(LineError) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(line)) } catch let error as LineError {
            throw error
        } catch { throw LineError(error) }
    }
}
