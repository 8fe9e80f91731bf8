import Foundation
import NIOCore
import NIOHTTP1

/// A client's whole request.
struct Request: Sendable {
    enum Body: Sendable {
        case bytes(ByteBuffer)
        /// The body was longer than `GatewayLimits.bodyBytes`, and was not kept.
        case tooLong
    }

    let method: HTTPMethod
    /// The path as it came: percent-encoded, without the query.
    let path: String
    let body: Body
    private let query: Substring?
    /// The texts in the open places of the route, percent-encoded. The router fills them in.
    var parameters: [String: Substring] = [:]

    /// - Parameter target: the request target in origin-form or absolute-form (RFC 9112, section 3.2).
    init(method: HTTPMethod, target: String, body: Body = .bytes(ByteBuffer())) {
        self.method = method
        self.body = body
        let origin = Self.originForm(target)
        let parts = origin.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.count > 1 ? parts[1] : nil
    }

    private static func originForm(_ target: String) -> Substring {
        guard !target.hasPrefix("/"), let scheme = target.range(of: "://") else { return target[...] }
        let afterScheme = target[scheme.upperBound...]
        return afterScheme.firstIndex(of: "/").map { afterScheme[$0...] } ?? "/"
    }

    /// The first field of the query with a name, percent-decoded.
    func query(_ name: String) -> String? {
        for item in query?.split(separator: "&") ?? [] {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard Self.decoded(parts[0]) == name else { continue }
            return parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    /// Text that cannot be decoded stays as it came: no field accepts it.
    private static func decoded(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }
}
