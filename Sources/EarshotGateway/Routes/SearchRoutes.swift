import Earshot
import Foundation

/// Searching the messages.
struct SearchRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/search", query: SearchRequest.items) { request in
                let search = try await SearchRequest(request, of: node)
                let found = try await node.messages.search(search.query, before: search.before, limit: search.limit)
                return try .json(await representer.messages(found))
            }
        ]
    }
}

/// What is searched for: `text`, `conversation`, `sender`, `since`, `until`, `before`, `limit`.
struct SearchRequest {
    static let items = ["text", "conversation", "sender", "since", "until", "before", "limit"]

    let query: SearchQuery
    let before: MessageID?
    let limit: Int

    /// - Throws: `GatewayError` `invalidRequest`; `EarshotError` for what is not there.
    init(_ request: Request, of node: Node) async throws {
        guard let text = request.query("text") else {
            throw GatewayError(.invalidRequest, "text says what is searched for", .init(name: "text"))
        }
        limit = try request.limit()
        before = if let id = request.query("before") { try await node.messageID(id) } else { nil }
        var query = SearchQuery(text)
        if let name = request.query("conversation") {
            query.conversationID = try await node.conversations.named(name).conversationID
        }
        // A key may be that of somebody who was never met.
        if let name = request.query("sender") { query.senderID = try await node.users.recipient(name) }
        query.since = try Self.time("since", request)
        query.until = try Self.time("until", request)
        self.query = query
    }

    private static func time(_ name: String, _ request: Request) throws(GatewayError) -> Date? {
        guard let text = request.query(name) else { return nil }
        guard let date = Timestamp.date(text) else {
            throw GatewayError(.invalidRequest, "\(name) is a time like 2026-01-31T09:30:00Z", .init(name: name))
        }
        return date
    }
}
