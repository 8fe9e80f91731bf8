import EarshotModel

extension Frame {
    func encoded() -> [UInt8] {
        Wire.encode(Wire.Frame(wireContent))
    }

    private var wireContent: Wire.Frame.Content {
        switch self {
        case .heads(let heads): .heads(heads.wire)
        case .entries(let run): .entries(run.wire)
        case .receipts(let receipts): .receipts(Wire.Receipts(receipts: receipts.map(\.wire)))
        case .carried(let receipts, let credentials):
            .receipts(
                Wire.Receipts(receipts: receipts.map(\.carriedWire), credentials: credentials.map(\.encoded)))
        case .digests(let digests): .digests(Wire.Digests(digests: digests.map(\.wire)))
        case .ping: .ping(Wire.Empty())
        case .pong: .pong(Wire.Empty())
        case .rekey: .rekey(Wire.Empty())
        case .close(let reason): .close(Wire.Close(reason: reason?.rawValue ?? 0))
        case .dialBack(let port, let nonce): .dialBack(Wire.DialBack(port: UInt32(port), nonce: nonce))
        case .dialBackResult(let nonce, let isReachable):
            .dialBackResult(Wire.DialBackResult(nonce: nonce, reachable: isReachable))
        case .wanted(let wanted):
            .wanted(Wire.Wanted(log: wanted.log.wire, end: wanted.end.wire, known: wanted.known.map(\.wire)))
        case .wantedBodies(let wanted):
            .wantedBodies(
                Wire.WantedBodies(
                    log: wanted.log.wire, first: wanted.first.wire, last: wanted.last, isWithheld: wanted.withWithheld))
        case .bodies(let bodies): .bodies(bodies.wire)
        case .unplaced(let log): .unplaced(Wire.Unplaced(log: log.wire))
        case .taken(let logID, let place): .taken(Wire.Taken(logID: Wire.bytes(logID), through: place.wire))
        case .typing(let conversationID, let isTyping):
            .typing(Wire.Typing(conversationID: Wire.bytes(conversationID), ended: !isTyping))
        case .grant(let grant): .grant(grant.wire)
        case .revocations(let revocations):
            .revocations(Wire.Revocations(revocations: revocations.map(\.wire)))
        case .deviceNames(let names): .deviceNames(Wire.DeviceNames(names))
        case .contacts(let credentials): .contacts(Wire.Contacts(credentials: credentials))
        case .wantedFile(let wanted): .wantedFile(wanted.wire)
        case .fileHashes(let hashes): .fileHashes(hashes.wire)
        case .fileChunk(let chunk): .fileChunk(chunk.wire)
        case .fileNews(let news): .fileNews(news.wire)
        }
    }

