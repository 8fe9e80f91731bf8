import Earshot
import NIOCore
import NIOHTTP1

extension Router {
    /// All endpoints of version 1.
    static func endpoints(of node: Node) -> Router {
        let endpoints = Endpoints(node: node)
        var router = Router()
        // The path where programs that collect metrics look. The text has a version of its own.
        router.on(.GET, "metrics") { _ in try await endpoints.metrics() }
        router.on(.GET, "v1/status") { _ in try await endpoints.status() }
        router.on(.GET, "v1/diagnosis") { _ in try await endpoints.diagnosis() }
        router.on(.GET, "v1/users") { _ in try await endpoints.users() }
        router.on(.GET, "v1/users/{user}") { try await endpoints.user($0) }
        router.on(.POST, "v1/users/{user}/trust") { try await endpoints.trust($0) }
        router.on(.GET, "v1/users/{user}/safety-number") { try await endpoints.safetyNumber($0) }
        router.on(.POST, "v1/messages") { try await endpoints.send($0) }
        router.on(.GET, "v1/messages/{message}") { try await endpoints.message($0) }
        router.on(.DELETE, "v1/messages/{message}") { try await endpoints.cancel($0) }
        router.on(.DELETE, "v1/messages/{message}/content") { try await endpoints.deleteContent($0) }
        router.on(.POST, "v1/messages/delete-contents") { try await endpoints.deleteContents($0) }
        router.on(.DELETE, "v1/conversations/{user}/contents") { try await endpoints.deleteConversation($0) }
        router.on(.GET, "v1/conversations/{user}/messages") { try await endpoints.history($0) }
        router.on(.POST, "v1/conversations/{user}/read") { try await endpoints.markRead($0) }
        router.on(.GET, "v1/events") { try endpoints.events($0) }
        return router
    }
}

/// Each endpoint reads the request, asks the node, and represents the answer.
struct Endpoints: Sendable {
    let node: Node

    private var representer: Representer { Representer(node: node) }

    func status() async throws -> Response { try .json(GatewayStatus(await node.status())) }

    /// What the node has measured, in Prometheus' text format.
    func metrics() async throws -> Response {
        guard let text = await node.metricsText() else {
            throw GatewayError(
                .unknownEndpoint,
                "the node's program has given it metrics of its own: they are where that program writes them")
        }
        return Response(
            status: .ok, contentType: "text/plain; version=0.0.4; charset=utf-8", body: ByteBuffer(string: text))
    }

    func diagnosis() async throws -> Response { try .json(await node.findings().map { GatewayFinding($0) }) }

    func users() async throws -> Response { try .json(await node.users.all.map { GatewayUser($0) }) }

    func user(_ request: Request) async throws -> Response {
        try .json(GatewayUser(try await user(of: request)))
    }

    /// - Returns: the user as they are now.
    func trust(_ request: Request) async throws -> Response {
        let body = try request.json(TrustRequest.self)
        let (decision, name) = (try body.read(), try body.expectedName())
        let user = try await user(of: request)
        return try .json(GatewayUser(try await node.users.decide(decision, about: user.userID, named: name)))
    }

    func safetyNumber(_ request: Request) async throws -> Response {
        let user = try await user(of: request)
        return try .json(
            GatewaySafetyNumber(user: GatewayUser(user), number: node.users.safetyNumber(with: user.userID)))
    }

    func send(_ request: Request) async throws -> Response {
        let body = try request.json(SendRequest.self)
        let recipient = try await node.users.named(body.to)
        let message = try await node.messages.send(try body.draft(), to: recipient.userID)
        return try .json(await representer.message(message), status: .created)
    }

    func message(_ request: Request) async throws -> Response {
        let messageID = try MessageID(reading: try request.parameter("message"))
        return try .json(await representer.message(try await node.messages.message(messageID)))
    }

    /// - Returns: the message, which has now failed as cancelled.
    func cancel(_ request: Request) async throws -> Response {
        let messageID = try MessageID(reading: try request.parameter("message"))
        try await node.messages.cancel(messageID)
        return try .json(await representer.message(try await node.messages.message(messageID)))
    }

    /// - Returns: the message, without its content.
    func deleteContent(_ request: Request) async throws -> Response {
        let messageID = try MessageID(reading: try request.parameter("message"))
        try await node.messages.erase([messageID])
        return try .json(await representer.message(try await node.messages.message(messageID)))
    }

    func deleteContents(_ request: Request) async throws -> Response {
        let messageIDs = try request.json(DeleteContentsRequest.self).messages.map { try MessageID(reading: $0) }
        let deletion = try await node.messages.erase(messageIDs)
        var messages: [Message] = []
        for messageID in messageIDs { messages.append(try await node.messages.message(messageID)) }
        return try .json(
            GatewayDeletedMessages(
                messages: await representer.messages(messages), isOverwritten: deletion.isOverwritten))
    }

    func deleteConversation(_ request: Request) async throws -> Response {
        let conversation = node.conversations.direct(with: try await user(of: request).userID)
        return try .json(GatewayDeletion(try await conversation.eraseContents()))
    }

    func history(_ request: Request) async throws -> Response {
        let query = try HistoryQuery(request)
        let conversation = node.conversations.direct(with: try await user(of: request).userID)
        let messages = try await conversation.history(query.page, order: query.order, limit: query.limit)
        return try .json(await representer.messages(messages))
    }

    func markRead(_ request: Request) async throws -> Response {
        let messageID = try MessageID(reading: try request.json(ReadRequest.self).upTo)
        let peer = try await user(of: request)
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
        return Response(EventStream(feed: feed, representer: representer))
    }

    private func user(of request: Request) async throws -> User {
        try await node.users.named(try request.parameter("user"))
    }
}
