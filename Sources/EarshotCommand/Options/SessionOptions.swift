import ArgumentParser
import Earshot
import EarshotGateway

/// The session that a message is to belong to.
struct SessionOptions: ParsableArguments {
    /// What begins a session.
    private static let newWord = "new"

    @Option(
        help: ArgumentHelp(
            "The session whose next message it is: new, or the id of a session or of one of its messages.",
            valueName: "session"))
    var session: String?

    @Option(
        help: ArgumentHelp("What is left of the message when the next one of the session has come.", valueName: "text"))
    var summary: String?

    /// Whether the message begins one.
    var isBegun: Bool { session == Self.newWord }

    func validate() throws {
        guard (session == nil) == (summary == nil) else {
            throw ValidationError("A message of a session has both --session and --summary.")
        }
        guard let session, session != Self.newWord, SessionID(session) == nil else { return }
        guard MessageID(session) != nil || ShortMessageID(session) != nil else {
            throw ValidationError(
                "\"\(SafeText.line(session))\" is neither new nor the id of a session or of a message.")
        }
    }

    /// - Returns: `nil` for a message of no session.
    /// - Throws: `GatewayError` `unknownMessage`; `Failure` `invalidUsage` for a message of no session.
    func request(_ client: GatewayClient) async throws -> SessionRequest? {
        guard let session, let summary else { return nil }
        guard session != Self.newWord else { return SessionRequest(id: nil, summary: summary) }
        guard SessionID(session) == nil else { return SessionRequest(id: session, summary: summary) }
        guard let id = try await client.message(session).session?.id else {
            throw Failure(
                .invalidUsage, "the message \(SafeText.line(session)) belongs to no session",
                remedy: "begin one with: --session new")
        }
        return SessionRequest(id: id, summary: summary)
    }
}