    /// - Parameter peer: the device at the other end, which signs the receipts.
    /// - Returns: `nil` for a kind of frame that this version does not know.
    static func decode(_ bytes: [UInt8], from peer: DeviceID) throws(ProtocolError) -> Frame? {
        let wire = try Wire.decode(Wire.Frame.self, from: bytes, as: "a frame")
        switch wire.content {
        case .heads(let heads): return .heads(try HeadsFrame(heads))
        case .entries(let entries): return .entries(try EntriesFrame(entries))
        case .receipts(let receipts):
            guard receipts.receipts.count <= Limits.receiptsPerFrame else {
                throw ProtocolError(.violation, "a frame has more than \(Limits.receiptsPerFrame) receipts")
            }
            guard receipts.credentials.count <= Limits.credentialsPerFrame else {
                throw ProtocolError(.violation, "a frame has more than \(Limits.credentialsPerFrame) credentials")
            }
            // Each may cost two verifications, and receipts are what a peer's budget pays for.
            guard receipts.credentials.count <= receipts.receipts.count else {
                throw ProtocolError(.violation, "a frame has more credentials than receipts")
            }
            let decoded = try Receipt.decode(receipts.receipts, from: peer)
            guard !receipts.credentials.isEmpty || decoded.contains(where: { $0.deviceID != peer }) else {
                return .receipts(decoded)
            }
            var credentials: [FrameCredential] = []
            for credential in receipts.credentials { credentials.append(try FrameCredential(credential)) }
            return .carried(decoded, credentials)
        case .digests(let digests):
            guard digests.digests.count <= Limits.digestsPerFrame else {
                throw ProtocolError(.violation, "a frame names more than \(Limits.digestsPerFrame) conversations")
            }
            var decoded: [ConversationDigest] = []
            for digest in digests.digests { decoded.append(try ConversationDigest(digest)) }
            return .digests(decoded)
        case .ping: return .ping
        case .pong: return .pong
        case .rekey: return .rekey
        case .close(let close): return .close(CloseReason(rawValue: close.reason))
        case .dialBack(let dialBack):
            guard let port = UInt16(exactly: dialBack.port), port > 0 else {
                throw ProtocolError(.malformed, "a port is 1 to 65535")
            }
            return .dialBack(port: port, nonce: dialBack.nonce)
        case .dialBackResult(let result):
            return .dialBackResult(nonce: result.nonce, isReachable: result.reachable)
        case .wanted(let wanted): return .wanted(try WantedFrame(wanted))
        case .wantedBodies(let wanted): return .wantedBodies(try WantedBodiesFrame(wanted))
        case .bodies(let bodies): return .bodies(try BodiesFrame(bodies))
        case .unplaced(let unplaced): return .unplaced(try LogDescription(unplaced.log))
        case .taken(let taken):
            guard let logID = LogID(bytes: taken.logID) else {
                throw ProtocolError(.malformed, "a log has the wrong length")
            }
            return .taken(logID, through: try Place(taken.through))
        case .typing(let typing):
            guard let conversationID = ConversationID(bytes: typing.conversationID) else {
                throw ProtocolError(.malformed, "a conversation has the wrong length")
            }
            return .typing(conversationID, isTyping: !typing.ended)
        case .grant(let grant): return .grant(try CredentialGrant(grant))
        case .revocations(let revocations): return .revocations(try Revocation.decode(revocations))
        case .deviceNames(let names): return .deviceNames(try names.decoded())
        case .contacts(let contacts):
            guard contacts.credentials.count <= Limits.credentialsPerFrame else {
                throw ProtocolError(.violation, "a frame has more than \(Limits.credentialsPerFrame) credentials")
            }
            return .contacts(contacts.credentials)
        case .wantedFile(let wanted): return .wantedFile(try WantedFile(wanted))
        case .fileHashes(let hashes): return .fileHashes(try FileHashes(hashes))
        case .fileChunk(let chunk): return .fileChunk(try FileChunk(chunk))
        case .fileNews(let news): return try FileNews(news).map { .fileNews($0) }
        case nil: return nil
        }
    }
}

extension LogDescription {
    fileprivate var wire: Wire.Log {
        Wire.Log(
            conversationID: Wire.bytes(conversationID), deviceID: Wire.bytes(deviceID), epoch: epoch,
            kind: UInt32(kind.rawValue))
    }

    fileprivate init(_ wire: Wire.Log?) throws(ProtocolError) {
        let wire = wire ?? Wire.Log()
        guard let conversationID = ConversationID(bytes: wire.conversationID),
            let deviceID = DeviceID(bytes: wire.deviceID)
        else { throw ProtocolError(.malformed, "a log's conversation or device has the wrong length") }
        self.init(
            conversationID: conversationID, deviceID: deviceID, epoch: wire.epoch, kind: try LogKind(wire: wire.kind))
    }
}

extension LogKind {
    fileprivate init(wire: UInt32) throws(ProtocolError) {
        guard let value = UInt8(exactly: wire), let kind = LogKind(rawValue: value) else {
            throw ProtocolError(.malformed, "there is no log of kind \(wire)")
        }
        self = kind
    }
}

extension Place {
    fileprivate var wire: Wire.Place { Wire.Place(sequence: sequence, chain: Wire.bytes(chain)) }

    fileprivate init(_ wire: Wire.Place?) throws(ProtocolError) {
        guard let wire, let chain = ChainHash(bytes: wire.chain), wire.sequence <= Counting.largest else {
            throw ProtocolError(.malformed, "a place in a log is missing or out of range")
        }
        self.init(sequence: wire.sequence, chain: chain)
    }
}

extension HeadsFrame {
    fileprivate var wire: Wire.Heads {
        Wire.Heads(
            conversationID: conversationID.map(Wire.bytes) ?? [],
            heads: heads.map(\.wire), complete: isComplete, asks: asks)
    }

