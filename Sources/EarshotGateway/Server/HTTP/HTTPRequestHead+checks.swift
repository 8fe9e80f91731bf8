import Earshot
import NIOHTTP1

extension HTTPRequestHead {
    /// Checks what must hold before the body is read.
    /// - Throws: `GatewayError` `invalidRequest`.
    func check() throws(GatewayError) {
        // RFC 9112, section 3.2: a proxy and a server must not disagree about whom a request is for.
        let hosts = headers["host"].count
        guard hosts == 1 else {
            throw GatewayError(.invalidRequest, "a request has one Host header, and this one has \(hosts)")
        }
        let codings = headers["transfer-encoding"]
        if let coding = codings.first {
            guard codings.count == 1, coding.lowercased() == "chunked", !headers.contains(name: "content-length") else {
                throw GatewayError(
                    .invalidRequest, "the only transfer encoding is chunked, and without Content-Length")
            }
        }
        for expectation in headers["expect"] where expectation.lowercased() != "100-continue" {
            throw GatewayError(.invalidRequest, "the only expectation is 100-continue")
        }
    }

    /// Checks that a body which is read into the memory is not announced to be too long.
    /// - Throws: `GatewayError` `tooLarge`.
    func checkLength() throws(GatewayError) {
        let announced = headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        guard announced <= GatewayLimits.bodyBytes else { throw .tooLongBody }
    }

    /// Whether the client waits to be told to send the body (RFC 9110, section 10.1.1).
    var awaitsContinue: Bool { version != .http1_0 && headers.contains(name: "expect") }

    /// Whether another request may follow. After a request for another protocol nothing is parsed.
    var staysOpen: Bool { isKeepAlive && method != .CONNECT && !headers.contains(name: "upgrade") }
}

extension GatewayError {
    /// More than `GatewayLimits.bodyBytes`.
    static let tooLongBody = GatewayError(
        .tooLarge, "the body of a request is at most \(GatewayLimits.bodyBytes) bytes",
        .init(limit: GatewayLimits.bodyBytes))

    /// An error of the parser; `nil` for one that repeats it.
    /// - Parameter isInBody: whether the head was sound.
    init?(parser error: any Error, isInBody: Bool) {
        guard let error = error as? HTTPParserError else { return nil }
        switch error {
        case .headerOverflow where isInBody:
            self.init(.invalidRequest, "the body is followed by too many trailers")
        case .headerOverflow:
            self.init(
                .headersTooLarge,
                "the headers are at most \(GatewayLimits.headerBytes) bytes in \(GatewayLimits.headerFields) fields",
                .init(limit: GatewayLimits.headerBytes))
        case .invalidEOFState: self.init(.invalidRequest, "the connection ended in the middle of the request")
        default: self.init(.invalidRequest, "this is no HTTP/1.1: \(error.debugDescription)")
        }
    }
}
