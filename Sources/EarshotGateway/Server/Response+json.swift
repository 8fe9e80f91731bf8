import Foundation
import Hummingbird
import NIOCore

extension Response {
    static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder.gateway().encode(body))))
    }
}

extension JSONEncoder {
    /// Equal values give equal text: the fields are in the order of their names.
    static func gateway() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
