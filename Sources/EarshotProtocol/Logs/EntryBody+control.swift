import EarshotCrypto
import EarshotModel

/// What control entries say, from the wire and to it.
extension ControlBody {
    /// - Throws: `ProtocolError` `malformed` for an entry that names nothing, `violation` for one over a limit.
    init(_ wire: Wire.Control) throws(ProtocolError) {
        switch wire {
        case .created(let created): try self.init(created)
        case .add(let add):
            self.init(.add(try .decode(add.userID), returnsAfter: try LogPlace.decode(add.returnsAfter)))
        case .remove(let remove):
            self.init(
                .remove(
                    try .decode(remove.userID), cuts: try LogPlace.decode(remove.cuts, limit: Limits.removalCuts),
                    reason: remove.reason == 1 ? .left : .removed))
        case .update(let update): self.init(.update(try ConversationAttributes(update.attributes)))
        case .pass(let pass):
            guard let deviceID = DeviceID(bytes: pass.deviceID) else {
                throw ProtocolError(.malformed, "a device in a control entry has the wrong length")
            }
            self.init(.pass(to: deviceID))
        case .handOver(let handOver): self.init(.handOver(to: try .decode(handOver.userID)))
        case .closed: self.init(.closed)
        case .begin(let begin): self.init(.begin(try ControlBegin(begin)), proof: try Self.proof(begin.proof))
        }
    }

    private init(_ wire: Wire.Created) throws(ProtocolError) {
        guard wire.salt.count == ConversationOrigin.saltBytes else {
            throw ProtocolError(.malformed, "the salt of a conversation has the wrong length")
        }
        try check(uniqueName: wire.uniqueName)
        let origin = ConversationOrigin(creatorID: try .decode(wire.creatorID), salt: wire.salt)
        let continues = ConversationID(bytes: wire.continues)
        guard continues != nil || wire.continues.isEmpty else {
            throw ProtocolError(.malformed, "the conversation that another one continues has the wrong length")
        }
        self.init(
            .created(
                Creation(
                    conversationID: .private(origin), uniqueName: wire.uniqueName,
                    attributes: try ConversationAttributes(wire.attributes), givesHistory: wire.givesHistory,
                    continues: continues)),
            origin: origin, proof: try Self.proof(wire.proof))
    }

    private static func proof(_ bytes: [UInt8]) throws(ProtocolError) -> Signature? {
        guard !bytes.isEmpty else { return nil }
        guard let proof = Signature(bytes) else {
            throw ProtocolError(.malformed, "the proof in a control entry has the wrong length")
        }
        return proof
    }

    var wire: Wire.Control {
        switch entry {
        case .created(let creation):
            .created(
                Wire.Created(
                    creatorID: origin.map { Wire.bytes($0.creatorID) } ?? [], salt: origin?.salt ?? [],
                    uniqueName: creation.uniqueName, attributes: creation.attributes.wire,
                    givesHistory: creation.givesHistory, continues: creation.continues.map { Wire.bytes($0) } ?? [],
                    proof: proof?.bytes ?? []))
        case .add(let userID, let returnsAfter):
            .add(Wire.Add(userID: Wire.bytes(userID), returnsAfter: returnsAfter?.wire))
        case .remove(let userID, let cuts, let reason):
            .remove(
                Wire.Remove(userID: Wire.bytes(userID), cuts: cuts.map(\.wire), reason: reason == .left ? 1 : 0))
        case .update(let attributes): .update(Wire.Update(attributes: attributes.wire))
        case .pass(let deviceID): .pass(Wire.Pass(deviceID: Wire.bytes(deviceID)))
        case .handOver(let userID): .handOver(Wire.HandOver(userID: Wire.bytes(userID)))
        case .closed: .closed(Wire.Empty())
        case .begin(let begin): .begin(begin.wire(proof: proof))
        }
    }
}

extension ConversationAttributes {
    fileprivate init(_ wire: Wire.Attributes?) throws(ProtocolError) {
        guard let wire else {
            self.init(friendlyName: "")
            return
        }
        guard wire.friendlyName.utf8.count <= Limits.friendlyNameBytes, wire.custom.utf8.count <= Limits.attributesBytes
        else { throw ProtocolError(.violation, "the attributes of a conversation are too long") }
        self.init(
            friendlyName: wire.friendlyName, json: wire.custom,
            counter: try Wire.number(wire.counter, as: "the counter of a conversation's attributes"))
    }

    fileprivate var wire: Wire.Attributes? {
        guard self != ConversationAttributes(friendlyName: "") else { return nil }
        return Wire.Attributes(friendlyName: friendlyName, custom: json, counter: counter)
    }
}

extension ControlBegin {
    fileprivate init(_ wire: Wire.Begin) throws(ProtocolError) {
        let cause: Cause
        switch wire.cause {
        case 1: cause = .pass
        case 2: cause = .handOver
        case 3: cause = .takeover(try RestatedConversation(wire.state))
        case 4: cause = .full
        default: throw ProtocolError(.malformed, "a control log begins for no known cause")
        }
        self.init(
            term: try Wire.number(wire.term, as: "the number of a control log"), follows: try LogPlace(wire.follows),
            heads: try LogPlace.decode(wire.heads, limit: Limits.controlHeads), cause: cause)
    }

    fileprivate func wire(proof: Signature?) -> Wire.Begin {
        let (cause, state): (UInt32, Wire.State?) =
            switch cause {
            case .pass: (1, nil)
            case .handOver: (2, nil)
            case .takeover(let restated): (3, restated.wire)
            case .full: (4, nil)
            }
        return Wire.Begin(
            term: term, follows: follows.wire, cause: cause, heads: heads.map(\.wire), state: state,
            proof: proof?.bytes ?? [])
    }
}

extension RestatedConversation {
    fileprivate init(_ wire: Wire.State?) throws(ProtocolError) {
        guard let wire else { throw ProtocolError(.malformed, "a takeover does not say what the conversation is") }
        try check(uniqueName: wire.uniqueName)
        guard wire.members.count <= Limits.participants else {
            throw ProtocolError(.violation, "a takeover names more than \(Limits.participants) participants")
        }
        var members: [Member] = []
        for member in wire.members {
            members.append(Member(userID: try .decode(member.userID), added: try LogPlace(member.added)))
        }
        self.init(
            uniqueName: wire.uniqueName, attributes: try ConversationAttributes(wire.attributes), members: members)
    }

    fileprivate var wire: Wire.State {
        Wire.State(
            uniqueName: uniqueName, attributes: attributes.wire,
            members: members.map { Wire.Member(userID: Wire.bytes($0.userID), added: $0.added.wire) })
    }
}

private func check(uniqueName: String) throws(ProtocolError) {
    do { _ = try UserName(uniqueName) } catch {
        throw ProtocolError(.violation, "the name of a conversation is not valid: \(error)")
    }
}

extension UserID {
    fileprivate static func decode(_ bytes: [UInt8]) throws(ProtocolError) -> UserID {
        guard let userID = UserID(bytes: bytes) else {
            throw ProtocolError(.malformed, "a user in a control entry has the wrong length")
        }
        return userID
    }
}

extension LogPlace {
    fileprivate static func decode(_ wire: [Wire.LogPlace], limit: Int) throws(ProtocolError) -> [LogPlace] {
        guard wire.count <= limit else {
            throw ProtocolError(.violation, "a control entry names more than \(limit) places")
        }
        var places: [LogPlace] = []
        for place in wire { places.append(try LogPlace(place)) }
        return places
    }
}
