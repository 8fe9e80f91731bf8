import Earshot
import Testing

@testable import EarshotGateway

@Suite("JSON in the body of a request")
struct JSONTests {
    @Test(
        "is read as it was written",
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("false", .bool(false)),
            ("0", .number("0")), ("-0.5e+3", .number("-0.5e+3")),
            ("18446744073709551616", .number("18446744073709551616")),
            (#""a\"\\\/\b\f\n\r\t""#, .text("a\"\\/\u{8}\u{c}\n\r\t")), (#""\u00e9\ud83d\udc4b""#, .text("é👋")),
            (#""\u0000""#, .text("\0")), ("\"\u{7f}é👋\"", .text("\u{7f}é👋")),
            ("[]", .list([])), ("[1, [true] ]", .list([.number("1"), .list([.bool(true)])])),
            ("{}", .object([:])), (#"{"a":1,"":{"a":null}}"#, .object(["a": .number("1"), "": .object(["a": .null])])),
        ] as [(String, JSONValue)])
    func read(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(
        "is refused if it is none, with the place of the fault",
        arguments: [
            ("", "it ends where a value should stand (line 1, column 1)"),
            ("{\"a\":1,}", "a comma stands before } (line 1, column 8)"),
            ("[1,\n 2,\n]", "a comma stands before ] (line 3, column 1)"),
            (#"{"é":1,"é":2}"#, #"the field "é" stands twice in one object (line 1, column 8)"#),
            (#"{"a":1,"\u0061":2}"#, #"the field "a" stands twice in one object (line 1, column 8)"#),
            ("{} {}", "something follows the end of the text (line 1, column 4)"),
            ("{a:1}", "the name of a field should stand here (line 1, column 2)"),
            (#"{"a" 1}"#, "a colon should stand here (line 1, column 6)"),
            (#"{"a":1 "b":2}"#, "a comma or } should stand here (line 1, column 8)"),
            ("[1 2]", "a comma or ] should stand here (line 1, column 4)"),
            ("{", "the name of a field should stand here (line 1, column 2)"),
            ("[", "it ends where a value should stand (line 1, column 2)"),
            ("01", "something follows the end of the text (line 1, column 2)"),
            ("1.", "a digit should stand here (line 1, column 3)"),
            ("-", "a digit should stand here (line 1, column 2)"),
            ("1e", "a digit should stand here (line 1, column 3)"),
            ("+1", "no value begins here (line 1, column 1)"), ("NaN", "no value begins here (line 1, column 1)"),
            ("nul", "no value begins here (line 1, column 1)"), ("// x\n1", "no value begins here (line 1, column 1)"),
            ("\u{feff}{}", "no value begins here (line 1, column 1)"),
            ("'a'", "no value begins here (line 1, column 1)"),
            ("\"a", "it ends within a text (line 1, column 3)"), ("\"a\\", "it ends within a text (line 1, column 4)"),
            ("\"a\nb\"", "a control character must be escaped in a text (line 1, column 3)"),
            (#""\x""#, "there is no such escape (line 1, column 3)"),
            (#""\u12g4""#, "four hexadecimal digits should stand here (line 1, column 4)"),
            (#""\ud800""#, "half of a pair of surrogates stands alone (line 1, column 4)"),
            (#""\ud800\n""#, "half of a pair of surrogates stands alone (line 1, column 4)"),
            (#""\ud800\ud800""#, "half of a pair of surrogates stands alone (line 1, column 4)"),
            (#""\udc00""#, "half of a pair of surrogates stands alone (line 1, column 4)"),
        ])
    func refused(text: String, fault: String) {
        let error = #expect(throws: GatewayError.self) { try JSONValue(parsing: text) }
        #expect(error?.message == "the body is not JSON: \(fault)")
    }

    @Test("is refused where it is nested deeper than any request")
    func depth() throws {
        let depth = JSONParser.depth
        _ = try JSONValue(parsing: String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        for text in [String(repeating: "[", count: 100_000), String(repeating: "{\"\":", count: 100_000)] {
            let error = #expect(throws: GatewayError.self) { try JSONValue(parsing: text) }
            #expect(error?.message.contains("nested more than \(depth) deep") == true)
        }
    }

    private struct Thing: RequestBody {
        let name: String
        let parts: [Part]?
        let sizes: [String: Double]?

        init(_ fields: inout JSONFields) throws(GatewayError) {
            name = try fields.required("name", .text)
            parts = try fields.optional("parts", .list(of: .object(Part.self)))
            sizes = try fields.optional("sizes", .dictionary(of: .number))
        }
    }

    private struct Part: RequestBody {
        let count: Int64
        let isNew: Bool?

        init(_ fields: inout JSONFields) throws(GatewayError) {
            count = try fields.required("count", .integer)
            isNew = try fields.optional("isNew", .bool)
        }
    }

    private func thing(_ text: String) throws -> Thing { try Thing(JSONValue(parsing: text)) }

    @Test("gives a body its fields, in any depth")
    func fields() throws {
        let thing = try thing(#"{"parts":[{"count":1},{"count":2.0,"isNew":true}],"name":"x","sizes":{"a":1.5}}"#)
        #expect(thing.name == "x" && thing.sizes == ["a": 1.5])
        #expect(thing.parts?.map(\.count) == [1, 2])
        #expect(thing.parts?.map(\.isNew) == [nil, true])
    }

    @Test(
        "that does not fit is refused, with the field's place",
        arguments: [
            ("null", "the body must be an object, and not null", nil),
            ("[]", "the body must be an object, and not a list", nil),
            ("{}", #"the field "name" is missing"#, "name"),
            (#"{"name":null}"#, #"the field "name" must be a text, and not null"#, "name"),
            (#"{"name":"x","sizes":{"a":"b"}}"#, #"the field "sizes.a" must be a number, and not a text"#, "sizes.a"),
            (#"{"name":"x","parts":{}}"#, #"the field "parts" must be a list, and not an object"#, "parts"),
            (#"{"name":"x","parts":[{"count":1},{}]}"#, #"the field "parts[1].count" is missing"#, "parts[1].count"),
            (
                #"{"name":"x","parts":[{"count":1.5}]}"#,
                #"the field "parts[0].count" must be a whole number, and not a number"#, "parts[0].count"
            ),
            (
                #"{"name":"x","parts":[{"count":1,"isnew":true}]}"#,
                #"there is no field "parts[0].isnew"; there are: count, isNew"#, "parts[0].isnew"
            ),
            (#"{"name":"x","colour":"red"}"#, #"there is no field "colour"; there are: name, parts, sizes"#, "colour"),
        ] as [(String, String, String?)])
    func unfit(text: String, message: String, name: String?) {
        let error = #expect(throws: GatewayError.self) { try thing(text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == message)
        #expect(error?.parameters.name == name)
    }

    @Test("with a mistyped field is told what was probably meant")
    func nearest() {
        let error = #expect(throws: GatewayError.self) { try thing(#"{"nmae":"x"}"#) }
        #expect(error?.message == #"the field "name" is missing"#)
        let other = #expect(throws: GatewayError.self) { try thing(#"{"name":"x","partS":[]}"#) }
        #expect(other?.parameters.suggestions == ["parts"])
    }
}
