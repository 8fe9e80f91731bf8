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
        .draftInserted, .draftUpdated, .draftSent, .draftDiscarded,
    ]

    private let client: GatewayClient
    private let partner: ChatPartner
    private let pane: TerminalPane?
    private var names: NameBook
    private var screen: ChatScreen
    private var status: ChatStatus
    private var reading: ChatReading
    private var last = LastMessages()
    private var elsewhere = Elsewhere()
    /// Rows that had no room, and wait for a key.
    private var waitingRows: [String] = []
    private var unanswered = Unanswered()
    private var drafts = ChatDrafts()
    /// Known as soon as the node has answered.
    private var conversationID: String?
    /// The last message that was shown, until the node has marked it as read.
    private var unmarkedID: String?
    private var sends = AwaitedSends()
    /// Who types now, by key.
    private var typing: Set<String> = []
    /// What the other user does when it is told so, without slashes.
    private(set) var botCommands: Set<String> = []
    private var settling: CheckedContinuation<Void, Never>?
    /// What is unread is to be counted again.
    private let counts = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// The other user may have become silent.
    private let doubts = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// How long the end of the dialog waits for its messages to be delivered.
    private static let patience = Duration.seconds(5)
    /// Messages that are shown at once of what came before the first one.
    private static let earlierPage = 20
    /// How often, at most, it is counted what is unread: many messages may come at once.
    private static let countingPause = Duration.milliseconds(250)
    private static let mostWaitingRows = 50

    /// - Parameter pane: the terminal on which somebody types; `nil` where lines are read from elsewhere.
    init(client: GatewayClient, partner: ChatPartner, names: NameBook, output: Output, pane: TerminalPane? = nil) {
        self.client = client
        self.partner = partner
        self.names = names
        self.pane = pane
        screen = ChatScreen(output: output, pane: pane)
        status = ChatStatus(name: partner.shown(names))
        let ownID = names.own.id
        let room = pane.map { [names] pane in
            ScreenRoom(rows: pane.room) { message in
                let sender = message.sender.id == ownID ? nil : names.shown(message.sender)
                return ChatLayout(columns: pane.columns, style: pane.style).rows(of: message, from: sender).count
            }
        }
        reading = ChatReading(ownID: ownID, room: room)
    }

    /// The name of the other user or of the conversation, as shown.
    private var partnerName: String { status.name }

    /// Shows the last messages, and every unread one. If the node dies meanwhile, `follow` does it when the node is back.
    func open() async throws {
        refresh()
        defer { refresh() }
        do {
            try await countElsewhere()
            try await read()
            try await tellCommands()
            try await readDrafts()
        } catch let error as GatewayError {
            guard error.isLoss else { throw error }
        }
    }

    /// Says what may be typed, if the other user is a bot that says it.
    private func tellCommands() async throws {
        guard let user = partner.user else { return }
        let commands = try await client.profile(of: user.id).commands
        botCommands = Set(commands.map(\.name))
        guard !commands.isEmpty else { return }
        notice("\(partnerName) is a bot; its commands:")
        for command in commands {
            notice("  \(SafeText.line(command.usage))  \(SafeText.line(command.summary))")
        }
    }

    /// Shows what happens, until the node ends. A node that died is waited for.
    /// - Parameter patience: how long.
    nonisolated func follow(_ events: GatewayEvents, patience: Duration) async throws {
        let _: Never? = try await pass(events, patience: patience)
        throw Failure(.connectionLost, "the node ended", remedy: "start it again with: earshot up")
    }

    /// Shows what happens, and waits for the node whenever it is away: on a terminal, where somebody decides.
    nonisolated func follow() async throws {
        while true {
            do {
                try await client.withEvents(Self.events) { events in
                    try await isBack()
                    let _: Never? = try await pass(events, patience: Self.forever)
                }
                await isLost()
            } catch let error as GatewayError where error.isLoss {
                await isLost()
            }
            try await Task.sleep(for: GatewayLimits.reconnection)
        }
    }

    private static let forever = Duration.seconds(100 * 365 * 86_400)

    private nonisolated func pass(_ events: GatewayEvents, patience: Duration) async throws -> Never? {
        try await events.follow(patience: patience) {
            await isLost()
        } onReturn: {
            try await isBack()
        } _: { event in
            try await handle(event)
            return nil
        }
    }

    private func isLost() {
        guard !status.isNodeAway else { return }
        status.isNodeAway = true
        notice("the connection to the node was lost; waiting for the node")
        refresh()
    }

    private func isBack() async throws {
        guard status.isNodeAway else { return try await open() }
        try await catchUp()
        status.isNodeAway = false
        notice("the node is back")
        refresh()
    }

    func typed(_ line: String) async throws {
        guard !line.isEmpty else { return }
        sends.begin()
        var id: String?
        defer { sends.end(id) }
        id = try await send(line).id
        if reading.isHolding { notice("sent; it is shown below the messages that wait") }
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
        guard !sends.openIDs.isEmpty else { return }
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

    // MARK: - On a terminal

    /// Somebody has pressed a key.
    func keyPressed() {
        elsewhere.keyPressed()
        guard let pane else { return }
        reading.looked(rows: pane.room)
        guard !waitingRows.isEmpty else { return }
        screen.write(waitingRows)
        waitingRows = []
    }

    private func notice(_ text: String) { write(screen.noticeRows(text)) }

    /// Writes rows that are no message. They move no message off the screen that nobody has seen, and wait for a key instead.
    private func write(_ rows: [String]) {
        guard !rows.isEmpty else { return }
        guard !reading.takeRoom(rows: rows.count) else { return screen.write(rows) }
        waitingRows = (waitingRows + rows).suffix(Self.mostWaitingRows)
    }

    /// Keeps what the status says true while nothing happens, and while much does.
    nonisolated func keepStatus() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.keepCounting() }
            group.addTask { try await self.keepListening() }
            try await group.waitForAll()
        }
    }

    private nonisolated func keepCounting() async throws {
        for await _ in counts.stream {
            do { try await count() } catch let error as GatewayError {
                guard error.isLoss else { throw error }
                // Everything is counted when the node is back.
            }
            try await Task.sleep(for: Self.countingPause)
        }
    }

    private func count() async throws {
        try await countElsewhere()
        if reading.isHolding, !reading.hasLeftOut {
            status.held = try await client.conversation(partner.id).unreadCount
        }
        refresh()
    }

    private nonisolated func keepListening() async throws {
        for await _ in doubts.stream {
            while let deadline = await unanswered.deadline, deadline > .now {
                try await Task.sleep(until: deadline, clock: .continuous)
            }
            await refresh()
        }
    }

    private func heard() {
        unanswered.heard(at: .now)
        doubts.continuation.yield()
    }

    /// Shows the next screen of what waits.
    func showMore() async throws {
        keyPressed()
        try await resume(reading.more())
    }

    /// Shows the last messages. What waits before them stays unread.
    func skip() async throws {
        keyPressed()
        try await resume(reading.skip())
    }

    private func resume(_ actions: [ChatReading.Action]) async throws {
        defer { refresh() }
        status.held = nil
        do { try await perform(actions) } catch {
            reading.failed()
            throw error
        }
    }

    /// Shows messages before the first one that was shown.
    func showEarlier() async throws {
        guard let pane, let firstID = last.firstID else { return }
        let earlier = try await client.history(
            with: partner.id, before: firstID, order: .arrival, limit: Self.earlierPage)
        guard !earlier.isEmpty else { return notice("there is nothing earlier") }
        last.shownEarlier(earlier)
        notice("earlier:")
        let layout = ChatLayout(columns: pane.columns, style: pane.style)
        for message in earlier {
            let isOwn = message.sender.id == names.own.id
            pane.write(layout.rows(of: message, from: isOwn ? nil : names.shown(message.sender)))
        }
        notice("end of what is earlier")
    }

    /// - Throws: `Failure` if nobody else has written anything here.
    func reply(_ text: String) async throws { _ = try await client.reply(text, to: try lastOfOthers().id) }

    func react(_ emoji: String) async throws { _ = try await client.react(emoji, to: try lastOfOthers().id) }

    func edit(_ text: String) async throws { _ = try await client.edit(try lastOwn().id, text) }

    func retract() async throws { _ = try await client.retract(try lastOwn().id) }

    func tellTyping(_ isTyping: Bool) async throws { try await client.setTyping(isTyping, to: partner.id) }

    private func lastOfOthers() throws -> GatewayMessage {
        guard let message = last.other else {
            throw Failure(.unknownMessage, "nobody else has written anything here yet")
        }
        return message
    }

    private func lastOwn() throws -> GatewayMessage {
        guard let message = last.own else { throw Failure(.unknownMessage, "you have written nothing here yet") }
        return message
    }

    // MARK: - Drafts

    /// Reads what programs have drafted here, and shows what is new of it: apart from the history, with who inserted it.
    private func readDrafts() async throws {
        guard pane != nil else { return }
        let new = drafts.update(try await client.drafts(in: partner.id))
        for (number, draft) in new { for line in ChatDrafts.lines(number, draft) { notice(line) } }
        if !new.isEmpty { notice(ChatDrafts.hint) }
    }

    private func changed(_ change: GatewayDraftChange, _ event: String) async throws {
        let known = drafts.all.firstIndex { $0.id == change.id }.map { (number: $0 + 1, draft: drafts.all[$0]) }
        try await readDrafts()
        guard let known else { return }
        let shown = "draft \(known.number) by \(ChatDrafts.author(known.draft))"
        switch EventName(rawValue: event) {
        case .draftUpdated: tellDrafts(only: change.id)
        case .draftSent: notice("\(shown) was sent")
        case .draftDiscarded: notice("\(shown) was discarded")
        default: break
        }
    }

    /// Shows the drafts that wait here.
    /// - Parameter id: that of the only one to show; `nil` for all.
    func tellDrafts(only id: String? = nil) {
        if drafts.all.isEmpty { return notice("no draft waits here") }
        for (place, draft) in drafts.all.enumerated() where id == nil || draft.id == id {
            for line in ChatDrafts.lines(place + 1, draft) { notice(line) }
        }
        if id == nil { notice(ChatDrafts.hint) }
    }

    /// - Parameter text: the draft's number.
    /// - Throws: `Failure`, `GatewayError`.
    func sendDraft(_ text: String) async throws { try await send(try drafts.named(text)) }

    func discardDraft(_ text: String) async throws { try await client.discardDraft(try drafts.named(text).id) }

    /// A draft that somebody takes into the line.
    /// - Throws: `Failure`.
    func takenDraft(_ text: String) throws -> GatewayDraft {
        let draft = try drafts.named(text)
        status.takenDraft = ChatDrafts.author(draft)
        refresh()
        return draft
    }

    func letGoOfDraft() {
        guard status.takenDraft != nil else { return }
        status.takenDraft = nil
        refresh()
    }

    /// Sends a draft that was taken into the line, as it is there now.
    func send(_ draft: GatewayDraft, as text: String) async throws {
        if text != draft.text { try await client.editDraft(draft.id, text) }
        try await send(draft)
    }

    private func send(_ draft: GatewayDraft) async throws {
        sends.begin()
        var id: String?
        defer { sends.end(id) }
        id = try await client.sendDraft(draft.id).id
    }

    // MARK: - What happens

    private func handle(_ event: GatewayEvent) async throws {
        defer { refresh() }
        if event.name == GatewayEvent.goneName {
            notice("some of what happened meanwhile is not known any more; the messages are all here")
        }
        if event.isIncomplete { return try await catchUp() }
        if let user = event.user { names.update(user) }
        if let draft = event.draft {
            if pane != nil, isOurs(draft.conversationID) { try await changed(draft, event.name) }
            return
        }
        listen(to: event)
        if let message = event.message {
            try await came(message, isNew: event.name == EventName.messageReceived.rawValue)
        } else if let change = event.stateChange {
            guard isOurs(change.conversationID) else { return }
            write(try screen.show(change))
            close(change)
        } else if let update = event.participant {
            if isOurs(update.conversationID) { changed(update) }
        } else if let update = event.conversation {
            if isOurs(update.conversationID) { changed(update) } else { announce(update) }
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
            notice(
                "another key claims the name \(partnerName), and is refused: earshot trust \(partner.typed(names))")
        }
    }

    private func came(_ message: GatewayMessage, isNew: Bool) async throws {
        if isOurs(message.conversationID) {
            guard reading.isHolding else { return try await read() }
            counts.continuation.yield()
        } else if isNew, pane != nil {
            counts.continuation.yield()
            if elsewhere.came(message) { try await announce(message) }
        }
    }

    /// Notes what is on its way to the other user, and what shows that they are there.
    private func listen(to event: GatewayEvent) {
        guard let user = partner.user else { return }
        if let message = event.message, isOurs(message.conversationID) {
            guard message.sender.id != user.id else { return heard() }
            unanswered.sent(message.id, at: .now)
            doubts.continuation.yield()
        } else if let change = event.stateChange, change.recipient.id == user.id {
            guard change.recipient.state != DeliveryStage.sent.rawValue else { return }
            unanswered.closed(change.messageID)
            if change.recipient.reason == nil { heard() }
        } else if event.user?.id == user.id, event.conversationID != nil || event.user?.isOnline == true {
            heard()
        }
    }

    /// Says that a message came to another conversation.
    private func announce(_ message: GatewayMessage) async throws {
        let conversation = try await client.conversation(message.conversationID)
        let text = SafeText.line(message.shownText)
        let excerpt = DisplayWidth.head(of: text, width: Self.excerptWidth)
        let place = conversation.peer == nil ? " in \(names.shown(conversation))" : ""
        notice("\(names.shown(message.sender))\(place): \(excerpt == text ? text : excerpt + "…")")
    }

    private static let excerptWidth = 48

    private func announce(_ update: GatewayConversationUpdate) {
        guard pane != nil, update.status == Participant.Status.invited.rawValue else { return }
        let shown = names.shown(conversationNamed: update.uniqueName)
        if let line = ConversationWords.change(update, as: shown, names) { notice(line) }
    }

    private func countElsewhere() async throws {
        guard pane != nil else { return }
        elsewhere.count(try await client.allConversations(), but: try await ownConversationID())
    }

    private func ownConversationID() async throws -> String {
        if let conversationID { return conversationID }
        let id = try await client.conversation(partner.id).id
        conversationID = id
        return id
    }

    /// Shows in the status what is known now.
    private func refresh() {
        if let user = partner.user.flatMap({ names.user($0.id) }) {
            let isSilent = user.isOnline && unanswered.isSilent(at: .now)
            status.facts = [user.trust, isSilent ? "not answering" : user.isOnline ? "online" : "offline"]
        }
        status.typing = screen.typing
        status.unreadElsewhere = elsewhere.unreadCount
        status.draftCount = drafts.all.count
        if !reading.isHolding { status.held = nil }
        screen.show(status)
    }

    private func showTyping() throws {
        let who = typing.sorted().map { names.shown(GatewayParty(id: $0, name: nil)) }
        try screen.show(typing: who)
    }

    private func changed(_ update: GatewayParticipantUpdate) {
        let participant = update.participant
        let name = names.shown(GatewayParty(id: participant.id, name: participant.name))
        notice("\(name) \(ConversationWords.change(of: participant.status)) \(partnerName)")
    }

    private func changed(_ update: GatewayConversationUpdate) {
        guard let line = ConversationWords.change(update, as: partnerName, names) else { return }
        notice(line)
    }

    /// Says what a message shows now; what was written of it before stays on the screen.
    private func changed(_ update: GatewayMessageUpdate) async throws {
        let message = try await client.message(update.messageID)
        let (who, id) = (names.shown(update.user), ShortMessageID.shown(message.id))
        switch MessageChange(rawValue: update.change) {
        case .text: notice("\(who) has edited \(id): \(SafeText.line(message.shownText))")
        case .isRetracted: notice("\(who) has taken \(id) back")
        case .reactions:
            let reactions = message.shownReactions { names.shown($0) }
            notice("reactions to \(id): \(reactions.isEmpty ? "none" : reactions)")
        case nil: break
        }
    }

    private func changed(_ user: GatewayUser, _ changes: Set<String>) {
        if changes.contains(UserChange.isOnline.rawValue) {
            notice("\(partnerName) is \(user.isOnline ? "online" : "offline")")
        }
        if changes.contains(UserChange.claimedName.rawValue), let claimed = user.claimedName {
            notice(
                "\(partnerName) calls themselves \(names.looks(of: claimed)) now, and is \(partnerName) here until you "
                    + "agree: earshot trust \(names.typed(user)) --accept")
        }
        if changes.contains(UserChange.trust.rawValue) { notice("\(partnerName) is \(user.trust)") }
        if changes.contains(UserChange.pin.rawValue), user.conflictsWith != nil {
            notice(
                "the name \(names.looks(of: user.name)) was given to another key: nothing is sent to this one")
        }
    }

    /// Before the node has answered, everything may be.
    private func isOurs(_ conversationID: String) -> Bool { self.conversationID.map { $0 == conversationID } ?? true }

    /// Shows what is new in the history, and marks it as read.
    private func read() async throws {
        do {
            _ = try await ownConversationID()
            try await markShown()
            try await perform(reading.wake())
        } catch {
            reading.failed()
            throw error
        }
    }

    private func perform(_ first: [ChatReading.Action]) async throws {
        var actions = first[...]
        while let action = actions.popFirst() { actions += try await perform(action) }
    }

    private func perform(_ action: ChatReading.Action) async throws -> [ChatReading.Action] {
        switch action {
        case .read(let page): return try await answer(to: page)
        case .show(let messages):
            for message in messages {
                let isOwn = message.sender.id == names.own.id
                last.shown(message, isOwn: isOwn)
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
        case .tellHeld:
            if status.held == nil {
                status.held = reading.hasLeftOut ? 0 : try await client.conversation(partner.id).unreadCount
            }
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
            notice("not delivered: \(FailureWords.sentence(reason, recipient: partnerName))")
        }
        guard change.recipient.state != DeliveryStage.sent.rawValue,
            !screen.isAwaited(change.messageID) || change.recipient.reason != nil
        else { return }
        sends.close(change.messageID)
        if sends.isEmpty { endSettling() }
    }

    /// Events were lost. The history has the messages, and each message has its state.
    private func catchUp() async throws {
        typing = []
        unanswered = Unanswered()
        try showTyping()
        status.held = nil
        try await countElsewhere()
        try await read()
        try await readDrafts()
        for id in sends.openIDs {
            let message = try await client.message(id)
            for recipient in message.recipients where recipient.state != DeliveryStage.queued.rawValue {
                let change = GatewayStateChange(
                    messageID: id, conversationID: message.conversationID, recipient: recipient)
                write(try screen.show(change))
                close(change)
            }
        }
    }
}
