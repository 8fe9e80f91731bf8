import EarshotGateway

/// Writes a dialog. On a terminal, the marks of messages that are still visible change in place.
struct ChatScreen {
    let output: Output
    /// Rows written so far, not counting the line that is being typed.
    private var rowCount = 0
    /// Who types, as shown. On a terminal, the last row says so.
    private var typing: [String] = []
    private var isTyping: Bool { !typing.isEmpty }
    private var ownMessages: [String: (message: GatewayMessage, row: Int)] = [:]
    /// Own messages whose state may still change on the screen.
    private static let rememberedMessages = 1000

    init(output: Output) { self.output = output }

    private var layout: ChatLayout {
        ChatLayout(columns: Terminal.size.columns, style: output.style)
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
        ownMessages[message.id] = (message, rowCount)
    }

    private mutating func forgetOldest() {
        let rows = ownMessages.values.map(\.row).sorted()
        ownMessages = ownMessages.filter { $0.value.row > rows[rows.count / 2] }
    }

    mutating func show(_ change: GatewayStateChange) throws {
        guard let shown = ownMessages[change.messageID] else { return }
        let message = shown.message.with(change.recipient)
        // The message was already shown with this state when it was read from the history.
        guard message != shown.message else { return }
        try output.object(Record(message: nil, stateChange: change))
        ownMessages[change.messageID]?.message = message
        let distance = rowCount - shown.row + 1
        if output.isTerminal, distance < Terminal.size.rows {
            // Saves the cursor, goes up, rewrites the row, and comes back to what is being typed.
            output.control("\u{1b}7\u{1b}[\(distance)A\r\u{1b}[2K\(layout.lastRow(of: message))\u{1b}8")
        } else {
            write([layout.stateRow(of: message)])
        }
    }

    /// Whether a message that was shown is still on its way to somebody.
    func isAwaited(_ messageID: String) -> Bool {
        ownMessages[messageID]?.message.recipients.contains { ["queued", "sent"].contains($0.state) } ?? false
    }

    /// Others type, or nobody does any more.
    mutating func show(typing: [String]) throws {
        guard typing != self.typing else { return }
        try output.object(
            Record(message: nil, stateChange: nil, isTyping: !typing.isEmpty, typing: typing.isEmpty ? nil : typing))
        eraseTyping()
        self.typing = typing
        writeTyping()
    }

    mutating func notice(_ text: String) { write([output.style.dim("— \(text)")]) }

    /// Erases the line that the terminal echoed while it was typed.
    func eraseTyped(_ line: String) {
        guard StandardInput.isTerminal else { return }
        let columns = Terminal.size.columns
        let rows = max(1, (DisplayWidth.of(line) + columns - 1) / columns)
        output.control("\u{1b}[\(rows)A\r\u{1b}[J")
    }

    private mutating func write(_ rows: [String]) {
        eraseTyping()
        writeRows(rows)
        writeTyping()
    }

    private mutating func writeRows(_ rows: [String]) {
        output.control("\r\u{1b}[2K")
        for row in rows { output.line(row) }
        rowCount += rows.count
    }

    private mutating func writeTyping() {
        guard isTyping, output.isTerminal else { return }
        let who = typing.count == 1 ? "\(typing[0]) is typing" : "\(typing.joined(separator: ", ")) are typing"
        writeRows([output.style.dim("— \(who)")])
    }

    /// Deletes the row above the one that is being typed, which moves up.
    private mutating func eraseTyping() {
        guard isTyping, output.isTerminal else { return }
        output.control("\u{1b}7\u{1b}[1A\u{1b}[M\u{1b}8\u{1b}[1A")
        rowCount -= 1
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
