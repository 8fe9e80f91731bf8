package import EarshotModel

/// Inputs that concern drafts, on their way to `ProgramsMachine`.
extension NodeMachine {
    /// A program prepares a message. It is answered with `RequestAnswer.draft`.
    /// - Parameters:
    ///   - name: that of the program; `nil` for a person.
    ///   - draftID: drawn at random; not used for a draft with a key.
    package mutating func insertDraft(
        _ draft: MessageDraft, to destination: Destination, by name: String?, key: IdempotencyKey?,
        draftID: EntryKey, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.checkIsRunning()
            try node.check([.message(draft)])
            if let key { try Self.checkKey(key) }
            if let name { try Self.checkDraftAuthor(name) }
            let draftID = key.map { node.programs.key($0) } ?? draftID
            // It says which conversations there are.
            let item = try node.item(.message(draft), to: destination, key: draftID, isNamed: key != nil)
            let record = DraftRecord(
                draft, draftID: draftID, in: item.conversation.conversationID, to: destination, by: name, now: now)
            var call = ProgramCall(requestID: requestID, kind: .insertDraft(record))
            if let key { call.formerKeys[draftID] = node.programs.formerKey(key) }
            call.refusal = node.refusal(of: destination)
            node.run(node.programs.begin(call, in: node.situation(now)), now: now)
        }
    }

    /// A draft gets another content. It is answered with `RequestAnswer.draft`.
    package mutating func updateDraft(
        _ draftID: DraftID, to content: MessageDraft, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.check([.message(content)])
            try node.call(.updateDraft(draftID.bytes, content), requestID, now: now)
        }
    }

    /// A person sends a draft. However often they do, it becomes one message.
    package mutating func sendDraft(_ draftID: DraftID, requestID: RequestID, now: Moment) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.checkIsRunning()
            var call = ProgramCall(requestID: requestID, kind: .sendDraft(draftID.bytes))
            if let draft = node.programs.drafts[draftID.bytes] {
                var item = try node.item(
                    .message(draft.content), to: draft.destination, key: draftID.bytes, isNamed: false)
                item.refusal = node.refusal(of: draft.destination)
                if item.refusal == nil { node.use(draft.destination, now: now) }
                call.items = [item]
            }
            node.run(node.programs.begin(call, in: node.situation(now)), now: now)
        }
    }

    package mutating func discardDraft(_ draftID: DraftID, requestID: RequestID, now: Moment) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.call(.discardDrafts([draftID.bytes], .named), requestID, now: now)
        }
    }

    /// What a conversation says is erased, and its drafts with it.
    package mutating func discardDrafts(
        in conversationID: ConversationID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.call(
                .discardDrafts(node.programs.drafts.ids(in: conversationID), .ofConversation), requestID, now: now)
        }
    }

    /// The drafts that wait for a person, the oldest first.
    package var drafts: [Draft] { programs.drafts.all }

    /// Whoever leaves a conversation, or is removed from it, can send nothing there any more.
    mutating func followDrafts(_ event: Event) {
        guard case .conversationUpdated(let update) = event, update.changes.contains(.status) else { return }
        switch update.status {
        case .left, .removed: programs.left(update.conversationID)
        case .invited, .joined, .closed: break
        }
    }

    private static func checkDraftAuthor(_ name: String) throws(ProtocolError) {
        guard PlainName.isValid(name, limit: Limits.draftAuthorBytes) else {
            throw ProtocolError(
                .invalidMessage,
                "the name of a program that inserts drafts is 1 to \(Limits.draftAuthorBytes) letters, digits, \"-\", "
                    + "\"_\" or \".\"")
        }
    }
}
