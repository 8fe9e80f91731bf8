import Earshot
import Foundation
import NIOCore
import NIOHTTP1

extension Request {
    /// Reads the JSON body.
    /// - Throws: `GatewayError` `invalidUTF8` or `invalidRequest`.
    func json<Body: RequestBody>(_ type: Body.Type) throws(GatewayError) -> Body {
        guard body.readableBytes > 0 else { throw GatewayError(.invalidRequest, "the request has no body") }
        // A decoder would repair bytes that are not UTF-8, and so send something other than what was written.
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw GatewayError(.invalidUTF8, "the body is not valid UTF-8")
        }
        return try Body(JSONValue(parsing: text))
    }

    /// - Throws: `GatewayError` `invalidRequest` if there is a body.
    func checkEmpty() throws(GatewayError) {
        guard body.readableBytes == 0 else {
            throw GatewayError(.invalidRequest, "\(method.rawValue) \(Excerpt.of(path)) takes no body")
        }
    }

    /// A segment of the path that the route leaves open, percent-decoded.
    /// - Throws: `GatewayError` `invalidUTF8`.
    func parameter(_ name: String) throws(GatewayError) -> String {
        guard let text = parameters[name]?.removingPercentEncoding else {
            throw GatewayError(.invalidUTF8, "the path is not percent-encoded UTF-8")
        }
        return text
    }

    /// - Throws: `GatewayError` `invalidRequest` for an item that is not among these, that stands twice, or that is not
    ///   percent-encoded UTF-8.
    func checkQuery(allowing names: [String]) throws(GatewayError) {
        var seen: Set<String> = []
        for item in query {
            guard let name = item.name, item.value != nil else {
                throw GatewayError(.invalidUTF8, "the query is not percent-encoded UTF-8")
            }
            guard names.contains(name) else {
                let list = names.isEmpty ? "it has none" : "there are: \(names.sorted().joined(separator: ", "))"
                throw GatewayError(
                    .invalidRequest, "the query has no item \"\(Excerpt.of(name))\"; \(list)",
                    .init(name: Excerpt.of(name), suggestions: Nearest.to(name, among: names)))
            }
            guard seen.insert(name).inserted else {
                throw GatewayError(.invalidRequest, "the item \"\(name)\" stands twice in the query", .init(name: name))
            }
        }
    }

    /// What names the messages of a call (`Idempotency-Key`); `nil` without it.
    /// - Throws: `GatewayError` `invalidRequest` for two of them, or one of another length than 1 to
    ///   `Limits.idempotencyKeyBytes`.
    func idempotencyKey() throws(GatewayError) -> String? {
        let values = headers["idempotency-key"]
        guard values.count <= 1 else {
            throw GatewayError(
                .invalidRequest, "a request has at most one Idempotency-Key", .init(name: "Idempotency-Key"))
        }
        // Whether a recipient is known does not matter: the key is wrong for each of them.
        guard values.first.map({ (1...Limits.idempotencyKeyBytes).contains($0.utf8.count) }) ?? true else {
            throw GatewayError(
                .invalidRequest, "an Idempotency-Key has 1 to \(Limits.idempotencyKeyBytes) bytes",
                .init(name: "Idempotency-Key"))
        }
        return values.first
    }
}

extension Node {
    /// The message whose id a text is or abbreviates.
    /// - Throws: `GatewayError` `invalidRequest`; `EarshotError` `unknownMessage`, `ambiguousMessage`.
    func messageID(_ text: String) async throws -> MessageID {
        guard MessageID(text) != nil || ShortMessageID(text) != nil else {
            throw GatewayError(
                .invalidRequest, "\"\(Excerpt.of(text))\" is not the id of a message",
                .init(.notAMessageID))
        }
        return try await messages.id(text)
    }
}
