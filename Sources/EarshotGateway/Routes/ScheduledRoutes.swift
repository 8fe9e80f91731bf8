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
        let destination = try await messages(of: request).destination(body.to, idempotencyKey: key)
        try request.access.check(sendingTo: destination)
        let scheduled = try await messages(of: request).schedule(
            try body.message.draft(), to: destination, notBefore: try body.date(), idempotencyKey: key)
        return try .created(await represented([scheduled])[0])
    }

    private func cancel(_ request: Request) async throws -> Response {
        let text = try request.parameter("scheduled")
        guard let id = ScheduledMessageID(text) else {
            throw GatewayError(.unknownMessage, "\"\(Excerpt.of(text))\" is not the id of a message that waits")
        }
        if let waiting = await node.messages.scheduled().first(where: { $0.id == id }) {
            try request.access.check(sendingTo: waiting.destination)
        }
        try await node.messages.cancelScheduled(id)
        return .done
    }

    private func represented(_ messages: [ScheduledMessage]) async -> [GatewayScheduled] {
        let names = await representer.names(of: messages.map(\.destination))
        return messages.map { GatewayScheduled($0, to: names.party($0.destination)) }
    }
}

/// The body of `POST /v1/scheduled`: a message, and when it is due.
struct ScheduleRequest: RequestBody, Encodable {
    let to: String
    let message: MessageRequest
    let notBefore: String

    init(_ fields: inout JSONFields) throws(GatewayError) {
        to = try fields.required("to", .text)
        message = try MessageRequest(&fields)
        notBefore = try fields.required("notBefore", .text)
    }

    /// - Throws: `GatewayError` `invalidRequest`.
    func date() throws(GatewayError) -> Date { try Timestamp.due(notBefore) }

    func encode(to encoder: any Encoder) throws {
        try message.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(to, forKey: .to)
        try container.encode(notBefore, forKey: .notBefore)
    }

    private enum CodingKeys: String, CodingKey { case to, notBefore }
}
