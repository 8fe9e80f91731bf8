/// Files of messages, and their parts.
extension Wire {
    struct Attachment: WireMessage {
        var fileID: [UInt8] = []
        var name = ""
        var mediaType = ""
        var byteCount: UInt64 = 0

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): fileID = Array(bytes)
            case (2, .bytes(let bytes)): name = try Wire.text(bytes)
            case (3, .bytes(let bytes)): mediaType = try Wire.text(bytes)
            case (4, .varint(let value)): byteCount = value
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, fileID)
            writer.text(2, name)
            writer.text(3, mediaType)
            writer.varint(4, byteCount)
        }
    }

    struct WantedFile: WireMessage {
        var fileID: [UInt8] = []
        var byteCount: UInt64 = 0
        var conversationID: [UInt8] = []
        var part: UInt32 = 0
        var first: UInt64 = 0
        var count: UInt64 = 0

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): fileID = Array(bytes)
            case (2, .varint(let value)): byteCount = value
            case (3, .bytes(let bytes)): conversationID = Array(bytes)
            case (4, .varint(let value)): part = UInt32(truncatingIfNeeded: value)
            case (5, .varint(let value)): first = value
            case (6, .varint(let value)): count = value
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, fileID)
            writer.varint(2, byteCount)
            writer.bytes(3, conversationID)
            writer.varint(4, UInt64(part))
            writer.varint(5, first)
            writer.varint(6, count)
        }
    }

    struct FileHashes: WireMessage {
        var fileID: [UInt8] = []
        var part: UInt32 = 0
        var list: UInt64 = 0
        var hashes: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): fileID = Array(bytes)
            case (2, .varint(let value)): part = UInt32(truncatingIfNeeded: value)
            case (3, .varint(let value)): list = value
            case (4, .bytes(let bytes)): hashes = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, fileID)
            writer.varint(2, UInt64(part))
            writer.varint(3, list)
            writer.bytes(4, hashes)
        }
    }

    struct FileChunk: WireMessage {
        var fileID: [UInt8] = []
        var index: UInt64 = 0
        var content: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): fileID = Array(bytes)
            case (2, .varint(let value)): index = value
            case (3, .bytes(let bytes)): content = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.reserve(content.count)
            writer.bytes(1, fileID)
            writer.varint(2, index)
            writer.bytes(3, content)
        }
    }

    struct FileNews: WireMessage {
        var fileID: [UInt8] = []
        var conversationID: [UInt8] = []
        var state: UInt32 = 0

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): fileID = Array(bytes)
            case (2, .bytes(let bytes)): conversationID = Array(bytes)
            case (3, .varint(let value)): state = UInt32(truncatingIfNeeded: value)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, fileID)
            writer.bytes(2, conversationID)
            writer.varint(3, UInt64(state))
        }
    }
}
