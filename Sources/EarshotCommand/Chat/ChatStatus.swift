/// The row below a dialog on a terminal: with whom it is, and what there is to know.
struct ChatStatus: Hashable {
    /// The other user, or the conversation, as shown.
    var name: String
    /// How sure this node's user can be of the other one, and whether they are online; or how many belong to it.
    var facts: [String] = []
    /// Who types, as shown.
    var typing: [String] = []
    /// Messages that arrived here and wait for a key.
    var held: Int?
    /// Unread messages of other conversations.
    var unreadElsewhere = 0
    /// Drafts that wait here, and who has inserted the one that is in the line.
    var draftCount = 0
    var takenDraft: String?
    /// Whether the node cannot be reached.
    var isNodeAway = false

    /// One row, the most urgent first.
    var text: String {
        var parts: [String] = []
        if isNodeAway { parts.append("THE NODE IS AWAY: what you type is kept") }
        if let held { parts.append("↓ \(held > 0 ? "\(held) more" : "more"), not read yet: Enter shows them") }
        parts.append(([name] + facts).joined(separator: ", "))
        if !typing.isEmpty {
            parts.append("\(typing.joined(separator: ", ")) \(typing.count == 1 ? "is" : "are") typing")
        }
        if let takenDraft {
            parts.append("in the line: a draft by \(takenDraft)")
        } else if draftCount > 0 {
            parts.append(draftCount == 1 ? "1 draft" : "\(draftCount) drafts")
        }
        if unreadElsewhere > 0 { parts.append("\(unreadElsewhere) unread elsewhere") }
        return parts.joined(separator: " ── ")
    }
}
