import Earshot
import Foundation

/// Shows what is longer than the terminal through a pager, as git does: the one of `EARSHOT_PAGER` or `PAGER`, or less.
enum Pager {
    private static let usual = "less"
    /// For less, unless somebody has set it: end at once if all fits, pass colours on, and leave the screen as it was.
    private static let options = "FRX"
    /// What the shell ends with if there is no such program, before anything is shown.
    private static let isMissing: Int32 = 127

    static func show(_ lines: [String], _ output: Output) async {
        let environment = ProcessInfo.processInfo.environment
        let command = environment["EARSHOT_PAGER"] ?? environment["PAGER"] ?? usual
        guard output.isTerminal, !output.isJSON, StandardInput.isTerminal, !["", "cat"].contains(command),
            rows(of: lines) >= Terminal.size.rows, await page(lines, through: command, environment)
        else {
            for line in lines { output.line(line) }
            return
        }
    }

    private static func rows(of lines: [String]) -> Int {
        let columns = Terminal.size.columns
        return lines.reduce(0) { $0 + max(1, (DisplayWidth.of($1) + columns - 1) / columns) }
    }

    /// - Returns: whether there is such a program. One that ends early has been seen enough of.
    private static func page(
        _ lines: [String], through command: String, _ environment: [String: String]
    ) async -> Bool {
        // Ctrl-C is the pager's while it runs.
        signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, SIG_DFL) }
        do throws(EarshotError) {
            let (reading, writing) = try ChildProgram.pipe()
            let pager: ChildProgram
            do {
                defer { close(reading) }
                pager = try ChildProgram(
                    "/bin/sh", ["-c", command], descriptors: [reading, STDOUT_FILENO, STDERR_FILENO],
                    environment: ["LESS": environment["LESS"] ?? options])
            }
            write(Array((lines.joined(separator: "\n") + "\n").utf8), to: writing)
            close(writing)
            return await pager.end() != isMissing
        } catch {
            return false
        }
    }

    /// Until the pager is ended: whoever leaves it has seen enough.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
