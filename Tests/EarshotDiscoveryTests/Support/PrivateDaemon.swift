import Foundation
import Testing

/// The daemon of `script/with-avahi`, which is nobody else's.
enum PrivateDaemon {
    static var isThere: Bool { ProcessInfo.processInfo.environment["EARSHOT_PRIVATE_AVAHI"] == "1" }

    static func stop() async throws { #expect(try await run("--kill") == 0) }

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
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
