import ArgumentParser
import Earshot
import EarshotGateway

struct ConversationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversation", abstract: "Conversations of many: begin one, join it, see who is in, leave it.",
        discussion: """
            An open conversation has a name, and anybody on the network may join it. There is nobody to ask: whoever is \
            first begins it, and if two begin it apart, it becomes one when their nodes meet. Who joins gets the whole \
            history.

            A private conversation belongs to whoever begins it, and its owner says who is in: invite, remove, update, \
            hand-over and close are the owner's. Who is invited accepts or declines.

            Elsewhere its name has a # before it, which a shell takes for the beginning of a comment: write '#ops'. Of \
            several with one name, '#ops@alice' is the private one that alice has begun.

            EXAMPLES:
              earshot conversation join ops
              earshot send '#ops' "Who restarts the build?"
              earshot chat '#ops'
              earshot conversation create crew --private --invite bob,carol
              earshot conversation accept crew
              earshot conversation participants crew
              earshot conversation list
              earshot conversation leave ops
            """,
        subcommands: [
            ConversationCreate.self, ConversationJoin.self, ConversationAccept.self, ConversationDecline.self,
            ConversationList.self, ConversationShow.self, ConversationParticipants.self, ConversationLeave.self,
            ConversationInvite.self, ConversationRemove.self, ConversationUpdateCommand.self,
            ConversationHandOver.self, ConversationClose.self,
        ])
}

/// The argument that names a conversation of many, where nothing else can be meant.
enum ConversationArgument {
    static let help: ArgumentHelp = "Its name, with or without a # before it (ops, ops@alice); or its id."

    static let completion = UserArgument.conversationCompletion

    /// As the local API finds it.
    static func text(_ name: String) -> String {
        name.hasPrefix("#") || ConversationID(name) != nil ? name : "#" + name
    }
}

/// Whether others are told the name of a conversation that somebody joins.
struct AdvertisingOption: ParsableArguments {
    @Flag(name: .customLong("unlisted"), help: "Tell its name to nobody who has not joined it.")
    var isUnlisted = false
}

extension Session {
    /// Does something to a conversation, and says what has become of it.
    static func act(
        on home: Home, _ output: Output,
        _ act: @escaping @Sendable (GatewayClient) async throws -> GatewayConversation,
        _ words: (GatewayConversation, NameBook) -> String
    ) async throws {
        let (conversation, names) = try await with(home) { session in
            (try await act(session.client), try await session.names())
        }
        try output.object(conversation)
        output.line(words(conversation, names))
    }

    /// Joins a private conversation that the user is invited to, and says so.
    static func accept(_ text: String, _ home: Home, _ output: Output) async throws {
        try await act(on: home, output, { try await $0.join(known: text) }) { conversation, names in
            let others = conversation.participants.count - 1
            let owner = conversation.owner.map { names.shown($0) } ?? "somebody"
            return "joined \(names.shown(conversation)), a private conversation of \(owner): "
                + Counted.text(others, "other is in or invited", "others are in or invited")
                + "\nwrite to it: earshot send \(names.typed(conversation)) TEXT"
        }
    }

    /// Joins an open conversation, and says so.
    fileprivate static func join(
        _ name: String, isUnlisted: Bool, _ home: Home, _ output: Output
    ) async throws {
        let (conversation, names) = try await with(home) { session in
            let joined = try await session.client.join(name, isAdvertised: !isUnlisted)
            return (joined, try await session.names())
        }
        try output.object(conversation)
        let shown = names.shown(conversation)
        let others = conversation.participants.count - 1
        output.line(
            "joined \(shown): "
                + (others > 0 ? Counted.text(others, "other is in", "others are in") : "nobody else yet"))
        output.line("write to it: earshot send \(names.typed(conversation)) TEXT")
        guard conversation.isNameShared == true else { return }
        output.note(
            "there is no network key, so \(shown) is the same conversation on every network without one, and anybody "
                + "there may join it; to keep to yourselves: earshot network create")
    }
}

