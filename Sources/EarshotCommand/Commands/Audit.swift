import ArgumentParser
import Earshot
import EarshotGateway

struct Audit: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Prove the history with a user again: who wrote it, and that nobody has changed it.",
        discussion: """
            Reads the whole history from the disk, and checks each entry, the chain from the first to the last, and \
            every signature: of the devices that wrote, of the identities that vouch for them, and of the side that \
            received.

            The proof holds against anybody who could write to the database but has no key. It does not prove when \
            something was written (the times are the author's claim), nor that nobody has removed a whole log. Anybody \
            who can use this home directory has its device's key too, and could write anything as you. In a dispute, \
            what the other side has signed is what counts.

            EXAMPLES:
              earshot audit bob
              earshot audit bob --json | jq .isSound
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String

    func execute(_ output: Output) async throws {
        let (user, names) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            return (try await UserLookup(session: session).known(name, names), names)
        }
        guard let userID = UserID(user.id) else { throw Failure(.internalError, "\(user.id) is no key") }
        let audit = try common.homeDirectory.audit(with: userID)
        let report = AuditReport(audit: audit, peer: user, names: names)
        try output.object(report)
        for line in report.lines(output.style) { output.line(line) }
        if !audit.isSound { throw ExitStatus.tampered.code }
    }
}
