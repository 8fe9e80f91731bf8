/// What goes over a link.
extension Wire {
    struct Frame: WireMessage {
        enum Content: Sendable {
            case heads(Heads)
            case entries(Entries)
            case receipts(Receipts)
            case ping(Empty)
            case pong(Empty)
            case rekey(Empty)
            case close(Close)
            case dialBack(DialBack)
            case dialBackResult(DialBackResult)
            case wanted(Wanted)
        }

        var content: Content?

        init() {}

        init(_ content: Content) { self.content = content }

        mutating func take(_ field: WireField) throws(WireError) {
            guard case .bytes(let bytes) = field.value, let content = try take(bytes, as: field.number) else { return }
            self.content = content
        }

        /// - Returns: `nil` for a kind of frame that this version does not know.
        private func take(_ bytes: ArraySlice<UInt8>, as number: UInt32) throws(WireError) -> Content? {
            switch (number, content) {
            case (1, .heads(let earlier)): .heads(try Heads(merging: bytes, into: earlier))
            case (1, _): .heads(try Heads(merging: bytes))
            case (2, .entries(let earlier)): .entries(try Entries(merging: bytes, into: earlier))
            case (2, _): .entries(try Entries(merging: bytes))
            case (3, .receipts(let earlier)): .receipts(try Receipts(merging: bytes, into: earlier))
            case (3, _): .receipts(try Receipts(merging: bytes))
            case (4, _): .ping(try Empty(merging: bytes))
            case (5, _): .pong(try Empty(merging: bytes))
            case (6, _): .rekey(try Empty(merging: bytes))
            case (7, .close(let earlier)): .close(try Close(merging: bytes, into: earlier))
            case (7, _): .close(try Close(merging: bytes))
            case (8, .dialBack(let earlier)): .dialBack(try DialBack(merging: bytes, into: earlier))
            case (8, _): .dialBack(try DialBack(merging: bytes))
            case (9, .dialBackResult(let earlier)): .dialBackResult(try DialBackResult(merging: bytes, into: earlier))
            case (9, _): .dialBackResult(try DialBackResult(merging: bytes))
            case (10, .wanted(let earlier)): .wanted(try Wanted(merging: bytes, into: earlier))
            case (10, _): .wanted(try Wanted(merging: bytes))
            default: nil
            }
        }

        func write(to writer: inout WireWriter) {
            switch content {
            case .heads(let heads): writer.message(1, heads)
            case .entries(let entries): writer.message(2, entries)
            case .receipts(let receipts): writer.message(3, receipts)
            case .ping(let ping): writer.message(4, ping)
            case .pong(let pong): writer.message(5, pong)
            case .rekey(let rekey): writer.message(6, rekey)
            case .close(let close): writer.message(7, close)
            case .dialBack(let dialBack): writer.message(8, dialBack)
            case .dialBackResult(let result): writer.message(9, result)
            case .wanted(let wanted): writer.message(10, wanted)
            case nil: break
            }
        }
    }

    struct Heads: WireMessage {
        var receipts: [Receipt] = []
        var complete = false

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): receipts.append(try Receipt(merging: bytes))
            case (2, .varint(let value)): complete = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            for receipt in receipts { writer.message(1, receipt) }
            writer.varint(2, complete ? 1 : 0)
        }
    }

    struct Entries: WireMessage {
        var log = Log?.none
        var firstSequence: UInt64 = 0
        var entries: [Entry] = []
        var checkpoint: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): log = try Log(merging: bytes, into: log)
            case (2, .varint(let value)): firstSequence = value
            case (3, .bytes(let bytes)): entries.append(try Entry(merging: bytes))
            case (4, .bytes(let bytes)): checkpoint = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let log { writer.message(1, log) }
            writer.varint(2, firstSequence)
            for entry in entries { writer.message(3, entry) }
            writer.bytes(4, checkpoint)
        }
    }

    struct Wanted: WireMessage {
        var logID: [UInt8] = []
        var firstSequence: UInt64 = 0

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): logID = Array(bytes)
            case (2, .varint(let value)): firstSequence = value
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, logID)
            writer.varint(2, firstSequence)
        }
    }

    struct Receipts: WireMessage {
        var receipts: [Receipt] = []

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) {
                receipts.append(try Receipt(merging: bytes))
            }
        }

        func write(to writer: inout WireWriter) {
            for receipt in receipts { writer.message(1, receipt) }
        }
    }

    struct Receipt: WireMessage {
        var logID: [UInt8] = []
        var sequence: UInt64 = 0
        var chain: [UInt8] = []
        var readSequence: UInt64 = 0
        var signature: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): logID = Array(bytes)
            case (2, .varint(let value)): sequence = value
            case (3, .bytes(let bytes)): chain = Array(bytes)
            case (4, .varint(let value)): readSequence = value
            case (5, .bytes(let bytes)): signature = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, logID)
            writer.varint(2, sequence)
            writer.bytes(3, chain)
            writer.varint(4, readSequence)
            writer.bytes(5, signature)
        }
    }

    /// A ping, a pong, or a new key: a message without fields.
    struct Empty: WireMessage {
        mutating func take(_ field: WireField) {}
        func write(to writer: inout WireWriter) {}
    }

    struct Close: WireMessage {
        var reason: UInt32 = 0

        mutating func take(_ field: WireField) {
            if case (1, .varint(let value)) = (field.number, field.value) { reason = UInt32(truncatingIfNeeded: value) }
        }

        func write(to writer: inout WireWriter) { writer.varint(1, UInt64(reason)) }
    }

    struct DialBack: WireMessage {
        var port: UInt32 = 0
        var nonce: UInt64 = 0

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .varint(let value)): port = UInt32(truncatingIfNeeded: value)
            case (2, .fixed64(let value)): nonce = value
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.varint(1, UInt64(port))
            writer.fixed64(2, nonce)
        }
    }

    struct DialBackResult: WireMessage {
        var nonce: UInt64 = 0
        var reachable = false

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .fixed64(let value)): nonce = value
            case (2, .varint(let value)): reachable = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.fixed64(1, nonce)
            writer.varint(2, reachable ? 1 : 0)
        }
    }
}
