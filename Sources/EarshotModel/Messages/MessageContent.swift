/// What a message says, as its author writes it into one entry.
package struct MessageContent: Hashable, Sendable {
    package var text: String
    private(set) var parts: Seldom<MessageParts>

    package init(
        _ text: String, headers: [String: String] = [:], replyTo: LogPlace? = nil, mentions: [UserID] = [],
        session: MessageSession? = nil, layout: MessageLayout? = nil, attachments: [Attachment] = []
    ) {
        var parts = MessageParts()
        (parts.headers, parts.mentions, parts.attachments) = (headers, mentions, attachments)
        (parts.replyTo, parts.session, parts.layout) = (replyTo, session, layout)
        self.init(text, Seldom(parts))
    }

    package init(_ text: String, _ parts: Seldom<MessageParts> = Seldom()) {
        self.text = text
        self.parts = parts
    }

    package var headers: [String: String] {
        get { parts.present?.headers ?? [:] }
        set { parts.values.headers = newValue }
    }
    /// Users whom it is meant for in particular, ascending.
    package var mentions: [UserID] {
        get { parts.present?.mentions ?? [] }
        set { parts.values.mentions = newValue }
    }
    /// The files that it brings along, in its author's order.
    package var attachments: [Attachment] {
        get { parts.present?.attachments ?? [] }
        set { parts.values.attachments = newValue }
    }
    /// The message that it answers.
    package var replyTo: LogPlace? {
        get { parts.present?.replyTo }
        set { parts.values.replyTo = newValue }
    }
    package var session: MessageSession? {
        get { parts.present?.session }
        set { parts.values.session = newValue }
    }
    package var layout: MessageLayout? {
        get { parts.present?.layout }
        set { parts.values.layout = newValue }
    }

    /// - Throws: `MessageDraft.Invalid` for the first limit that it is over.
    package func validate() throws(MessageDraft.Invalid) {
        try MessageDraft.check(text: text, attachments)
        guard parts.present != nil else { return }
        try MessageDraft.check(mentions: mentions, session, headers)
        try layout?.validate()
    }
}

/// What a message says beside its text.
package struct MessageParts: SeldomValues {
    var headers: [String: String] = [:]
    var mentions: [UserID] = []
    var attachments: [Attachment] = []
    var replyTo: LogPlace?
    var session: MessageSession?
    var layout: MessageLayout?

    package init() {}
}

/// What an entry says about a message that is there already.
package struct Amendment: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The message has another text. The counter is one higher than that of the text before; the first is 1.
        case edit(text: String, counter: UInt64)
        /// The message is taken back.
        case retract
        /// Its author reacts to the message, or does not any more. The counter is one higher than that of what they said
        /// before with the same emoji; the first is 1.
        case reaction(emoji: String, counter: UInt64, isRemoved: Bool)
    }

    package let target: LogPlace
    package let content: Content

    package init(target: LogPlace, _ content: Content) {
        self.target = target
        self.content = content
    }

    package var kind: EntryKind {
        switch content {
        case .edit: .edit
        case .retract: .retract
        case .reaction: .reaction
        }
    }

    /// What is news about the message.
    package var change: MessageChange {
        switch content {
        case .edit: .text
        case .retract: .isRetracted
        case .reaction: .reactions
        }
    }

    /// - Throws: `MessageDraft.Invalid` for the first limit that it is over.
    package func validate() throws(MessageDraft.Invalid) {
        switch content {
        case .edit(let text, let counter):
            try MessageDraft.check(text: text)
            try MessageDraft.check(counter: counter)
        case .retract: break
        case .reaction(let emoji, let counter, _):
            guard !emoji.isEmpty else { throw .emptyEmoji }
            guard emoji.utf8.count <= Limits.emojiBytes else { throw .emojiTooLong(bytes: emoji.utf8.count) }
            try MessageDraft.check(counter: counter)
        }
    }
}

/// What an entry of this device is to say.
package enum EntryDraft: Hashable, Sendable {
    case message(MessageDraft)
    indirect case amendment(Amendment)
    /// This node's user belongs to the conversation from here on.
    case join
    /// They belong to it no longer.
    case leave
    /// They answer an addition to a private conversation: they join.
    indirect case accept(LogPlace)
    /// They answer an addition: they decline, or leave.
    indirect case decline(LogPlace)
    /// Up to here this device knows the control logs of the conversation.
    indirect case version(LogPlace)
    /// An entry of a control log.
    indirect case control(ControlBody)
    /// What they say of themselves, and how it is counted.
    indirect case profile(Profile, counter: UInt64)
    /// What they have decided about another.
    indirect case decision(Decision)
    /// Where the logs of a device of theirs end that they have revoked.
    indirect case cut(DeviceCut)
    /// What they have erased.
    case erasure([ErasedRun])
    /// What they were shown, and does not count.
    case shown([LogPlace])

    package var kind: EntryKind {
        switch self {
        case .message: .text
        case .amendment(let amendment): amendment.kind
        case .join, .accept: .join
        case .leave, .decline: .leave
        case .version: .version
        case .control(let control): control.entry.kind
        case .profile: .profile
        case .decision: .decision
        case .cut: .cut
        case .erasure: .erasure
        case .shown: .shown
        }
    }

    /// The size of its texts, in bytes.
    package var byteCount: Int {
        switch self {
        case .message(let draft): draft.byteCount
        case .amendment(let amendment):
            switch amendment.content {
            case .edit(let text, _): text.utf8.count
            case .retract: 0
            case .reaction(let emoji, _, _): emoji.utf8.count
            }
        case .control(let control): control.entry.byteCount
        case .join, .leave, .accept, .decline, .version, .decision, .cut: 0
        case .erasure(let runs): runs.count * MemoryLayout<ErasedRun>.size
        case .shown(let places): places.count * MemoryLayout<LogPlace>.size
        case .profile(let profile, _): profile.byteCount
        }
    }

    /// - Throws: `MessageDraft.Invalid` for the first limit that it is over.
    package func validate() throws(MessageDraft.Invalid) {
        switch self {
        case .message(let draft): try draft.check()
        case .amendment(let amendment): try amendment.validate()
        case .join, .leave, .accept, .decline, .version, .control, .profile, .decision, .cut, .erasure, .shown: break
        }
    }
}
