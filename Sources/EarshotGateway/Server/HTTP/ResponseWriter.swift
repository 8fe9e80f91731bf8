import Foundation
import NIOCore
import NIOHTTP1

/// Writes responses to a connection.
struct ResponseWriter {
    let connection: OpenConnection
    let outgoing: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// Tells the client to send the body of its request.
    func writeContinue() async throws {
        try await outgoing.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
    }

    /// Writes a response, and returns when the system has taken all of it.
    ///
    /// - Parameters:
    ///   - request: the head of the request that is answered; `nil` if it could not be read.
    ///   - closes: whether it is the last response on the connection.
    func write(_ response: Response, to request: HTTPRequestHead?, closes: Bool = true) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: response.status, headers: response.headers)
        head.headers.add(name: "date", value: Self.date())
        if closes { head.headers.add(name: "connection", value: "close") }
        switch response.body {
        case .bytes(let body):
            try await write(head, request?.method == .HEAD ? ByteBuffer() : body)
            try await end()
        case .pieces(let next):
            // Not the connection itself, which keeps this.
            connection.breakOff { [channel = connection.channel] in channel.close(promise: nil) }
            try await outgoing.write(.head(head))
            while request?.method != .HEAD, let piece = try await Self.piece(next) {
                try await outgoing.write(.body(.byteBuffer(piece)))
            }
            try await end()
        case .events(let stream):
            // The stream has begun before this head is written, so nothing is missed.
            defer { stream.finish() }
            connection.cutShort { stream.finish() }
            try await outgoing.write(.head(head))
            try await stream.write { try await outgoing.write(.body(.byteBuffer($0))) }
            try await end()
        }
    }

    private static func piece(_ next: () async throws -> ByteBuffer?) async throws(UnreadableBody) -> ByteBuffer? {
        do { return try await next() } catch { throw UnreadableBody(cause: error) }
    }

    /// Writes a head and a body in pieces, each of which waits until the client has read most of those before it.
    private func write(_ head: HTTPResponseHead, _ body: ByteBuffer) async throws {
        var (body, parts) = (body, [HTTPServerResponsePart.head(head)])
        repeat {
            if let piece = body.readSlice(length: min(body.readableBytes, GatewayLimits.unsentBytes)) {
                parts.append(.body(.byteBuffer(piece)))
            }
            try await outgoing.write(contentsOf: parts)
            parts = []
        } while body.readableBytes > 0
    }

    /// Ends a response. Until the system has all of it, the connection must not be closed, nor its place be given away.
    private func end() async throws {
        try await withTaskCancellationHandler {
            try await connection.channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
        } onCancel: {
            connection.close()
        }
    }

    /// The current time (RFC 9110, section 5.6.7).
    private static func date() -> String {
        var (now, parts) = (time(nil), tm())
        gmtime_r(&now, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let day = parts.tm_mday < 10 ? "0\(parts.tm_mday)" : "\(parts.tm_mday)"
        return "\(days[Int(parts.tm_wday)]), \(day) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year) "
            + time.joined(separator: ":") + " GMT"
    }
}

/// What a response sends cannot be read to its end. Its length is known to the client, which sees that some is missing.
struct UnreadableBody: Error {
    let cause: any Error
}
