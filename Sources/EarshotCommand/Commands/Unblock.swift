import ArgumentParser
import Earshot
import EarshotGateway

struct Unblock: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock",
        abstract: "Let a blocked user back in.",
        discussion: """
            Their trust becomes "unverified", whatever it was before. Messages that failed meanwhile stay failed.

            EXAMPLES:
              earshot unblock mallory
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            let user = try await user(session, names)
            let unblocked = try await session.client.decide(.unblock, about: user.id)
            try output.object(unblocked)
            output.line(
                user.isBlocked ? "\(names.shown(user)) is no longer blocked" : "\(names.shown(user)) is not blocked")
            if let conflict = names.conflict(of: unblocked) {
                output.note("\(conflict.message); \(conflict.remedy ?? "")")
            }
        }
    }

    /// If several users have the name, the blocked one is meant.
    private func user(_ session: Session, _ names: NameBook) async throws -> GatewayUser {
        let blocked = names.users(called: name).filter(\.isBlocked)
        guard blocked.count < 2 else { throw names.ambiguity(of: name, among: blocked) }
        if let user = blocked.first { return user }
        return try await UserLookup(session: session).known(name, names)
    }
}
