import Earshot
import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Writes the events of a node to one client as server-sent events (WHATWG HTML, section 9.2).
struct EventStream: Sendable {
    let feed: EventFeed
    let representer: Representer

    func response(to request: Request) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // The feed has observed the bus since before the head of the response was written, so nothing is
                // missed.
                defer { feed.finish() }
                try await withGracefulShutdownHandler {
                    try await request.body.consumeWithInboundCloseHandler { _ in
                        try await write(to: &writer)
                    } onInboundClosed: {
                        feed.finish()
                    }
                } onGracefulShutdown: {
                    feed.finish()
                }
                try await writer.finish(nil)
            })
    }

    private func write(to writer: inout any ResponseBodyWriter) async throws {
        let heartbeat = Task {
            while true {
                try await Task.sleep(for: GatewayLimits.heartbeat)
                feed.beat()
            }
        }
        defer { heartbeat.cancel() }
        try await writer.write(Self.comment("earshot events"))
        for await item in feed.items {
            switch item {
            case .heartbeat: try await writer.write(Self.comment("heartbeat"))
            case .event(let event): try await writer.write(try Self.encode(await representer.event(event)))
            }
        }
    }

    private static func comment(_ text: String) -> ByteBuffer { ByteBuffer(string: ": \(text)\n\n") }

    /// JSON has no line breaks of its own, so the data is one line.
    private static func encode(_ event: GatewayEvent) throws -> ByteBuffer {
        var buffer = ByteBuffer(string: "event: \(event.name)\ndata: ")
        buffer.writeBytes(try JSONEncoder.gateway().encode(event))
        buffer.writeString("\n\n")
        return buffer
    }
}
