import Earshot
import Hummingbird

/// All endpoints of version 1.
func makeRouter(for node: Node) -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    router.add(middleware: ErrorMiddleware())
    let endpoints = Endpoints(node: node)
    // The path where programs that collect metrics look. The text has a version of its own.
    router.get("metrics") { _, _ in try await endpoints.metrics() }
    router.group("v1")
        .get("status") { _, _ in try await endpoints.status() }
        .get("diagnosis") { _, _ in try await endpoints.diagnosis() }
        .get("users") { _, _ in try await endpoints.users() }
        .get("users/{user}") { _, context in try await endpoints.user(context) }
        .post("users/{user}/trust") { try await endpoints.trust($0, $1) }
        .get("users/{user}/safety-number") { _, context in try await endpoints.safetyNumber(context) }
        .post("messages") { request, _ in try await endpoints.send(request) }
        .get("messages/{message}") { _, context in try await endpoints.message(context) }
        .delete("messages/{message}") { _, context in try await endpoints.cancel(context) }
        .delete("messages/{message}/content") { _, context in try await endpoints.deleteContent(context) }
        .post("messages/delete-contents") { request, _ in try await endpoints.deleteContents(request) }
        .delete("conversations/{user}/contents") { _, context in try await endpoints.deleteContents(context) }
        .get("conversations/{user}/messages") { try await endpoints.history($0, $1) }
        .post("conversations/{user}/read") { try await endpoints.markRead($0, $1) }
        .get("events") { request, _ in try endpoints.events(request) }
    return router
}

/// Each endpoint reads the request, asks the node, and represents the answer.
struct Endpoints: Sendable {
    let node: Node

    private var representer: Representer { Representer(node: node) }

    func status() async throws -> Response { try .json(GatewayStatus(await node.status())) }

    /// The node's metrics, in Prometheus' text format.
    func metrics() async throws -> Response {
        guard let text = await node.metricsText() else {
            throw GatewayError(
                .unknownEndpoint,
                "the node's program has given it metrics of its own: they are where that program writes them")
        }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    func diagnosis() async throws -> Response { try .json(await node.findings().map { GatewayFinding($0) }) }

    func users() async throws -> Response { try .json(await node.users.all.map { GatewayUser($0) }) }

    func user(_ context: BasicRequestContext) async throws -> Response {
        try .json(GatewayUser(try await user(of: context)))
    }

    /// - Returns: the user as they are now.
    func trust(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let body = try await request.json(TrustRequest.self)
        let (decision, name) = (try body.read(), try body.expectedName())
        let user = try await user(of: context)
        return try .json(GatewayUser(try await node.users.decide(decision, about: user.userID, named: name)))
    }

    func safetyNumber(_ context: BasicRequestContext) async throws -> Response {
        let user = try await user(of: context)
        return try .json(
            GatewaySafetyNumber(user: GatewayUser(user), number: node.users.safetyNumber(with: user.userID)))
    }

    func send(_ request: Request) async throws -> Response {
        let body = try await request.json(SendRequest.self)
        let recipient = try await node.users.named(body.to)
        let message = try await node.messages.send(try body.draft(), to: recipient.userID)
        return try .json(await representer.message(message), status: .created)
    }

    func message(_ context: BasicRequestContext) async throws -> Response {
        let messageID = try MessageID(reading: try context.parameter("message"))
        return try .json(await representer.message(try await node.messages.message(messageID)))
    }

    /// - Returns: the message, which has now failed as cancelled.
    func cancel(_ context: BasicRequestContext) async throws -> Response {
        let messageID = try MessageID(reading: try context.parameter("message"))
        try await node.messages.cancel(messageID)
        return try .json(await representer.message(try await node.messages.message(messageID)))
    }

    /// - Returns: the message, without its content.
    func deleteContent(_ context: BasicRequestContext) async throws -> Response {
        let messageID = try MessageID(reading: try context.parameter("message"))
        try await node.messages.erase([messageID])
        return try .json(await representer.message(try await node.messages.message(messageID)))
    }

    func deleteContents(_ request: Request) async throws -> Response {
        let messageIDs = try await request.json(DeleteContentsRequest.self).messages.map { try MessageID(reading: $0) }
        let deletion = try await node.messages.erase(messageIDs)
        var messages: [Message] = []
        for messageID in messageIDs { messages.append(try await node.messages.message(messageID)) }
        return try .json(
            GatewayDeletedMessages(
                messages: await representer.messages(messages), isOverwritten: deletion.isOverwritten))
    }

    func deleteContents(_ context: BasicRequestContext) async throws -> Response {
        let conversation = node.conversations.direct(with: try await user(of: context).userID)
        return try .json(GatewayDeletion(try await conversation.eraseContents()))
    }

    func history(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let query = try HistoryQuery(request)
        let conversation = node.conversations.direct(with: try await user(of: context).userID)
        let messages = try await conversation.history(query.page, order: query.order, limit: query.limit)
        return try .json(await representer.messages(messages))
    }

    func markRead(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let messageID = try MessageID(reading: try await request.json(ReadRequest.self).upTo)
        let peer = try await user(of: context)
        let message = try await node.messages.message(messageID)
        guard message.conversationID == node.conversations.direct(with: peer.userID).conversationID else {
            throw GatewayError(.unknownMessage, "the conversation with \(peer.name) has no message \(messageID)")
        }
        try await node.messages.markRead(messageID)
        return Response(status: .noContent)
    }

    func events(_ request: Request) throws -> Response {
        let names = try EventNames(request).names
        let feed = EventFeed(node.events, names: names)
        return EventStream(feed: feed, representer: representer).response(to: request)
    }

    private func user(of context: BasicRequestContext) async throws -> User {
        try await node.users.named(try context.parameter("user"))
    }
}
