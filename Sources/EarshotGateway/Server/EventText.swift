import Earshot
import Foundation
import NIOCore

/// What stands in a stream of server-sent events (WHATWG HTML, section 9.2).
enum EventText {
    case comment(ByteBuffer)
    case event(ByteBuffer)

    /// The client can go on from here even if the connection breaks before the first event.
    static func beginning(at id: EventID) -> EventText { comment("earshot events", at: id) }

    /// The client knows everything up to here that it asked for.
    static func heartbeat(at id: EventID) -> EventText { comment("heartbeat", at: id) }

    static func event(_ event: GatewayEvent) throws -> EventText { .event(try encode(event)) }

    /// JSON has no line breaks of its own, so the data is one line.
    static func encode(_ event: GatewayEvent) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        if let id = event.id { buffer.writeString("id: \(id)\n") }
        buffer.writeString("event: \(event.name)\ndata: ")
        buffer.writeBytes(try JSONEncoder.gateway().encode(event))
        buffer.writeString("\n\n")
        return buffer
    }

    /// An id without data is no event, and clients remember it (section 9.2.6).
    private static func comment(_ text: String, at id: EventID) -> EventText {
        .comment(ByteBuffer(string: ": \(text)\nid: \(id)\n\n"))
    }
}
