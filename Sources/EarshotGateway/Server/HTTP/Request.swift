import Foundation
import NIOCore
import NIOHTTP1

/// A client's whole request.
struct Request: Sendable {
    /// An item of the query, percent-decoded; `nil` where that is not possible.
    struct QueryItem: Sendable {
        let name: String?
        let value: String?
    }

    let method: HTTPMethod
    /// The path as it came: percent-encoded, without the query.
    let path: String
    let query: [QueryItem]
    let headers: HTTPHeaders
    var body: ByteBuffer
    /// What has taken in the body, where it is too large for the memory.
    var intake: Intake?
    /// What the client may do.
    let access: Access
    /// What it came over; `nil` if it did not come over HTTP.
    let connection: OpenConnection?
    /// The texts in the open places of the route, percent-encoded.
    private(set) var parameters: [String: Substring] = [:]

    /// - Parameter target: the request target in origin-form or absolute-form (RFC 9112, section 3.2).
    init(
        method: HTTPMethod, target: String, headers: HTTPHeaders = [:], body: ByteBuffer = ByteBuffer(),
        access: Access = .owner, connection: OpenConnection? = nil
    ) {
        self.method = method
        self.headers = headers
        self.body = body
        self.access = access
        self.connection = connection
        let parts = Self.originForm(target).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.dropFirst().flatMap { $0.split(separator: "&") }.map(QueryItem.init)
    }

    /// The same request, with what stands in the open places of its route.
    func filled(with parameters: [String: Substring]) -> Request {
        var request = self
        request.parameters = parameters
        return request
    }

    /// The item of the query with a name. The route has checked that there is at most one.
    func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    private static func originForm(_ target: String) -> Substring {
        guard !target.hasPrefix("/"), let scheme = target.range(of: "://") else { return target[...] }
        let afterScheme = target[scheme.upperBound...]
        return afterScheme.firstIndex(of: "/").map { afterScheme[$0...] } ?? "/"
    }
}

extension Request.QueryItem {
    /// As forms encode it (WHATWG URL, section 5.1): a plus sign is a space.
    fileprivate init(_ text: Substring) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = Self.decoded(parts[0])
        value = parts.count > 1 ? Self.decoded(parts[1]) : ""
    }

    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
