import NIOHTTP1
import Testing

@testable import EarshotGateway

@Suite("The router of the local API")
struct RouterTests {
    /// - Returns: the name of the route that answers, and what stands in its open places.
    private func answer(_ method: HTTPMethod, _ target: String) async throws -> String? {
        var router = Router()
        router.on(.GET, "things") { _ in .named("all") }
        router.on(.GET, "things/special") { _ in .named("special") }
        router.on(.GET, "things/{thing}") { .named("one \(try $0.parameter("thing"))") }
        router.on(.POST, "things/{thing}/of/{owner}") {
            .named("\(try $0.parameter("thing")) of \(try $0.parameter("owner"))")
        }
        return try await router.respond(to: Request(method: method, target: target))?.headers.first(
            name: "content-type")
    }

    @Test(
        "finds a route by method and path, and decodes what stands in the open places",
        arguments: [
            ("/things", "all"), ("/things/", "all"), ("/things?limit=1", "all"), ("/things/special", "special"),
            ("/things/7", "one 7"), ("/things/a%2Fb%20c", "one a/b c"), ("http://node/things/7?x", "one 7"),
        ])
    func found(target: String, name: String) async throws {
        #expect(try await answer(.GET, target) == name)
    }

    @Test("fills several open places")
    func several() async throws {
        #expect(try await answer(.POST, "/things/7/of/bob") == "7 of bob")
    }

    @Test(
        "finds none for another path or another method", arguments: ["", "/", "/other", "/things/7/of", "http://node"])
    func none(target: String) async throws {
        #expect(try await answer(.GET, target) == nil)
        #expect(try await answer(.POST, "/things") == nil)
    }

    @Test("refuses an open place that is not percent-encoded UTF-8")
    func invalid() async throws {
        await #expect { try await answer(.GET, "/things/%ff") } throws: { ($0 as? GatewayError)?.code == .invalidUTF8 }
    }

    @Test("gives the first field of the query with a name, decoded")
    func query() {
        let request = Request(method: .GET, target: "/things?a=1&b=x%26y&a=2&c&%64=4&=5")
        #expect(request.query("a") == "1")
        #expect(request.query("b") == "x&y")
        #expect(request.query("c") == "")
        #expect(request.query("d") == "4")
        #expect(request.query("e") == nil)
    }
}

extension Response {
    fileprivate static func named(_ name: String) -> Response { Response(status: .ok, contentType: name) }
}
