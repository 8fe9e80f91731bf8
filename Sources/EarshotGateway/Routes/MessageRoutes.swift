import Earshot

/// Messages: sending them, their states, taking them back, and erasing their contents.
struct MessageRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .post("/v1/messages", SendRequest.self, scope: .send) { try await send($0, $1) },
            .get("/v1/messages/{message}") { try .json(await representer.message(try await message(of: $0))) },
            .post("/v1/messages/{message}/cancel", scope: .send) { try await cancel($0) },
            .post("/v1/messages/erase", EraseRequest.self, scope: .all) { try await erase($1) },
        ]
    }

    private func send(_ request: Request, _ body: SendRequest) async throws -> Response {
        let key = try request.idempotencyKey()
        let recipientID = try await node.users.recipient(body.to, idempotencyKey: key)
        try request.access.check(sendingTo: [recipientID])
        let message = try await node.messages.send(try body.draft(), to: recipientID, idempotencyKey: key)
        return try .created(await representer.message(message))
    }

    /// - Returns: the message, which has now failed as cancelled.
    private func cancel(_ request: Request) async throws -> Response {
        let message = try await message(of: request)
        try request.access.check(sendingTo: message.recipientIDs)
        try await node.messages.cancel(message.messageID)
        return try .json(await representer.message(try await node.messages.message(message.messageID)))
    }

    private func erase(_ body: EraseRequest) async throws -> Response {
        var messageIDs: [MessageID] = []
        for text in body.messages { messageIDs.append(try await node.messageID(text)) }
        let erasure = try await node.messages.erase(messageIDs)
        var messages: [Message] = []
        for messageID in messageIDs { messages.append(try await node.messages.message(messageID)) }
        return try .json(
            GatewayDeletedMessages(
                messages: await representer.messages(messages), isOverwritten: erasure.isOverwritten))
    }

    private func message(of request: Request) async throws -> Message {
        try await node.messages.message(try await node.messageID(try request.parameter("message")))
    }
}
