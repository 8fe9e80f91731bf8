import Earshot

/// What happens on the node, as it happens.
struct EventRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [.get("/v1/events", query: ["names"], isHeld: true) { try events($0) }]
    }

    private func events(_ request: Request) throws -> Response {
        let feed = EventFeed(node.events, names: try EventNames(request).names)
        return Response(EventStream(feed: feed, representer: representer))
    }
}
