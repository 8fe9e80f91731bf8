package import EarshotModel

/// What messages say, from the wire and to it.
extension EntryBody.Content {
    /// A message without anything beside its text and headers.
    package static func text(_ text: String, headers: [String: String]) -> EntryBody.Content {
        .text(MessageContent(text, headers: headers))
    }

    package init(_ draft: EntryDraft) {
        switch draft {
        case .message(let draft): self = .text(draft.content)
        case .amendment(let amendment): self = .amendment(amendment)
        case .join: self = .join()
        case .leave: self = .leave()
        case .accept(let add): self = .join(answering: add)
        case .decline(let add): self = .leave(answering: add)
        case .version(let control): self = .version(control)
        case .control(let control): self = .control(control)
        case .profile(let profile, let counter): self = .profile(ProfileEntry(profile, counter: counter))
        case .decision(let decision): self = .decision(decision)
        case .cut(let cut): self = .cut(cut)
        case .erasure(let runs): self = .erasure(runs)
        case .shown(let places): self = .shown(places)
        }
    }

    /// What it has to do with other entries.
    package var relation: EntryRelation? {
        switch self {
        case .text(let message): message.session.map { .session($0.id, counter: $0.counter) }
        case .amendment(let amendment): amendment.relation
        case .version(let place): .version(place)
        case .branches, .join, .leave, .control, .profile, .decision, .cut, .erasure, .shown, .unknown: nil
        }
    }

    /// The files that it brings along; `nil` if there are none.
    package var attachments: [Attachment]? {
        guard case .text(let message) = self, !message.attachments.isEmpty else { return nil }
        return message.attachments
    }
}

extension MessageContent {
    init(_ wire: Wire.Text) throws(ProtocolError) {
        self.init(wire.text)
        if !wire.headers.isEmpty { headers = wire.headers }
        if let place = wire.replyTo { replyTo = try LogPlace(place) }
        if let step = wire.session { session = try MessageSession(step) }
        if let parts = wire.layout {
            let read = try MessageLayout(parts)
            layout = read.isEmpty ? nil : read
        }
        guard wire.mentions.count <= Limits.mentions else {
            throw ProtocolError(.violation, "a message mentions \(wire.mentions.count) users")
        }
        for bytes in wire.mentions {
            guard let userID = UserID(bytes: bytes) else {
                throw ProtocolError(.malformed, "a user who is mentioned has the wrong length")
            }
            mentions.append(userID)
        }
        if !wire.attachments.isEmpty { attachments = try Attachment.decode(wire.attachments) }
        do { try validate() } catch {
            throw ProtocolError(.violation, "a message is not valid: \(error)")
        }
    }

    var wire: Wire.Text {
        Wire.Text(
            text: text, headers: headers, replyTo: replyTo?.wire, mentions: mentions.map { Wire.bytes($0) },
            session: session?.wire, layout: layout?.wire, attachments: attachments.map(\.wire))
    }
}

extension Attachment {
    fileprivate static func decode(_ wire: [Wire.Attachment]) throws(ProtocolError) -> [Attachment] {
        guard wire.count <= Limits.attachments else {
            throw ProtocolError(.violation, "a message brings \(wire.count) files along")
        }
        var attachments: [Attachment] = []
        for item in wire {
            guard let fileID = FileID(bytes: item.fileID) else {
                throw ProtocolError(.malformed, "the id of a file has the wrong length")
            }
            do throws(EarshotError) {
                attachments.append(
                    try Attachment(
                        fileID: fileID, name: item.name, mediaType: item.mediaType, byteCount: item.byteCount))
            } catch { throw ProtocolError(.violation, "a file of a message is not valid: \(error)") }
        }
        return attachments
    }

    fileprivate var wire: Wire.Attachment {
        Wire.Attachment(fileID: Wire.bytes(fileID), name: name, mediaType: mediaType, byteCount: byteCount)
    }
}

extension Amendment {
    init(_ wire: Wire.Edit) throws(ProtocolError) {
        try self.init(wire.target, .edit(text: wire.text, counter: wire.counter))
    }

    init(_ wire: Wire.Retract) throws(ProtocolError) { try self.init(wire.target, .retract) }

    init(_ wire: Wire.Reaction) throws(ProtocolError) {
        try self.init(
            wire.target, .reaction(emoji: wire.emoji, counter: wire.counter, isRemoved: wire.removed))
    }

    private init(_ target: Wire.LogPlace?, _ content: Content) throws(ProtocolError) {
        self.init(target: try LogPlace(target), content)
        do { try validate() } catch {
            throw ProtocolError(.violation, "what changes a message is not valid: \(error)")
        }
    }

    var wire: Wire.EntryBody.Content {
        switch content {
        case .edit(let text, let counter): .edit(Wire.Edit(target: target.wire, counter: counter, text: text))
        case .retract: .retract(Wire.Retract(target: target.wire))
        case .reaction(let emoji, let counter, let isRemoved):
            .reaction(Wire.Reaction(target: target.wire, emoji: emoji, counter: counter, removed: isRemoved))
        }
    }
}

extension LogPlace {
    /// - Throws: `ProtocolError` `malformed`, also where there is none.
    init(_ wire: Wire.LogPlace?) throws(ProtocolError) {
        guard let wire, let logID = LogID(bytes: wire.logID), let chain = ChainHash(bytes: wire.chain),
            (1...Counting.largest).contains(wire.sequence)
        else { throw ProtocolError(.malformed, "an entry names no place in a log") }
        self.init(logID: logID, sequence: wire.sequence, chain: chain)
    }

    /// - Returns: `nil` where there is none.
    static func decode(_ wire: Wire.LogPlace?) throws(ProtocolError) -> LogPlace? {
        guard let wire else { return nil }
        return try LogPlace(wire)
    }

    var wire: Wire.LogPlace {
        Wire.LogPlace(logID: Wire.bytes(logID), sequence: sequence, chain: Wire.bytes(chain))
    }
}

extension MessageSession {
    fileprivate init(_ wire: Wire.Session) throws(ProtocolError) {
        guard let id = EntryKey(wire.sessionID) else {
            throw ProtocolError(.malformed, "the id of a session has the wrong length")
        }
        self.init(id: SessionID(id), counter: wire.counter, summary: wire.summary)
    }

    fileprivate var wire: Wire.Session { Wire.Session(sessionID: id.bytes.bytes, counter: counter, summary: summary) }
}

extension MessageLayout {
    fileprivate init(_ wire: Wire.Layout) throws(ProtocolError) {
        self.init(
            caption: wire.caption, subcaption: wire.subcaption, imageTitle: wire.imageTitle,
            imageSubtitle: wire.imageSubtitle, accessibilityLabel: wire.accessibilityLabel)
        guard !wire.url.isEmpty else { return }
        do throws(EarshotError) { url = try WebLink(wire.url) } catch {
            throw ProtocolError(.violation, "a message is not valid: \(error)")
        }
    }

    fileprivate var wire: Wire.Layout {
        Wire.Layout(
            caption: caption, subcaption: subcaption, imageTitle: imageTitle, imageSubtitle: imageSubtitle,
            accessibilityLabel: accessibilityLabel, url: url?.description ?? "")
    }
}

extension EntryContent {
    /// What it has to do with other entries, as its author wrote it.
    var relation: EntryRelation? {
        guard case .body(let bytes) = self else { return nil }
        return (try? EntryBody(decoding: bytes))?.content.relation
    }

    /// The files that it brings along; `nil` if there are none.
    var attachments: [Attachment]? {
        guard case .body(let bytes) = self else { return nil }
        return (try? EntryBody(decoding: bytes))?.content.attachments
    }
}
