import Earshot

/// Messages: sending them, their states, taking them back, and erasing their contents.
struct MessageRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .post("/v1/messages", SendRequest.self, scope: .send) { try await send($0, $1) },
            .get("/v1/messages/{message}") { try .json(await representer.message(try await message(of: $0))) },
            .post("/v1/messages/{message}/cancel", scope: .send) { try await cancel($0) },
            .post("/v1/messages/{message}/reply", ReplyToRequest.self, scope: .send) { try await reply($0, $1) },
            .post("/v1/messages/{message}/edit", EditRequest.self, scope: .send) { try await edit($0, $1) },
            .post("/v1/messages/{message}/retract", scope: .send) { try await retract($0) },
            .post("/v1/messages/{message}/react", ReactRequest.self, scope: .send) { try await react($0, $1) },
            .post("/v1/messages/erase", EraseRequest.self, scope: .all) { try await erase($1) },
        ]
    }

    private func send(_ request: Request, _ body: SendRequest) async throws -> Response {
        let key = try request.idempotencyKey()
        let recipientID = try await node.users.recipient(body.to, idempotencyKey: key)
        try request.access.check(sendingTo: [recipientID])
        var draft = try body.draft()
        draft.mentions = try await node.users.ids(body.mentions ?? [])
        let message: Message
        if let session = try body.session?.read() {
            message = try await node.messages.send(
                draft, in: session.id, summary: session.summary, to: recipientID, idempotencyKey: key)
        } else {
            message = try await node.messages.send(draft, to: recipientID, idempotencyKey: key)
        }
        return try .created(await representer.message(message))
    }

    /// - Returns: the message, which has now failed as cancelled.
    private func cancel(_ request: Request) async throws -> Response {
        let message = try await message(of: request)
        try request.access.check(sendingTo: message.recipientIDs)
        try await node.messages.cancel(message.messageID)
        return try .json(await representer.message(try await node.messages.message(message.messageID)))
    }

    private func reply(_ request: Request, _ body: ReplyToRequest) async throws -> Response {
        let messageID = try await writable(request)
        var draft = try body.draft()
        draft.mentions = try await node.users.ids(body.mentions ?? [])
        let reply = try await node.messages.reply(
            draft, to: messageID, idempotencyKey: try request.idempotencyKey())
        return try .created(await representer.message(reply))
    }

    private func edit(_ request: Request, _ body: EditRequest) async throws -> Response {
        let message = try await node.messages.edit(try await writable(request), body.text)
        return try .json(await representer.message(message))
    }

    private func retract(_ request: Request) async throws -> Response {
        try .json(await representer.message(try await node.messages.retract(try await writable(request))))
    }

    private func react(_ request: Request, _ body: ReactRequest) async throws -> Response {
        let messageID = try await writable(request)
        let message =
            body.remove == true
            ? try await node.messages.unreact(body.emoji, to: messageID)
            : try await node.messages.react(body.emoji, to: messageID)
        return try .json(await representer.message(message))
    }

    /// The message of a request, if the request may write to its conversation.
    private func writable(_ request: Request) async throws -> MessageID {
        let message = try await message(of: request)
        try request.access.check(
            sendingTo: message.senderID == node.userID ? message.recipientIDs : [message.senderID])
        return message.messageID
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
