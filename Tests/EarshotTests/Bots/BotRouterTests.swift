import Testing

@testable import Earshot

@Suite("A bot reads a text")
struct BotRouterTests {
    private let alice = BotSender(userID: userID(1), isVerified: false)
    private let bob = BotSender(userID: userID(2), isVerified: true)

    private static func userID(_ byte: UInt8) -> UserID {
        guard let userID = UserID(bytes: [UInt8](repeating: byte, count: 32)) else {
            preconditionFailure("32 bytes are a key")
        }
        return userID
    }

    private func router(_ commands: BotRouter.Command..., hasOtherwise: Bool = false) -> BotRouter {
        var router = BotRouter()
        for command in commands { router.add(command) }
        router.hasOtherwise = hasOtherwise
        return router
    }

    private let remind = BotRouter.Command(
        name: "remind", summary: "Reminds you later.", parameters: [.duration("in"), .text("what")], audience: .everyone
    )
    private let list = BotRouter.Command(
        name: "list", summary: "Lists what is to come.", parameters: [], audience: .everyone)
    private let roll = BotRouter.Command(
        name: "roll", summary: "Rolls dice.", parameters: [.integer("sides"), .word("colour")], audience: .verified)

    private static func declared(_ name: String, _ parameters: BotParameter...) -> BotRouter.Command {
        BotRouter.Command(name: name, summary: "Does something.", parameters: parameters, audience: .everyone)
    }

    /// Commands of which the last cannot be, and what is said of it.
    private static let faults: [(commands: [BotRouter.Command], reason: String)] = [
        (
            [declared("Remind me")],
            "the command \"Remind me\" cannot be: a name is made of lowercase letters, digits and hyphens, "
                + "such as remind-me"
        ),
        (
            [declared("")],
            "the command \"\" cannot be: a name is made of lowercase letters, digits and hyphens, such as remind-me"
        ),
        ([declared("help")], "the command \"help\" cannot be: every bot has /help already"),
        ([declared("list"), declared("list")], "the command \"list\" is declared twice"),
        (
            [declared("say", .text("what"), .user("whom"))],
            "the command \"say\" cannot be: its parameter WHAT takes the rest of a message, so it has to be the last"
        ),
        (
            [declared("add", .integer("number"), .integer("number"))],
            "the command \"add\" cannot be: two of its parameters are called NUMBER"
        ),
        (
            (0...Limits.botCommands).map { declared("c\($0)") },
            "the command \"c\(Limits.botCommands)\" is one too many: a bot has at most \(Limits.botCommands)"
        ),
    ]

    @Test("only if each of its commands can be: the first that cannot is its fault", arguments: faults)
    func fault(commands: [BotRouter.Command], reason: String) throws {
        var router = BotRouter()
        for command in commands.dropLast() { router.add(command) }
        #expect(router.fault == nil)
        try router.add(#require(commands.last))
        router.add(Self.declared("help"))
        let fault = try #require(router.fault)
        #expect(fault.code == .invalidCommand)
        #expect(fault.message == reason)
        #expect(fault.parameters.name == commands.last?.name)
    }

    @Test("as a command with its values, whatever the case of its name and the spaces around its words")
    func command() {
        let values: [String: BotValue] = [
            "in": BotValue(text: "2h", meaning: .duration(.seconds(7200))),
            "what": BotValue(text: "buy  milk\nand bread", meaning: .text),
        ]
        #expect(
            router(remind).route("  /Remind \t2h  buy  milk\nand bread", from: alice) == .command("remind", values))
        #expect(router(list).route("/list ", from: alice) == .command("list", [:]))
    }

    @Test(
        "and answers a wrong value with what is wrong and the usage line",
        arguments: [
            ("/remind", "IN is missing.\nUsage: /remind IN WHAT"),
            ("/remind 2h", "WHAT is missing.\nUsage: /remind IN WHAT"),
            (
                "/remind soon milk",
                "IN is a time like 90s, 15m, 2h or 3d, and not “soon”.\nUsage: /remind IN WHAT"
            ),
            ("/list all", "“all” is too much.\nUsage: /list"),
            ("/roll six red", "SIDES is a whole number, and not “six”.\nUsage: /roll SIDES COLOUR"),
        ])
    func wrongValue(text: String, answer: String) {
        #expect(router(remind, list, roll).route(text, from: bob) == .answer(answer))
    }

    @Test("and lets only those use a command whom it is for")
    func audience() {
        let router = router(
            roll,
            BotRouter.Command(name: "stop", summary: "Stops.", parameters: [], audience: .only([alice.userID])))
        #expect(router.route("/roll 6 red", from: alice) == .answer("You may not use /roll."))
        #expect(router.route("/stop", from: bob) == .answer("You may not use /stop."))
        #expect(router.route("/stop", from: alice) == .command("stop", [:]))
        #expect(router.route("/help", from: alice) == .answer("/stop: Stops."))
        #expect(router.route("/help", from: bob) == .answer("/roll SIDES COLOUR: Rolls dice."))
    }

    @Test("and answers /help with the commands that the sender may use, or with all about one of them")
    func help() {
        let router = router(remind, list)
        #expect(
            router.route("/help", from: alice)
                == .answer("/remind IN WHAT: Reminds you later.\n/list: Lists what is to come."))
        #expect(
            router.route("/help /remind", from: alice)
                == .answer(
                    """
                    /remind IN WHAT
                    Reminds you later.
                    IN: a time like 90s, 15m, 2h or 3d
                    WHAT: a text
                    """))
        #expect(self.router().route("/help", from: alice) == .answer("I have no commands for you."))
    }

    @Test("and names the nearest command that the sender may use for one that it does not know")
    func unknownCommand() {
        let router = router(remind, roll, hasOtherwise: true)
        #expect(
            router.route("/remnd 2h milk", from: alice)
                == .answer("There is no /remnd. Did you mean /remind? /help lists them."))
        #expect(router.route("/rol 6", from: alice) == .answer("There is no /rol. /help lists them."))
    }

    @Test("that is no command for what it is: prose, a path, and every slash if there are no commands")
    func otherwise() {
        let router = router(remind, hasOtherwise: true)
        for text in ["hello", "/", "/usr/bin is full", "a /remind", ""] {
            #expect(router.route(text, from: alice) == .otherwise)
        }
        #expect(self.router(hasOtherwise: true).route("/remind 2h milk", from: alice) == .otherwise)
        #expect(self.router(remind).route("hello", from: alice) == .answer("I know only commands. /help lists them."))
    }
}
