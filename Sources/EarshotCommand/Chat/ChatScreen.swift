import EarshotGateway

/// Writes a dialog. On a terminal, the marks of messages that are still visible change in place.
struct ChatScreen {
    let output: Output
    /// The other user's name, as shown.
    let peerName: String
    /// Rows written so far, not counting the line that is being typed.
    private var rowCount = 0
    /// Whether the other user types. On a terminal, the last row says so.
    private var isTyping = false
    private var ownMessages: [String: (message: GatewayMessage, row: Int)] = [:]
    /// Own messages whose state may still change on the screen.
    private static let rememberedMessages = 1000

    init(output: Output, peerName: String) {
        self.output = output
        self.peerName = peerName
    }

    private var layout: ChatLayout {
        ChatLayout(columns: Terminal.size.columns, peerName: peerName, style: output.style)
    }

    private struct Record: Encodable {
        let message: GatewayMessage?
        let stateChange: GatewayStateChange?
        var isTyping: Bool?
    }

    mutating func show(_ message: GatewayMessage, isOwn: Bool) throws {
        try output.object(Record(message: message, stateChange: nil))
        write(layout.rows(of: message, isOwn: isOwn))
        guard isOwn else { return }
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

    /// The other user types, or has stopped.
    mutating func show(isTyping: Bool) throws {
        guard isTyping != self.isTyping else { return }
        try output.object(Record(message: nil, stateChange: nil, isTyping: isTyping))
        eraseTyping()
        self.isTyping = isTyping
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
        writeRows([output.style.dim("— \(peerName) is typing")])
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
