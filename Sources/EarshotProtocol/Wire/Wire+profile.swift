/// What a user says of themselves.
extension Wire {
    struct Profile: WireMessage {
        var friendlyName = ""
        var attributes = ""
        var picture: [UInt8] = []
        var counter: UInt64 = 0
        var bot: Bot?

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): friendlyName = try Wire.text(bytes)
            case (2, .bytes(let bytes)): attributes = try Wire.text(bytes)
            case (3, .bytes(let bytes)): picture = Array(bytes)
            case (4, .varint(let value)): counter = value
            case (5, .bytes(let bytes)): bot = try Bot(merging: bytes, into: bot)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.text(1, friendlyName)
            writer.text(2, attributes)
            writer.bytes(3, picture)
            writer.varint(4, counter)
            if let bot { writer.message(5, bot) }
        }
    }

    struct Bot: WireMessage {
        var commands: [BotCommand] = []

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) {
                commands.append(try BotCommand(merging: bytes))
            }
        }

        func write(to writer: inout WireWriter) {
            for command in commands { writer.message(1, command) }
        }
    }

    struct BotCommand: WireMessage {
        var name = ""
        var summary = ""
        var usage = ""

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): name = try Wire.text(bytes)
            case (2, .bytes(let bytes)): summary = try Wire.text(bytes)
            case (3, .bytes(let bytes)): usage = try Wire.text(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.text(1, name)
            writer.text(2, summary)
            writer.text(3, usage)
        }
    }
}
