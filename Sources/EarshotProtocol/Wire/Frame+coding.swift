import EarshotModel

extension Frame {
    func encoded() -> [UInt8] {
        Wire.encode(Wire.Frame(wireContent))
    }

    private var wireContent: Wire.Frame.Content {
        switch self {
        case .heads(let receipts, let isComplete):
            .heads(Wire.Heads(receipts: receipts.map(\.wire), complete: isComplete))
        case .entries(let run): .entries(run.wire)
        case .receipts(let receipts): .receipts(Wire.Receipts(receipts: receipts.map(\.wire)))
        case .ping: .ping(Wire.Empty())
        case .pong: .pong(Wire.Empty())
        case .rekey: .rekey(Wire.Empty())
        case .close(let reason): .close(Wire.Close(reason: reason?.rawValue ?? 0))
        case .dialBack(let port, let nonce): .dialBack(Wire.DialBack(port: UInt32(port), nonce: nonce))
        case .dialBackResult(let nonce, let isReachable):
            .dialBackResult(Wire.DialBackResult(nonce: nonce, reachable: isReachable))
        case .wanted(let logID, let sequence):
            .wanted(Wire.Wanted(logID: Wire.bytes(logID), firstSequence: sequence))
        }
    }

    /// - Parameter peer: the device at the other end, which signs the receipts.
    /// - Returns: `nil` for a kind of frame that this version does not know.
    static func decode(_ bytes: [UInt8], from peer: DeviceID) throws(ProtocolError) -> Frame? {
        let wire = try Wire.decode(Wire.Frame.self, from: bytes, as: "a frame")
        switch wire.content {
        case .heads(let heads):
            guard heads.receipts.count <= Limits.logsPerHeads else {
                throw ProtocolError(.violation, "a frame names more than \(Limits.logsPerHeads) logs")
            }
            // Each receipt may cost a look at the disk.
            guard Set(heads.receipts.map(\.logID)).count == heads.receipts.count else {
                throw ProtocolError(.violation, "a frame names a log twice")
            }
            return .heads(try Receipt.decode(heads.receipts, from: peer), isComplete: heads.complete)
        case .entries(let entries): return .entries(try EntriesFrame(entries))
        case .receipts(let receipts):
            guard receipts.receipts.count <= Limits.receiptsPerFrame else {
                throw ProtocolError(.violation, "a frame has more than \(Limits.receiptsPerFrame) receipts")
            }
            return .receipts(try Receipt.decode(receipts.receipts, from: peer))
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
        case .wanted(let wanted):
            guard let logID = LogID(bytes: wanted.logID) else {
                throw ProtocolError(.malformed, "a log has the wrong length")
            }
            // No log has such an entry.
            guard wanted.firstSequence > 0, wanted.firstSequence <= UInt64(Int64.max) else {
                throw ProtocolError(.violation, "the peer wants entry \(wanted.firstSequence) of a log")
            }
            return .wanted(logID, from: wanted.firstSequence)
        case nil: return nil
        }
    }
}

extension EntriesFrame {
    fileprivate var wire: Wire.Entries {
        var wire = Wire.Entries()
        wire.log = Wire.Log(
            conversationID: Wire.bytes(log.conversationID), deviceID: Wire.bytes(log.deviceID), epoch: log.epoch)
        wire.firstSequence = firstSequence
        wire.entries = contents.enumerated().map { index, content in
            var entry = Wire.Entry()
            let sequence = firstSequence &+ UInt64(index)
            if let timestamp = deleted[sequence] { entry.deletedTimestamp = timestamp.rawValue }
            if let mark = marks[sequence] { entry.mark = mark.bytes }
            switch content {
            case .body(let bytes): entry.content = .body(bytes)
            case .withheld(let hash): entry.content = .hash(Wire.bytes(hash))
            }
            return entry
        }
        wire.checkpoint = checkpoint.bytes
        return wire
    }

    fileprivate init(_ wire: Wire.Entries) throws(ProtocolError) {
        let wireLog = wire.log ?? Wire.Log()
        guard let conversationID = ConversationID(bytes: wireLog.conversationID),
            let deviceID = DeviceID(bytes: wireLog.deviceID), let checkpoint = Signature(wire.checkpoint)
        else { throw ProtocolError(.malformed, "a log or a checkpoint has the wrong length") }
        guard wire.entries.count <= Limits.entriesPerFrame else {
            throw ProtocolError(.violation, "a frame has more than \(Limits.entriesPerFrame) entries")
        }
        log = LogDescription(conversationID: conversationID, deviceID: deviceID, epoch: wireLog.epoch)
        firstSequence = wire.firstSequence
        self.checkpoint = checkpoint
        var contents: [EntryContent] = []
        contents.reserveCapacity(wire.entries.count)
        for (index, entry) in wire.entries.enumerated() {
            switch entry.content {
            case .body(let bytes): contents.append(.body(bytes))
            case .hash(let bytes):
                guard let hash = EntryHash(bytes: bytes) else {
                    throw ProtocolError(.malformed, "an entry's hash has the wrong length")
                }
                contents.append(.withheld(hash))
                // The number and the time are checked later, and so is the mark.
                let sequence = firstSequence &+ UInt64(index)
                if entry.deletedTimestamp > 0 {
                    deleted[sequence] = HybridTimestamp(rawValue: entry.deletedTimestamp)
                }
                guard !entry.mark.isEmpty else { continue }
                guard let mark = Signature(entry.mark) else {
                    throw ProtocolError(.malformed, "the mark of a withheld entry has the wrong length")
                }
                marks[sequence] = mark
            case nil: throw ProtocolError(.malformed, "an entry has neither a body nor a hash")
            }
        }
        self.contents = contents
    }
}

extension Receipt {
    fileprivate var wire: Wire.Receipt {
        var wire = Wire.Receipt()
        wire.logID = Wire.bytes(logID)
        wire.sequence = sequence
        wire.chain = Wire.bytes(chain)
        wire.readSequence = readSequence
        wire.signature = signature.bytes
        return wire
    }

    fileprivate static func decode(
        _ wire: [Wire.Receipt], from peer: DeviceID
    ) throws(ProtocolError) -> [Receipt] {
        var receipts: [Receipt] = []
        receipts.reserveCapacity(wire.count)
        for item in wire {
            guard let logID = LogID(bytes: item.logID), let chain = ChainHash(bytes: item.chain),
                let signature = Signature(item.signature), item.sequence <= UInt64(Int64.max),
                item.readSequence <= item.sequence
            else { throw ProtocolError(.malformed, "a receipt is out of range") }
            receipts.append(
                Receipt(
                    logID: logID, sequence: item.sequence, chain: chain, readSequence: item.readSequence,
                    deviceID: peer, signature: signature))
        }
        return receipts
    }
}