struct ConversationCreate: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Begin an open conversation, or join it if somebody has begun it; or begin a private one.",
        discussion: """
            With --private it is yours: only whom you invite may join, and you can remove them again, change its \
            friendly name and attributes, hand it over, and close it. Its name is yours once; others may have one of the \
            same name.

            With --history all, whoever joins is given what was written before, and else only what comes after.

            EXAMPLES:
              earshot conversation create ops
              earshot conversation create ops --unlisted
              earshot conversation create crew --private --invite bob,carol
              earshot conversation create crew --private --history all --friendly-name "The crew"
              earshot conversation create crew --private --or-get
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var advertising: AdvertisingOption

    @Argument(help: "Its name, with or without a # before it.")
    var name: String

    @Flag(name: .customLong("private"), help: "Only whom you invite may join.")
    var isPrivate = false

    @Option(
        help: ArgumentHelp("With --private: who is invited, as bob,carol.", valueName: "names"),
        completion: UserArgument.severalCompletion)
    var invite: String?

    @Option(help: "With --private: whether who joins is given what was written before: none, or all.")
    var history: NewcomersHistory?

    @Flag(help: "With --private: if you have begun one of that name, show that one, and change nothing.")
    var orGet = false

    @OptionGroup(title: "With --private") var words: ConversationTexts

    func validate() throws {
        guard isPrivate || invite == nil && history == nil && words.isEmpty && !orGet else {
            throw ValidationError("--invite, --history, --or-get, --friendly-name and --attributes go with --private.")
        }
        guard !isPrivate || !advertising.isUnlisted else {
            throw ValidationError("Nobody is told of a private conversation but whom you invite: leave --unlisted out.")
        }
    }

    func execute(_ output: Output) async throws {
        guard isPrivate else {
            return try await Session.join(name, isUnlisted: advertising.isUnlisted, common.homeDirectory, output)
        }
        let invited = invite.map(UserArgument.split) ?? []
        let (words, givesHistory, orGet) = (words, history == .all, orGet)
        try await Session.act(
            on: common.homeDirectory, output,
            {
                try await $0.create(
                    private: name, friendlyName: words.friendlyName, attributes: words.attributes,
                    givesHistory: givesHistory, inviting: invited, orGet: orGet ? true : nil)
            },
            { conversation, names in
                let people = conversation.participants.filter { $0.id != names.own.id }.map { names.shown($0) }
                let shown = ShellWord.quote(conversation.uniqueName ?? "")
                return "\(names.shown(conversation)) is yours; "
                    + (people.isEmpty
                        ? "invite others: earshot conversation invite \(shown) NAME"
                        : "\(orGet ? "participants" : "invited"): \(people.joined(separator: ", "))")
            })
    }
}

/// What who joins a private conversation is given of what was written before.
enum NewcomersHistory: String, ExpressibleByArgument, CaseIterable {
    case none, all
}

struct ConversationJoin: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join an open conversation; if nobody has begun it yet, it begins.",
        discussion: """
            If you are invited to a private conversation of that name, this joins that one: it is the same as accept.

            EXAMPLES:
              earshot conversation join ops
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var advertising: AdvertisingOption

    @Argument(help: "Its name, with or without a # before it.", completion: ConversationArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        guard try await !isInvited() else {
            return try await Session.accept(ConversationArgument.text(name), common.homeDirectory, output)
        }
        try await Session.join(name, isUnlisted: advertising.isUnlisted, common.homeDirectory, output)
    }

    private func isInvited() async throws -> Bool {
        try await Session.with(common.homeDirectory) { session in
            do throws(GatewayError) {
                let known = try await session.client.conversation(ConversationArgument.text(name))
                return known.kind == ConversationKind.private.rawValue && known.status != "left"
            } catch {
                guard [.unknownConversation, .notJoined].contains(error.code) else { throw error }
                return false
            }
        }
    }
}

