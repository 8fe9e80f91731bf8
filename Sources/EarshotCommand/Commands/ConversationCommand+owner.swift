import ArgumentParser
import Earshot
import EarshotGateway

/// What a private conversation is called and carries along.
struct ConversationTexts: ParsableArguments {
    @Option(help: ArgumentHelp("What people call it.", valueName: "name"))
    var friendlyName: String?

    @Option(help: ArgumentHelp("A JSON object that programs read.", valueName: "json"))
    var attributes: String?

    var isEmpty: Bool { friendlyName == nil && attributes == nil }
}

struct ConversationAccept: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Accept the invitation to a private conversation.",
        discussion: """
            EXAMPLES:
              earshot conversation accept crew
              earshot conversation accept crew@alice
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        try await Session.accept(ConversationArgument.text(name), common.homeDirectory, output)
    }
}

struct ConversationDecline: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline", abstract: "Decline the invitation to a private conversation.",
        discussion: """
            EXAMPLES:
              earshot conversation decline crew
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        let text = ConversationArgument.text(name)
        try await Session.act(
            on: common.homeDirectory, output,
            { client in
                let conversation = try await client.conversation(text)
                guard conversation.status != Participant.Status.joined.rawValue else {
                    throw Failure(
                        .invalidRequest, "you have joined it already",
                        remedy: "leave it: earshot conversation leave \(ShellWord.quote(name))")
                }
                return try await client.leave(conversation.id)
            },
            { "declined \($1.shown($0))" })
    }
}

struct ConversationInvite: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Invite users to a private conversation of yours.",
        discussion: """
            They hear of it when their nodes meet yours, or anybody else who is in. Until they accept they are told who \
            is in, and nothing that is written.

            EXAMPLES:
              earshot conversation invite crew bob
              earshot conversation invite crew bob,carol
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    @Argument(help: UserArgument.severalHelp, completion: UserArgument.severalCompletion)
    var users: String

    func execute(_ output: Output) async throws {
        let invited = UserArgument.split(users)
        try await Session.act(
            on: common.homeDirectory, output,
            { try await $0.invite(invited, to: ConversationArgument.text(name)) },
            { "invited \(invited.map(SafeText.line).joined(separator: ", ")) to \($1.shown($0))" })
    }
}

struct ConversationRemove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a user from a private conversation of yours.",
        discussion: """
            They are given nothing from then on, and what they write counts for nobody who has heard of it. What they \
            have, they keep.

            EXAMPLES:
              earshot conversation remove crew bob
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var user: String

    func execute(_ output: Output) async throws {
        try await Session.act(
            on: common.homeDirectory, output, { try await $0.remove(user, from: ConversationArgument.text(name)) },
            { "removed \(SafeText.line(user)) from \($1.shown($0))" })
    }
}

struct ConversationUpdateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change the friendly name or the attributes of a private conversation of yours.",
        discussion: """
            What you leave out stays; an empty text takes it away.

            EXAMPLES:
              earshot conversation update crew --friendly-name "The crew"
              earshot conversation update crew --attributes '{"topic":"build"}'
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    @OptionGroup var words: ConversationTexts

    func validate() throws {
        guard !words.isEmpty else { throw ValidationError("Say what changes: --friendly-name or --attributes.") }
    }

    func execute(_ output: Output) async throws {
        let words = words
        try await Session.act(
            on: common.homeDirectory, output,
            {
                try await $0.update(
                    ConversationArgument.text(name), friendlyName: words.friendlyName, attributes: words.attributes)
            },
            { "updated \($1.shown($0))" })
    }
}

struct ConversationHandOver: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "hand-over", abstract: "Make another participant the owner of a private conversation of yours.",
        discussion: """
            They own it as soon as a device of theirs hears of it, and you are a participant then. It cannot be taken back.

            EXAMPLES:
              earshot conversation hand-over crew bob
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var user: String

    func execute(_ output: Output) async throws {
        try await Session.act(
            on: common.homeDirectory, output, { try await $0.handOver(ConversationArgument.text(name), to: user) },
            { "\(SafeText.line(user)) owns \($1.shown($0)) as soon as a device of theirs hears of it" })
    }
}

struct ConversationClose: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "End a private conversation of yours for all.",
        discussion: """
            Nothing more can be written to it, and what is there stays.

            EXAMPLES:
              earshot conversation close crew
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ConversationArgument.help, completion: ConversationArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        try await Session.act(
            on: common.homeDirectory, output, { try await $0.close(ConversationArgument.text(name)) },
            { "closed \($1.shown($0)); what is there stays" })
    }
}
