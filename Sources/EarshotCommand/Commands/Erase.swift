import ArgumentParser
import Earshot
import EarshotGateway

struct Erase: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase the contents of messages on your devices.",
        discussion: """
            Overwrites text and headers in the database. A message keeps its place in the history, with the hash of \
            what it was, so that the rest can still be proved: see earshot audit.

            This erases here, and on your other devices as soon as they hear of it. The other side keeps what it has, and \
            so do earlier backups. A message of yours that is on its way is kept until it is delivered or has failed; to \
            take it back first: earshot cancel. If you name several ids, all of them are erased or none.

            The command asks first. Without a terminal, say --yes.

            EXAMPLES:
              earshot erase --yes "$(earshot history bob --limit 1 --json | jq -r .id)"
              earshot erase --conversation bob
              earshot erase --conversation bob --yes
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "Ids of messages, from: earshot history NAME")
    var ids: [String] = []

    @Option(
        help: ArgumentHelp("Erase the contents of all messages with a user.", valueName: "name"),
        completion: UserArgument.completion)
    var conversation: String?

    @Flag(name: .customLong("yes"), help: "Do not ask. Without a terminal this is required.")
    var isSure = false

    func validate() throws {
        guard ids.isEmpty != (conversation == nil) else {
            throw ValidationError("Name messages, or a user with --conversation.")
        }
        for id in ids { try MessageArgument.check(id) }
    }

    func execute(_ output: Output) async throws {
        guard isSure || Confirmation.isPossible else {
            throw Failure(
                .notConfirmed, "there is no terminal to ask on, and nothing was erased",
                remedy: "if you are sure, say --yes: what is erased cannot be brought back")
        }
        if let conversation {
            try await eraseConversation(with: conversation, output)
        } else {
            try await eraseMessages(output)
        }
    }

    private func confirm(_ question: String) async throws {
        guard !isSure else { return }
        guard try await Confirmation.ask(question + " They cannot be brought back.") else {
            throw Failure(.notConfirmed, "nothing was erased")
        }
    }

    private func eraseMessages(_ output: Output) async throws {
        let count = ids.count == 1 ? "the content of 1 message" : "the contents of \(ids.count) messages"
        try await confirm("Erase \(count) on your devices?")
        let deletion = try await Session.with(common.homeDirectory) { try await $0.client.deleteContents(of: ids) }
        try deletion.messages.forEach { try output.object($0) }
        output.line("erased here: \(count)")
        noteWhetherOverwritten(deletion.isOverwritten, output)
    }

    private func eraseConversation(with name: String, _ output: Output) async throws {
        let conversation = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            return try await UserLookup(session: session).conversation(name, names)
        }
        let shown = conversation.shown
        let which = conversation.isOfMany ? "in \(shown)" : "with \(shown)"
        try await confirm("Erase the contents of all messages \(which) on your devices?")
        let deletion = try await Session.with(common.homeDirectory) {
            try await $0.client.deleteContents(with: conversation.id)
        }
        try output.object(deletion)
        output.line(
            "erased here: the contents of \(Counted.text(deletion.deletedCount, "message", "messages")) \(which)"
                + (conversation.isOneself
                    ? "" : "; \(conversation.isOfMany ? "the others keep" : "\(shown) keeps") what they have"))
        noteWhetherOverwritten(deletion.isOverwritten, output)
        guard deletion.keptCount == 0 else { throw kept(deletion, for: shown) }
    }

    private func noteWhetherOverwritten(_ isOverwritten: Bool, _ output: Output) {
        guard !isOverwritten else { return }
        output.note(
            "somebody is reading the history, so the contents are still in its files: the next "
                + "erasure overwrites them, or the node does when it ends")
    }

    private func kept(_ deletion: GatewayDeletion, for name: String) -> Failure {
        let count = deletion.keptCount == 1 ? "1 message is" : "\(deletion.keptCount) messages are"
        return Failure(
            .undelivered, "\(count) not delivered to \(name) yet, and kept",
            remedy: "earshot cancel \(deletion.kept.first ?? "ID"), then erase again; or wait until they are delivered"
        )
    }
}

/// The former name of `erase`.
struct Delete: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "The former name of earshot erase.", shouldDisplay: false)

    @OptionGroup var erase: Erase

    var common: CommonOptions { erase.common }

    func execute(_ output: Output) async throws { try await erase.execute(output) }
}
