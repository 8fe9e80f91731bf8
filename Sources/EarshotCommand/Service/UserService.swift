import Earshot
import EarshotGateway
import Foundation

/// The service of a home directory, and systemd's user manager.
struct UserService {
    let unit: UserUnit
    let path: String

    init(_ home: Home) {
        let home = Home(path: URL(fileURLWithPath: home.path).standardizedFileURL.path)
        // A manager of another login may have another $EARSHOT_HOME.
        let isStandard = ProcessInfo.processInfo.environment["EARSHOT_HOME"] == nil && home == Home.standard()
        unit = UserUnit(program: Self.program, home: home, isStandardHome: isStandard)
        path = "\(UserUnit.folder())/\(unit.name)"
    }

    var isInstalled: Bool { access(path, F_OK) == 0 }

    /// Whether systemd runs the services of this user while nobody is logged in (loginctl(1)).
    static var isLingering: Bool { access("/var/lib/systemd/linger/\(NSUserName())", F_OK) == 0 }

    private static var program: String {
        do { return try FileManager.default.destinationOfSymbolicLink(atPath: ChildProgram.own) } catch {
            return CommandLine.arguments[0]
        }
    }

    /// Whether there is a user manager. Nobody is told why there is none: then nobody wants a service of it.
    static func isManaged() async -> Bool {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return false }
        defer { close(nothing) }
        do throws(EarshotError) {
            let child = try ChildProgram(
                "systemctl", ["--user", "show", "--property=Version"], descriptors: [nothing, nothing, nothing])
            return await child.end() == 0
        } catch { return false }
    }

    /// Installs the service, or brings it up to date, and starts it anew.
    /// - Throws: `Failure` `unusableFile`, `serviceManager`.
    func install(_ output: Output) async throws {
        try await write()
        try await control("enable", unit.name)
        try await control("restart", unit.name)
        output.line("the service \(unit.name) runs, and starts at each login")
        if !Self.isLingering { output.line("to let it run while you are not logged in: loginctl enable-linger") }
    }

    /// Writes the unit, and tells systemd. If no user manager answers, nothing is left of it: it could not be removed.
    /// - Throws: `Failure` `unusableFile`, `serviceManager`.
    private func write() async throws {
        let wasInstalled = isInstalled
        do {
            try FileManager.default.createDirectory(atPath: UserUnit.folder(), withIntermediateDirectories: true)
            try Data(unit.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure(.unusableFile, "\(path) cannot be written: \(SystemWords.words(for: error))")
        }
        do { try await control("daemon-reload") } catch {
            if !wasInstalled { try removeFile() }
            throw error
        }
    }

    /// Stops the service, and removes its unit.
    /// - Throws: `Failure` `serviceManager`, `unusableFile`.
    func remove() async throws {
        try await control("disable", "--now", unit.name)
        try removeFile()
        try await control("daemon-reload")
    }

    /// Removes what there is of a service that could not be installed, and reports what cannot be removed.
    func discard(_ output: Output) async {
        guard isInstalled else { return }
        do { try await control("disable", "--now", unit.name) } catch { output.report(Failure(error)) }
        do {
            try removeFile()
            try await control("daemon-reload")
        } catch { output.report(Failure(error)) }
    }

    private func removeFile() throws(Failure) {
        guard unlink(path) == 0 else {
            throw Failure(.unusableFile, "\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
    }

    /// Runs `systemctl --user`.
    /// - Throws: `Failure` `serviceManager`.
    private func control(_ arguments: String...) async throws {
        let words = ["--user"] + arguments
        let status = try await ChildProgram(
            "systemctl", words, descriptors: [STDIN_FILENO, STDERR_FILENO, STDERR_FILENO]
        ).end()
        guard status == 0 else {
            throw Failure(
                .serviceManager, "systemctl \(words.joined(separator: " ")) has ended with \(status)",
                remedy: "log in as the user whose service it is (su gives no user manager), and see: "
                    + "systemctl --user status")
        }
    }

    /// What `systemctl --user show` says about the unit; empty if the manager says nothing.
    func properties(_ names: String...) async throws -> [String: String] {
        let (reading, writing) = try ChildProgram.pipe()
        let child: ChildProgram
        do {
            defer { close(writing) }
            child = try ChildProgram(
                "systemctl", ["--user", "show", "--property=\(names.joined(separator: ","))", unit.name],
                descriptors: [STDIN_FILENO, writing, STDERR_FILENO])
        } catch {
            close(reading)
            throw error
        }
        let file = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        _ = await child.end()
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { $1 }
    }
}

extension EarshotError.Code {
    /// The service manager did not do what it was asked.
    static let serviceManager = Self("serviceManager")
}
