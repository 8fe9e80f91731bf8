import Earshot

/// Messages that programs prepare, and that a person sends or discards.
///
/// Whoever has not the scope `all` sees and changes only what was inserted with a token of its name.
struct DraftRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/drafts", query: ["conversation"], scope: .draft) { try await list($0) },
            .post("/v1/drafts", DraftRequest.self, scope: .draft) { try await insert($0, $1) },
            .get("/v1/drafts/{draft}", scope: .draft) {
                try .json(await representer.drafts([try await draft(of: $0)])[0])
            },
            .post("/v1/drafts/{draft}/edit", EditRequest.self, scope: .draft) { try await edit($0, $1) },
            .post("/v1/drafts/{draft}/send", scope: .send) { try await send($0) },
            .delete("/v1/drafts/{draft}", scope: .draft) { try await discard($0) },
        ]
    }

    private func list(_ request: Request) async throws -> Response {
        var drafts = await node.drafts.all().filter { request.access.mayUse($0) }
        if let name = request.query("conversation") {
            let conversation = try await node.conversations.named(name)
            drafts = drafts.filter { $0.conversationID == conversation.conversationID }
        }
        return try .json(await representer.drafts(drafts))
    }

    private func insert(_ request: Request, _ body: DraftRequest) async throws -> Response {
        let key = try request.idempotencyKey()
        let destination = try await messages(of: request).destination(body.to, idempotencyKey: key)
        try request.access.check(draftingTo: destination)
        var content = try body.message.draft()
        content.mentions = try await node.users.ids(body.mentions ?? [])
        let draft = try await node.drafts.of(token: request.access.program).insert(
            content, to: destination, by: try request.access.draftAuthor(body.insertedBy), idempotencyKey: key)
        return try .created(await representer.drafts([draft])[0])
    }

    private func edit(_ request: Request, _ body: EditRequest) async throws -> Response {
        let draft = try await node.drafts.update(try await draft(of: request).id, text: body.text)
        return try .json(await representer.drafts([draft])[0])
    }

    /// Who asks again after the draft was sent gets the same message.
    private func send(_ request: Request) async throws -> Response {
        let id: DraftID
        do {
            let draft = try await draft(of: request)
            try request.access.check(sendingTo: draft.destination)
            id = draft.id
        } catch let error as EarshotError where error.code == .unknownDraft {
            guard let whole = DraftID(try request.parameter("draft")), !request.access.isLimited else {
                throw error
            }
            id = whole
        }
        return try .created(Written(await representer.message(try await node.drafts.send(id))))
    }

    private func discard(_ request: Request) async throws -> Response {
        do { try await node.drafts.discard(try await draft(of: request).id) } catch let error as EarshotError
            where error.code == .unknownDraft
        {
            // One that was discarded before stays so.
            guard let id = DraftID(try request.parameter("draft")), !request.access.isLimited else {
                throw error
            }
            try await node.drafts.discard(id)
        }
        return .done
    }

    /// The draft in the open place `{draft}`. To whoever may not use it, there is none.
    /// - Throws: `EarshotError` `unknownDraft`, `ambiguousMessage`; `GatewayError` `invalidUTF8`.
    private func draft(of request: Request) async throws -> Draft {
        let access = request.access
        return try await node.drafts.draft(named: try request.parameter("draft")) { access.mayUse($0) }
    }
}

/// The body of `POST /v1/drafts`.
struct DraftRequest: RequestBody, Encodable {
    /// A user or a conversation, as a message names where it goes.
    let to: String
    let message: MessageRequest
    /// Users whom it is meant for in particular, each named as in `to`.
    var mentions: [String]?
    /// The name of the program, for those who show no token.
    var insertedBy: String?

    init(to: String, message: MessageRequest, insertedBy: String? = nil) {
        self.to = to
        self.message = message
        self.insertedBy = insertedBy
    }

    init(_ fields: inout JSONFields) throws(GatewayError) {
        to = try fields.required("to", .text)
        message = try MessageRequest(&fields)
        mentions = try fields.optional("mentions", .list(of: .text))
        insertedBy = try fields.optional("insertedBy", .text)
    }

    func encode(to encoder: any Encoder) throws {
        try message.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(to, forKey: .to)
        try container.encodeIfPresent(mentions, forKey: .mentions)
        try container.encodeIfPresent(insertedBy, forKey: .insertedBy)
    }

    private enum CodingKeys: String, CodingKey { case to, mentions, insertedBy }
}
