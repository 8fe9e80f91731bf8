import Foundation

/// The program at a terminal: `script` of util-linux gives it one, and passes on what is typed.
enum Terminal {
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
        let command = ([Program.path] + arguments).map(quoted).joined(separator: " ")
        return try RunningProgram(
            ["-qec", command, "/dev/null"], program: "/usr/bin/script",
            environment: environment.merging(["TERM": "xterm"]) { given, _ in given })
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
