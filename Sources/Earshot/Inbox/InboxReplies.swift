import EarshotProtocol
import EarshotStore

/// What goes with an acknowledgement, as the node writes it.
struct InboxReplies: Sendable {
    struct Written: Sendable {
        let destination: Destination
        let draft: EntryDraft
    }

    let node: Node

    /// - Parameter answered: the message that a reply answers; `nil` if nothing is acknowledged.
    /// - Throws: `EarshotError` `unknownMessage`, `notAuthor`, `retracted`, `invalidMessage`, each with `parameters.index`.
    func written(
        _ replies: [InboxReply], answered: (InboxReply) -> MessageID?
    ) async throws(EarshotError) -> [Written] {
        var written: [Written] = []
        var steps: [Session: UInt64] = [:]
        for (index, reply) in replies.enumerated() {
            do throws(EarshotError) {
                var next = try await self.written(reply, answering: answered(reply))
                if let step = reply.step { next = try await self.next(next, as: step, of: reply, counted: &steps) }
                written.append(next)
            } catch {
                throw error.about(index: index)
            }
        }
        return written
    }

    private struct Session: Hashable {
        let id: SessionID
        let conversationID: ConversationID
    }

    /// The same as the next step of a session.
    /// - Parameter counted: the counters of steps that stand before it in the same acknowledgement.
    private func next(
        _ written: Written, as step: SessionStep, of reply: InboxReply, counted: inout [Session: UInt64]
    ) async throws(EarshotError) -> Written {
        guard case .message(var draft) = written.draft, reply.notBefore == nil else {
            throw EarshotError(
                .invalidMessage, "what goes out later, and what changes another message, belongs to no session")
        }
        let session = Session(id: step.id, conversationID: written.destination.conversationID(of: node.userID))
        let store = node.store
        let counter: UInt64
        if let last = counted[session] {
            counter = last + 1
        } else {
            counter = try await node.readStore { () throws(StoreError) in
                try store.nextStep(of: session.id, in: session.conversationID)
            }
        }
        counted[session] = counter
        draft.session = MessageSession(id: step.id, counter: counter, summary: step.summary)
        return Written(destination: written.destination, draft: .message(draft))
    }

    private func written(_ reply: InboxReply, answering messageID: MessageID?) async throws(EarshotError) -> Written {
        switch reply.content {
        case .message(var draft):
            draft.headers = AutoSubmitted.marked(draft.headers, AutoSubmitted.replied)
            // One that is gone is answered all the same: the answer was accepted, or would have been.
            let target = reply.needsTarget ? try await target(messageID) : nil
            if reply.isReply { draft.replyTo = target?.place }
            if let destination = reply.destination {
                return Written(destination: destination, draft: .message(draft))
            }
            guard let target else { throw unknown(messageID) }
            return Written(destination: destination(target), draft: .message(draft))
        case .edit(let messageID, let text):
            let target = try await known(messageID)
            guard target.authorID == node.userID else {
                throw EarshotError(
                    .notAuthor, "the message \(messageID) was written by somebody else", .init(messageID: messageID))
            }
            return try amendment(target, .edit(text: text, counter: target.changes.nextEdit))
        case .reaction(let emoji, let messageID, let isRemoved):
            let target = try await known(messageID)
            let counter = target.changes.nextReaction(emoji, by: node.userID)
            return try amendment(target, .reaction(emoji: emoji, counter: counter, isRemoved: isRemoved))
        }
    }

    private func amendment(
        _ target: MessageTarget, _ content: Amendment.Content
    ) throws(EarshotError) -> Written {
        Written(
            destination: destination(target), draft: .amendment(Amendment(target: target.place, content)))
    }

    /// Where what is said about a message goes.
    private func destination(_ target: MessageTarget) -> Destination {
        guard case .direct = target.conversation.kind else { return .conversation(target.conversation.conversationID) }
        return .user(target.conversation.peerID(of: node.userID) ?? node.userID)
    }

    private func target(_ messageID: MessageID?) async throws(EarshotError) -> MessageTarget? {
        guard let messageID else { return nil }
        let store = node.store
        return try await node.readStore { () throws(StoreError) in try store.target(messageID) }
    }

    private func known(_ messageID: MessageID) async throws(EarshotError) -> MessageTarget {
        guard let target = try await target(messageID) else { throw unknown(messageID) }
        guard !target.changes.isRetracted else {
            throw EarshotError(
                .retracted, "the message \(messageID) was taken back by its author", .init(messageID: messageID))
        }
        return target
    }

    private func unknown(_ messageID: MessageID?) -> EarshotError {
        EarshotError(
            .unknownMessage, "there is no message \(messageID.map(\.description) ?? "to answer")",
            .init(messageID: messageID))
    }
}

extension InboxReply {
    fileprivate var needsTarget: Bool { isReply || destination == nil }
}

extension Destination {
    fileprivate func conversationID(of userID: UserID) -> ConversationID {
        switch self {
        case .user(let peerID): .direct(userID, peerID)
        case .conversation(let conversationID): conversationID
        }
    }
}
