import Earshot
import Foundation
import Hummingbird
import NIOCore

extension Request {
    /// Reads a JSON body of bounded size. Fields that the type does not know are ignored.
    /// - Throws: `GatewayError` `tooLarge`, `invalidUTF8` or `invalidRequest`.
    func json<Body: Decodable>(_ type: Body.Type) async throws -> Body {
        let tooLarge = GatewayError(
            .tooLarge, "the body of a request is at most \(GatewayLimits.bodyBytes) bytes")
        // Refuse at once, and not only when that much has come.
        if let announced = headers[.contentLength].flatMap({ Int($0) }), announced > GatewayLimits.bodyBytes {
            throw tooLarge
        }
        let buffer: ByteBuffer
        do { buffer = try await body.collect(upTo: GatewayLimits.bodyBytes) } catch is NIOTooManyBytesError {
            throw tooLarge
        }
        // The decoder would repair bytes that are not UTF-8, and so send something other than what was written.
        guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
            throw GatewayError(.invalidUTF8, "the body is not valid UTF-8")
        }
        do { return try JSONDecoder().decode(Body.self, from: Data(text.utf8)) } catch let error as DecodingError {
            throw GatewayError(.invalidRequest, error.sentence, cause: error)
        }
    }
}

extension BasicRequestContext {
    /// A segment of the path, percent-decoded.
    func parameter(_ name: String) throws -> String {
        guard let text = parameters.get(name)?.removingPercentEncoding else {
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
    /// What is wrong, for the author of the JSON.
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
