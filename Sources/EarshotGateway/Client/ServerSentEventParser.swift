import Earshot

/// Finds the data of each event in a stream of server-sent events (WHATWG HTML, section 9.2.6), and the last event's id.
///
/// It skips the other fields, because the data also has the name of an event.
struct ServerSentEventParser {
    /// What ends with an empty line.
    private struct Block {
        var data: [UInt8] = []
        /// `nil` for one that does not say where the client is.
        var id: String?
    }

    /// The id that came with the last event that was returned, or since then without an event.
    private(set) var lastEventID: String?
    private var line: [UInt8] = []
    private var block = Block()
    private var ready: [Block] = []
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
        while !ready.isEmpty {
            let block = ready.removeFirst()
            lastEventID = block.id ?? lastEventID
            if !block.data.isEmpty { return block.data }
        }
        return nil
    }

    private mutating func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty {
            if !block.data.isEmpty || block.id != nil { ready.append(block) }
            block = Block()
        } else if let value = value(of: "data") {
            if !block.data.isEmpty { block.data.append(UInt8(ascii: "\n")) }
            guard block.data.count + value.count <= GatewayLimits.eventBytes else {
                isTooLong = true
                return
            }
            block.data.append(contentsOf: value)
        } else if let value = value(of: "id"), !value.contains(0) {
            block.id = String(decoding: value, as: UTF8.self)
        }
    }

    /// - Returns: `nil` if the line is another field.
    private func value(of field: String) -> ArraySlice<UInt8>? {
        let name = Array("\(field):".utf8)
        guard line.starts(with: name) else { return nil }
        let value = line.dropFirst(name.count)
        return value.first == UInt8(ascii: " ") ? value.dropFirst() : value
    }
}
