import EarshotGateway

/// The layout of a dialog on a terminal: own messages on the right, those of others on the left.
struct ChatLayout {
    let columns: Int
    let style: Style

    private static let clockWidth = 5
    /// Time and mark of an own message, with the spaces before each.
    private static let metaWidth = 1 + clockWidth + 1 + Mark.width

    /// One column stays free: some terminals begin a new row after a character in the last one.
    private var usable: Int { max(20, columns) - 1 }
    private var textWidth: Int { max(4, min(usable * 2 / 3, usable - Self.metaWidth)) }

    /// The rows of a message, without line breaks.
    /// - Parameter sender: the name, as shown; `nil` for this node's own user.
    func rows(of message: GatewayMessage, from sender: String?) -> [String] {
        sender.map { otherRows(message, $0) } ?? ownRows(message)
    }

    /// The last row of an own message: the only one that changes with its state.
    func lastRow(of message: GatewayMessage) -> String { ownRows(message).last ?? "" }

    /// A row that reports a new state, for terminals where written rows cannot change.
    func stateRow(of message: GatewayMessage) -> String {
        let text = SafeText.line(message.shownText)
        let excerpt = DisplayWidth.head(of: text, width: 20)
        return right(excerpt == text ? text : excerpt + "…", message, isLast: true)
    }

    private func ownRows(_ message: GatewayMessage) -> [String] {
        let lines = wrapped(message.shownWhole)
        return lines.enumerated().map { right($1, message, isLast: $0 == lines.count - 1) }
    }

    private func right(_ line: String, _ message: GatewayMessage, isLast: Bool) -> String {
        let indent = String(repeating: " ", count: max(0, usable - Self.metaWidth - DisplayWidth.of(line)))
        guard isLast else { return indent + line }
        let (state, text) = (Mark.state(of: message), Mark.brief(message))
        let mark = String(repeating: " ", count: max(0, Mark.width - DisplayWidth.of(text))) + text
        let time = style.dim(LocalTime.clock(message.timestampMilliseconds))
        return "\(indent)\(line) \(time) \(coloured(mark, state))"
    }

    private func coloured(_ mark: String, _ state: String) -> String {
        switch state {
        case "read": style.cyan(mark)
        case "failed": style.red(mark)
        default: style.dim(mark)
        }
    }

    private func otherRows(_ message: GatewayMessage, _ sender: String) -> [String] {
        let time = style.dim(LocalTime.clock(message.timestampMilliseconds))
        let name = style.bold(sender)
        let indent = String(repeating: " ", count: Self.clockWidth + 1)
        let lines = wrapped(message.shownWhole)
        let first = "\(time) \(name): "
        let nameWidth = DisplayWidth.of(sender) + 2
        // A text that does not fit beside the name begins below it.
        guard DisplayWidth.of(lines[0]) + nameWidth + indent.count <= usable else {
            return [first] + lines.map { indent + $0 }
        }
        return [first + lines[0]] + lines.dropFirst().map { indent + $0 }
    }

    private func wrapped(_ text: String) -> [String] {
        SafeText.lines(text).flatMap { DisplayWidth.wrap($0, width: textWidth) }
    }
}
