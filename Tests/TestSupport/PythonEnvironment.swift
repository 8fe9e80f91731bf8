package import Foundation
import Glibc

/// The virtual environment of the independent peers, in the package's build folder. It is made once and reused as long
/// as the requirements stay the same.
package enum PythonEnvironment {
    package static var isWanted: Bool { ProcessInfo.processInfo.environment["EARSHOT_SKIP_PYTHON"] == nil }

    private static let requirements = PackageFolder.requirements
    private static let folder = PackageFolder.root.appending(path: ".build/python-peers")

    /// - Returns: the interpreter, with the requirements installed.
    /// - Throws: `PeerFailure` if python3, its venv module or the package is not available.
    package static func interpreter() throws -> URL {
        let environment = folder.appending(path: "environment")
        let interpreter = environment.appending(path: "bin/python")
        // Written last, so that half an environment is never taken for a whole one.
        let stamp = environment.appending(path: "installed.txt")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try withLock(folder.appending(path: "lock")) {
            let wanted = try Data(contentsOf: requirements)
            if FileManager.default.contents(atPath: stamp.path()) == wanted { return }
            let python = URL(filePath: "/usr/bin/env")
            try run(python, ["python3", "-m", "venv", "--clear", environment.path()])
            let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]
            try run(interpreter, install + [requirements.path()])
            try wanted.write(to: stamp)
        }
        return interpreter
    }

    private static func run(_ program: URL, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        try process.start()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let command = arguments.joined(separator: " ")
            throw PeerFailure("\(command) failed; set EARSHOT_SKIP_PYTHON to do without the independent peers")
        }
    }

    /// Keeps out other test processes of this package meanwhile.
    private static func withLock(_ file: URL, _ body: () throws -> Void) throws {
        let descriptor = try PeerFailure.check(open(file.path(), O_CREAT | O_RDWR | O_CLOEXEC, 0o600), "open")
        defer { close(descriptor) }
        _ = try PeerFailure.check(flock(descriptor, LOCK_EX), "flock")
        try body()
    }
}
