import Earshot

/// The body of a request, which reads itself from the fields of a JSON object.
///
/// A field that no initializer asked for is unknown, and the request is refused by its name.
protocol RequestBody: Sendable {
    init(_ fields: inout JSONFields) throws(GatewayError)
}

/// The fields of one object in the body of a request.
struct JSONFields {
    /// Where the object stands in the body: `send[2]`; empty for the body itself.
    private let path: String
    private let values: [String: JSONValue]
    private var asked: Set<String> = []

    /// - Throws: `GatewayError` `invalidRequest` for anything but an object.
    fileprivate init(_ value: JSONValue, path: String) throws(GatewayError) {
        guard case .object(let values) = value else { throw JSONFields.wrong(value, at: path, instead: "an object") }
        self.values = values
        self.path = path
    }

    /// - Throws: `GatewayError` `invalidRequest` if the field is missing or of another type.
    mutating func required<Value>(_ name: String, _ type: JSONType<Value>) throws(GatewayError) -> Value {
        guard let value = try optional(name, type) else {
            throw GatewayError(
                .invalidRequest, "the field \"\(place(of: name))\" is missing", .init(name: place(of: name)))
        }
        return value
    }

    /// - Returns: `nil` if the field is left out.
    /// - Throws: `GatewayError` `invalidRequest` if it is of another type, or null.
    mutating func optional<Value>(_ name: String, _ type: JSONType<Value>) throws(GatewayError) -> Value? {
        asked.insert(name)
        guard let value = values[name] else { return nil }
        return try type.read(value, place(of: name))
    }

    /// - Throws: `GatewayError` `invalidRequest` if there is a field that nobody asked for.
    fileprivate func finish() throws(GatewayError) {
        guard let unknown = values.keys.filter({ !asked.contains($0) }).min() else { return }
        throw GatewayError(
            .invalidRequest,
            "there is no field \"\(Excerpt.of(place(of: unknown)))\"; there are: \(asked.sorted().joined(separator: ", "))",
            .init(name: Excerpt.of(place(of: unknown)), suggestions: Nearest.to(unknown, among: asked)))
    }

    private func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    fileprivate static func wrong(_ value: JSONValue, at path: String, instead: String) -> GatewayError {
        let subject = path.isEmpty ? "the body" : "the field \"\(Excerpt.of(path))\""
        return GatewayError(
            .invalidRequest, "\(subject) must be \(instead), and not \(value.kind)",
            .init(name: path.isEmpty ? nil : Excerpt.of(path)))
    }
}

extension RequestBody {
    /// Reads an object, and refuses what it does not know.
    /// - Parameter path: where it stands in the body.
    init(_ value: JSONValue, path: String = "") throws(GatewayError) {
        var fields = try JSONFields(value, path: path)
        self = try Self(&fields)
        try fields.finish()
    }
}

/// A type that a field may have, and how it is read.
struct JSONType<Value: Sendable>: Sendable {
    /// - Parameter path: where the value stands in the body.
    let read: @Sendable (_ value: JSONValue, _ path: String) throws(GatewayError) -> Value
}

extension JSONType where Value == String {
    static var text: JSONType {
        JSONType { value, path throws(GatewayError) in
            guard case .text(let text) = value else { throw JSONFields.wrong(value, at: path, instead: "a text") }
            return text
        }
    }
}

extension JSONType where Value == Bool {
    static var bool: JSONType {
        JSONType { value, path throws(GatewayError) in
            guard case .bool(let bool) = value else {
                throw JSONFields.wrong(value, at: path, instead: "true or false")
            }
            return bool
        }
    }
}

extension JSONType where Value == Double {
    static var number: JSONType {
        JSONType { value, path throws(GatewayError) in
            guard case .number(let text) = value, let number = Double(text) else {
                throw JSONFields.wrong(value, at: path, instead: "a number")
            }
            return number
        }
    }
}

extension JSONType where Value == Int64 {
    static var integer: JSONType {
        JSONType { value, path throws(GatewayError) in
            guard case .number(let text) = value, let number = Int64(text) ?? Double(text).flatMap(Int64.init(exactly:))
            else { throw JSONFields.wrong(value, at: path, instead: "a whole number") }
            return number
        }
    }
}

extension JSONType {
    static func list<Element>(of type: JSONType<Element>) -> JSONType where Value == [Element] {
        JSONType { value, path throws(GatewayError) in
            guard case .list(let values) = value else { throw JSONFields.wrong(value, at: path, instead: "a list") }
            var elements: [Element] = []
            for (index, value) in values.enumerated() { elements.append(try type.read(value, "\(path)[\(index)]")) }
            return elements
        }
    }

    static func dictionary<Element>(of type: JSONType<Element>) -> JSONType where Value == [String: Element] {
        JSONType { value, path throws(GatewayError) in
            guard case .object(let values) = value else {
                throw JSONFields.wrong(value, at: path, instead: "an object")
            }
            var elements: [String: Element] = [:]
            for (name, value) in values { elements[name] = try type.read(value, "\(path).\(name)") }
            return elements
        }
    }

    static func object(_ type: Value.Type) -> JSONType where Value: RequestBody {
        JSONType { value, path throws(GatewayError) in try Value(value, path: path) }
    }
}

/// What was probably meant.
enum Nearest {
    /// How many letters may be wrong.
    private static let tolerance = 2

    /// - Returns: the similar names, the most similar first.
    static func to(_ text: String, among names: some Collection<String>) -> [String] {
        let text = Excerpt.of(text).lowercased()
        return names.map { (EditDistance.between($0.lowercased(), text), $0) }
            .filter { $0.0 <= tolerance }.sorted { $0 < $1 }.map(\.1)
    }
}
