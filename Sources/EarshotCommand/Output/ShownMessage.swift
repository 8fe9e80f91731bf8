import Earshot
import EarshotGateway

/// What people see of a message beside who wrote it and when.
extension GatewayMessage {
    /// The text, or what is shown in its place; before it the message that it answers.
    var shownText: String {
        let reply = replyTo.map { "↪ \(ShortMessageID.shown($0)) " } ?? ""
        if isRetracted { return "(taken back)" }
        if isDeleted { return "(deleted)" }
        if let session, session.isSuperseded { return "(\(session.summary))" }
        let files = attachments.map { "[\(SafeText.line($0.name)), \(ByteText.of($0.byteCount))]" }
        return reply + (takesAPlace ? "↻ " : "")
            + ([text] + files).filter { !$0.isEmpty }.joined(separator: " ") + (isEdited ? " (edited)" : "")
    }

    /// The same with its layout, a line for each part. A terminal has no picture, so the lines at it come first.
    var shownWhole: String {
        guard !isPlaceholder, let layout else { return shownText }
        let parts = [layout.imageTitle, layout.imageSubtitle, layout.caption, layout.subcaption, layout.url]
        return ([shownText] + parts.compactMap { $0.map { "┃ " + SafeText.line($0) } }).joined(separator: "\n")
    }

    /// Whether the message of its session before it is shown by its summary because of it.
    private var takesAPlace: Bool { session.map { $0.counter > 1 } ?? false }

    /// Whether `shownText` is no text of the author's.
    var isPlaceholder: Bool { isRetracted || isDeleted || session?.isSuperseded == true }

    /// Who reacts with what, in one line; empty if nobody does.
    func shownReactions(_ name: (GatewayParty) -> String) -> String {
        reactions.map { reaction in
            "\(SafeText.line(reaction.emoji)) \(reaction.users.map(name).joined(separator: ", "))"
        }.joined(separator: "  ")
    }
}

extension GatewayDraft {
    /// All that would be sent: whoever sends it must have seen it.
    var shownWhole: String {
        let parts = [layout?.imageTitle, layout?.imageSubtitle, layout?.caption, layout?.subcaption, layout?.url]
        let files = attachments.map { "[\(SafeText.line($0.name)), \(ByteText.of($0.byteCount))]" }
        let lines = parts.compactMap { $0.map { "┃ " + SafeText.line($0) } }
        return ([text] + lines + files).filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
