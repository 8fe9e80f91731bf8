import ArgumentParser
import Earshot
import EarshotGateway

struct Chat: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Talk with a user, or in a conversation of many, a line at a time.",
        discussion: """
            On a terminal: without a name it lists the conversations, to choose one. With one it shows the last messages \
            and the unread ones, a screen at a time, and then what comes; what was on the screen is marked as read, and \
            nothing else. Each line that you type is a message, and what is pasted is one; /help lists the keys and \
            commands. The marks: \(Marks.legend). If the node goes away, it waits, and keeps what you type.

            From a file or a program: each line is a message, and everything that comes is shown and marked as read. It \
            ends with the input, after it has waited a moment for its messages to be delivered. If the node dies, it \
            waits half a minute for it to be started again.

            EXAMPLES:
              earshot chat
              earshot chat bob
              earshot chat '#ops'
              earshot chat bob < lines.txt
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup(title: "If no node runs") var network: NetworkOptions

    @Argument(help: UserArgument.conversationHelp, completion: UserArgument.completion)
    var name: String?

    private enum Marks {
        static let legend = ["queued", "sent", "delivered", "handled", "read", "failed"]
            .map { "\(Mark.of($0)) \($0)" }.joined(separator: ", ")
    }

    func execute(_ output: Output) async throws {
        try await Session.with(common.homeDirectory, network: network) { session in
            guard !output.isJSON, output.isTerminal, let terminal = RawTerminal() else {
                return try await readLines(session, output)
            }
            let chat = TerminalChat(session: session, output: output, terminal: terminal)
            guard let name else { return try await chat.run(nil, session.names()) }
            let (partner, names) = try await ChatPartner.find(name, session)
            try await chat.run(partner, names)
        }
    }

    /// A chat whose lines come from a file or a program.
    private func readLines(_ session: Session, _ output: Output) async throws {
        guard let name else { return try await Conversations.list(session, output) }
        // Nobody starts a short-lived node again.
        let patience = session.isShortLived ? .zero : NodeLease.patience
        let (partner, names) = try await ChatPartner.find(name, session)
        try await session.client.withEvents(ChatDialog.events) { events in
            let dialog = ChatDialog(client: session.client, partner: partner, names: names, output: output)
            if let claim = partner.user.flatMap({ names.claim(on: $0) }) { output.note(claim) }
            try await dialog.open()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await dialog.follow(events, patience: patience) }
                group.addTask { try await Self.read(into: dialog, output) }
                // Either the input or the node has ended.
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// - Throws: the last failure of a line, at the end of the input.
    private static func read(into dialog: ChatDialog, _ output: Output) async throws {
        let input = StandardInput()
        var failure: Failure?
        while true {
            do {
                guard let line = try await input.line() else { break }
                try await dialog.typed(line)
            } catch let error as CancellationError {
                throw error
            } catch {
                let refusal = Failure(error)
                output.report(refusal)
                failure = refusal
            }
        }
        await dialog.settle()
        if let failure { throw failure.status.code }
    }
}