struct ConversationLeave: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Leave a conversation. What is here of it stays, and can be read.",
        discussion: """
            EXAMPLES:
              earshot conversation leave ops
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        let (conversation, names) = try await Session.with(common.homeDirectory) { session in
            let left = try await session.client.leave(ConversationArgument.text(name))
            return (left, try await session.names())
        }
        try output.object(conversation)
        output.line("left \(names.shown(conversation)); what is here of it stays")
    }
}

struct ConversationList: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the conversations of many: yours, and those that others tell of.",
        discussion: """
            STATUS:
              joined    you belong to it
              invited   it is private, and you may join it: earshot conversation accept NAME, or decline NAME
              left      you have left it, or have declined; what is here can be read
              removed   its owner has removed you
              closed    its owner has ended it; what is here can be read
              open      linked users tell its name: earshot conversation join NAME

            Direct conversations are in: earshot conversations

            EXAMPLES:
              earshot conversation list
              earshot conversation list --json | jq -r .uniqueName
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        let (own, advertised, names) = try await Session.with(common.homeDirectory) { session in
            (
                try await session.client.allConversations().filter { $0.peer == nil },
                try await session.client.advertisedConversations(), try await session.names()
            )
        }
        for conversation in own { try output.object(conversation) }
        for conversation in advertised { try output.object(conversation) }
        guard !own.isEmpty || !advertised.isEmpty else {
            output.line("no conversations of many yet: begin one with: earshot conversation create NAME")
            return
        }
        let shared = Dictionary(grouping: own.compactMap(\.uniqueName)) { $0 }.filter { $0.value.count > 1 }
        let rows =
            own.map { row($0, isShared: shared[$0.uniqueName ?? ""] != nil, names, output.style) }
            + advertised.map { row($0, names) }
        for line in Table(titles: ["NAME", "STATUS", "UNREAD", "IN IT"], rows: rows).lines(output.style) {
            output.line(line)
        }
    }

    /// - Parameter isShared: whether another one has the same name.
    private func row(
        _ conversation: GatewayConversation, isShared: Bool, _ names: NameBook, _ style: Style
    ) -> [Table.Cell] {
        let others = conversation.participants.filter { $0.id != names.own.id }
        let creator = isShared ? conversation.creator.map { "@\(names.shown($0))" } : nil
        return [
            .init(text: names.shown(conversation) + (creator ?? "")), .init(text: conversation.status),
            .init(text: conversation.unreadCount > 0 ? "\(conversation.unreadCount)" : "", colour: style.bold),
            .init(text: Self.people(others, names)),
        ]
    }

    private func row(_ conversation: GatewayAdvertisedConversation, _ names: NameBook) -> [Table.Cell] {
        [
            .init(text: names.shown(conversationNamed: conversation.uniqueName)), .init(text: "open"), .init(text: ""),
            .init(text: Self.people(conversation.users, names)),
        ]
    }

    /// How many are named.
    private static let named = 4

    private static func people(_ parties: [GatewayParty], _ names: NameBook) -> String {
        let shown = parties.prefix(named).map { names.shown($0) }.joined(separator: ", ")
        return parties.count > named ? "\(shown) and \(parties.count - named) more" : shown
    }
}

struct ConversationShow: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a conversation is: its id, who is in, what is unread.",
        discussion: """
            EXAMPLES:
              earshot conversation show ops
              earshot conversation show ops --json | jq -r .id
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        let (conversation, names) = try await Session.with(common.homeDirectory) { session in
            let conversation = try await session.client.conversation(ConversationArgument.text(name))
            return (conversation, try await session.names())
        }
        try output.object(conversation)
        let people = conversation.participants.map { names.shown($0) }.joined(separator: ", ")
        output.line("\(output.style.bold(names.shown(conversation)))  \(conversation.kind), \(conversation.status)")
        output.line("id       \(conversation.id)")
        if let name = conversation.friendlyName { output.line("name     \(SafeText.line(name))") }
        if let owner = conversation.owner {
            let creator = conversation.creator.flatMap { $0.id == owner.id ? nil : names.shown($0) }
            output.line("owner    \(names.shown(owner))\(creator.map { ", begun by \($0)" } ?? "")")
        }
        if let givesHistory = conversation.givesHistory {
            output.line("history  \(givesHistory ? "all, for whoever joins" : "none from before one joins")")
        }
        if let attributes = conversation.attributes { output.line("json     \(SafeText.line(attributes))") }
        output.line("in it    \(people.isEmpty ? "nobody" : people)")
        output.line("unread   \(conversation.unreadCount)")
        if let isAdvertised = conversation.isAdvertised {
            output.line("listed   \(isAdvertised ? "yes: linked users are told its name" : "no")")
        }
        if conversation.isNameShared == true {
            output.line("network  without a key: the name is shared with every such network")
        }
    }
}

struct ConversationParticipants: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "participants", abstract: "List who is in a conversation, and since when.",
        discussion: """
            EXAMPLES:
              earshot conversation participants ops
              earshot conversation participants ops --all
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    @Flag(help: "Those who have left or were removed, too.")
    var all = false

    func execute(_ output: Output) async throws {
        let (participants, names) = try await Session.with(common.homeDirectory) { session in
            let participants = try await session.client.participants(
                of: ConversationArgument.text(name), includingFormer: all)
            return (participants, try await session.names())
        }
        for participant in participants { try output.object(participant) }
        let rows = participants.map { participant in
            let party = GatewayParty(id: participant.id, name: participant.name)
            return (
                name: names.shown(party) + (participant.id == names.own.id ? " (you)" : ""),
                status: participant.role == "owner" ? "owner" : participant.status,
                since: participant.sinceMilliseconds.map(LocalTime.full) ?? "",
                key: NameBook.fingerprint(participant.id)
            )
        }
        let table = Table(
            titles: ["NAME", "STATUS", "SINCE", "FINGERPRINT"],
            rows: rows.sorted { $0.name < $1.name }.map { row in
                [
                    Table.Cell(text: row.name), Table.Cell(text: row.status),
                    Table.Cell(text: row.since, colour: output.style.dim), Table.Cell(text: row.key),
                ]
            })
        for line in table.lines(output.style) { output.line(line) }
    }
}
