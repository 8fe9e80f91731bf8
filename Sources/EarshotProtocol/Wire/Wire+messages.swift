/// What messages are, and what they say to each other.
extension Wire {
    struct LogPlace: WireMessage {
        var logID: [UInt8] = []
        var sequence: UInt64 = 0
        var chain: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): logID = Array(bytes)
            case (2, .varint(let value)): sequence = value
            case (3, .bytes(let bytes)): chain = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, logID)
            writer.varint(2, sequence)
            writer.bytes(3, chain)
        }
    }

    struct Text: WireMessage {
        var text = ""
        var headers: [String: String] = [:]
        var replyTo: LogPlace?
        var mentions: [[UInt8]] = []
        var session: Session?
        var layout: Layout?
        var attachments: [Attachment] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): text = try Wire.text(bytes)
            case (2, .bytes(let bytes)):
                let header = try Header(merging: bytes)
                headers[header.key] = header.value
            case (3, .bytes(let bytes)): replyTo = try LogPlace(merging: bytes, into: replyTo)
            case (4, .bytes(let bytes)): mentions.append(Array(bytes))
            case (5, .bytes(let bytes)): session = try Session(merging: bytes, into: session)
            case (6, .bytes(let bytes)): layout = try Layout(merging: bytes, into: layout)
            case (12, .bytes(let bytes)): attachments.append(try Attachment(merging: bytes))
            default: break
            }
        }

        /// In the order of the headers' names: equal texts have equal bytes.
        func write(to writer: inout WireWriter) {
            writer.text(1, text)
            if !headers.isEmpty {
                for (key, value) in headers.sorted(by: { $0.key < $1.key }) {
                    writer.message(2, Header(key: key, value: value))
                }
            }
            if let replyTo { writer.message(3, replyTo) }
            for mention in mentions { writer.bytes(4, mention, isCase: true) }
            if let session { writer.message(5, session) }
            if let layout { writer.message(6, layout) }
            for attachment in attachments { writer.message(12, attachment) }
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

    struct Session: WireMessage {
        var sessionID: [UInt8] = []
        var counter: UInt64 = 0
        var summary = ""

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): sessionID = Array(bytes)
            case (2, .varint(let value)): counter = value
            case (3, .bytes(let bytes)): summary = try Wire.text(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, sessionID)
            writer.varint(2, counter)
            writer.text(3, summary)
        }
    }

    struct Layout: WireMessage {
        var caption = ""
        var subcaption = ""
        var imageTitle = ""
        var imageSubtitle = ""
        var accessibilityLabel = ""
        var url = ""

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): caption = try Wire.text(bytes)
            case (2, .bytes(let bytes)): subcaption = try Wire.text(bytes)
            case (3, .bytes(let bytes)): imageTitle = try Wire.text(bytes)
            case (4, .bytes(let bytes)): imageSubtitle = try Wire.text(bytes)
            case (5, .bytes(let bytes)): accessibilityLabel = try Wire.text(bytes)
            case (6, .bytes(let bytes)): url = try Wire.text(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.text(1, caption)
            writer.text(2, subcaption)
            writer.text(3, imageTitle)
            writer.text(4, imageSubtitle)
            writer.text(5, accessibilityLabel)
            writer.text(6, url)
        }
    }

    struct Edit: WireMessage {
        var target: LogPlace?
        var counter: UInt64 = 0
        var text = ""

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): target = try LogPlace(merging: bytes, into: target)
            case (2, .varint(let value)): counter = value
            case (3, .bytes(let bytes)): text = try Wire.text(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let target { writer.message(1, target) }
            writer.varint(2, counter)
            writer.text(3, text)
        }
    }

    struct Retract: WireMessage {
        var target: LogPlace?

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) {
                target = try LogPlace(merging: bytes, into: target)
            }
        }

        func write(to writer: inout WireWriter) {
            if let target { writer.message(1, target) }
        }
    }

    struct Reaction: WireMessage {
        var target: LogPlace?
        var emoji = ""
        var counter: UInt64 = 0
        var removed = false

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): target = try LogPlace(merging: bytes, into: target)
            case (2, .bytes(let bytes)): emoji = try Wire.text(bytes)
            case (3, .varint(let value)): counter = value
            case (4, .varint(let value)): removed = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let target { writer.message(1, target) }
            writer.text(2, emoji)
            writer.varint(3, counter)
            writer.varint(4, removed ? 1 : 0)
        }
    }
}
