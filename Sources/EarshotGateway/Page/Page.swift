import NIOCore
import NIOHTTP1

/// The page: files that everybody on this machine may read, and what a browser is to allow them.
enum Page {
    /// - Parameter path: as in the request, percent-encoded, without the query.
    /// - Returns: `nil` for what is no file of the page.
    static func file(at path: String) -> PageFile? {
        PageFile.all[path == "/" ? "index.html" : String(path.dropFirst())]
    }

    /// Whether a request may be answered without a session: for a file, for a login, or where a tab asks the node to prove
    /// itself.
    static func isOpen(_ head: HTTPRequestHead) -> Bool {
        let path = String(head.uri.prefix { $0 != "?" })
        return switch head.method {
        case .GET, .HEAD: file(at: path) != nil || path == "/v1/session"
        case .POST: path == "/v1/login"
        default: false
        }
    }

    /// - Returns: `nil` for what is no request for a file.
    static func response(to request: Request) -> Response? {
        guard [.GET, .HEAD].contains(request.method), let file = file(at: request.path) else { return nil }
        var response = Response(
            status: .ok, contentType: file.contentType, body: ByteBuffer(string: file.text))
        response.headers.add(name: "cache-control", value: "no-cache")
        return response
    }

    /// What every answer on the page's port says (W3C Content Security Policy Level 3; Trusted Types).
    static let headers: HTTPHeaders = [
        "content-security-policy": [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
            "connect-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; "),
        "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
    ]
}
