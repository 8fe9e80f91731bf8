import Earshot

/// Conversations and their histories. A conversation is named by its id, and a direct one also by its user.
struct ConversationRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/conversations", query: ["before", "limit"]) { try await list($0) },
            .get("/v1/conversations/{conversation}") { request in
                try .json(await representer.conversation(try await summary(of: request)))
            },
            .get("/v1/conversations/{conversation}/messages", query: HistoryQuery.items) { try await history($0) },
            .get("/v1/conversations/{conversation}/unread", query: ["limit", "after"]) { try await unread($0) },
            .post("/v1/conversations/{conversation}/read", ReadRequest.self, scope: .send) {
                try await markRead($0, $1)
            },
            .post("/v1/conversations/{conversation}/typing", TypingRequest.self, scope: .send) {
                try await setTyping($0, $1)
            },
            .post("/v1/conversations/{conversation}/erase", scope: .all) { request in
                try .json(GatewayDeletion(try await conversation(of: request).eraseContents()))
            },
        ]
    }

    private func list(_ request: Request) async throws -> Response {
        let before = try request.query("before").map { try ConversationID(reading: $0) }
        let summaries = try await node.conversations.list(before: before, limit: try request.limit())
        return try .json(await representer.conversations(summaries))
    }

    private func history(_ request: Request) async throws -> Response {
        let query = try await HistoryQuery(request, of: node)
        let messages = try await conversation(of: request).history(query.page, order: query.order, limit: query.limit)
        return try .json(await representer.messages(messages))
    }

    private func unread(_ request: Request) async throws -> Response {
        let conversation = try await conversation(of: request)
        var after: MessageID?
        if let text = request.query("after") { after = try await node.messageID(text) }
        return try .json(
            await representer.messages(try await conversation.unread(after: after, limit: try request.limit())))
    }

    /// Marks as seen a message and all that had arrived before it, or all that is here.
    private func markRead(_ request: Request, _ body: ReadRequest) async throws -> Response {
        let text = try body.read()
        let conversation = try await conversation(of: request)
        try request.access.check(sendingTo: [conversation.peerID])
        guard let text else {
            try await conversation.markAllRead()
            return .done
        }
        let messageID = try await node.messageID(text)
        guard try await node.messages.message(messageID).conversationID == conversation.conversationID else {
            throw GatewayError(.unknownMessage, "the conversation has no message \(messageID)")
        }
        try await node.messages.markRead(messageID)
        return .done
    }

    private func setTyping(_ request: Request, _ body: TypingRequest) async throws -> Response {
        let conversation = try await conversation(of: request)
        try request.access.check(sendingTo: [conversation.peerID])
        try await conversation.setTyping(body.isTyping)
        return .done
    }

    private func summary(of request: Request) async throws -> ConversationSummary {
        try await node.conversations.summary(of: try await conversation(of: request).conversationID)
    }

    private func conversation(of request: Request) async throws -> Conversation {
        try await node.conversations.named(try request.parameter("conversation"))
    }
}

extension ConversationID {
    /// - Throws: `GatewayError` `invalidRequest`.
    fileprivate init(reading text: String) throws(GatewayError) {
        guard let conversationID = ConversationID(text) else {
            throw GatewayError(.invalidRequest, "\"\(Excerpt.of(text))\" is not the id of a conversation")
        }
        self = conversationID
    }
}
