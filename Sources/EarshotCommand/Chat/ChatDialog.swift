import Earshot
import EarshotGateway

/// A dialog with one user: shows what comes, sends what is typed, and tells the other what was seen.
actor ChatDialog {
    static let events: Set<EventName> = [
        .messageQueued, .messageReceived, .messageSent, .messageDelivered, .messageRead, .messageFailed, .userUpdated,
        .identityConflict,
    ]

    private let client: GatewayClient
    private let peer: GatewayUser
    /// The other, as shown.
    private let peerName: String
    private let names: NameBook
    private var screen: ChatScreen
    /// The last messages that were shown, so that none is shown twice.
    private var shownIDs: [String] = []
    /// Sent from here, and neither delivered nor failed.
    private var openIDs: Set<String> = []
    /// Delivered or failed before the node has answered that it has them.
    private var earlyIDs: Set<String> = []
    private var sendsUnderWay = 0
    private var settling: CheckedContinuation<Void, Never>?

    private static let historyPage = 20
    private static let rememberedIDs = 2000
    /// How long the end of the dialog waits for its messages to be delivered.
    private static let patience = Duration.seconds(5)

    init(client: GatewayClient, peer: GatewayUser, names: NameBook, output: Output) {
        self.client = client
        self.peer = peer
        self.names = names
        peerName = names.shown(peer)
        screen = ChatScreen(output: output, peerName: peerName)
    }

    /// Shows the last messages.
    func open() async throws {
        let messages = try await client.history(with: peer.id, limit: Self.historyPage)
        for message in messages { try show(message) }
        try await markRead(messages)
    }

    /// Shows what happens, until the node ends.
    func follow(_ events: GatewayEvents) async throws {
        for try await event in events { try await handle(event) }
        throw GatewayError(.connectionLost, "the node ended", remedy: "start it again with: earshot up")
    }

    func typed(_ line: String) async throws {
        screen.eraseTyped(line)
        guard !line.isEmpty else { return }
        sendsUnderWay += 1
        defer {
            sendsUnderWay -= 1
            if sendsUnderWay == 0 { earlyIDs = [] }
        }
        let message = try await send(line)
        if earlyIDs.remove(message.id) == nil { openIDs.insert(message.id) }
    }

    /// - Throws: `GatewayError`, and `Failure` where something came between the two while they talked.
    private func send(_ line: String) async throws -> GatewayMessage {
        do throws(GatewayError) { return try await client.send(line, to: peer.id) } catch {
            let names = try await client.names()
            if let user = names.user(peer.id) { try names.checkMayWrite(to: user) }
            throw error
        }
    }

    /// Returns when everything that was sent from here is delivered or has failed, or after a moment.
    func settle() async {
        guard !openIDs.isEmpty else { return }
        let patience = Task {
            try await Task.sleep(for: Self.patience)
            endSettling()
        }
        await withCheckedContinuation { settling = $0 }
        patience.cancel()
    }

    private func endSettling() {
        settling?.resume()
        settling = nil
    }

    // MARK: - What happens

    private func handle(_ event: GatewayEvent) async throws {
        if event.name == EventName.eventsLost.rawValue { return try await catchUp() }
        if let message = event.message, isOurs(message) {
            try show(message)
            try await markRead([message])
        } else if let change = event.stateChange, change.recipient.id == peer.id {
            try screen.show(change)
            close(change)
        } else if let user = event.user, user.id == peer.id {
            changed(user, Set(event.changes ?? []))
        } else if let conflict = event.conflict, conflict.pinnedID == peer.id {
            screen.notice(
                "another key claims the name \(peerName), and is refused: earshot trust \(names.typed(peer))")
        }
    }

    private func changed(_ user: GatewayUser, _ changes: Set<String>) {
        if changes.contains(UserChange.isOnline.rawValue) {
            screen.notice("\(peerName) is \(user.isOnline ? "online" : "offline")")
        }
        if changes.contains(UserChange.trust.rawValue) { screen.notice("\(peerName) is \(TrustWord.of(user))") }
        if changes.contains(UserChange.pin.rawValue), user.conflictsWith != nil {
            screen.notice(
                "the name \(names.looks(of: user.name)) was given to another key: nothing is sent to this one")
        }
    }

    private func isOurs(_ message: GatewayMessage) -> Bool {
        message.sender.id == peer.id || message.recipients.contains { $0.id == peer.id }
    }

    private func show(_ message: GatewayMessage) throws {
        guard !shownIDs.contains(message.id) else { return }
        if shownIDs.count >= Self.rememberedIDs { shownIDs.removeFirst(Self.rememberedIDs / 2) }
        shownIDs.append(message.id)
        try screen.show(message, isOwn: message.sender.id != peer.id)
    }

    private func markRead(_ messages: [GatewayMessage]) async throws {
        guard let last = messages.last(where: { $0.sender.id == peer.id }) else { return }
        try await client.markRead(upTo: last.id, with: peer.id)
    }

    private func close(_ change: GatewayStateChange) {
        if let reason = change.recipient.reason {
            screen.notice("not delivered: \(FailureWords.sentence(reason, recipient: peerName))")
        }
        guard change.recipient.state != DeliveryStage.sent.rawValue else { return }
        if openIDs.remove(change.messageID) == nil, sendsUnderWay > 0 { earlyIDs.insert(change.messageID) }
        if openIDs.isEmpty, sendsUnderWay == 0 { endSettling() }
    }

    /// Events were lost: the history and the messages themselves say what they would have said.
    private func catchUp() async throws {
        let missed = try await client.history(with: peer.id, after: shownIDs.last, limit: Limits.historyPage)
        for message in missed { try show(message) }
        try await markRead(missed)
        for id in openIDs {
            let message = try await client.message(id)
            for recipient in message.recipients where recipient.state != DeliveryStage.queued.rawValue {
                let change = GatewayStateChange(
                    messageID: id, conversationID: message.conversationID, recipient: recipient)
                try screen.show(change)
                close(change)
            }
        }
    }
}
