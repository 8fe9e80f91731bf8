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
            case taken(Taken)
            case unplaced(Unplaced)
            case typing(Typing)
            case digests(Digests)
            case grant(CredentialGrant)
            case revocations(Revocations)
            case deviceNames(DeviceNames)
            case wantedBodies(WantedBodies)
            case bodies(Bodies)
            case contacts(Contacts)
            case wantedFile(WantedFile)
            case fileHashes(FileHashes)
            case fileChunk(FileChunk)
            case fileNews(FileNews)
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
            case (11, .taken(let earlier)): .taken(try Taken(merging: bytes, into: earlier))
            case (11, _): .taken(try Taken(merging: bytes))
            case (12, .unplaced(let earlier)): .unplaced(try Unplaced(merging: bytes, into: earlier))
            case (12, _): .unplaced(try Unplaced(merging: bytes))
            case (20, .typing(let earlier)): .typing(try Typing(merging: bytes, into: earlier))
            case (20, _): .typing(try Typing(merging: bytes))
            case (13, .digests(let earlier)): .digests(try Digests(merging: bytes, into: earlier))
            case (13, _): .digests(try Digests(merging: bytes))
            case (30, .grant(let earlier)): .grant(try CredentialGrant(merging: bytes, into: earlier))
            case (30, _): .grant(try CredentialGrant(merging: bytes))
            case (31, .revocations(let earlier)): .revocations(try Revocations(merging: bytes, into: earlier))
            case (31, _): .revocations(try Revocations(merging: bytes))
            case (32, .deviceNames(let earlier)): .deviceNames(try DeviceNames(merging: bytes, into: earlier))
            case (32, _): .deviceNames(try DeviceNames(merging: bytes))
            case (15, .wantedBodies(let earlier)): .wantedBodies(try WantedBodies(merging: bytes, into: earlier))
            case (15, _): .wantedBodies(try WantedBodies(merging: bytes))
            case (16, .bodies(let earlier)): .bodies(try Bodies(merging: bytes, into: earlier))
            case (16, _): .bodies(try Bodies(merging: bytes))
            case (33, .contacts(let earlier)): .contacts(try Contacts(merging: bytes, into: earlier))
            case (33, _): .contacts(try Contacts(merging: bytes))
            case (40, .wantedFile(let earlier)): .wantedFile(try WantedFile(merging: bytes, into: earlier))
            case (40, _): .wantedFile(try WantedFile(merging: bytes))
            case (41, .fileHashes(let earlier)): .fileHashes(try FileHashes(merging: bytes, into: earlier))
            case (41, _): .fileHashes(try FileHashes(merging: bytes))
            case (42, .fileChunk(let earlier)): .fileChunk(try FileChunk(merging: bytes, into: earlier))
            case (42, _): .fileChunk(try FileChunk(merging: bytes))
            case (43, .fileNews(let earlier)): .fileNews(try FileNews(merging: bytes, into: earlier))
            case (43, _): .fileNews(try FileNews(merging: bytes))
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
            case .taken(let taken): writer.message(11, taken)
            case .unplaced(let unplaced): writer.message(12, unplaced)
            case .typing(let typing): writer.message(20, typing)
            case .digests(let digests): writer.message(13, digests)
            case .grant(let grant): writer.message(30, grant)
            case .revocations(let revocations): writer.message(31, revocations)
            case .deviceNames(let names): writer.message(32, names)
            case .wantedBodies(let wanted): writer.message(15, wanted)
            case .bodies(let bodies): writer.message(16, bodies)
            case .contacts(let contacts): writer.message(33, contacts)
            case .wantedFile(let wanted): writer.message(40, wanted)
            case .fileHashes(let hashes): writer.message(41, hashes)
            case .fileChunk(let chunk): writer.message(42, chunk)
            case .fileNews(let news): writer.message(43, news)
            case nil: break
            }
        }
    }

    struct Heads: WireMessage {
        var conversationID: [UInt8] = []
        var heads: [Head] = []
        var complete = false
        var asks = false

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): conversationID = Array(bytes)
            case (2, .bytes(let bytes)): heads.append(try Head(merging: bytes))
            case (3, .varint(let value)): complete = value != 0
            case (4, .varint(let value)): asks = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, conversationID)
            for head in heads { writer.message(2, head) }
            writer.varint(3, complete ? 1 : 0)
            writer.varint(4, asks ? 1 : 0)
        }
    }

    struct Digests: WireMessage {
        var digests: [Digest] = []

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) { digests.append(try Digest(merging: bytes)) }
        }

        func write(to writer: inout WireWriter) {
            for digest in digests { writer.message(1, digest) }
        }
    }

    struct Digest: WireMessage {
        var conversationID: [UInt8] = []
        var heads: [UInt8] = []
        var uniqueName = ""
        var peerID: [UInt8] = []
        var isPrivate = false
        var progress: [UInt8] = []
        var hasJoined = false
        var isHidden = false

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): conversationID = Array(bytes)
            case (2, .bytes(let bytes)): heads = Array(bytes)
            case (3, .bytes(let bytes)): uniqueName = try text(bytes)
            case (4, .bytes(let bytes)): peerID = Array(bytes)
            case (5, .varint(let value)): isPrivate = value != 0
            case (6, .bytes(let bytes)): progress = Array(bytes)
            case (7, .varint(let value)): hasJoined = value != 0
            case (8, .varint(let value)): isHidden = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, conversationID)
            writer.bytes(2, heads)
            writer.text(3, uniqueName)
            writer.bytes(4, peerID)
            writer.varint(5, isPrivate ? 1 : 0)
            writer.bytes(6, progress)
            writer.varint(7, hasJoined ? 1 : 0)
            writer.varint(8, isHidden ? 1 : 0)
        }
    }

    struct Head: WireMessage {
        var deviceID: [UInt8] = []
        var epoch: UInt64 = 0
        var kind: UInt32 = 0
        var sequence: UInt64 = 0
        var chain: [UInt8] = []

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): deviceID = Array(bytes)
            case (2, .fixed64(let value)): epoch = value
            case (3, .varint(let value)): kind = UInt32(truncatingIfNeeded: value)
            case (4, .varint(let value)): sequence = value
            case (5, .bytes(let bytes)): chain = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, deviceID)
            writer.fixed64(2, epoch)
            writer.varint(3, UInt64(kind))
            writer.varint(4, sequence)
            writer.bytes(5, chain)
        }
    }

    struct Entries: WireMessage {
        var log = Log?.none
        var firstSequence: UInt64 = 0
        var entries: [Entry] = []
        var checkpoint: [UInt8] = []
        var previousChain: [UInt8] = []
        var credential = Credential?.none
        var unreached: [[UInt8]] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): log = try Log(merging: bytes, into: log)
            case (2, .varint(let value)): firstSequence = value
            case (3, .bytes(let bytes)): entries.append(try Entry(merging: bytes))
            case (4, .bytes(let bytes)): checkpoint = Array(bytes)
            case (5, .bytes(let bytes)): previousChain = Array(bytes)
            case (6, .bytes(let bytes)): credential = try Credential(merging: bytes, into: credential)
            case (7, .bytes(let bytes)): unreached.append(Array(bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let log { writer.message(1, log) }
            writer.varint(2, firstSequence)
            for entry in entries { writer.message(3, entry) }
            writer.bytes(4, checkpoint)
            writer.bytes(5, previousChain)
            if let credential { writer.message(6, credential) }
            for userID in unreached { writer.bytes(7, userID, isCase: true) }
        }
    }

    struct Wanted: WireMessage {
        var log = Log?.none
        var end = Place?.none
        var known: [Place] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): log = try Log(merging: bytes, into: log)
            case (2, .bytes(let bytes)): end = try Place(merging: bytes, into: end)
            case (3, .bytes(let bytes)): known.append(try Place(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let log { writer.message(1, log) }
            if let end { writer.message(2, end) }
            for place in known { writer.message(3, place) }
        }
    }

    struct WantedBodies: WireMessage {
        var log = Log?.none
        var first = Place?.none
        var last: UInt64 = 0
        var isWithheld = false

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): log = try Log(merging: bytes, into: log)
            case (2, .bytes(let bytes)): first = try Place(merging: bytes, into: first)
            case (3, .varint(let value)): last = value
            case (4, .varint(let value)): isWithheld = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let log { writer.message(1, log) }
            if let first { writer.message(2, first) }
            writer.varint(3, last)
            writer.varint(4, isWithheld ? 1 : 0)
        }
    }

    struct Bodies: WireMessage {
        var logID: [UInt8] = []
        var first = Place?.none
        var entries: [Entry] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): logID = Array(bytes)
            case (2, .bytes(let bytes)): first = try Place(merging: bytes, into: first)
            case (3, .bytes(let bytes)): entries.append(try Entry(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, logID)
            if let first { writer.message(2, first) }
            for entry in entries { writer.message(3, entry) }
        }
    }

    struct Unplaced: WireMessage {
        var log = Log?.none

        mutating func take(_ field: WireField) throws(WireError) {
            if case (1, .bytes(let bytes)) = (field.number, field.value) { log = try Log(merging: bytes, into: log) }
        }

        func write(to writer: inout WireWriter) {
            if let log { writer.message(1, log) }
        }
    }

    struct Taken: WireMessage {
        var logID: [UInt8] = []
        var through = Place?.none

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): logID = Array(bytes)
            case (2, .bytes(let bytes)): through = try Place(merging: bytes, into: through)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, logID)
            if let through { writer.message(2, through) }
        }
    }

    struct Typing: WireMessage {
        var conversationID: [UInt8] = []
        var ended = false

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): conversationID = Array(bytes)
            case (2, .varint(let value)): ended = value != 0
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, conversationID)
            writer.varint(2, ended ? 1 : 0)
        }
    }

    struct Receipts: WireMessage {
        var receipts: [Receipt] = []
        var credentials: [Credential] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): receipts.append(try Receipt(merging: bytes))
            case (2, .bytes(let bytes)): credentials.append(try Credential(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            for receipt in receipts { writer.message(1, receipt) }
            for credential in credentials { writer.message(2, credential) }
        }
    }

    struct Receipt: WireMessage {
        var logID: [UInt8] = []
        var sequence: UInt64 = 0
        var chain: [UInt8] = []
        var readSequence: UInt64 = 0
        var signature: [UInt8] = []
        var deviceID: [UInt8] = []
        var handledSequence: UInt64 = 0
        var missing: [Range] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): logID = Array(bytes)
            case (2, .varint(let value)): sequence = value
            case (3, .bytes(let bytes)): chain = Array(bytes)
            case (4, .varint(let value)): readSequence = value
            case (5, .bytes(let bytes)): signature = Array(bytes)
            case (6, .bytes(let bytes)): deviceID = Array(bytes)
            case (7, .varint(let value)): handledSequence = value
            case (8, .bytes(let bytes)): missing.append(try Range(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, logID)
            writer.varint(2, sequence)
            writer.bytes(3, chain)
            writer.varint(4, readSequence)
            writer.bytes(5, signature)
            writer.bytes(6, deviceID)
            writer.varint(7, handledSequence)
            for range in missing { writer.message(8, range) }
        }
    }

    struct Range: WireMessage {
        var first: UInt64 = 0
        var last: UInt64 = 0

        mutating func take(_ field: WireField) {
            switch (field.number, field.value) {
            case (1, .varint(let value)): first = value
            case (2, .varint(let value)): last = value
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.varint(1, first)
            writer.varint(2, last)
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
