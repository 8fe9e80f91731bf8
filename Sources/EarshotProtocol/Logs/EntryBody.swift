package import EarshotModel

/// What an author writes into one entry. The author encodes it once; everybody else hashes and keeps those bytes.
package struct EntryBody: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case text(MessageContent)
        /// The first entry of an epoch that follows others: the ends of these, as far as the device knew them.
        case branches([BranchHead])
        /// Something about a message that is there already.
        indirect case amendment(Amendment)
        /// The author belongs to the conversation from here on; in a private one this answers an addition.
        indirect case join(answering: LogPlace? = nil)
        /// The author belongs to it no longer.
        indirect case leave(answering: LogPlace? = nil)
        /// Up to here the author knew the control logs of the conversation.
        indirect case version(LogPlace)
        /// An entry of a control log.
        indirect case control(ControlBody)
        /// What the author says of themselves.
        indirect case profile(ProfileEntry)
        /// What the author's user has decided about another.
        indirect case decision(Decision)
        /// Where the logs of a revoked device of the author's user end.
        indirect case cut(DeviceCut)
        /// What the author's user has erased.
        case erasure([ErasedRun])
        /// What the author's device has shown to its user and does not count by what came later.
        case shown([LogPlace])
        /// A kind of content that this version does not know. It is kept and proved, but not shown.
        case unknown
    }

    package let timestamp: HybridTimestamp
    /// Milliseconds since 1970.
    package let expiry: Int64
    package let content: Content
    /// For the author's device alone, which finds a message by it; `nil` for one that was sent without a key.
    package let key: EntryKey?

    package var kind: EntryKind {
        switch content {
        case .text: .text
        case .branches: .branches
        case .amendment(let amendment): amendment.kind
        case .join: .join
        case .leave: .leave
        case .version: .version
        case .control(let control): control.entry.kind
        case .profile: .profile
        case .decision: .decision
        case .cut: .cut
        case .erasure: .erasure
        case .shown: .shown
        case .unknown: .unknown
        }
    }

    package init(timestamp: HybridTimestamp, expiry: Int64, content: Content, key: EntryKey? = nil) {
        self.timestamp = timestamp
        self.expiry = expiry
        self.content = content
        self.key = key
    }

    /// - Throws: `ProtocolError` `malformed` for bytes that are not an entry, `violation` for a message over a limit.
    package init(decoding bytes: [UInt8]) throws(ProtocolError) {
        let wire = try Wire.decode(Wire.EntryBody.self, from: bytes, as: "an entry")
        guard wire.timestamp >> 63 == 0, let expiry = Int64(exactly: wire.expiry) else {
            throw ProtocolError(.malformed, "an entry's timestamp is out of range")
        }
        self.timestamp = HybridTimestamp(rawValue: wire.timestamp)
        self.expiry = expiry
        key = EntryKey(wire.key)
        switch wire.content {
        case .text(let text): content = .text(try MessageContent(text))
        case .branches(let branches): content = .branches(try BranchHead.decode(branches))
        case .edit(let edit): content = .amendment(try Amendment(edit))
        case .retract(let retract): content = .amendment(try Amendment(retract))
        case .reaction(let reaction): content = .amendment(try Amendment(reaction))
        case .join(let answer): content = .join(answering: try LogPlace.decode(answer.add))
        case .leave(let answer): content = .leave(answering: try LogPlace.decode(answer.add))
        case .version(let version): content = .version(try LogPlace(version.control))
        case .control(let control): content = .control(try ControlBody(control))
        case .profile(let profile): content = .profile(try ProfileEntry(profile))
        case .decision(let decision): content = try Decision.decode(decision).map { .decision($0) } ?? .unknown
        case .cut(let cut): content = .cut(try DeviceCut(cut))
        case .erasure(let erasure): content = .erasure(try ErasedRun.decode(erasure))
        case .shown(let shown): content = .shown(try shown.decoded())
        case nil: content = .unknown
        }
    }

    /// The body as its author's device writes it.
    func encoded(with salts: EntrySalts) -> [UInt8] {
        // Most are messages, for which no box is made.
        guard case .text(let message) = content else { return wire.encoded(with: salts) }
        return Wire.EntryBody.encoded(
            message.wire, timestamp: timestamp.rawValue, expiry: UInt64(expiry), key: key?.bytes ?? [], with: salts)
    }

    /// The body without salt. No device sends it so, but one that keeps a draft for later.
    package func encoded() -> [UInt8] { Wire.encode(wire) }

    private var wire: Wire.EntryBody {
        var wire = Wire.EntryBody()
        wire.timestamp = timestamp.rawValue
        wire.expiry = UInt64(expiry)
        switch content {
        case .text(let message): wire.content = .text(message.wire)
        case .branches(let heads): wire.content = .branches(BranchHead.wire(heads))
        case .amendment(let amendment): wire.content = amendment.wire
        case .join(let add): wire.content = .join(Wire.Answer(add: add?.wire))
        case .leave(let add): wire.content = .leave(Wire.Answer(add: add?.wire))
        case .version(let control): wire.content = .version(Wire.Version(control: control.wire))
        case .control(let control): wire.content = .control(control.wire)
        case .profile(let profile): wire.content = .profile(profile.wire)
        case .decision(let decision): wire.content = .decision(decision.wire)
        case .cut(let cut): wire.content = .cut(cut.wire)
        case .erasure(let runs): wire.content = .erasure(ErasedRun.wire(runs))
        case .shown(let places): wire.content = .shown(Wire.Shown(places: places.map(\.wire)))
        case .unknown: break
        }
        if let key { wire.key = key.bytes }
        return wire
    }
}
