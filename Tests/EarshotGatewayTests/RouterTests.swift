import Earshot
import NIOCore
import NIOHTTP1
import Testing

@testable import EarshotGateway

@Suite("The router of the local API")
struct RouterTests {
    private static let router = Router(routes: [
        .get("/things", query: ["limit", "a", "b"]) { .named("all \($0.query("b") ?? "")") },
        .get("/things/special") { _ in .named("special") },
        .delete("/things/{thing}", scope: .all) { _ in .named("gone") },
        .get("/things/{thing}") { .named("one \(try $0.parameter("thing"))") },
        .post("/things/{thing}/of/{owner}", scope: .send) {
            .named("\(try $0.parameter("thing")) of \(try $0.parameter("owner"))")
        },
        .post("/things", Thing.self, scope: .send) { .named($1.name) },
    ])

    private struct Thing: RequestBody {
        let name: String

        init(_ fields: inout JSONFields) throws(GatewayError) { name = try fields.required("name", .text) }
    }

    /// - Returns: the name of the route that answers, and what stands in its open places.
    private func answer(
        _ method: HTTPMethod, _ target: String, body: String = "", access: Access = .owner
    ) async throws -> String? {
        let request = Request(method: method, target: target, body: ByteBuffer(string: body), access: access)
        return try await Self.router.respond(to: request).headers.first(name: "content-type")
    }

    private func error(
        _ method: HTTPMethod, _ target: String, body: String = "", access: Access = .owner
    ) async -> GatewayError? {
        await #expect(throws: GatewayError.self) { try await answer(method, target, body: body, access: access) }
    }

    @Test(
        "finds a route by method and path, and decodes what stands in the open places",
        arguments: [
            ("/things", "all "), ("/things?limit=1", "all "), ("/things/special", "special"),
            ("/things/7", "one 7"), ("/things/a%2Fb%20c", "one a/b c"), ("http://node/things/7?", "one 7"),
        ])
    func found(target: String, name: String) async throws {
        #expect(try await answer(.GET, target) == name)
    }

    @Test("takes a path without open places before one with them, for every method")
    func literal() async {
        #expect(await error(.DELETE, "/things/special")?.parameters.suggestions == ["GET"])
        #expect(await error(.POST, "/things/special")?.code == .methodNotAllowed)
    }

    @Test("fills several open places")
    func several() async throws {
        #expect(try await answer(.POST, "/things/7/of/bob") == "7 of bob")
    }

    @Test(
        "names the nearest path for one that is not there",
        arguments: [
            ("", "/things"), ("/", "/things"), ("/thinks", "/things"), ("/Things", "/things"), ("/things/", "/things"),
            ("/things/7/of", "/things/{thing}/of/{owner}"), ("/things/7/off/bob", "/things/{thing}/of/{owner}"),
            ("http://node", "/things"),
        ])
    func nearest(target: String, path: String) async {
        let error = await error(.GET, target)
        #expect(error?.code == .unknownEndpoint)
        #expect(error?.message.hasSuffix("the nearest is \(path)") == true, "\(error?.message ?? "")")
        #expect(error?.parameters.suggestions == [path])
    }

    @Test("compares no path that is very long")
    func longPath() async {
        let error = await error(.GET, "/" + String(repeating: "x", count: 100_000))
        #expect(error?.code == .unknownEndpoint)
        #expect((error?.message.utf8.count ?? 0) < 300)
    }

    @Test("says which methods a path has where it does not have the one that was asked for")
    func methods() async throws {
        let error = try #require(await error(.PUT, "/things"))
        #expect(error.code == .methodNotAllowed)
        #expect(error.parameters.suggestions == ["GET", "POST"])
        let response = Response(error)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers["allow"] == ["GET, POST"])
    }

    @Test("refuses an open place that is not percent-encoded UTF-8")
    func invalid() async {
        #expect(await error(.GET, "/things/%ff")?.code == .invalidUTF8)
    }

    @Test("decodes the items of a query as forms encode them")
    func query() async throws {
        #expect(try await answer(.GET, "/things?a=1&b=x%26+y%2B&limit") == "all x& y+")
        #expect(try await answer(.GET, "/things?%62=4&&") == "all 4")
    }

    @Test("refuses a query item by its name, and says which was probably meant")
    func unknownItem() async {
        let error = await error(.GET, "/things?limt=1")
        #expect(error?.message == #"the query has no item "limt"; there are: a, b, limit"#)
        #expect(error?.parameters.name == "limt" && error?.parameters.suggestions == ["limit"])
        #expect(await self.error(.GET, "/things/7?x=1")?.message == #"the query has no item "x"; it has none"#)
    }

    @Test(
        "refuses a query item that stands twice or cannot be decoded",
        arguments: [("a=1&a=2", "invalidRequest"), ("a=%ff", "invalidUTF8"), ("%ff=1", "invalidUTF8")])
    func badItem(query: String, code: String) async {
        #expect(await error(.GET, "/things?\(query)")?.code.description == code)
    }

    @Test("gives a route with a body what it reads, and refuses a body where none belongs")
    func bodies() async throws {
        #expect(try await answer(.POST, "/things", body: #"{"name":"chair"}"#) == "chair")
        #expect(await error(.POST, "/things")?.message == "the request has no body")
        #expect(await error(.GET, "/things", body: "{}")?.message == "GET /things takes no body")
        #expect(await error(.POST, "/things/7/of/bob", body: "{}")?.code == .invalidRequest)
    }

    @Test("lets nobody use a route that needs another scope than theirs")
    func scopes() async throws {
        #expect(
            try await answer(.GET, "/things/7", access: Access(token: .init(id: "x", name: "x"), [.read])) == "one 7")
        #expect(
            try await answer(
                .POST, "/things/7/of/bob", access: Access(token: .init(id: "x", name: "x"), [.read, .send]))
                == "7 of bob")
        #expect(
            try await answer(.POST, "/things/7/of/bob", access: Access(token: .init(id: "x", name: "x"), [.all]))
                == "7 of bob")
        let error = await error(.POST, "/things/7/of/bob", access: Access(token: .init(id: "x", name: "x"), [.read]))
        #expect(error?.code == .forbidden)
        #expect(error?.message == "the token's scope is read, and this needs send")
    }
}

extension Response {
    fileprivate static func named(_ name: String) -> Response { Response(status: .ok, contentType: name) }
}
