import ArgumentParser
import Earshot
import EarshotGateway

struct Chat: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Talk with a user, or in a conversation of many, a line at a time.",
        discussion: """
            Shows the last messages and all unread ones, and then what comes; marks as read what it has shown. Each \
            line that you type is a message. The marks: \(Marks.legend).

            End it with Ctrl-D, or by the end of a file: it then waits a moment for its messages to be delivered. If the \
            node dies, it waits half a minute for it to be started again.

            EXAMPLES:
              earshot chat bob
              earshot chat '#ops'
              earshot chat bob < lines.txt
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup(title: "If no node runs") var network: NetworkOptions

    @Argument(help: UserArgument.conversationHelp, completion: UserArgument.completion)
    var name: String

    private enum Marks {
        static let legend = ["queued", "sent", "delivered", "handled", "read", "failed"]
            .map { "\(Mark.of($0)) \($0)" }.joined(separator: ", ")
    }

    func execute(_ output: Output) async throws {
        try await Session.with(common.homeDirectory, network: network) { session in
            // Nobody starts a short-lived node again.
            let patience = session.isShortLived ? .zero : NodeLease.patience
            let (partner, names) = try await partner(session)
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
    }

    private func partner(_ session: Session) async throws -> (ChatPartner, NameBook) {
        let lookup = UserLookup(session: session)
        if let own = try await lookup.oneself(name) { return (.conversation(own), try await session.client.names()) }
        guard name.hasPrefix("#") else {
            let (user, names) = try await lookup.recipient(name)
            return (.user(user), names)
        }
        let names = try await session.client.names()
        return (.conversation(try await lookup.conversation(name, names)), names)
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
