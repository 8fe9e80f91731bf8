import ArgumentParser
import Earshot
import EarshotGateway

struct Block: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Keep a user out: nothing is sent to them, and nothing of theirs is shown.",
        discussion: """
            Links to the user end at once, and messages that wait for them fail. The history stays. \
            "earshot unblock NAME" undoes it.

            In groups you see nothing that they write, whoever brings it, are told of no invitation of theirs, and they are told \
            nothing of your reading and typing; "earshot history '#GROUP' --blocked" shows it. What you write in a group they \
            still read while they are in it: ask its owner to remove them, or leave.

            EXAMPLES:
              earshot block mallory
              earshot block bob@3fk9qbmj
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            let user = try await user(session, names)
            let waiting = try await WaitingMessages(session.client, to: user)
            let blocked = try await session.client.decide(.block, about: user.id)
            try output.object(blocked)
            guard !user.isBlocked else {
                output.line("\(names.shown(user)) is blocked already")
                return
            }
            output.line("\(names.shown(user)) is blocked: \(user.fingerprint)")
            if let failed = try await waiting.failed(as: .blocked) { output.line(failed) }
        }
    }

    /// If somebody else claims the name, the claimant is meant: blocking the pinned user would help the claimant.
    private func user(_ session: Session, _ names: NameBook) async throws -> GatewayUser {
        let namesakes = names.users(called: name)
        guard namesakes.count(where: { !$0.isBlocked }) < 2 else { throw names.ambiguity(of: name, among: namesakes) }
        return try await UserLookup(session: session).known(name, names)
    }
}
