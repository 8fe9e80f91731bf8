import Earshot
import NIOHTTP1

/// What happens on the node, as it happens, and what the journal says about before.
struct EventRoutes: RouteGroup {
    let node: Node
    let feed: EventFeed

    var routes: [Route] {
        [
            .get("/v1/events", query: ["names", "after", "count"], scope: .anybody, isHeld: true) {
                try await events($0)
            }
        ]
    }

    /// With the scope `draft` alone, a token hears of its own drafts and of nothing else.
    private func events(_ request: Request) async throws -> Response {
        let hearing = try request.access.hearing()
        let asked = try EventNames(request).names
        let names = hearing.isWhole ? asked : asked.filter(\.isOfDraft)
        let known = try request.lastEventID()
        let count = try request.number("count", in: 1...GatewayLimits.countedEvents)
        let start = if let known { known } else { try await node.journal.latest() }
        return Response(
            EventStream(feed: feed, node: node, names: names, after: start, count: count, hearing: hearing))
    }
}

extension Request {
    /// The last event that the client knows: what it says when it connects anew (WHATWG HTML, section 9.2.4), or else
    /// `after`.
    /// - Throws: `GatewayError` `invalidRequest`.
    fileprivate func lastEventID() throws(GatewayError) -> EventID? {
        let header = headers.first(name: "last-event-id").flatMap { $0.isEmpty ? nil : $0 }
        let named = (try eventID(header, "Last-Event-ID"), try eventID(query("after"), "after"))
        return named.0 ?? named.1
    }

    private func eventID(_ text: String?, _ name: String) throws(GatewayError) -> EventID? {
        guard let text else { return nil }
        guard let id = EventID(text) else {
            throw GatewayError(
                .invalidRequest, "\"\(Excerpt.of(text))\" is not the id of an event", .init(name: name))
        }
        return id
    }
}
