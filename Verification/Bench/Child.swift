import Foundation

/// Another process of this program, which this one has started.
final class Child {
    struct Unexpected: Error, CustomStringConvertible { let description: String }

    private let process = Process()
    private let orders = Pipe()
    private let answers: UnsafeMutablePointer<FILE>

    /// A node.
    convenience init(name: String, folder: URL, arguments: [String]) throws {
        try self.init(["node", "--name", name, "--home", folder.appending(path: name).path] + arguments)
    }

    init(_ arguments: [String]) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        process.standardInput = orders
        process.standardOutput = output
        try process.run()
        guard let answers = fdopen(dup(output.fileHandleForReading.fileDescriptor), "r") else {
            throw Unexpected(description: "the output of a process cannot be read")
        }
        self.answers = answers
    }

    func tell(_ order: String) { orders.fileHandleForWriting.write(Data("\(order)\n".utf8)) }

    func next() throws -> (word: String, value: String) {
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        guard getline(&line, &size, answers) > 0, let line else {
            throw Unexpected(description: "a node process ended early")
        }
        let parts = String(cString: line).trimmingCharacters(in: .newlines).split(separator: " ", maxSplits: 1)
        return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : "")
    }

    func expect(_ word: String) throws -> String {
        let (got, value) = try next()
        guard got == word else { throw Unexpected(description: "a node process said \(got) in the place of \(word)") }
        return value
    }

    func end() throws {
        try orders.fileHandleForWriting.close()
        process.waitUntilExit()
        fclose(answers)
    }

    /// Resident memory in bytes.
    var residentBytes: Int {
        let text = contents("statm").split(separator: " ")
        return text.count > 1 ? (Int(text[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    /// User and system time so far.
    var processorSeconds: Double {
        let fields = contents("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func contents(_ file: String) -> String {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process.processIdentifier)/\(file)") else {
            return ""
        }
        return String(decoding: data, as: UTF8.self)
    }
}
