import Earshot

extension Router {
    /// All routes of version 1. Each file beside this one has those of one resource.
    init(node: Node, feed: EventFeed, tokens: TokenBook, door: PageDoor, held: HeldRequests) {
        let groups: [any RouteGroup] = [
            NodeRoutes(node: node),
            UserRoutes(node: node),
            ProfileRoutes(node: node),
            ConversationRoutes(node: node),
            MessageRoutes(node: node),
            SearchRoutes(node: node),
            InboxRoutes(node: node),
            ScheduledRoutes(node: node),
            DraftRoutes(node: node),
            NotificationRoutes(node: node),
            FileRoutes(node: node),
            EventRoutes(node: node, feed: feed),
            DeviceRoutes(node: node),
            TokenRoutes(node: node, tokens: tokens),
            WebRoutes(node: node, door: door),
        ]
        self.init(routes: groups.flatMap(\.routes), held: held)
    }
}

/// The routes of one resource.
protocol RouteGroup: Sendable {
    var node: Node { get }
    var routes: [Route] { get }
}

extension RouteGroup {
    var representer: Representer { Representer(node: node) }

    /// What the one who asks may send: the keys that they give are their own.
    func messages(of request: Request) -> Messages { node.messages.of(token: request.access.program) }

    /// The user in the open place `{user}`.
    /// - Throws: `EarshotError` `unknownUser`, `ambiguousUser`; `GatewayError` `invalidUTF8`.
    func user(of request: Request) async throws -> User {
        try await node.users.other(named: try request.parameter("user"))
    }
}
