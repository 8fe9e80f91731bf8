import Earshot
import Foundation
import NIOCore

/// Writes the events of a node to one client as server-sent events (WHATWG HTML, section 9.2).
struct EventStream: Sendable {
    let feed: EventFeed
    let representer: Representer

    /// Writes until the feed is finished.
    func write(_ write: (ByteBuffer) async throws -> Void) async throws {
        let heartbeat = Task {
            while true {
                try await Task.sleep(for: GatewayLimits.heartbeat)
                feed.beat()
            }
        }
        defer { heartbeat.cancel() }
        try await write(Self.comment("earshot events"))
        for await item in feed.items {
            switch item {
            case .heartbeat: try await write(Self.comment("heartbeat"))
            case .event(let event): try await write(try Self.encode(await representer.event(event)))
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
