/// What the logs of a private conversation say about who belongs to it.
extension Wire {
    /// An entry of a control log: one of several cases of `EntryBody`.
    enum Control: Sendable {
        case created(Created)
        case add(Add)
        case remove(Remove)
        case update(Update)
        case pass(Pass)
        case handOver(HandOver)
        case closed(Empty)
        case begin(Begin)

        /// - Parameter earlier: the same case, if it comes in two parts.
        init?(_ number: UInt32, merging bytes: ArraySlice<UInt8>, into earlier: Control? = nil) throws(WireError) {
            switch (number, earlier) {
            case (20, .created(let earlier)): self = .created(try Created(merging: bytes, into: earlier))
            case (20, _): self = .created(try Created(merging: bytes))
            case (21, .add(let earlier)): self = .add(try Add(merging: bytes, into: earlier))
            case (21, _): self = .add(try Add(merging: bytes))
            case (22, .remove(let earlier)): self = .remove(try Remove(merging: bytes, into: earlier))
            case (22, _): self = .remove(try Remove(merging: bytes))
            case (23, .update(let earlier)): self = .update(try Update(merging: bytes, into: earlier))
            case (23, _): self = .update(try Update(merging: bytes))
            case (24, .pass(let earlier)): self = .pass(try Pass(merging: bytes, into: earlier))
            case (24, _): self = .pass(try Pass(merging: bytes))
            case (25, .handOver(let earlier)): self = .handOver(try HandOver(merging: bytes, into: earlier))
            case (25, _): self = .handOver(try HandOver(merging: bytes))
            case (26, _): self = .closed(try Empty(merging: bytes))
            case (27, .begin(let earlier)): self = .begin(try Begin(merging: bytes, into: earlier))
            case (27, _): self = .begin(try Begin(merging: bytes))
            default: return nil
            }
        }

        func write(to writer: inout WireWriter) {
            switch self {
            case .created(let created): writer.message(20, created)
            case .add(let add): writer.message(21, add)
            case .remove(let remove): writer.message(22, remove)
            case .update(let update): writer.message(23, update)
            case .pass(let pass): writer.message(24, pass)
            case .handOver(let handOver): writer.message(25, handOver)
            case .closed(let closed): writer.message(26, closed)
            case .begin(let begin): writer.message(27, begin)
            }
        }
    }

    /// `Join` and `Leave`.
    struct Answer: WireMessage {
        var add: LogPlace?

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) {
                add = try LogPlace(merging: bytes, into: add)
            }
        }

        func write(to writer: inout WireWriter) {
            if let add { writer.message(1, add) }
        }
    }

    struct Version: WireMessage {
        var control: LogPlace?

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) {
                control = try LogPlace(merging: bytes, into: control)
            }
        }

        func write(to writer: inout WireWriter) {
            if let control { writer.message(1, control) }
        }
    }

    struct Attributes: WireMessage {
        var friendlyName = ""
        var custom = ""
        var counter: UInt64 = 0

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): friendlyName = try Wire.text(bytes)
            case (2, .bytes(let bytes)): custom = try Wire.text(bytes)
            case (3, .varint(let value)): counter = value
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.text(1, friendlyName)
            writer.text(2, custom)
            writer.varint(3, counter)
        }
    }

    struct Created: WireMessage {
        var creatorID: [UInt8] = []
        var salt: [UInt8] = []
        var uniqueName = ""
        var attributes: Attributes?
        var givesHistory = false
        var continues: [UInt8] = []
        var proof: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): creatorID = Array(bytes)
            case (2, .bytes(let bytes)): salt = Array(bytes)
            case (3, .bytes(let bytes)): uniqueName = try Wire.text(bytes)
            case (4, .bytes(let bytes)): attributes = try Attributes(merging: bytes, into: attributes)
            case (5, .varint(let value)): givesHistory = value != 0
            case (6, .bytes(let bytes)): continues = Array(bytes)
            case (7, .bytes(let bytes)): proof = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, creatorID)
            writer.bytes(2, salt)
            writer.text(3, uniqueName)
            if let attributes { writer.message(4, attributes) }
            writer.varint(5, givesHistory ? 1 : 0)
            writer.bytes(6, continues)
            writer.bytes(7, proof)
        }
    }

    struct Add: WireMessage {
        var userID: [UInt8] = []
        var returnsAfter: LogPlace?

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): userID = Array(bytes)
            case (2, .bytes(let bytes)): returnsAfter = try LogPlace(merging: bytes, into: returnsAfter)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, userID)
            if let returnsAfter { writer.message(2, returnsAfter) }
        }
    }

    struct Remove: WireMessage {
        var userID: [UInt8] = []
        var cuts: [LogPlace] = []
        var reason: UInt32 = 0

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): userID = Array(bytes)
            case (2, .bytes(let bytes)): cuts.append(try LogPlace(merging: bytes))
            case (3, .varint(let value)): reason = UInt32(truncatingIfNeeded: value)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, userID)
            for cut in cuts { writer.message(2, cut) }
            writer.varint(3, UInt64(reason))
        }
    }

    struct Update: WireMessage {
        var attributes: Attributes?

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) {
                attributes = try Attributes(merging: bytes, into: attributes)
            }
        }

        func write(to writer: inout WireWriter) {
            if let attributes { writer.message(1, attributes) }
        }
    }

    struct Pass: WireMessage {
        var deviceID: [UInt8] = []

        mutating func take(_ field: WireField) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) { deviceID = Array(bytes) }
        }

        func write(to writer: inout WireWriter) { writer.bytes(1, deviceID) }
    }

    struct HandOver: WireMessage {
        var userID: [UInt8] = []

        mutating func take(_ field: WireField) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) { userID = Array(bytes) }
        }

        func write(to writer: inout WireWriter) { writer.bytes(1, userID) }
    }

    struct Begin: WireMessage {
        var term: UInt64 = 0
        var follows: LogPlace?
        var cause: UInt32 = 0
        var heads: [LogPlace] = []
        var state: State?
        var proof: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .varint(let value)): term = value
            case (2, .bytes(let bytes)): follows = try LogPlace(merging: bytes, into: follows)
            case (3, .varint(let value)): cause = UInt32(truncatingIfNeeded: value)
            case (4, .bytes(let bytes)): heads.append(try LogPlace(merging: bytes))
            case (5, .bytes(let bytes)): state = try State(merging: bytes, into: state)
            case (6, .bytes(let bytes)): proof = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.varint(1, term)
            if let follows { writer.message(2, follows) }
            writer.varint(3, UInt64(cause))
            for head in heads { writer.message(4, head) }
            if let state { writer.message(5, state) }
            writer.bytes(6, proof)
        }
    }

    struct State: WireMessage {
        var uniqueName = ""
        var attributes: Attributes?
        var members: [Member] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): uniqueName = try Wire.text(bytes)
            case (2, .bytes(let bytes)): attributes = try Attributes(merging: bytes, into: attributes)
            case (3, .bytes(let bytes)): members.append(try Member(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.text(1, uniqueName)
            if let attributes { writer.message(2, attributes) }
            for member in members { writer.message(3, member) }
        }
    }

    struct Member: WireMessage {
        var userID: [UInt8] = []
        var added: LogPlace?

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): userID = Array(bytes)
            case (2, .bytes(let bytes)): added = try LogPlace(merging: bytes, into: added)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, userID)
            if let added { writer.message(2, added) }
        }
    }
}
