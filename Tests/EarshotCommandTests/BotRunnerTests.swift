import EarshotGateway
import Foundation
import Logging
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("What runs the program of a bot")
struct BotRunnerTests {
    @Test("starts no program once it was told to end, even if that was already due")
    func end() async throws {
        let folder = try TemporaryFolder()
        let inbox = BotInbox(
            client: try GatewayClient(socketPath: folder.file("nobody.sock")), bot: "echo", takesAutomatic: false,
            start: "now", attempts: 1)
        let runner = BotRunner(
            ExecBot(limit: 1, patience: .seconds(60)), program: "/bin/sh",
            ["-c", "echo > \(folder.file("started")); sleep 10"], environment: [:], inbox: inbox,
            logger: Logger(label: "echo") { _ in SwiftLogNoOpLogHandler() })
        try await runner.runAndEnd()
        #expect(!FileManager.default.fileExists(atPath: folder.file("started")))
    }
}

extension BotRunner {
    /// Runs it, and has it end before it does anything that it has begun with.
    fileprivate func runAndEnd() async throws {
        let running = Task { try await run() }
        let ending = Task { await end() }
        await ending.value
        running.cancel()
        try await running.value
    }
}
