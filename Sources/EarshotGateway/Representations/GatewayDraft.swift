import Earshot
import Foundation

/// A message that waits for a person to send it, as the local API shows it.
package struct GatewayDraft: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    package let conversationID: String
    /// A user, or a conversation of many.
    package let recipient: GatewayParty
    package let text: String
    package let headers: [String: String]
    package let mentions: [GatewayParty]
    /// The files that it is to bring along.
    package let attachments: [GatewayAttachment]
    /// Left out for a draft of which nothing but the text is shown.
    package let layout: GatewayLayout?
    /// The id of the message that it answers. Left out if it answers none.
    package let replyTo: String?
    package let timeToLiveSeconds: Double
    /// The name of the program that inserted it. Left out for a person.
    package let insertedBy: String?
    /// ISO 8601 in UTC with milliseconds.
    package let createdAt: String
    /// Left out if its content was never changed.
    package let updatedAt: String?
    /// The message that it became. Left out while it waits.
    package let messageID: String?

    fileprivate init(_ draft: Draft, _ names: PartyNames) {
        id = draft.id.description
        conversationID = draft.conversationID.description
        recipient = names.party(draft.destination)
        text = draft.content.text
        headers = draft.content.headers
        mentions = draft.content.mentions.map { names.party($0) }
        attachments = draft.content.attachments.map(GatewayAttachment.init)
        layout = draft.content.layout.map(GatewayLayout.init)
        replyTo = draft.content.repliesTo?.description
        timeToLiveSeconds = draft.content.timeToLive / .seconds(1)
        insertedBy = draft.insertedBy
        createdAt = Timestamp.text(draft.createdAt)
        updatedAt = draft.changedAt.map(Timestamp.text)
        messageID = draft.messageID?.description
    }
}

/// What became of a draft, in an event: without its content.
package struct GatewayDraftChange: Codable, Hashable, Sendable {
    package let id: String
    package let conversationID: String
    /// The name of the program that inserted it. Left out for a person.
    package let insertedBy: String?
    /// Of `draftSent`: the message that it became.
    package let messageID: String?

    init(_ change: DraftChange) {
        id = change.draftID.description
        conversationID = change.conversationID.description
        insertedBy = change.insertedBy
        messageID = change.messageID?.description
    }
}

extension Representer {
    func drafts(_ drafts: [Draft]) async -> [GatewayDraft] {
        let names = await names(
            of: drafts.map(\.destination) + drafts.flatMap(\.content.mentions).map(Destination.user))
        return drafts.map { GatewayDraft($0, names) }
    }

    /// Fills in what became of a draft; of one that was sent also the message, unless it is gone by now.
    func fill(_ event: inout GatewayEvent, from change: DraftChange) async {
        event.draft = GatewayDraftChange(change)
        guard let messageID = change.messageID else { return }
        do { event.message = await message(try await node.messages.message(messageID)) } catch {
            // Its id is told.
        }
    }
}

extension EventName {
    /// Whether it says what became of a draft.
    var isOfDraft: Bool { [.draftInserted, .draftUpdated, .draftSent, .draftDiscarded].contains(self) }
}

extension Event {
    /// What became of a draft; `nil` for an event of something else.
    var draft: DraftChange? {
        switch self {
        case .draftInserted(let change), .draftUpdated(let change), .draftSent(let change),
            .draftDiscarded(let change):
            change
        default: nil
        }
    }
}
