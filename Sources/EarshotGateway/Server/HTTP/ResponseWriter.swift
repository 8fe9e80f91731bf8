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

    /// - Parameters:
    ///   - request: the head of the request that is answered; `nil` if it could not be read.
    ///   - closes: whether it is the last response on the connection.
    func write(_ response: Response, to request: HTTPRequestHead?, closes: Bool = true) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: response.status, headers: response.headers)
        head.headers.add(name: "date", value: Self.date())
        if closes { head.headers.add(name: "connection", value: "close") }
        switch response.body {
        case .bytes(let body):
            var parts: [HTTPServerResponsePart] = [.head(head), .end(nil)]
            if body.readableBytes > 0, request?.method != .HEAD { parts.insert(.body(.byteBuffer(body)), at: 1) }
            try await outgoing.write(contentsOf: parts)
        case .events(let stream):
            // The feed has observed the bus since before this head is written, so nothing is missed.
            defer { stream.feed.finish() }
            connection.cutShort { stream.feed.finish() }
            try await outgoing.write(.head(head))
            try await stream.write { try await outgoing.write(.body(.byteBuffer($0))) }
            try await outgoing.write(.end(nil))
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
