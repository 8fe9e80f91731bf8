import Earshot

/// Conversations and their histories. A conversation is named by its id, and a direct one also by its user.
struct ConversationRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/conversations", query: ["before", "limit"]) { try await list($0) },
            .post("/v1/conversations", ConversationRequest.self, scope: .send) { try await begin($0, $1) },
            .get("/v1/advertised") { _ in
                try .json(await representer.advertised(await node.conversations.advertised))
            },
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
            .get("/v1/conversations/{conversation}/participants", query: ParticipantsQuery.items) {
                try await participants($0)
            },
            .post("/v1/conversations/{conversation}/join", scope: .send) { request in
                try await answer(request) { try await $0.join() }
            },
            .post("/v1/conversations/{conversation}/leave", scope: .send) { request in
                try await answer(request) { try await $0.leave() }
            },
        ] + governance
    }

    /// What the owner of a private conversation decides.
    private var governance: [Route] {
        [
            .post("/v1/conversations/{conversation}/invite", InviteRequest.self, scope: .all) { request, body in
                let userIDs = try await node.users.ids(body.users)
                return try await answer(request) { try await $0.invite(userIDs) }
            },
            .post("/v1/conversations/{conversation}/remove", ParticipantRequest.self, scope: .all) { request, body in
                let userID = try await node.users.recipient(body.user)
                return try await answer(request) { try await $0.remove(userID) }
            },
            .post("/v1/conversations/{conversation}/hand-over", ParticipantRequest.self, scope: .all) { request, body in
                let userID = try await node.users.recipient(body.user)
                return try await answer(request) { try await $0.handOver(to: userID) }
            },
            .post("/v1/conversations/{conversation}/update", ConversationUpdateRequest.self, scope: .all) {
                let update = $1
                return try await answer($0) {
                    try await $0.update(friendlyName: update.friendlyName, attributes: update.attributes)
                }
            },
            .post("/v1/conversations/{conversation}/close", scope: .all) { request in
                try await answer(request) { try await $0.close() }
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
        let messages = try await conversation(of: request).history(
            query.page, order: query.order, limit: query.limit, includingBlocked: query.includesBlocked)
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
        try request.access.check(sendingTo: conversation.destination)
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
        try request.access.check(sendingTo: conversation.destination)
        try await conversation.setTyping(body.isTyping)
        return .done
    }

    private func begin(_ request: Request, _ body: ConversationRequest) async throws -> Response {
        switch try body.readKind() {
        case .private: try await create(request, body)
        case .open, .direct: try await join(request, body)
        }
    }

    /// Begins a private conversation, which no token can have been limited to.
    private func create(_ request: Request, _ body: ConversationRequest) async throws -> Response {
        try request.access.check(.all)
        let draft = ConversationDraft(
            uniqueName: body.uniqueName, friendlyName: body.friendlyName ?? "", attributes: body.attributes ?? "",
            givesHistory: body.givesHistory ?? false, invited: try await node.users.ids(body.invite ?? []))
        let conversations = node.conversations
        let conversation =
            try await body.orGet == true ? conversations.getOrCreate(draft) : conversations.create(draft)
        let summary = try await node.conversations.summary(of: conversation.conversationID)
        return try .created(await representer.conversation(summary))
    }

    /// Joins an open conversation, which begins with that if nobody was first.
    private func join(_ request: Request, _ body: ConversationRequest) async throws -> Response {
        let conversation = try await node.conversations.open(named: body.uniqueName)
        try request.access.check(sendingTo: conversation.destination)
        try await node.conversations.join(named: body.uniqueName, isAdvertised: body.isAdvertised ?? true)
        let summary = try await node.conversations.summary(of: conversation.conversationID)
        return try .created(await representer.conversation(summary))
    }

    /// - Returns: the conversation as it is after something was done to it.
    private func answer(
        _ request: Request, after act: (Conversation) async throws -> Void
    ) async throws -> Response {
        let conversation = try await conversation(of: request)
        try request.access.check(sendingTo: conversation.destination)
        try await act(conversation)
        let summary = try await node.conversations.summary(of: conversation.conversationID)
        return try .json(await representer.conversation(summary))
    }

    private func participants(_ request: Request) async throws -> Response {
        let query = try await ParticipantsQuery(request, of: node)
        let participants = try await conversation(of: request).participants(
            after: query.after, limit: query.limit, includingFormer: query.includesFormer)
        return try .json(await representer.participants(participants, as: request.access.token?.participantIdentifiers))
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
