import Earshot
import Foundation

/// Why a line is refused.
struct LineError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    fileprivate init(_ error: any Error, in line: Data) {
        description =
            switch error {
            case DecodingError.keyNotFound(let key, let context):
                "the field \"\(Self.place(context.codingPath + [key]))\" is missing"
            case DecodingError.typeMismatch(let type, let context) where !context.codingPath.isEmpty,
                DecodingError.valueNotFound(let type, let context) where !context.codingPath.isEmpty:
                "the field \"\(Self.place(context.codingPath))\" must be \(Self.name(of: type))"
            case _ where line.isEmpty: "the line is empty"
            default: "the line is not a JSON object: \(Self.shown(String(decoding: line, as: UTF8.self)))"
            }
    }

    /// Where a value stands, such as `send[0].text`.
    private static func place(_ path: [any CodingKey]) -> String {
        let place = path.reduce("") { place, key in
            if let index = key.intValue { return "\(place)[\(index)]" }
            return place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)"
        }
        return shown(place)
    }

    private static func shown(_ text: String) -> String { SafeText.line(Excerpt.of(text)) }

    /// What JSON calls a type.
    private static func name(of type: Any.Type) -> String {
        if type == String.self { return "a text" }
        // The decoder names the type of the elements in several ways.
        return "\(type)".hasPrefix("Array") ? "a list" : "an object"
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
        let line = Data(line)
        do { self = try JSONDecoder().decode(Self.self, from: line) } catch let error as LineError {
            throw error
        } catch { throw LineError(error, in: line) }
    }
}
