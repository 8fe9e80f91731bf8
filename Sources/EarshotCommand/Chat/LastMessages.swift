import EarshotGateway

/// The messages of a dialog that a command may mean without naming them.
struct LastMessages {
    /// The last own message that was shown.
    private(set) var own: GatewayMessage?
    /// The last message of somebody else that was shown.
    private(set) var other: GatewayMessage?
    /// The first message that was shown.
    private(set) var firstID: String?

    mutating func shown(_ message: GatewayMessage, isOwn: Bool) {
        if isOwn { own = message } else { other = message }
        if firstID == nil { firstID = message.id }
    }

    mutating func shownEarlier(_ messages: [GatewayMessage]) { firstID = messages.first?.id ?? firstID }
}
