import Earshot
import Foundation

/// The inbox: what arrived, for programs that read it under a name and answer as they acknowledge.
struct InboxRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/inbox", query: InboxQuery.items, isHeld: true) { try await receive($0) },
            .post("/v1/inbox/{consumer}", AcknowledgeRequest.self, scope: .read) { try await acknowledge($0, $1) },
            .post("/v1/inbox/{consumer}/fail", FailRequest.self, scope: .read) { try await fail($0, $1) },
            .get("/v1/consumers") { try .json(await inbox(for: $0).consumers().map { GatewayConsumer($0) }) },
            .post("/v1/consumers", ConsumerRequest.self, scope: .read) { try await make($0, $1) },
            .post("/v1/consumers/{consumer}/move", StartRequest.self, scope: .all) { request, body in
                try await inbox(for: request).moveConsumer(try request.parameter("consumer"), to: try body.start())
                return .done
            },
            .delete("/v1/consumers/{consumer}", scope: .all) { request in
                try await inbox(for: request).removeConsumer(try request.parameter("consumer"))
                return .done
            },
            .get("/v1/consumers/{consumer}/set-aside") { try await setAside($0) },
            .post("/v1/consumers/{consumer}/set-aside/{message}/again", scope: .all) { request in
                let messageID = try await node.messageID(try request.parameter("message"))
                try await inbox(for: request).handOutAgain(consumer: try request.parameter("consumer"), messageID)
                return .done
            },
        ]
    }

    /// The inbox as the one who sends a request may use it.
    private func inbox(for request: Request) -> Inbox {
        node.inbox.of(token: request.access.program, isLimited: request.access.isLimited)
    }

    private func receive(_ request: Request) async throws -> Response {
        let query = try InboxQuery(request)
        let batch = try await inbox(for: request).receive(
            consumer: query.consumer, limit: query.limit, wait: query.wait, includingAutomatic: query.includesAutomatic,
            attempts: query.attempts)
        return try .json(
            GatewayBatch(
                messages: await representer.messages(batch.messages), cursor: batch.cursor.description,
                cursors: batch.cursors.map(\.description)))
    }

    private func acknowledge(_ request: Request, _ body: AcknowledgeRequest) async throws -> Response {
        guard let cursor = InboxCursor(body.ack) else {
            throw GatewayError(
                .invalidRequest, "\"\(Excerpt.of(body.ack))\" is no place in the inbox", .init(name: "ack"))
        }
        let (consumer, sends) = (try request.parameter("consumer"), body.send ?? [])
        let inbox = inbox(for: request)
        let destinations = try await destinations(of: sends, consumer: consumer, through: cursor, in: inbox)
        var replies: [InboxReply] = []
        for (index, send) in sends.enumerated() {
            try await Self.about(index) {
                let answered = try await send.answered(by: node)
                let isDraft = send.isDraft ?? false
                if let destination = destinations[index] {
                    try Self.check(request, mayWriteTo: destination, isDraft: isDraft)
                } else if let answered {
                    let message = try await node.messages.message(answered)
                    try Self.check(request, mayWriteTo: node.destination(answering: message), isDraft: isDraft)
                }
                replies.append(try await send.reply(to: destinations[index], answering: answered, of: node))
            }
        }
        for edit in body.edit ?? [] {
            let messageID = try await node.messageID(edit.message)
            try await check(request, mayWriteAbout: messageID)
            replies.append(.edit(messageID, edit.text))
        }
        for reaction in body.react ?? [] {
            let messageID = try await node.messageID(reaction.message)
            try await check(request, mayWriteAbout: messageID)
            replies.append(.react(reaction.emoji, to: messageID, isRemoved: reaction.remove ?? false))
        }
        let messages = try await inbox.acknowledge(
            consumer: consumer, through: cursor, sending: replies)
        return try .json(GatewayAcknowledgement(messages: await representer.messages(messages)))
    }

    private static func check(
        _ request: Request, mayWriteTo destination: Destination, isDraft: Bool
    ) throws(GatewayError) {
        if isDraft {
            try request.access.check(draftingTo: destination)
        } else {
            try request.access.check(sendingTo: destination)
        }
    }

    /// - Throws: `GatewayError` `forbidden` unless the request may write into the conversation of a message.
    private func check(_ request: Request, mayWriteAbout messageID: MessageID) async throws {
        let message = try await node.messages.message(messageID)
        try request.access.check(sendingTo: node.destination(answering: message))
    }

    /// Where each message goes; `nil` for one that goes into the conversation of the message that it answers. The
    /// acknowledgement may repeat an earlier one: if a text names nobody or several users by now, the message goes where
    /// it went then.
    private func destinations(
        of sends: [ReplyRequest], consumer: String, through cursor: InboxCursor, in inbox: Inbox
    ) async throws -> [Destination?] {
        var (found, unresolved): ([Destination?], [Int: EarshotError]) = ([], [:])
        for (index, send) in sends.enumerated() {
            guard let recipient = send.to else {
                found.append(nil)
                continue
            }
            do throws(EarshotError) { found.append(try await node.conversations.destination(recipient)) } catch {
                guard Conversations.unresolved.contains(error.code) else { throw error.about(index: index) }
                unresolved[index] = error
                found.append(nil)
            }
        }
        if unresolved.isEmpty { return found }
        var names: [Inbox.ReplyName] = []
        for (index, send) in sends.enumerated() {
            try await Self.about(index) {
                let answering = try await send.answered(by: node)
                names.append(Inbox.ReplyName(answering: answering, idempotencyKey: send.idempotencyKey))
            }
        }
        let known = try await inbox.destinations(of: names, consumer: consumer, through: cursor)
        for (index, error) in unresolved.sorted(by: { $0.key < $1.key }) {
            guard let destination = known[index] else { throw error.about(index: index) }
            found[index] = destination
        }
        return found
    }

    private static func about(_ index: Int, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as EarshotError {
            throw error.about(index: index)
        } catch let error as GatewayError {
            throw error.about(index: index)
        }
    }

    private func fail(_ request: Request, _ body: FailRequest) async throws -> Response {
        let isSetAside = try await inbox(for: request).fail(
            consumer: try request.parameter("consumer"), try await node.messageID(body.message), reason: body.reason)
        return try .json(GatewayFailureNoted(isSetAside: isSetAside))
    }

    private func make(_ request: Request, _ body: ConsumerRequest) async throws -> Response {
        let inbox = inbox(for: request)
        try await inbox.makeConsumer(body.name, from: try body.start.start())
        return try .created(GatewayConsumer(try await inbox.consumer(body.name)))
    }

    private func setAside(_ request: Request) async throws -> Response {
        let found = try await inbox(for: request).setAside(consumer: try request.parameter("consumer"))
        let messages = await representer.messages(found.map(\.message))
        return try .json(
            zip(found, messages).map { aside, message in
                GatewaySetAside(
                    message: message, reason: aside.reason,
                    time: Timestamp.text(aside.date))
            })
    }
}

