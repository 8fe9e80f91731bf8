import Earshot
import Foundation
import NIOCore
import NIOHTTP1

/// The answer to a client.
struct Response: Sendable {
    enum Body: Sendable {
        case bytes(ByteBuffer)
        case events(EventStream)
        /// A content of a known length, piece by piece; `nil` at its end.
        case pieces(@Sendable () async throws -> ByteBuffer?)
    }

    let status: HTTPResponseStatus
    var headers: HTTPHeaders
    let body: Body
    /// Of an answer in JSON, what of it those are told who may not read.
    private var untold: Untold?
    /// Gives back what the response holds, once it is written or the connection is lost.
    var release: (@Sendable () -> Void)?

    /// - Parameter contentType: the type of a body that is not a stream.
    init(status: HTTPResponseStatus, contentType: String? = nil, body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.body = .bytes(body)
        var headers: HTTPHeaders = [:]
        if let contentType { headers.add(name: "content-type", value: contentType) }
        // A 204 has none (RFC 9110, section 8.6).
        if status != .noContent { headers.add(name: "content-length", value: "\(body.readableBytes)") }
        self.headers = headers
    }

    init(_ events: EventStream) {
        status = .ok
        headers = ["content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store"]
        body = .events(events)
    }

    /// A content that is saved, and never shown in place.
    /// - Parameter name: what it is called where it is saved.
    init(byteCount: Int, name: SavedName? = nil, pieces: @escaping @Sendable () async throws -> ByteBuffer?) {
        status = .ok
        headers = [
            "content-type": "application/octet-stream", "content-length": "\(byteCount)",
            "content-disposition": "attachment", "cache-control": "no-store", "x-content-type-options": "nosniff",
        ]
        // RFC 6266, with the characters of RFC 8187.
        if let name {
            headers.replaceOrAdd(
                name: "content-disposition", value: "attachment; filename*=UTF-8''\(Self.encoded(name.description))")
        }
        body = .pieces(pieces)
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$&+-.^_`|~".utf8.contains(byte)
                }
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%\(digits.count == 1 ? "0" : "")\(digits)"
        }.joined()
    }

    /// A picture that was checked. A browser shows it, and takes it for nothing else.
    init(picture mediaType: String, byteCount: Int, pieces: @escaping @Sendable () async throws -> ByteBuffer?) {
        self.init(byteCount: byteCount, pieces: pieces)
        headers.replaceOrAdd(name: "content-type", value: mediaType)
        headers.replaceOrAdd(name: "content-disposition", value: "inline")
    }

    /// Lets a tab of the page know that its node answers.
    mutating func prove(to access: Access) {
        guard let proof = access.proof else { return }
        headers.replaceOrAdd(name: "authentication-info", value: SessionCredentials.answer(proof))
    }

    /// What is kept of an answer until it is known who is told.
    private struct Untold: Sendable {
        /// `nil` where nothing of it is told.
        let told: (any Encodable & Sendable)?
    }

    /// Something was made.
    static func created(_ body: some Encodable & Sendable) throws -> Response { try .json(body, status: .created) }

    /// It was done, and there is nothing to say about it.
    static let done = Response(status: .noContent)

    static func text(_ text: String, contentType: String) -> Response {
        Response(status: .ok, contentType: contentType, body: ByteBuffer(string: text))
    }

    static func json(_ body: some Encodable & Sendable, status: HTTPResponseStatus = .ok) throws -> Response {
        var response = try Response(status: status, encoding: body)
        response.untold = Untold(told: (body as? any ToldWithoutReading).map { $0.told })
        return response
    }

    private init(status: HTTPResponseStatus, encoding body: some Encodable) throws {
        self.init(
            status: status, contentType: "application/json; charset=utf-8",
            body: ByteBuffer(bytes: try JSONEncoder.gateway().encode(body)))
    }

    /// The response as somebody is told it. Here alone is decided what a call tells: who may read is told all of the answer,
    /// and others what `ToldWithoutReading` leaves of it; of any other answer in JSON that is nothing.
    func shown(to access: Access) throws -> Response {
        guard !access.mayRead, let untold else { return self }
        guard let told = untold.told else { return Response(status: status) }
        var response = try Response(status: status, encoding: told)
        response.release = release
        return response
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
