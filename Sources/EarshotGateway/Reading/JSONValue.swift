import Earshot

/// A JSON text (RFC 8259) as it was written: nothing in it was repaired, and nothing was left out.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number's text, which has JSON's grammar.
    case number(String)
    case text(String)
    case list([JSONValue])
    /// Each name stands once.
    case object([String: JSONValue])

    /// What it is, in an error's words.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }

    /// - Throws: `GatewayError` `invalidRequest`, with the line and the column of the first fault.
    init(parsing text: String) throws(GatewayError) {
        var parser = JSONParser(Array(text.utf8))
        do { self = try parser.text() } catch {
            throw GatewayError(.invalidRequest, "the body is not JSON: \(error)")
        }
    }
}

/// Reads a JSON text byte by byte.
struct JSONParser {
    /// What is wrong, and where.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// How deep lists and objects may stand in each other. No request needs more than a few levels.
    static let depth = 16

    private let bytes: [UInt8]
    private var position = 0

    /// - Parameter bytes: valid UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func text() throws(Fault) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw fault("something follows the end of the text") }
        return value
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        guard depth <= Self.depth else { throw fault("it is nested more than \(Self.depth) deep") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .list(try list(depth: depth))
        case UInt8(ascii: "\""): return .text(try string())
        case let byte? where isDigit(byte) || byte == UInt8(ascii: "-"): return .number(try number())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case nil: throw fault("it ends where a value should stand")
        default: throw fault("no value begins here")
        }
    }

    private mutating func object(depth: Int) throws(Fault) -> [String: JSONValue] {
        position += 1
        var fields: [String: JSONValue] = [:]
        skipSpace()
        if take("}") { return fields }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else {
                throw fault(
                    next == UInt8(ascii: "}") ? "a comma stands before }" : "the name of a field should stand here")
            }
            let start = position
            let name = try string()
            skipSpace()
            guard take(":") else { throw fault("a colon should stand here") }
            let value = try value(depth: depth + 1)
            guard fields.updateValue(value, forKey: name) == nil else {
                position = start
                throw fault("the field \"\(Excerpt.of(name))\" stands twice in one object")
            }
            skipSpace()
            if take("}") { return fields }
            guard take(",") else { throw fault("a comma or } should stand here") }
        }
    }

    private mutating func list(depth: Int) throws(Fault) -> [JSONValue] {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return values }
        while true {
            skipSpace()
            if next == UInt8(ascii: "]") { throw fault("a comma stands before ]") }
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return values }
            guard take(",") else { throw fault("a comma or ] should stand here") }
        }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(Fault) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw fault("no value begins here") }
        position += word.utf8.count
        return value
    }

    private mutating func number() throws(Fault) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(Fault) {
        guard isDigit(next) else { throw fault("a digit should stand here") }
        while isDigit(next) { position += 1 }
    }

    private func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private mutating func string() throws(Fault) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw fault("a control character must be escaped in a text")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw fault("it ends within a text")
    }

    private mutating func escape() throws(Fault) -> Character {
        position += 1
        guard let byte = next else { throw fault("it ends within a text") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try scalar())
        default:
            position -= 1
            throw fault("there is no such escape")
        }
    }

    /// What follows `\u`: one unit of UTF-16, or a pair of surrogates.
    private mutating func scalar() throws(Fault) -> Unicode.Scalar {
        let start = position
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        if (0xd800..<0xdc00).contains(first), take("\\"), take("u") {
            let second = try unit()
            if (0xdc00..<0xe000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
            {
                return scalar
            }
        }
        position = start
        throw fault("half of a pair of surrogates stands alone")
    }

    private mutating func unit() throws(Fault) -> UInt32 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
            let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw fault("four hexadecimal digits should stand here") }
        position += 4
        return unit
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
    }

    private func fault(_ words: String) -> Fault {
        let before = bytes[..<position]
        let line = before.count { $0 == 0x0a } + 1
        let lineStart = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
        // Columns count characters, not the bytes of UTF-8 that continue one.
        let column = bytes[lineStart..<position].count { $0 & 0xc0 != 0x80 } + 1
        return Fault(description: "\(words) (line \(line), column \(column))")
    }
}
