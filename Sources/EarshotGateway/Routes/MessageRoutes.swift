import Earshot
import NIOHTTP1

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
        switch body.to {
        case .one(let recipient): try await send(request, body, to: recipient)
        case .several(let recipients): try await send(request, body, to: recipients)
        }
    }

    private func send(_ request: Request, _ body: SendRequest, to recipient: String) async throws -> Response {
        let key = try request.idempotencyKey()
        let destination = try await messages(of: request).destination(recipient, idempotencyKey: key)
        try request.access.check(sendingTo: destination)
        let draft = try await draft(body.message, mentions: body.mentions)
        let message: Message
        if let session = try body.session?.read() {
            message = try await messages(of: request).send(
                draft, in: session.id, summary: session.summary,
                to: try await node.conversations.conversation(at: destination), idempotencyKey: key)
        } else {
            message = try await messages(of: request).send(draft, to: destination, idempotencyKey: key)
        }
        return try .created(Written(await representer.message(message)))
    }

    /// Each recipient has a result of their own, whatever becomes of the others.
    private func send(_ request: Request, _ body: SendRequest, to recipients: [String]) async throws -> Response {
        try Messages.check(recipientCount: recipients.count)
        guard body.session == nil else {
            throw GatewayError(
                .invalidRequest, "a session belongs to one conversation: send to one recipient", .init(name: "session"))
        }
        let key = try request.idempotencyKey()
        let draft = try await draft(body.message, mentions: body.mentions)
        // A wrong message is refused as a whole, whether or not a recipient is known.
        try draft.validate()
        var (found, failures): ([Int: Destination], [Int: GatewayError]) = ([:], [:])
        for (place, text) in recipients.enumerated() {
            do {
                let destination = try await messages(of: request).destination(text, at: place, idempotencyKey: key)
                try request.access.check(sendingTo: destination)
                found[place] = destination
            } catch { failures[place] = GatewayError(any: error) }
        }
        let sent = await messages(of: request).send(draft, to: found, idempotencyKey: key)
        var results: [GatewaySendResult] = []
        for (place, text) in recipients.enumerated() {
            switch sent[place] {
            case .success(let message)?:
                results.append(GatewaySendResult(to: text, message: await representer.message(message), error: nil))
            case .failure(let error)?: failures[place] = GatewayError(any: error)
            case nil: break
            }
            if let failure = failures[place] {
                results.append(GatewaySendResult(to: text, message: nil, error: ErrorResponse(failure).error))
            }
        }
        let status: HTTPResponseStatus = failures.isEmpty ? .created : .multiStatus
        return try .json(GatewaySendResults(results: results), status: status)
    }

    private func draft(_ body: MessageRequest, mentions: [String]?) async throws -> MessageDraft {
        var draft = try body.draft()
        draft.mentions = try await node.users.ids(mentions ?? [])
        return draft
    }

    /// - Returns: the message, which has now failed as cancelled.
    private func cancel(_ request: Request) async throws -> Response {
        let message = try await message(of: request)
        try request.access.check(sendingTo: node.destination(answering: message))
        try await node.messages.cancel(message.messageID)
        return try .json(await representer.message(try await node.messages.message(message.messageID)))
    }

    private func reply(_ request: Request, _ body: ReplyToRequest) async throws -> Response {
        let messageID = try await writable(request)
        let key = try request.idempotencyKey()
        let draft = try await draft(body.message, mentions: body.mentions)
        guard body.inPlace == true else {
            let reply = try await messages(of: request).reply(draft, to: messageID, idempotencyKey: key)
            return try .created(Written(await representer.message(reply)))
        }
        guard let key else {
            throw GatewayError(
                .invalidRequest, "what is said in place has an Idempotency-Key, which names the place",
                .init(name: "Idempotency-Key"))
        }
        let reply = try await messages(of: request).reply(draft, to: messageID, inPlace: key)
        return try .created(Written(await representer.message(reply)))
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
        try request.access.check(sendingTo: node.destination(answering: message))
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
