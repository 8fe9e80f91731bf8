import NIOCore
import NIOHTTP1

/// Reads the requests of a connection.
struct RequestReader {
    private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

    init(_ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>) { self.parts = parts.makeAsyncIterator() }

    /// The next request. If its body is announced to be too long, it is returned before the body has come.
    /// - Returns: `nil` at the end of the connection.
    mutating func next() async throws -> (head: HTTPRequestHead, body: Request.Body)? {
        while let part = try await parts.next() {
            switch part {
            case .head(let head): return try await body(of: head).map { (head, $0) }
            // The rest of a body that was too long.
            case .body, .end: continue
            }
        }
        return nil
    }

    /// Skips what the client still sends, until it closes the connection.
    mutating func skipAll() async throws {
        while try await parts.next() != nil {}
    }

    private mutating func body(of head: HTTPRequestHead) async throws -> Request.Body? {
        let announced = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        guard announced <= GatewayLimits.bodyBytes else { return .tooLong }
        var body = ByteBuffer()
        while let part = try await parts.next() {
            switch part {
            case .head: return nil
            case .body(var piece):
                guard body.readableBytes + piece.readableBytes <= GatewayLimits.bodyBytes else { return .tooLong }
                body.writeBuffer(&piece)
            case .end: return .bytes(body)
            }
        }
        return nil
    }
}
