import Foundation
import TestSupport
import Testing

/// The daemon of `script/with-avahi`, which is nobody else's.
enum PrivateDaemon {
    static var isThere: Bool { ProcessInfo.processInfo.environment["EARSHOT_PRIVATE_AVAHI"] == "1" }

    static func stop() async throws { #expect(try await run("--kill") == 0) }

    /// Ends it as a power cut would: nobody hears a goodbye.
    static func crash() throws {
        let pid = try #require(
            pid_t(String(contentsOfFile: "/run/avahi-daemon/pid", encoding: .utf8).trimmingCharacters(in: .newlines)))
        #expect(kill(pid, SIGKILL) == 0)
    }

    static func start() async throws {
        #expect(try await run("--daemonize", "--no-drop-root", "--no-rlimits", "--no-chroot") == 0)
    }

    private static func run(_ arguments: String...) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/sbin/avahi-daemon")
        process.arguments = arguments
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.start()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
