import EarshotCrypto
import EarshotProtocol

/// What programs ask about conversations of many.
extension NodeShell {
    var conversationsOfMany: [ConversationOfMany] { machine.conversationsOfMany }

    func conversationOfMany(_ conversationID: ConversationID) -> ConversationOfMany? {
        machine.conversationOfMany(conversationID)
    }

    func names(of conversationIDs: Set<ConversationID>) -> [ConversationID: String] {
        machine.names(of: conversationIDs)
    }

    var advertisedConversations: [AdvertisedConversation] { machine.advertisedConversations }

    func openConversationID(_ uniqueName: String) throws(ProtocolError) -> ConversationID {
        try machine.openConversationID(uniqueName)
    }

    nonisolated func join(_ uniqueName: String, isAdvertised: Bool) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.join(uniqueName, isAdvertised: isAdvertised, requestID: requestID, now: now)
        }
    }

    nonisolated func leave(_ conversationID: ConversationID) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.leave(conversationID, requestID: requestID, now: now)
        }
    }

    nonisolated func create(
        _ draft: ConversationDraft, salt: [UInt8], proof: Signature?
    ) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.createConversation(draft, salt: salt, proof: proof, requestID: requestID, now: now)
        }
    }
}
