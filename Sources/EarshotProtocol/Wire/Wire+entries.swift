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
        var failure: UInt32 = 0

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): content = .body(Array(bytes))
            case (2, .bytes(let bytes)): content = .hash(Array(bytes))
            case (3, .fixed64(let value)): deletedTimestamp = value
            case (4, .bytes(let bytes)): mark = Array(bytes)
            case (5, .varint(let value)): failure = UInt32(truncatingIfNeeded: value)
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
            writer.varint(5, UInt64(failure))
        }
    }

    struct EntryBody: WireMessage {
        enum Content: Sendable {
            indirect case text(Text)
            case branches(Branches)
            case edit(Edit)
            case retract(Retract)
            case reaction(Reaction)
            case join(Answer)
            case leave(Answer)
            case version(Version)
            case control(Control)
            case profile(Profile)
            case decision(Decision)
            case cut(Cut)
            case erasure(Erasure)
            case shown(Shown)
        }

        /// About what a short message takes.
        private static let usualBytes = 192

        var timestamp: UInt64 = 0
        var expiry: UInt64 = 0
        var content: Content?
        var key: [UInt8] = []
        /// It means nothing, and only makes the hash of the body hard to guess.
        var salt: ArraySlice<UInt8> = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .fixed64(let value)): timestamp = value
            case (2, .fixed64(let value)): expiry = value
            case (4, .bytes(let bytes)): key = Array(bytes)
            case (5, .bytes(let bytes)): salt = bytes
            case (_, .bytes(let bytes)): try takeContent(field.number, bytes)
            default: break
            }
        }

        /// Of several contents the last counts; one that comes in two parts is both together.
        private mutating func takeContent(_ number: UInt32, _ bytes: ArraySlice<UInt8>) throws(WireError) {
            switch (number, content) {
            case (3, .text(let earlier)): content = .text(try Text(merging: bytes, into: earlier))
            case (3, _): content = .text(try Text(merging: bytes))
            case (6, .branches(let earlier)): content = .branches(try Branches(merging: bytes, into: earlier))
            case (6, _): content = .branches(try Branches(merging: bytes))
            case (7, .version(let earlier)): content = .version(try Version(merging: bytes, into: earlier))
            case (7, _): content = .version(try Version(merging: bytes))
            case (8, .join(let earlier)): content = .join(try Answer(merging: bytes, into: earlier))
            case (8, _): content = .join(try Answer(merging: bytes))
            case (9, .leave(let earlier)): content = .leave(try Answer(merging: bytes, into: earlier))
            case (9, _): content = .leave(try Answer(merging: bytes))
            case (10, .edit(let earlier)): content = .edit(try Edit(merging: bytes, into: earlier))
            case (10, _): content = .edit(try Edit(merging: bytes))
            case (11, .retract(let earlier)): content = .retract(try Retract(merging: bytes, into: earlier))
            case (11, _): content = .retract(try Retract(merging: bytes))
            case (12, .reaction(let earlier)): content = .reaction(try Reaction(merging: bytes, into: earlier))
            case (12, _): content = .reaction(try Reaction(merging: bytes))
            case (50, .profile(let earlier)): content = .profile(try Profile(merging: bytes, into: earlier))
            case (50, _): content = .profile(try Profile(merging: bytes))
            case (40, .decision(let earlier)): content = .decision(try Decision(merging: bytes, into: earlier))
            case (40, _): content = .decision(try Decision(merging: bytes))
            case (13, .cut(let earlier)): content = .cut(try Cut(merging: bytes, into: earlier))
            case (13, _): content = .cut(try Cut(merging: bytes))
            case (41, .erasure(let earlier)): content = .erasure(try Erasure(merging: bytes, into: earlier))
            case (41, _): content = .erasure(try Erasure(merging: bytes))
            case (42, .shown(let earlier)): content = .shown(try Shown(merging: bytes, into: earlier))
            case (42, _): content = .shown(try Shown(merging: bytes))
            case (_, .control(let earlier)):
                if let control = try Control(number, merging: bytes, into: earlier) { content = .control(control) }
            default: if let control = try Control(number, merging: bytes) { content = .control(control) }
            }
        }

        func write(to writer: inout WireWriter) {
            writeBeforeSalt(to: &writer)
            writer.bytes(5, Array(salt))
            writeBehindSalt(to: &writer)
        }

        /// The same with a salt that follows from all the rest.
        func encoded(with salts: EntrySalts) -> [UInt8] {
            Self.encoded(with: salts) {
                writeBeforeSalt(to: &$0)
            } behind: {
                writeBehindSalt(to: &$0)
            }
        }

        /// A message, with a salt that follows from all the rest.
        static func encoded(
            _ text: Text, timestamp: UInt64, expiry: UInt64, key: [UInt8], with salts: EntrySalts
        ) -> [UInt8] {
            encoded(with: salts) {
                write(text, timestamp: timestamp, expiry: expiry, key: key, to: &$0)
            } behind: { _ in
            }
        }

        private static func encoded(
            with salts: EntrySalts, before: (inout WireWriter) -> Void, behind: (inout WireWriter) -> Void
        ) -> [UInt8] {
            var writer = WireWriter(capacity: Self.usualBytes)
            before(&writer)
            let place = writer.bytes.count
            behind(&writer)
            withUnsafeTemporaryAllocation(byteCount: EntrySalts.count, alignment: 8) { salt in
                salts.write(for: writer.bytes, to: salt)
                writer.insert(at: place) { $0.bytes(5, UnsafeRawBufferPointer(salt)) }
            }
            return writer.bytes
        }

        private func writeBeforeSalt(to writer: inout WireWriter) {
            let text: Text? = if case .text(let text) = content { text } else { nil }
            Self.write(text, timestamp: timestamp, expiry: expiry, key: key, to: &writer)
        }

        private static func write(
            _ text: Text?, timestamp: UInt64, expiry: UInt64, key: [UInt8], to writer: inout WireWriter
        ) {
            writer.fixed64(1, timestamp)
            writer.fixed64(2, expiry)
            if let text { writer.message(3, text) }
            writer.bytes(4, key)
        }

        private func writeBehindSalt(to writer: inout WireWriter) {
            switch content {
            case .branches(let branches): writer.message(6, branches)
            case .edit(let edit): writer.message(10, edit)
            case .retract(let retract): writer.message(11, retract)
            case .reaction(let reaction): writer.message(12, reaction)
            case .join(let join): writer.message(8, join)
            case .leave(let leave): writer.message(9, leave)
            case .version(let version): writer.message(7, version)
            case .control(let control): control.write(to: &writer)
            case .profile(let profile): writer.message(50, profile)
            case .decision(let decision): writer.message(40, decision)
            case .cut(let cut): writer.message(13, cut)
            case .erasure(let erasure): writer.message(41, erasure)
            case .shown(let shown): writer.message(42, shown)
            case .text, nil: break
            }
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
}
