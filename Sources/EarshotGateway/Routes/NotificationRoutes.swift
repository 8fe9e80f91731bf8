import Earshot

/// Where the node's user is notified of messages, and of which.
struct NotificationRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/notifications/targets", scope: .page) { _ in
                try .json(node.notifications.targets.map { GatewayTarget($0) })
            },
            .post("/v1/notifications/targets", TargetRequest.self, scope: .page) { try await register($0, $1) },
            .delete("/v1/notifications/targets/{target}", scope: .page) { request in
                try await node.notifications.deregister(try request.parameter("target"))
                return .done
            },
            .post("/v1/notifications/handle", NotificationRequest.self, scope: .read) { _, body in
                let result = try await node.notifications.handle(body.payload)
                return try .json(GatewayNotificationResult(result))
            },
            .post("/v1/conversations/{conversation}/notifications", LevelRequest.self, scope: .all) {
                try await setLevel($0, $1)
            },
        ]
    }

    private func register(_ request: Request, _ body: TargetRequest) async throws -> Response {
        let target = try body.target()
        // What a webhook is told, it is told after the token that has made it is revoked.
        if target != .desktop { try request.access.check(permission: .owner) }
        let registration = try await node.notifications.register(target, name: body.name)
        return try .created(
            GatewayNewTarget(target: GatewayTarget(registration), secret: registration.secret))
    }

    private func setLevel(_ request: Request, _ body: LevelRequest) async throws -> Response {
        let conversation = try await node.conversations.named(try request.parameter("conversation"))
        try await conversation.setNotificationLevel(try body.read())
        let summary = try await node.conversations.summary(of: conversation.conversationID)
        return try .json(await representer.conversation(summary))
    }
}

/// The body of `POST /v1/notifications/targets`.
struct TargetRequest: RequestBody, Encodable {
    /// `desktop`, `command` or `webhook`.
    let kind: String
    var name: String?
    /// Of a command: the program's path, and its arguments.
    var command: [String]?
    /// Of a webhook.
    var url: String?

    /// - Throws: `GatewayError` `invalidRequest`.
    func target() throws(GatewayError) -> NotificationTarget {
        switch kind {
        case "desktop":
            guard command == nil, url == nil else {
                throw GatewayError(.invalidRequest, "a desktop has neither command nor url", .init(name: "kind"))
            }
            return .desktop
        case "command":
            guard let path = command?.first, url == nil else {
                throw GatewayError(
                    .invalidRequest, "command is a list: the program's path, and its arguments", .init(name: "command"))
            }
            return .command(path: path, arguments: Array(command?.dropFirst() ?? []))
        case "webhook":
            guard let url, command == nil else {
                throw GatewayError(.invalidRequest, "a webhook has an url, and no command", .init(name: "url"))
            }
            return .webhook(url: url)
        default:
            throw GatewayError(
                .invalidRequest, "kind is desktop, command or webhook",
                .init(name: "kind", suggestions: ["desktop", "command", "webhook"]))
        }
    }
}

extension TargetRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        kind = try fields.required("kind", .text)
        name = try fields.optional("name", .text)
        command = try fields.optional("command", .list(of: .text))
        url = try fields.optional("url", .text)
    }
}

/// The body of `POST /v1/notifications/handle`.
struct NotificationRequest: RequestBody, Encodable {
    /// What the target was given, as it was.
    let payload: String
}

extension NotificationRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { payload = try fields.required("payload", .text) }
}

/// The body of `POST /v1/conversations/{conversation}/notifications`.
struct LevelRequest: RequestBody, Encodable {
    let level: String

    /// - Throws: `GatewayError` `invalidRequest`.
    func read() throws(GatewayError) -> NotificationLevel {
        guard let level = NotificationLevel(rawValue: level) else {
            let choices = NotificationLevel.allCases.map(\.rawValue)
            throw GatewayError(
                .invalidRequest, "level is one of: \(choices.joined(separator: ", "))",
                .init(name: "level", suggestions: choices))
        }
        return level
    }
}

extension LevelRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { level = try fields.required("level", .text) }
}
