import Earshot

/// Finds the data of each event in a stream of server-sent events (WHATWG HTML, section 9.2.6).
///
/// It skips the other fields, because the data also has the name of an event.
struct ServerSentEventParser {
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var ready: [[UInt8]] = []
    private var isTooLong = false

    mutating func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where !isTooLong {
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if line.count < GatewayLimits.eventBytes {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
    }

    /// - Returns: the data of the next event, or `nil` until more bytes come.
    /// - Throws: `GatewayError` `unexpectedResponse` for a line or an event over `GatewayLimits.eventBytes`.
    mutating func next() throws(GatewayError) -> [UInt8]? {
        guard !isTooLong else { throw GatewayError(.unexpectedResponse, "an event of the node is too long") }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    private mutating func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty {
            if !data.isEmpty { ready.append(data) }
            data = []
        } else if line.starts(with: Array("data:".utf8)) {
            if !data.isEmpty { data.append(UInt8(ascii: "\n")) }
            let value = line.dropFirst("data:".utf8.count)
            guard data.count + value.count <= GatewayLimits.eventBytes else {
                isTooLong = true
                return
            }
            data.append(contentsOf: value.first == UInt8(ascii: " ") ? value.dropFirst() : value)
        }
    }
}