    fileprivate init(_ wire: Wire.Heads) throws(ProtocolError) {
        guard wire.heads.count <= Limits.logsPerHeads else {
            throw ProtocolError(.violation, "a frame names more than \(Limits.logsPerHeads) logs")
        }
        let conversationID = ConversationID(bytes: wire.conversationID)
        guard conversationID != nil || wire.conversationID.isEmpty && wire.heads.isEmpty else {
            throw ProtocolError(.malformed, "a conversation has the wrong length")
        }
        var heads: [BranchHead] = []
        heads.reserveCapacity(wire.heads.count)
        for head in wire.heads {
            guard let conversationID else { throw ProtocolError(.malformed, "a head is of no conversation") }
            heads.append(try BranchHead(head, of: conversationID))
        }
        // Each may cost a look at the disk.
        guard Set(heads.map(\.place.chain)).count == heads.count else {
            throw ProtocolError(.violation, "a frame names the end of a log twice")
        }
        self.init(conversationID: conversationID, heads: heads, isComplete: wire.complete, asks: wire.asks)
    }
}

extension ConversationDigest {
    fileprivate var wire: Wire.Digest {
        Wire.Digest(
            conversationID: Wire.bytes(conversationID), heads: Wire.bytes(heads), uniqueName: uniqueName,
            peerID: peerID.map { Wire.bytes($0) } ?? [], isPrivate: isPrivate,
            progress: progress.map { Wire.bytes($0) } ?? [], hasJoined: hasJoined, isHidden: isHidden)
    }

    fileprivate init(_ wire: Wire.Digest) throws(ProtocolError) {
        guard let conversationID = ConversationID(bytes: wire.conversationID), let heads = HeadsHash(bytes: wire.heads)
        else { throw ProtocolError(.malformed, "a conversation or its digest has the wrong length") }
        guard wire.uniqueName.utf8.count <= Limits.nameBytes else {
            throw ProtocolError(.malformed, "the name of a conversation is over \(Limits.nameBytes) bytes")
        }
        let peerID = UserID(bytes: wire.peerID)
        guard wire.peerID.isEmpty || peerID != nil else {
            throw ProtocolError(.malformed, "the other user of a conversation has the wrong length")
        }
        let progress = ProgressHash(bytes: wire.progress)
        guard wire.progress.isEmpty || progress != nil else {
            throw ProtocolError(.malformed, "the digest of a conversation's progress has the wrong length")
        }
        self.init(
            conversationID: conversationID, heads: heads, uniqueName: wire.uniqueName, peerID: peerID,
            isPrivate: wire.isPrivate, progress: progress, hasJoined: wire.hasJoined, isHidden: wire.isHidden)
    }
}

extension BranchHead {
    static func wire(_ heads: [BranchHead]) -> Wire.Branches {
        Wire.Branches(
            conversationID: heads.first.map { Wire.bytes($0.log.conversationID) } ?? [], ends: heads.map(\.wire))
    }

    /// - Throws: `ProtocolError` `malformed`.
    static func decode(_ wire: Wire.Branches) throws(ProtocolError) -> [BranchHead] {
        guard let conversationID = ConversationID(bytes: wire.conversationID) else {
            guard wire.conversationID.isEmpty, wire.ends.isEmpty else {
                throw ProtocolError(.malformed, "a conversation has the wrong length")
            }
            return []
        }
        var heads: [BranchHead] = []
        for end in wire.ends { heads.append(try BranchHead(end, of: conversationID)) }
        return heads
    }

    fileprivate var wire: Wire.Head {
        Wire.Head(
            deviceID: Wire.bytes(log.deviceID), epoch: log.epoch, kind: UInt32(log.kind.rawValue),
            sequence: place.sequence, chain: Wire.bytes(place.chain))
    }

    fileprivate init(_ wire: Wire.Head, of conversationID: ConversationID) throws(ProtocolError) {
        guard let deviceID = DeviceID(bytes: wire.deviceID) else {
            throw ProtocolError(.malformed, "the device of a log has the wrong length")
        }
        let log = LogDescription(
            conversationID: conversationID, deviceID: deviceID, epoch: wire.epoch, kind: try LogKind(wire: wire.kind))
        let place = try Place(Wire.Place(sequence: wire.sequence, chain: wire.chain))
        guard place.sequence > 0 else { throw ProtocolError(.malformed, "the end of a log that has no entries") }
        self.init(log: log, place: place)
    }
}