// MARK: - Requests

/// What is asked of the inbox: `consumer`, `limit`, `wait` in seconds, `automatic` and `attempts`.
struct InboxQuery {
    static let items = ["consumer", "limit", "wait", "automatic", "attempts"]
    /// The longest wait, in seconds.
    static let longestWait = 300
    private static let mostAttempts = 1000

    let consumer: String
    let limit: Int
    let wait: Duration
    let includesAutomatic: Bool
    let attempts: Int

    /// - Throws: `GatewayError` `invalidRequest`.
    init(_ request: Request) throws(GatewayError) {
        guard let consumer = request.query("consumer") else {
            throw GatewayError(.invalidRequest, "the query's item consumer is missing", .init(name: "consumer"))
        }
        self.consumer = consumer
        limit = try request.limit()
        wait = .seconds(try request.number("wait", in: 0...Self.longestWait) ?? 0)
        attempts = try request.number("attempts", in: 1...Self.mostAttempts) ?? Inbox.defaultAttempts
        switch request.query("automatic") {
        case nil, "false": includesAutomatic = false
        case "true": includesAutomatic = true
        default:
            throw GatewayError(
                .invalidRequest, "automatic is true or false",
                .init(name: "automatic", suggestions: ["true", "false"]))
        }
    }
}

/// The body of `POST /v1/inbox/{consumer}`.
struct AcknowledgeRequest: RequestBody, Encodable {
    /// A cursor of a batch: everything up to there is done.
    let ack: String
    /// Messages that are sent in the same commit.
    var send: [ReplyRequest]?
    /// Messages of this node's user that get another text with it.
    var edit: [EditWithRequest]?
    /// Reactions that are written with it.
    var react: [ReactWithRequest]?

    init(ack: String, send: [ReplyRequest]? = nil) {
        self.ack = ack
        self.send = send
    }

    init(_ fields: inout JSONFields) throws(GatewayError) {
        ack = try fields.required("ack", .text)
        send = try fields.optional("send", .list(of: .object(ReplyRequest.self)))
        edit = try fields.optional("edit", .list(of: .object(EditWithRequest.self)))
        react = try fields.optional("react", .list(of: .object(ReactWithRequest.self)))
    }
}

/// Another text that goes with an acknowledgement.
struct EditWithRequest: RequestBody, Encodable {
    let message: String
    let text: String

