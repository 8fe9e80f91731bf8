import EarshotProtocol
public import Foundation

/// Messages that programs prepare, and that a person sends or discards.
///
/// A draft is on this node's disk and nowhere else until a person sends it. There are at most
/// `Limits.draftsPerConversation` of a conversation, `Limits.draftsOfProgram` of a program and `Limits.drafts` in all: one
/// more is refused, and none gives way. They go when the messages of their conversation are erased, and when this node's
/// user leaves it.
///
/// What becomes of a draft is in the journal (`draftInserted`, `draftUpdated`, `draftSent`, `draftDiscarded`), so that a
/// program which was away hears it.
public struct Drafts: Sendable {
    let node: Node
    /// The token of the program that inserts drafts, by name: its keys are its own. `nil` for the owner's own programs.
    private var token: String?

    init(node: Node) { self.node = node }

    /// The same for a program that shows a token.
    /// - Parameter token: its name; `nil` for the owner's own programs.
    package func of(token: String?) -> Drafts {
        var drafts = self
        drafts.token = token
        return drafts
    }

    // MARK: - Programs

    /// Prepares a message to a user. It returns when the draft is on the disk.
    /// - Parameters:
    ///   - content: what is sent if a person sends it.
    ///   - recipientID: the recipient.
    ///   - name: of the program: letters, digits, and any of `-_.`, at most `Limits.draftAuthorBytes`. Faces show it.
    ///     `nil` for a person.
    ///   - idempotencyKey: names this draft. Whoever inserts it again with the same key gets the same draft, as a person
    ///     may have changed it, with its `messageID` if it was sent.
    /// - Throws: `EarshotError` like `Messages.send`; `tooManyDrafts`; `draftDiscarded` for one that was inserted with this
    ///   key before and discarded; `keyReused` for a key of another message.
    @discardableResult
    public func insert(
        _ content: MessageDraft, to recipientID: UserID, by name: String?, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Draft {
        try await insert(content, to: .user(recipientID), by: name, idempotencyKey: idempotencyKey)
    }

    /// Prepares a message to the other participants of a conversation; see `insert(_:to:by:idempotencyKey:)`.
    /// - Parameters:
    ///   - content: what is sent if a person sends it.
    ///   - conversation: where it goes.
    ///   - name: of the program; `nil` for a person.
    ///   - idempotencyKey: names this draft.
    /// - Throws: also `EarshotError` `notJoined`, `unknownConversation`.
    @discardableResult
    public func insert(
        _ content: MessageDraft, into conversation: Conversation, by name: String?, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Draft {
        do {
            return try await insert(content, to: conversation.destination, by: name, idempotencyKey: idempotencyKey)
        } catch { throw error.about(conversation) }
    }

    package func insert(
        _ content: MessageDraft, to destination: Destination, by name: String?, idempotencyKey: String?
    ) async throws(EarshotError) -> Draft {
        try await node.files.check([content])
        let key = idempotencyKey.map { IdempotencyKey($0, of: token) }
        do { return try await node.shell.insertDraft(content, to: destination, by: name, key: key) } catch {
            throw await node.conversations.naming(destination, in: error)
        }
    }

    // MARK: - Reading

    /// The drafts that wait, the oldest first.
    public func all() async -> [Draft] { await node.shell.drafts }

    /// The drafts of one conversation that wait, the oldest first.
    /// - Parameter conversationID: the conversation.
    public func all(in conversationID: ConversationID) async -> [Draft] {
        await all().filter { $0.conversationID == conversationID }
    }

    /// A draft that waits.
    /// - Parameter id: its id.
    /// - Throws: `EarshotError` `unknownDraft` if none has the id: it may have been sent or discarded.
    public func draft(_ id: DraftID) async throws(EarshotError) -> Draft {
        guard let draft = await all().first(where: { $0.id == id }) else { throw Self.unknown }
        return draft
    }

    package static let unknown = EarshotError(
        .unknownDraft, "no draft with that id waits: it may have been sent or discarded")

    /// The draft whose id a text is, or begins with: at least four characters.
    /// - Throws: `EarshotError` `unknownDraft`, `ambiguousMessage`.
    package func draft(
        named text: String, where isMeant: @Sendable (Draft) -> Bool = { _ in true }
    ) async throws(EarshotError) -> Draft {
        if let id = DraftID(text) {
            let draft = try await draft(id)
            guard isMeant(draft) else { throw Self.unknown }
            return draft
        }
        let found =
            text.count < 4
            ? [] : await all().filter { isMeant($0) && $0.id.description.hasPrefix(text.lowercased()) }
        guard let draft = found.first else {
            throw EarshotError(
                .unknownDraft,
                "no draft with the id \"\(Excerpt.of(text))\" waits: it may have been sent or discarded")
        }
        guard found.count == 1 else {
            throw EarshotError(
                .ambiguousMessage, "the ids of several drafts begin with \(Excerpt.of(text))",
                .init(suggestions: found.map(\.id.description)))
        }
        return draft
    }

    // MARK: - A person

    /// Gives a draft another content. It goes where it went.
    /// - Parameters:
    ///   - id: the draft.
    ///   - content: what is sent instead.
    /// - Throws: `EarshotError` `unknownDraft`, `invalidMessage`, `tooManyDrafts` for one that has no room;
    ///   `storeFull`, `storeUnavailable`, `stopped`.
    @discardableResult
    public func update(_ id: DraftID, to content: MessageDraft) async throws(EarshotError) -> Draft {
        try await node.shell.updateDraft(id, to: content)
    }

    /// Gives a draft another text, and leaves the rest.
    /// - Parameters:
    ///   - id: the draft.
    ///   - text: what it says instead.
    /// - Throws: `EarshotError` like `update(_:to:)`.
    @discardableResult
    public func update(_ id: DraftID, text: String) async throws(EarshotError) -> Draft {
        var content = try await draft(id).content
        content.text = text
        return try await update(id, to: content)
    }

    /// Sends a draft, as a person decides. The draft is gone in the commit in which the message takes its place in the
    /// history, so there is always one of them.
    ///
    /// However often it is called for a draft, that becomes one message, which is the answer of each call.
    /// - Parameter id: the draft.
    /// - Returns: the message.
    /// - Throws: `EarshotError` `unknownDraft` if it was discarded or there never was one; and like `Messages.send`, and
    ///   then the draft stays.
    @discardableResult
    public func send(_ id: DraftID) async throws(EarshotError) -> Message {
        let destination = await all().first { $0.id == id }?.destination
        do throws(EarshotError) {
            let messages = try await node.shell.sendDraft(id)
            guard let message = messages.first else {
                throw EarshotError(.internalError, "a draft that was sent is no message")
            }
            return message
        } catch {
            guard let destination else { throw error }
            throw await node.conversations.naming(destination, in: error)
        }
    }

    /// Discards a draft. Its content is gone.
    /// - Parameter id: the draft. One that was discarded already stays so.
    /// - Throws: `EarshotError` `unknownDraft`: it may have been sent; `storeFull`, `storeUnavailable`, `stopped`.
    public func discard(_ id: DraftID) async throws(EarshotError) { try await node.shell.discardDraft(id) }
}

extension Node {
    /// Messages that programs prepare, and that a person sends or discards.
    public var drafts: Drafts { Drafts(node: self) }
}

extension Draft {
    /// When it was inserted, by this machine's clock.
    public var insertedAt: Date { Date(milliseconds: createdAt) }

    /// When its content was last changed; `nil` if it never was.
    public var updatedAt: Date? { changedAt.map { Date(milliseconds: $0) } }
}