extension WantedFrame {
    fileprivate init(_ wire: Wire.Wanted) throws(ProtocolError) {
        guard wire.known.count <= Limits.knownPlaces else {
            throw ProtocolError(.violation, "the peer names more than \(Limits.knownPlaces) places of a log")
        }
        var known: [Place] = []
        for place in wire.known { known.append(try Place(place)) }
        self.init(log: try LogDescription(wire.log), end: try Place(wire.end), known: known)
    }
}

extension WantedBodiesFrame {
    fileprivate init(_ wire: Wire.WantedBodies) throws(ProtocolError) {
        let first = try Place(wire.first)
        guard first.sequence > 0, wire.last >= first.sequence,
            wire.last - first.sequence < UInt64(Limits.bodiesPerQuestion)
        else { throw ProtocolError(.malformed, "the bodies that the peer wants are out of range") }
        self.init(log: try LogDescription(wire.log), first: first, last: wire.last, withWithheld: wire.isWithheld)
    }
}

extension BodiesFrame {
    fileprivate var wire: Wire.Bodies {
        Wire.Bodies(
            logID: Wire.bytes(logID), first: first.wire,
            entries: contents.enumerated().map { index, content in
                var entry = content.wire
                let sequence = first.sequence + UInt64(index)
                if let mark = marks[sequence] { entry.mark = mark.bytes }
                if case .body = content, let reason = failures[sequence] { entry.failure = reason.number }
                return entry
            })
    }

    fileprivate init(_ wire: Wire.Bodies) throws(ProtocolError) {
        guard let logID = LogID(bytes: wire.logID) else {
            throw ProtocolError(.malformed, "a log has the wrong length")
        }
        guard wire.entries.count <= Limits.bodiesPerQuestion else {
            throw ProtocolError(.violation, "a frame has more than \(Limits.bodiesPerQuestion) bodies")
        }
        let first = try Place(wire.first)
        var contents: [EntryContent] = []
        var marks: [UInt64: Signature] = [:]
        var failures: [UInt64: FailureReason] = [:]
        for (index, entry) in wire.entries.enumerated() {
            let sequence = first.sequence + UInt64(index)
            contents.append(try EntryContent(entry))
            if let mark = try entry.decodedMark() { marks[sequence] = mark }
            failures[sequence] = FailureReason(number: entry.failure)
        }
        self.init(logID: logID, first: first, contents: contents, marks: marks, failures: failures)
    }
}

extension FailureReason {
    /// What it is on the wire.
    fileprivate var number: UInt32 {
        switch self {
        case .expired: 1
        case .cancelled: 2
        case .blocked: 3
        case .identityChanged: 4
        case .deviceReplaced: 5
        case .removed: 6
        }
    }

    /// - Returns: `nil` for none, and for one that this version does not know.
    fileprivate init?(number: UInt32) {
        guard let reason = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = reason
    }
}

extension EntryContent {
    fileprivate var wire: Wire.Entry {
        switch self {
        case .body(let bytes): Wire.Entry(content: .body(bytes))
        case .withheld(let hash): Wire.Entry(content: .hash(Wire.bytes(hash)))
        }
    }

    fileprivate init(_ wire: Wire.Entry) throws(ProtocolError) {
        switch wire.content {
        case .body(let bytes): self = .body(bytes)
        case .hash(let bytes):
            guard let hash = EntryHash(bytes: bytes) else {
                throw ProtocolError(.malformed, "an entry's hash has the wrong length")
            }
            self = .withheld(hash)
        case nil: throw ProtocolError(.malformed, "an entry has neither a body nor a hash")
        }
    }
}

extension Wire.Entry {
    /// The mark of an entry without a body.
    fileprivate func decodedMark() throws(ProtocolError) -> Signature? {
        guard case .hash = content, !mark.isEmpty else { return nil }
        guard let mark = Signature(mark) else {
            throw ProtocolError(.malformed, "the mark of a withheld entry has the wrong length")
        }
        return mark
    }
}

