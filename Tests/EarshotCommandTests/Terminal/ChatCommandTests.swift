import Testing

@testable import EarshotCommand
@testable import EarshotGateway

@Suite("Commands of a chat")
struct ChatCommandTests {
    @Test(
        "a slash begins a command, two begin a text with one, and a bot's own commands are sent",
        arguments: [
            ("hello /help", ChatCommand.send("hello /help")), ("/help", .help), ("/talk  bob ", .talk("bob ")),
            ("//help", .send("/help")), ("/deploy now", .send("/deploy now")), ("/usr/bin", .unknown("/usr/bin")),
            ("", .more), ("/latest", .skip), ("/", .unknown("/")),
        ])
    func commands(line: String, command: ChatCommand) {
        #expect(ChatCommand(line, botCommands: ["deploy"]) == command)
    }

    @Test("each command of the help is one, and says what it needs", arguments: ChatCommand.entries)
    func entries(entry: ChatCommand.Entry) {
        let alone = ChatCommand("/\(entry.name)")
        #expect((alone == .incomplete(entry)) == !entry.argument.isEmpty)
        if case .unknown = ChatCommand("/\(entry.name) x") { Issue.record("/\(entry.name) is unknown") }
        #expect(ChatCommand.helpLines.contains { $0.hasPrefix("/\(entry.name) ") })
    }

    @Test(
        "names are completed as far as they are the same",
        arguments: [
            ("/he", ChatCompletion.completed("/help ")), ("/re", .choices(["react", "reply", "retract"])),
            ("/talk b", .completed("/talk bo")), ("/talk bo", .choices(["bob", "bonnie"])),
            ("/talk #", .completed("/talk #ops")), ("/zzz", .nothing), ("hello", .nothing), ("say /he", .nothing),
        ])
    func completion(text: String, completion: ChatCompletion) {
        let names = ["bob", "bonnie", "#ops", "carol"]
        #expect(ChatCompletion(text, commands: ChatCommand.entries.map(\.name), names: names) == completion)
    }

    @Test("a conversation is announced once until somebody presses a key")
    func elsewhere() {
        var elsewhere = Elsewhere()
        let first = message("one"), second = message("two")
        let announced = [first, first, second].map { elsewhere.came($0) }
        #expect(announced == [true, false, true])
        elsewhere.keyPressed()
        let isAnnouncedAgain = elsewhere.came(first)
        #expect(isAnnouncedAgain)
    }

    @Test("the status says the most urgent first")
    func status() {
        var status = ChatStatus(name: "bob", facts: ["verified", "online"])
        #expect(status.text == "bob, verified, online")
        (status.typing, status.unreadElsewhere) = (["bob"], 2)
        #expect(status.text == "bob, verified, online ── bob is typing ── 2 unread elsewhere")
        (status.held, status.isNodeAway) = (7, true)
        #expect(status.text.hasPrefix("THE NODE IS AWAY: what you type is kept ── ↓ 7 more, not read yet: Enter"))
    }

    @Test("who lets a message wait does not answer, until something of theirs is heard")
    func unanswered() {
        let begin = ContinuousClock.now
        func after(_ seconds: Double) -> ContinuousClock.Instant { begin.advanced(by: .seconds(seconds)) }
        var unanswered = Unanswered()
        #expect(!unanswered.isSilent(at: after(100)))
        unanswered.sent("one", at: begin)
        unanswered.sent("two", at: after(1))
        #expect(!unanswered.isSilent(at: after(2.9)))
        #expect(unanswered.isSilent(at: after(3)))
        unanswered.heard(at: after(2))
        #expect(!unanswered.isSilent(at: after(4.9)))
        #expect(unanswered.isSilent(at: after(5)))
        unanswered.closed("one")
        #expect(unanswered.deadline == after(5))
        unanswered.closed("two")
        #expect(!unanswered.isSilent(at: after(100)))
    }

    private func message(_ conversationID: String) -> GatewayMessage {
        GatewayMessage(
            id: "id", conversationID: conversationID, sender: GatewayParty(id: "bob", name: nil), recipients: [],
            text: "text", isDeleted: false, headers: [:], timestamp: "", timestampMilliseconds: 0, expiry: "",
            expiryMilliseconds: 0)
    }
}
