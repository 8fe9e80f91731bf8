import NIOCore
import NIOHTTP1

/// Reads the requests of a connection.
struct RequestReader {
    private var parts: NIOAsyncChannelInboundStream<RequestPart>.AsyncIterator

    init(_ parts: NIOAsyncChannelInboundStream<RequestPart>) { self.parts = parts.makeAsyncIterator() }

    /// The head of the next request.
    /// - Returns: `nil` at the end of the connection.
    /// - Throws: `GatewayError` for what is no request.
    mutating func head() async throws -> HTTPRequestHead? {
        while let part = try await parts.next() {
            switch part {
            case .head(let head): return head
            case .fault(let error): throw error
            case .body, .end: continue
            }
        }
        return nil
    }

    /// The body of the request whose head came last.
    /// - Returns: `nil` if the connection ends.
    /// - Throws: `GatewayError` `tooLarge` as soon as it is too long; and for what is no request.
    mutating func body() async throws -> ByteBuffer? {
        var body = ByteBuffer()
        while let part = try await parts.next() {
            switch part {
            case .head: return nil
            case .body(var piece):
                guard body.readableBytes + piece.readableBytes <= GatewayLimits.bodyBytes else {
                    throw GatewayError.tooLongBody
                }
                body.writeBuffer(&piece)
            case .end: return body
            case .fault(let error): throw error
            }
        }
        return nil
    }

    /// Gives the body of the request whose head came last to what takes it in.
    /// - Parameter onPiece: called with each piece.
    /// - Returns: whether it came to its end; `false` if the connection ends.
    /// - Throws: `GatewayError` for what is no request, and what the intake throws.
    mutating func body(into intake: Intake, onPiece: () -> Void) async throws -> Bool {
        while let part = try await parts.next() {
            switch part {
            case .head: return false
            case .body(let piece):
                onPiece()
                try await intake.take(piece)
            case .end: return true
            case .fault(let error): throw error
            }
        }
        return false
    }

    /// Skips what the client still sends, until the connection ends.
    mutating func skipAll() async throws {
        while try await parts.next() != nil {}
    }
}
