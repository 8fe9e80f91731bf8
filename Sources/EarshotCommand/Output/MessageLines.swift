import Earshot
import EarshotGateway

/// A message as a list of messages shows it: when, its id, who, and the text.
struct MessageLines {
    let names: NameBook
    let style: Style

    /// - Parameter conversation: that of the message, where the list is of several.
    func lines(of message: GatewayMessage, in conversation: GatewayConversation? = nil) -> [String] {
        let time = style.dim(LocalTime.full(message.timestampMilliseconds))
        let id = style.dim(ShortMessageID.shown(message.id))
        let sender = names.shown(message.sender)
        let mark = message.sender.id == names.own.id ? "  " + Mark.of(message) : ""
        let text = SafeText.lines(message.shownWhole).map { message.isPlaceholder ? style.dim($0) : $0 }
        // Lines after the first are indented, so that no text can pass for another message.
        var lines = [text[0]] + text.dropFirst().map { "    " + $0 }
        let who =
            style.bold(sender) + (conversation.flatMap { place(of: message, in: $0) }.map { " " + style.dim($0) } ?? "")
        lines[0] = "\(time)  \(id)  \(who): \(lines[0])"
        lines[lines.count - 1] += mark
        let reactions = message.shownReactions { names.shown($0) }
        return lines + (reactions.isEmpty ? [] : ["    \(style.dim(reactions))"])
    }

    /// Between two users it is said only to whom, where that is not this node's user.
    private func place(of message: GatewayMessage, in conversation: GatewayConversation) -> String? {
        guard let peer = conversation.peer else { return "in \(names.shown(conversation))" }
        return message.sender.id == names.own.id ? "to \(names.shown(peer))" : nil
    }
}
