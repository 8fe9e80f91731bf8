/// What a log is made of.
extension Wire {
    struct Log: WireMessage {
        var conversationID: [UInt8] = []
        var deviceID: [UInt8] = []
        var epoch: UInt64 = 0
        var kind: UInt32 = 0

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): conversationID = Array(bytes)
            case (2, .bytes(let bytes)): deviceID = Array(bytes)
            case (3, .fixed64(let value)): epoch = value
            case (4, .varint(let value)): kind = UInt32(truncatingIfNeeded: value)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, conversationID)
            writer.bytes(2, deviceID)
            writer.fixed64(3, epoch)
            writer.varint(4, UInt64(kind))
        }
    }

    struct Place: WireMessage {
        var sequence: UInt64 = 0
        var chain: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .varint(let value)): sequence = value
            case (2, .bytes(let bytes)): chain = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.varint(1, sequence)
            writer.bytes(2, chain)
        }
    }

    struct Entry: WireMessage {
        enum Content: Sendable {
            case body([UInt8])
            case hash([UInt8])
        }

        var content: Content?
        var deletedTimestamp: UInt64 = 0
        var mark: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): content = .body(Array(bytes))
            case (2, .bytes(let bytes)): content = .hash(Array(bytes))
            case (3, .fixed64(let value)): deletedTimestamp = value
            case (4, .bytes(let bytes)): mark = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            switch content {
            case .body(let bytes): writer.bytes(1, bytes, isCase: true)
            case .hash(let bytes): writer.bytes(2, bytes, isCase: true)
            case nil: break
            }
            writer.fixed64(3, deletedTimestamp)
            writer.bytes(4, mark)
        }
    }

    struct EntryBody: WireMessage {
        enum Content: Sendable {
            case text(Text)
            case branches(Branches)
        }

        var timestamp: UInt64 = 0
        var expiry: UInt64 = 0
        var content: Content?
        var key: [UInt8] = []
        /// It means nothing, and only makes the hash of the body hard to guess.
        var salt: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .fixed64(let value)): timestamp = value
            case (2, .fixed64(let value)): expiry = value
            case (4, .bytes(let bytes)): key = Array(bytes)
            case (5, .bytes(let bytes)): salt = Array(bytes)
            case (_, .bytes(let bytes)): content = try content(bytes, as: field.number) ?? content
            default: break
            }
        }

        /// - Returns: `nil` for a kind of content that this version does not know.
        private func content(_ bytes: ArraySlice<UInt8>, as number: UInt32) throws(WireError) -> Content? {
            switch (number, content) {
            case (3, .text(let earlier)): .text(try Text(merging: bytes, into: earlier))
            case (3, _): .text(try Text(merging: bytes))
            case (6, .branches(let earlier)): .branches(try Branches(merging: bytes, into: earlier))
            case (6, _): .branches(try Branches(merging: bytes))
            default: nil
            }
        }

        func write(to writer: inout WireWriter) {
            writer.fixed64(1, timestamp)
            writer.fixed64(2, expiry)
            if case .text(let text) = content { writer.message(3, text) }
            writer.bytes(4, key)
            writer.bytes(5, salt)
            if case .branches(let branches) = content { writer.message(6, branches) }
        }
    }

    struct Branches: WireMessage {
        var conversationID: [UInt8] = []
        var ends: [Head] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): conversationID = Array(bytes)
            case (2, .bytes(let bytes)): ends.append(try Head(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, conversationID)
            for end in ends { writer.message(2, end) }
        }
    }

    struct Text: WireMessage {
        var text = ""
        var headers: [String: String] = [:]

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): text = try Wire.text(bytes)
            case (2, .bytes(let bytes)):
                let header = try Header(merging: bytes)
                headers[header.key] = header.value
            default: break
            }
        }

        /// In the order of the headers' names: equal texts have equal bytes.
        func write(to writer: inout WireWriter) {
            writer.text(1, text)
            for (key, value) in headers.sorted(by: { $0.key < $1.key }) {
                writer.message(2, Header(key: key, value: value))
            }
        }
    }

    /// One entry of a map.
    private struct Header: WireMessage {
        var key = ""
        var value = ""

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): key = try text(bytes)
            case (2, .bytes(let bytes)): value = try text(bytes)
            // In a map's entry the library that wrote the first peers takes nothing else, so nobody may send it.
            case (1, _), (2, _): throw WireError()
            default: break
            }
        }

        /// As every implementation writes a map's entries: both fields, empty or not.
        func write(to writer: inout WireWriter) {
            writer.bytes(1, Array(key.utf8), isCase: true)
            writer.bytes(2, Array(value.utf8), isCase: true)
        }
    }
}
