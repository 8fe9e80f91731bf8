import EarshotGateway

/// Writes a dialog. On a terminal, the marks of messages that are still visible change in place.
struct ChatScreen {
    let output: Output
    /// The terminal on which somebody types; `nil` where lines are read from elsewhere.
    private let pane: TerminalPane?
    /// Who types, as shown.
    private(set) var typing: [String] = []
    private var ownMessages: [String: (message: GatewayMessage, row: Int)] = [:]
    /// Own messages whose state may still change on the screen.
    private static let rememberedMessages = 1000

    init(output: Output, pane: TerminalPane?) {
        self.output = output
        self.pane = pane
    }

    private var layout: ChatLayout {
        ChatLayout(columns: pane?.columns ?? Terminal.size.columns, style: output.style)
    }

    private struct Record: Encodable {
        let message: GatewayMessage?
        let stateChange: GatewayStateChange?
        var isTyping: Bool?
        /// Who types.
        var typing: [String]?
    }

    /// - Parameter sender: the name, as shown; `nil` for this node's own user.
    mutating func show(_ message: GatewayMessage, from sender: String?) throws {
        try output.object(Record(message: message, stateChange: nil))
        write(layout.rows(of: message, from: sender))
        guard sender == nil else { return }
        if ownMessages.count >= Self.rememberedMessages { forgetOldest() }
        ownMessages[message.id] = (message, pane?.rowCount ?? 0)
    }

    private mutating func forgetOldest() {
        let rows = ownMessages.values.map(\.row).sorted()
        ownMessages = ownMessages.filter { $0.value.row > rows[rows.count / 2] }
    }

    /// - Returns: rows that say it, if the message is no longer on the screen.
    mutating func show(_ change: GatewayStateChange) throws -> [String] {
        guard let shown = ownMessages[change.messageID] else { return [] }
        let message = shown.message.with(change.recipient)
        // The message was already shown with this state when it was read from the history.
        guard message != shown.message else { return [] }
        try output.object(Record(message: nil, stateChange: change))
        ownMessages[change.messageID]?.message = message
        let isReplaced = pane?.replace(row: shown.row, with: layout.lastRow(of: message)) == true
        return isReplaced ? [] : [layout.stateRow(of: message)]
    }

    /// Whether a message that was shown is still on its way to somebody.
    func isAwaited(_ messageID: String) -> Bool {
        ownMessages[messageID]?.message.recipients.contains { ["queued", "sent"].contains($0.state) } ?? false
    }

    /// Others type, or nobody does any more. A terminal shows it in its status.
    mutating func show(typing: [String]) throws {
        guard typing != self.typing else { return }
        try output.object(
            Record(message: nil, stateChange: nil, isTyping: !typing.isEmpty, typing: typing.isEmpty ? nil : typing))
        self.typing = typing
    }

    func show(_ status: ChatStatus) { pane?.show(status: status.text) }

    func notice(_ text: String) { write(noticeRows(text)) }

    func noticeRows(_ text: String) -> [String] { pane?.noticeRows(text) ?? [output.style.dim("— \(text)")] }

    func write(_ rows: [String]) {
        guard let pane else {
            for row in rows { output.line(row) }
            return
        }
        pane.write(rows)
    }
}

extension GatewayMessage {
    /// The message after a change of state.
    fileprivate func with(_ delivery: GatewayDelivery) -> GatewayMessage {
        var message = self
        message.recipients = recipients.map { $0.id == delivery.id ? delivery : $0 }
        return message
    }
}
