import EarshotProtocol

extension NodeShell {
    var drafts: [Draft] { machine.drafts }

    nonisolated func insertDraft(
        _ draft: MessageDraft, to destination: Destination, by name: String?, key: IdempotencyKey?
    ) async throws(EarshotError) -> Draft {
        try Self.draft(
            try await request { machine, requestID, now in
                machine.insertDraft(
                    draft, to: destination, by: name, key: key, draftID: .random(), requestID: requestID, now: now)
            })
    }

    nonisolated func updateDraft(_ id: DraftID, to content: MessageDraft) async throws(EarshotError) -> Draft {
        try Self.draft(
            try await request { machine, requestID, now in
                machine.updateDraft(id, to: content, requestID: requestID, now: now)
            })
    }

    nonisolated func sendDraft(_ id: DraftID) async throws(EarshotError) -> [Message] {
        try await request { machine, requestID, now in
            machine.sendDraft(id, requestID: requestID, now: now)
        }.messages
    }

    nonisolated func discardDraft(_ id: DraftID) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.discardDraft(id, requestID: requestID, now: now)
        }
    }

    /// What a conversation says is to be erased.
    nonisolated func discardDrafts(in conversationID: ConversationID) async throws(EarshotError) {
        guard await drafts.contains(where: { $0.conversationID == conversationID }) else { return }
        _ = try await request { machine, requestID, now in
            machine.discardDrafts(in: conversationID, requestID: requestID, now: now)
        }
    }

    private static func draft(_ answer: RequestAnswer) throws(EarshotError) -> Draft {
        guard case .draft(let draft) = answer else {
            throw EarshotError(.internalError, "a draft that was written is not known")
        }
        return draft
    }
}
