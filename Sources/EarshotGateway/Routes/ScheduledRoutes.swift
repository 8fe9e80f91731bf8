import Earshot
import Foundation

/// Messages that wait for their time.
struct ScheduledRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/scheduled") { _ in try .json(await represented(node.messages.scheduled())) },
            .post("/v1/scheduled", ScheduleRequest.self, scope: .send) { try await schedule($0, $1) },
            .delete("/v1/scheduled/{scheduled}", scope: .send) { try await cancel($0) },
        ]
    }

    private func schedule(_ request: Request, _ body: ScheduleRequest) async throws -> Response {
        let key = try request.idempotencyKey()
        let recipientID = try await node.users.recipient(body.message.to, idempotencyKey: key)
        try request.access.check(sendingTo: [recipientID])
        let scheduled = try await node.messages.schedule(
            try body.message.draft(), to: recipientID, notBefore: try body.date(), idempotencyKey: key)
        return try .created(await represented([scheduled])[0])
    }

    private func cancel(_ request: Request) async throws -> Response {
        let text = try request.parameter("scheduled")
        guard let id = ScheduledMessageID(text) else {
            throw GatewayError(.unknownMessage, "\"\(Excerpt.of(text))\" is not the id of a message that waits")
        }
        if let waiting = await node.messages.scheduled().first(where: { $0.id == id }) {
            try request.access.check(sendingTo: [waiting.recipientID])
        }
        try await node.messages.cancelScheduled(id)
        return .done
    }

    private func represented(_ messages: [ScheduledMessage]) async -> [GatewayScheduled] {
        let names = await node.users.names(of: Set(messages.map(\.recipientID)))
        return messages.map { GatewayScheduled($0, name: names[$0.recipientID]?.text) }
    }
}

/// The body of `POST /v1/scheduled`: a message as for `POST /v1/messages`, and when it is due.
struct ScheduleRequest: RequestBody, Encodable {
    let message: SendRequest
    let notBefore: String

    init(_ fields: inout JSONFields) throws(GatewayError) {
        message = try SendRequest(&fields)
        notBefore = try fields.required("notBefore", .text)
    }

    /// - Throws: `GatewayError` `invalidRequest`.
    func date() throws(GatewayError) -> Date { try Timestamp.due(notBefore) }

    func encode(to encoder: any Encoder) throws {
        try message.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(notBefore, forKey: .notBefore)
    }

    private enum CodingKeys: String, CodingKey { case notBefore }
}
