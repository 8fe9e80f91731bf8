import Earshot
import EarshotGateway

/// A dialog with one user, or in a conversation of many. It shows messages, sends what is typed, and tells the others what
/// was read.
actor ChatDialog {
    static let events: Set<EventName> = [
        .messageQueued, .messageReceived, .messageSent, .messageDelivered, .messageHandled, .messageRead,
        .messageFailed,
        .messageUpdated,
        .typingStarted, .typingEnded, .userUpdated, .identityConflict, .participantUpdated,
        .conversationUpdated,
    ]

    private let client: GatewayClient
    private let partner: ChatPartner
    /// The name of the other user or of the conversation, as shown.
    private let partnerName: String
    private var names: NameBook
    private var screen: ChatScreen
    private var reading: ChatReading
    /// Known as soon as the node has answered.
    private var conversationID: String?
    /// The last message that was shown, until the node has marked it as read.
    private var unmarkedID: String?
    /// Messages sent from here that are neither delivered nor failed yet.
    private var openIDs: Set<String> = []
    /// Who types now, by key.
    private var typing: Set<String> = []
    /// Messages that were delivered or failed before the node answered that it has accepted them.
    private var earlyIDs: Set<String> = []
    private var sendsUnderWay = 0
    private var settling: CheckedContinuation<Void, Never>?

    /// How long the end of the dialog waits for its messages to be delivered.
    private static let patience = Duration.seconds(5)

    init(client: GatewayClient, partner: ChatPartner, names: NameBook, output: Output) {
        self.client = client
        self.partner = partner
        self.names = names
        partnerName = partner.shown(names)
        screen = ChatScreen(output: output)
        reading = ChatReading(ownID: names.own.id)
    }

    /// Shows the last messages, and every unread one. If the node dies meanwhile, `follow` does it when the node is back.
    func open() async throws {
        do {
            try await read()
            try await tellCommands()
        } catch let error as GatewayError {
            guard error.isLoss else { throw error }
        }
    }

    /// Says what may be typed, if the other user is a bot that says it.
    private func tellCommands() async throws {
        guard let user = partner.user else { return }
        let commands = try await client.profile(of: user.id).commands
        guard !commands.isEmpty else { return }
        screen.notice("\(partnerName) is a bot; its commands:")
        for command in commands {
            screen.notice("  \(SafeText.line(command.usage))  \(SafeText.line(command.summary))")
        }
    }

    /// Shows what happens, until the node ends. A node that died is waited for.
    /// - Parameter patience: how long.
    nonisolated func follow(_ events: GatewayEvents, patience: Duration) async throws {
        let _: Never? = try await events.follow(patience: patience) {
            await notice("the connection to the node was lost; waiting for the node")
        } onReturn: {
            try await catchUp()
        } _: { event in
            try await handle(event)
            return nil
        }
        throw Failure(.connectionLost, "the node ended", remedy: "start it again with: earshot up")
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

    /// - Throws: `GatewayError`, and `Failure` if something came between the two while they talked.
    private func send(_ line: String) async throws -> GatewayMessage {
        do throws(GatewayError) { return try await client.send(line, to: partner.id) } catch {
            let names = try await client.names()
            if let user = partner.user.flatMap({ names.user($0.id) }) { try names.checkMayWrite(to: user) }
            throw error
        }
    }

    /// Returns when everything sent from here is delivered or has failed, or after a moment.
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

    private func notice(_ text: String) { screen.notice(text) }

    private func handle(_ event: GatewayEvent) async throws {
        if event.name == GatewayEvent.goneName {
            screen.notice("some of what happened meanwhile is not known any more; the messages are all here")
        }
        if event.isIncomplete { return try await catchUp() }
        if let user = event.user { names.update(user) }
        if let message = event.message {
            if isOurs(message.conversationID) { try await read() }
        } else if let change = event.stateChange {
            guard isOurs(change.conversationID) else { return }
            try screen.show(change)
            close(change)
        } else if let update = event.participant {
            if isOurs(update.conversationID) { changed(update) }
        } else if let update = event.conversation {
            if isOurs(update.conversationID) { changed(update) }
        } else if let update = event.update {
            if update.conversationID == conversationID { try await changed(update) }
        } else if let conversationID = event.conversationID {
            guard let user = event.user, isOurs(conversationID) else { return }
            if event.name == EventName.typingStarted.rawValue { typing.insert(user.id) } else { typing.remove(user.id) }
            try showTyping()
        } else if let user = event.user, user.id == partner.user?.id {
            changed(user, Set(event.changes ?? []))
            if event.changes?.contains(UserChange.profile.rawValue) == true { try await tellCommands() }
        } else if let conflict = event.conflict, conflict.pinnedID == partner.user?.id {
            screen.notice(
                "another key claims the name \(partnerName), and is refused: earshot trust \(partner.typed(names))")
        }
    }

    private func showTyping() throws {
        let who = typing.sorted().map { names.shown(GatewayParty(id: $0, name: nil)) }
        try screen.show(typing: who)
    }

    private func changed(_ update: GatewayParticipantUpdate) {
        let participant = update.participant
        let name = names.shown(GatewayParty(id: participant.id, name: participant.name))
        screen.notice("\(name) \(ConversationWords.change(of: participant.status)) \(partnerName)")
    }

    private func changed(_ update: GatewayConversationUpdate) {
        guard let line = ConversationWords.change(update, as: partnerName, names) else { return }
        screen.notice(line)
    }

    /// Says what a message shows now; what was written of it before stays on the screen.
    private func changed(_ update: GatewayMessageUpdate) async throws {
        let message = try await client.message(update.messageID)
        let (who, id) = (names.shown(update.user), ShortMessageID.shown(message.id))
        switch MessageChange(rawValue: update.change) {
        case .text: screen.notice("\(who) has edited \(id): \(SafeText.line(message.shownText))")
        case .isRetracted: screen.notice("\(who) has taken \(id) back")
        case .reactions:
            let reactions = message.shownReactions { names.shown($0) }
            screen.notice("reactions to \(id): \(reactions.isEmpty ? "none" : reactions)")
        case nil: break
        }
    }

    private func changed(_ user: GatewayUser, _ changes: Set<String>) {
        if changes.contains(UserChange.isOnline.rawValue) {
            screen.notice("\(partnerName) is \(user.isOnline ? "online" : "offline")")
        }
        if changes.contains(UserChange.trust.rawValue) { screen.notice("\(partnerName) is \(user.trust)") }
        if changes.contains(UserChange.pin.rawValue), user.conflictsWith != nil {
            screen.notice(
                "the name \(names.looks(of: user.name)) was given to another key: nothing is sent to this one")
        }
    }

    /// Before the node has answered, everything may be.
    private func isOurs(_ conversationID: String) -> Bool { self.conversationID.map { $0 == conversationID } ?? true }

    /// Shows what is new in the history, and marks it as read.
    private func read() async throws {
        do {
            if conversationID == nil { conversationID = try await client.conversation(partner.id).id }
            try await markShown()
            var actions = reading.wake()[...]
            while let action = actions.popFirst() { actions += try await perform(action) }
        } catch {
            reading.failed()
            throw error
        }
    }

    private func perform(_ action: ChatReading.Action) async throws -> [ChatReading.Action] {
        switch action {
        case .read(let page): return try await answer(to: page)
        case .show(let messages):
            for message in messages {
                let isOwn = message.sender.id == names.own.id
                try screen.show(message, from: isOwn ? nil : names.shown(message.sender))
            }
        case .tellUnread: screen.notice("unread:")
        case .markRead(let messageID):
            unmarkedID = messageID
            try await markShown()
        case .tellOlderUnread(let messageID):
            screen.notice(
                "there are older unread messages: earshot history \(partner.typed(names)) --before \(messageID)")
            screen.notice("neither they nor the messages that follow are marked as read")
        }
        return []
    }

    private func markShown() async throws {
        guard let messageID = unmarkedID else { return }
        try await client.markRead(upTo: messageID, with: partner.id)
        unmarkedID = nil
    }

    private func answer(to page: ChatReading.Page) async throws -> [ChatReading.Action] {
        do throws(GatewayError) {
            return reading.read(try await history(page))
        } catch {
            guard error.code == .unknownMessage else { throw error }
            return reading.placeIsGone()
        }
    }

    private func history(_ page: ChatReading.Page) async throws(GatewayError) -> [GatewayMessage] {
        switch page {
        case .latest(let limit): try await client.history(with: partner.id, order: .arrival, limit: limit)
        case .before(let messageID, let limit):
            try await client.history(with: partner.id, before: messageID, order: .arrival, limit: limit)
        case .after(let messageID, let limit):
            try await client.history(with: partner.id, after: messageID, order: .arrival, limit: limit)
        }
    }

    private func close(_ change: GatewayStateChange) {
        if let reason = change.recipient.reason {
            screen.notice("not delivered: \(FailureWords.sentence(reason, recipient: partnerName))")
        }
        guard change.recipient.state != DeliveryStage.sent.rawValue,
            !screen.isAwaited(change.messageID) || change.recipient.reason != nil
        else { return }
        if openIDs.remove(change.messageID) == nil, sendsUnderWay > 0 { earlyIDs.insert(change.messageID) }
        if openIDs.isEmpty, sendsUnderWay == 0 { endSettling() }
    }

    /// Events were lost. The history has the messages, and each message has its state.
    private func catchUp() async throws {
        typing = []
        try showTyping()
        try await read()
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
