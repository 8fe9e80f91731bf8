import Earshot
import EarshotGateway

/// A chat on a terminal: one dialog at a time, and a line that is edited below it.
actor TerminalChat {
    /// Where somebody is.
    private enum Place {
        /// Nobody was named yet: what is typed is the name.
        case lobby
        case dialog(ChatDialog, id: String)
    }

    /// Why one dialog ends.
    private enum Ending {
        case quit
        case dialog(ChatPartner, NameBook)
    }

    private let session: Session
    private let output: Output
    private let pane: TerminalPane
    private let terminal: RawTerminal
    private let keys = TerminalKeys()
    private var line = LineBuffer()
    private var place = Place.lobby
    /// What was typed and not sent, by conversation.
    private var drafts: [String: String] = [:]
    /// A line that waits while a command is typed.
    private var parked: String?
    private var typingToldAt: ContinuousClock.Instant?
    /// A draft of a program that is in the line: it is sent, and no message beside it. It is let go of when the line is empty.
    private var taken: GatewayDraft?

    /// How often the others are told that somebody types.
    private static let typingInterval = Duration.seconds(4)
    /// Conversations whose drafts are kept.
    private static let mostDrafts = 100
    /// Results of a search, and choices of a completion, that are shown.
    private static let mostResults = 20

    init(session: Session, output: Output, terminal: RawTerminal) {
        self.session = session
        self.output = output
        self.terminal = terminal
        pane = TerminalPane(output: output)
    }

    /// - Parameter partner: with whom it begins; `nil` to choose.
    nonisolated func run(_ partner: ChatPartner?, _ names: NameBook) async throws {
        try await terminal.with(ending: pane.end) {
            var next = Ending.quit
            if let partner { next = .dialog(partner, names) } else { next = try await choose() }
            while case .dialog(let partner, let names) = next {
                next = try await talk(with: partner, names)
            }
            await leave()
        }
    }

    private func leave() {
        pane.end()
        let kept = (drafts.values + [line.text, parked ?? ""]).count { !$0.isEmpty }
        if kept > 0 { output.note(kept == 1 ? "a draft was not sent" : "\(kept) drafts were not sent") }
    }

    // MARK: - Places

    private nonisolated func talk(with partner: ChatPartner, _ names: NameBook) async throws -> Ending {
        let dialog = ChatDialog(
            client: session.client, partner: partner, names: names, output: output, pane: pane)
        await enter(dialog, id: partner.id)
        if let claim = partner.user.flatMap({ names.claim(on: $0) }) { pane.notice(claim) }
        return try await withThrowingTaskGroup(of: Ending?.self) { group in
            group.addTask {
                try await dialog.follow()
                return nil
            }
            group.addTask {
                try await dialog.keepStatus()
                return nil
            }
            group.addTask { try await self.readKeys() }
            defer { group.cancelAll() }
            return try await group.next().flatMap(\.self) ?? .quit
        }
    }

    private func enter(_ dialog: ChatDialog, id: String) {
        place = .dialog(dialog, id: id)
        taken = nil
        line.replace(with: drafts.removeValue(forKey: id) ?? "")
        typingToldAt = nil
        pane.show(line)
    }

    private func choose() async throws -> Ending {
        place = .lobby
        pane.show(status: "with whom? a name, #ops or a number; /help")
        try await tellConversations()
        pane.show(line)
        return try await readKeys()
    }

    // MARK: - Keys

    private func readKeys() async throws -> Ending {
        while let pressed = try await keys.next() {
            guard !pressed.isEmpty else {
                if pane.resize() { pane.show(line) }
                continue
            }
            if case .dialog(let dialog, _) = place { await dialog.keyPressed() }
            for key in pressed {
                if let ending = try await press(key) { return ending }
                unpark()
            }
            await letGoOfDraft()
            pane.show(line)
            await tellTyping()
        }
        return .quit
    }

    private func press(_ key: Key) async throws -> Ending? {
        switch line.press(key) {
        case .edited: return nil
        case .submitted(let text): return try await submit(text)
        case .ended: return .quit
        case .interrupted: pane.notice("Ctrl-D or /quit ends the chat")
        case .refused:
            pane.notice("a message has at most \(Limits.textBytes) bytes: nothing was added; send what is here first")
        case .suspended:
            pane.end()
            terminal.suspend()
            pane.redraw()
        case .redraw: pane.redraw()
        case .parked: park()
        case .completion: await complete()
        case .earlier: await attempt(keeping: nil) { try await self.dialog?.showEarlier() }
        case .later: await attempt(keeping: nil) { try await self.dialog?.showMore() }
        }
        return nil
    }

    /// Leaves the line for a command that goes to another dialog.
    private func park() {
        guard case .dialog = place, parked == nil else { return }
        parked = line.text
        line.replace(with: "/talk ")
    }

    /// Whoever did not go elsewhere has their line again.
    private func unpark() {
        guard line.text.isEmpty, let text = parked else { return }
        line.replace(with: text)
        parked = nil
    }

    private func letGoOfDraft() async {
        guard taken != nil, line.text.isEmpty, parked == nil else { return }
        taken = nil
        await dialog?.letGoOfDraft()
    }

    private var dialog: ChatDialog? { if case .dialog(let dialog, _) = place { dialog } else { nil } }

    /// Tells the others that somebody types, now and then. That it fails is no reason to disturb.
    private func tellTyping() async {
        guard let dialog, !line.text.isEmpty, !line.text.hasPrefix("/") else { return }
        let now = ContinuousClock.now
        if let told = typingToldAt, now - told < Self.typingInterval { return }
        typingToldAt = now
        do { try await dialog.tellTyping(true) } catch {
            // Nobody waits for it, and it is said again.
        }
    }

    // MARK: - Lines

    private func submit(_ text: String) async throws -> Ending? {
        typingToldAt = nil
        let command = ChatCommand(text, botCommands: await dialog?.botCommands ?? [])
        var ending: Ending?
        await attempt(keeping: text) { ending = try await self.perform(command, text) }
        return ending
    }

    /// Does what a line asks for. If it fails, the line is there to be changed or sent again.
    private func attempt(keeping text: String?, _ body: () async throws -> Void) async {
        do { try await body() } catch is CancellationError {
            restore(text)
        } catch {
            restore(text)
            let failure = Failure(error)
            pane.notice(SafeText.line(failure.message) + (failure.remedy.map { "; try: " + SafeText.line($0) } ?? ""))
        }
    }

    private func restore(_ text: String?) {
        if let text, line.text.isEmpty { line.replace(with: text) }
    }

    private func perform(_ command: ChatCommand, _ text: String) async throws -> Ending? {
        switch command {
        case .help: for row in ChatCommand.helpLines { pane.notice(row) }
        case .quit: return .quit
        case .conversations: try await tellConversations()
        case .people: try await tellPeople()
        case .search(let words): try await search(words)
        case .talk(let name): return try await go(to: name)
        case .incomplete(let entry):
            throw Failure(.invalidUsage, "/\(entry.name) takes \(entry.argument): \(entry.summary)")
        case .unknown(let name):
            throw Failure(
                .invalidUsage, "there is no \(name); //… sends a text that begins with a slash", remedy: "/help")
        default:
            guard let dialog else {
                guard case .send(let name) = command else { return nil }
                return try await go(to: name)
            }
            try await perform(command, in: dialog)
        }
        return nil
    }

    private func perform(_ command: ChatCommand, in dialog: ChatDialog) async throws {
        switch command {
        case .send(let text):
            guard let draft = taken else { return try await dialog.typed(text) }
            try await send(draft, as: text, in: dialog)
        case .drafts: await dialog.tellDrafts()
        case .draft(.send, let number): try await dialog.sendDraft(number)
        case .draft(.discard, let number): try await dialog.discardDraft(number)
        case .draft(.take, let number):
            let draft = try await dialog.takenDraft(number)
            taken = draft
            line.replace(with: draft.text)
        case .more: try await dialog.showMore()
        case .earlier: try await dialog.showEarlier()
        case .skip: try await dialog.skip()
        case .reply(let text): try await dialog.reply(text)
        case .edit(let text): try await dialog.edit(text)
        case .retract: try await dialog.retract()
        case .react(let emoji): try await dialog.react(emoji)
        case .verify: try await tellSafetyNumber()
        default: break
        }
    }

    /// Sends the draft that is in the line. If it is gone, what is in the line is a message of its own from then on.
    private func send(_ draft: GatewayDraft, as text: String, in dialog: ChatDialog) async throws {
        do { try await dialog.send(draft, as: text) } catch let error as GatewayError
            where error.code == .unknownDraft
        {
            taken = nil
            await dialog.letGoOfDraft()
            throw error
        }
        // What was typed behind it meanwhile is a message.
        taken = nil
        await dialog.letGoOfDraft()
    }

    // MARK: - Elsewhere

    private func go(to text: String) async throws -> Ending {
        let name = try await named(text)
        let (partner, names) = try await ChatPartner.find(name, session)
        if case .dialog(_, let id) = place {
            if drafts.count < Self.mostDrafts { drafts[id] = parked ?? line.text }
            parked = nil
            pane.write(["", output.style.bold(partner.shown(names))])
        }
        return .dialog(partner, names)
    }

    /// A number means a conversation of the list.
    private func named(_ text: String) async throws -> String {
        guard case .lobby = place, let number = Int(text) else { return text }
        let conversations = try await session.client.allConversations()
        guard conversations.indices.contains(number - 1) else {
            throw Failure(.invalidUsage, "there is no conversation \(number)", remedy: "/conversations")
        }
        let conversation = conversations[number - 1]
        return conversation.peer?.id ?? conversation.uniqueName.map { "#" + $0 } ?? conversation.id
    }

    private func tellConversations() async throws {
        let conversations = try await session.client.allConversations()
        guard !conversations.isEmpty else {
            pane.notice("no conversations yet: /people shows who is here, /talk NAME writes to somebody")
            return
        }
        let table = ConversationTable(conversations, try await session.names(), isNumbered: true)
        pane.write(table.rows(output.style, columns: pane.columns))
    }

    private func tellPeople() async throws {
        let names = try await session.names()
        let users = try await session.client.users()
        guard !users.isEmpty else { return pane.notice("nobody else is here yet") }
        for user in users {
            pane.notice("\(names.shown(user)), \(user.trust), \(user.isOnline ? "online" : "offline")")
        }
    }

    private func search(_ words: String) async throws {
        let found = try await session.client.search(words, limit: Self.mostResults)
        let names = try await session.names()
        guard !found.isEmpty else { return pane.notice("no message holds these words") }
        for message in found {
            pane.notice(
                "\(LocalTime.full(message.timestampMilliseconds)) \(names.shown(message.sender)): "
                    + SafeText.line(message.shownText))
        }
    }

    private func tellSafetyNumber() async throws {
        guard case .dialog(_, let id) = place else { return }
        let number = try await session.client.safetyNumber(with: id)
        pane.notice("compare with the other one, over the phone or in the same room: \(number.text)")
    }

    private func complete() async {
        do {
            let commands = ChatCommand.entries.map(\.name) + (await dialog?.botCommands ?? [])
            let names = try await session.names()
            let people = try await session.client.users().map(names.argument)
            let many = try await session.client.allConversations().compactMap { $0.uniqueName.map { "#" + $0 } }
            switch ChatCompletion(line.before, commands: commands, names: people + many) {
            case .nothing: break
            case .completed(let text): line.replaceBefore(with: text)
            case .choices(let choices): pane.notice(choices.prefix(Self.mostResults).joined(separator: "  "))
            }
        } catch {
            // A key press has no place for an error: nothing is completed.
        }
    }
}