    init(_ fields: inout JSONFields) throws(GatewayError) {
        message = try fields.required("message", .text)
        text = try fields.required("text", .text)
    }
}

/// A reaction that goes with an acknowledgement.
struct ReactWithRequest: RequestBody, Encodable {
    let message: String
    let emoji: String
    var remove: Bool?

    init(_ fields: inout JSONFields) throws(GatewayError) {
        message = try fields.required("message", .text)
        emoji = try fields.required("emoji", .text)
        remove = try fields.optional("remove", .bool)
    }
}

/// The body of `POST /v1/inbox/{consumer}/fail`.
struct FailRequest: RequestBody, Encodable {
    let message: String
    let reason: String

    init(_ fields: inout JSONFields) throws(GatewayError) {
        message = try fields.required("message", .text)
        reason = try fields.required("reason", .text)
    }
}

/// A message that goes with an acknowledgement.
struct ReplyRequest: RequestBody, Encodable {
    /// Without it the message goes into the conversation of the one that it answers.
    let to: String?
    let message: MessageRequest
    var mentions: [String]?
    /// Whether it is shown as a reply to the message that it answers.
    var isReply: Bool?
    /// The id of the message that it answers; the last one that is acknowledged without it.
    var answering: String?
    var idempotencyKey: String?
    /// When it goes out, in ISO 8601; at once without it.
    var notBefore: String?
    /// The session that it belongs to.
    var session: SessionRequest?
    /// Whether it becomes a draft, which a person sends or discards.
    var isDraft: Bool?

    init(_ fields: inout JSONFields) throws(GatewayError) {
        to = try fields.optional("to", .text)
        message = try MessageRequest(&fields)
        mentions = try fields.optional("mentions", .list(of: .text))
        isReply = try fields.optional("isReply", .bool)
        answering = try fields.optional("answering", .text)
        idempotencyKey = try fields.optional("idempotencyKey", .text)
        notBefore = try fields.optional("notBefore", .text)
        session = try fields.optional("session", .object(SessionRequest.self))
        isDraft = try fields.optional("isDraft", .bool)
        guard isDraft != true || notBefore == nil else {
            throw GatewayError(
                .invalidRequest, "a draft goes out when a person sends it, and has no notBefore",
                .init(name: "notBefore"))
        }
    }

    /// - Throws: `GatewayError` `invalidRequest` for a message that names neither a recipient nor what it answers.
    func reply(to destination: Destination?, answering: MessageID?, of node: Node) async throws -> InboxReply {
        var draft = try message.draft()
        draft.mentions = try await node.users.ids(mentions ?? [])
        var reply: InboxReply
        if let destination {
            reply = InboxReply(to: destination, draft, answering: answering, idempotencyKey: idempotencyKey)
        } else {
            guard answering != nil else {
                throw GatewayError(
                    .invalidRequest, "name the recipient with to, or the message that it answers with answering",
                    .init(name: "to", suggestions: ["to", "answering"]))
            }
            reply = InboxReply(draft, answering: answering, idempotencyKey: idempotencyKey)
        }
        reply.notBefore = try notBefore.map { text throws(GatewayError) in try Timestamp.due(text) }
        reply.isReply = isReply ?? false
        reply.step = try session?.read()
        reply.isDraft = isDraft ?? false
        return reply
    }

    func answered(by node: Node) async throws -> MessageID? {
        guard let answering else { return nil }
        return try await node.messageID(answering)
    }
}

/// Where a consumer begins: `from` is `now`, `beginning` or a time.
struct StartRequest: RequestBody, Encodable {
    var from: String?

    init(_ fields: inout JSONFields) throws(GatewayError) { from = try fields.optional("from", .text) }

    /// - Throws: `GatewayError` `invalidRequest`.
    func start() throws(GatewayError) -> InboxStart {
        switch from {
        case nil, "now": return .now
        case "beginning": return .beginning
        case let text?:
            guard let milliseconds = Timestamp.milliseconds(text) else {
                throw GatewayError(
                    .invalidRequest, "from is now, beginning, or a time like 2026-01-31T09:30:00Z",
                    .init(name: "from", suggestions: ["now", "beginning"]))
            }
            return .notOlderThan(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        }
    }
}

/// The body of `POST /v1/consumers`.
struct ConsumerRequest: RequestBody, Encodable {
    let name: String
    let start: StartRequest

    init(_ fields: inout JSONFields) throws(GatewayError) {
        name = try fields.required("name", .text)
        start = try StartRequest(&fields)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(start.from, forKey: .from)
    }

    private enum CodingKeys: String, CodingKey { case name, from }
}
