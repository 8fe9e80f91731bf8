import Earshot
import Foundation
import NIOCore

extension Request {
    /// Reads a JSON body. Fields that the type does not know are ignored.
    /// - Throws: `GatewayError` `tooLarge`, `invalidUTF8` or `invalidRequest`.
    func json<Body: Decodable>(_ type: Body.Type) throws -> Body {
        guard case .bytes(let buffer) = body else {
            throw GatewayError(.tooLarge, "the body of a request is at most \(GatewayLimits.bodyBytes) bytes")
        }
        // The decoder would repair bytes that are not UTF-8, and so send something other than what was written.
        guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
            throw GatewayError(.invalidUTF8, "the body is not valid UTF-8")
        }
        do { return try JSONDecoder().decode(Body.self, from: Data(text.utf8)) } catch let error as DecodingError {
            throw GatewayError(.invalidRequest, error.sentence, cause: error)
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
}

extension MessageID {
    /// - Throws: `GatewayError` `invalidRequest`.
    init(reading text: String) throws(GatewayError) {
        guard let messageID = MessageID(text) else {
            throw GatewayError(
                .invalidRequest, "\"\(Excerpt.of(text))\" is not the id of a message",
                .init(.notAMessageID))
        }
        self = messageID
    }
}

extension DecodingError {
    /// What is wrong, for the one who wrote the JSON.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, _): "the field \"\(key.stringValue)\" is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the field \"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" is of the wrong type"
        case .dataCorrupted(let context): "the body is not JSON: \(context.debugDescription)"
        @unknown default: "the body cannot be read: \(self)"
        }
    }
}
