import Foundation
import Testing

/// The built `earshot`, run as a user runs it.
enum Program {
    struct Result {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// Each line of standard output as a JSON object.
        func objects() throws -> [[String: Any]] {
            try lines.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }
    }

    /// `EARSHOT_BIN`, else the program that was built beside the tests.
    static let path = ProcessInfo.processInfo.environment["EARSHOT_BIN"] ?? built("earshot")

    /// A program that was built beside the tests.
    static func built(_ name: String) -> String {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let candidates = [bundle, Bundle.main.bundleURL].map { $0.appendingPathComponent(name).path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
    }

    /// Runs the program to its end.
    static func run(_ arguments: String..., input: Data = Data()) async throws -> Result {
        try await run(arguments, input: input)
    }

    static func run(_ arguments: [String], input: Data = Data()) async throws -> Result {
        let program = try RunningProgram(arguments)
        program.write(input)
        program.closeInput()
        return try await program.end()
    }
}