extension EntriesFrame {
    fileprivate var wire: Wire.Entries {
        var wire = Wire.Entries()
        wire.log = log.wire
        wire.previousChain = Wire.bytes(previousChain)
        wire.firstSequence = firstSequence
        wire.entries = contents.enumerated().map { index, content in
            var entry = content.wire
            let sequence = firstSequence &+ UInt64(index)
            if let timestamp = deleted[sequence] { entry.deletedTimestamp = timestamp.rawValue }
            if let mark = marks[sequence] { entry.mark = mark.bytes }
            return entry
        }
        wire.checkpoint = checkpoint.bytes
        wire.credential = credential?.encoded
        wire.unreached = unreached.map(Wire.bytes)
        return wire
    }

    fileprivate init(_ wire: Wire.Entries) throws(ProtocolError) {
        guard let checkpoint = Signature(wire.checkpoint), let previousChain = ChainHash(bytes: wire.previousChain)
        else { throw ProtocolError(.malformed, "a chain hash or a checkpoint has the wrong length") }
        guard wire.entries.count <= Limits.entriesPerFrame else {
            throw ProtocolError(.violation, "a frame has more than \(Limits.entriesPerFrame) entries")
        }
        log = try LogDescription(wire.log)
        self.previousChain = previousChain
        firstSequence = wire.firstSequence
        self.checkpoint = checkpoint
        var contents: [EntryContent] = []
        contents.reserveCapacity(wire.entries.count)
        for (index, entry) in wire.entries.enumerated() {
            contents.append(try EntryContent(entry))
            guard case .hash = entry.content else { continue }
            // The number and the time are checked later, and so is the mark.
            let sequence = firstSequence &+ UInt64(index)
            if entry.deletedTimestamp > 0 {
                deleted[sequence] = HybridTimestamp(rawValue: entry.deletedTimestamp)
            }
            if let mark = try entry.decodedMark() { marks[sequence] = mark }
        }
        self.contents = contents
        if let wire = wire.credential { credential = try FrameCredential(wire) }
        guard wire.unreached.count <= Limits.unreachedUsers else {
            throw ProtocolError(.violation, "a frame names more than \(Limits.unreachedUsers) users")
        }
        for bytes in wire.unreached {
            guard let userID = UserID(bytes: bytes) else {
                throw ProtocolError(.malformed, "the key of a user has the wrong length")
            }
            unreached.append(userID)
        }
    }
}

extension Receipt {
    fileprivate var wire: Wire.Receipt {
        var wire = Wire.Receipt()
        wire.logID = Wire.bytes(logID)
        wire.sequence = sequence
        wire.chain = Wire.bytes(chain)
        wire.readSequence = readSequence
        wire.handledSequence = handledSequence
        wire.signature = signature.bytes
        wire.missing = missing.ranges.map { Wire.Range(first: $0.lowerBound, last: $0.upperBound) }
        return wire
    }

    /// The same, with the device that signed it.
    fileprivate var carriedWire: Wire.Receipt {
        var wire = wire
        wire.deviceID = Wire.bytes(deviceID)
        return wire
    }

    fileprivate static func decode(
        _ wire: [Wire.Receipt], from peer: DeviceID
    ) throws(ProtocolError) -> [Receipt] {
        var receipts: [Receipt] = []
        receipts.reserveCapacity(wire.count)
        for item in wire {
            guard let logID = LogID(bytes: item.logID), let chain = ChainHash(bytes: item.chain),
                let signature = Signature(item.signature), item.sequence <= Counting.largest,
                item.readSequence <= item.sequence, item.handledSequence <= item.sequence
            else { throw ProtocolError(.malformed, "a receipt is out of range") }
            guard let deviceID = item.deviceID.isEmpty ? peer : DeviceID(bytes: item.deviceID) else {
                throw ProtocolError(.malformed, "the device of a receipt has the wrong length")
            }
            receipts.append(
                Receipt(
                    logID: logID, sequence: item.sequence, chain: chain, readSequence: item.readSequence,
                    handledSequence: item.handledSequence,
                    missing: try SequenceSet(
                        item.missing, through: item.sequence, limit: Limits.missingRangesPerReceipt,
                        "the missing bodies of a receipt"),
                    deviceID: deviceID,
                    signature: signature))
        }
        return receipts
    }
}
