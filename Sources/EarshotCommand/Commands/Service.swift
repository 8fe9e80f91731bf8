import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct Service: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let systemd run the node: install, show or remove a service of your user.",
        discussion: """
            The service starts when you log in, restarts after a failure, and is watched: a node that no longer answers is \
            restarted. For one that runs while nobody is logged in: loginctl enable-linger

            What the node is to do stands in its configuration file (earshot up --help). Look at its log with: \
            journalctl --user --unit earshot

            EXAMPLES:
              earshot service install
              earshot service status
              earshot service remove
            """,
        subcommands: [ServiceInstall.self, ServiceStatus.self, ServiceRemove.self])
}

/// The service of a home directory, and systemd's user manager.
private struct UserService {
    let unit: UserUnit
    let path: String

    init(_ common: CommonOptions) {
        let home = Home(path: URL(fileURLWithPath: common.homeDirectory.path).standardizedFileURL.path)
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

    /// Writes the unit, and tells systemd. If no user manager answers, nothing is left of it: it could not be removed.
    /// - Throws: `Failure` `unusableFile`, `serviceManager`.
    func write() async throws {
        let wasInstalled = isInstalled
        do {
            try FileManager.default.createDirectory(atPath: UserUnit.folder(), withIntermediateDirectories: true)
            try Data(unit.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure(.unusableFile, "\(path) cannot be written: \(error.localizedDescription)")
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

    private func removeFile() throws(Failure) {
        guard unlink(path) == 0 else {
            throw Failure(.unusableFile, "\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
    }

    /// Runs `systemctl --user`.
    /// - Throws: `Failure` `serviceManager`.
    func control(_ arguments: String...) async throws {
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

struct ServiceInstall: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Install the service, and start it.",
        discussion: """
            Writes a unit of your user, and starts it now and at each login. Said again, it brings the unit up to date.

            EXAMPLES:
              earshot service install
              earshot service install --home ~/bot
            """)

    @OptionGroup var common: CommonOptions

    private struct Record: Encodable {
        let unit: String
        let path: String
        let isLingering: Bool
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        try home.check()
        _ = try await HomeConfiguration(of: home)
        let service = UserService(common)
        if let pid = Session.pid(of: home), !(try await isOwn(pid, service)) {
            throw Failure(
                .homeInUse, "a node with pid \(pid) runs on \(home.path) already",
                remedy: "earshot stop; then: earshot service install")
        }
        try await service.write()
        try await service.control("enable", service.unit.name)
        try await service.control("restart", service.unit.name)
        try output.object(
            Record(unit: service.unit.name, path: service.path, isLingering: UserService.isLingering))
        output.line("the service \(service.unit.name) runs, and starts at each login")
        if !UserService.isLingering {
            output.line("to let it run while you are not logged in: loginctl enable-linger")
        }
    }

    private func isOwn(_ pid: Int32, _ service: UserService) async throws -> Bool {
        try await service.properties("MainPID")["MainPID"] == "\(pid)"
    }
}

struct ServiceStatus: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say whether the service is installed, and whether it runs.",
        discussion: """
            EXAMPLES:
              earshot service status
            """)

    @OptionGroup var common: CommonOptions

    private struct Record: Encodable {
        let unit: String
        let path: String
        let isInstalled: Bool
        /// As systemd says it: `active`, `failed`, ...
        let state: String?
        /// As systemd says it: `enabled`, `disabled`, ...
        let start: String?
        let isLingering: Bool
    }

    func execute(_ output: Output) async throws {
        let service = UserService(common)
        let properties =
            service.isInstalled ? try await service.properties("ActiveState", "UnitFileState") : [:]
        let record = Record(
            unit: service.unit.name, path: service.path, isInstalled: service.isInstalled,
            state: properties["ActiveState"], start: properties["UnitFileState"],
            isLingering: UserService.isLingering)
        try output.object(record)
        guard service.isInstalled else {
            output.line("no service is installed for this home directory: earshot service install")
            return
        }
        output.line("unit:       \(service.unit.name), \(SafeText.line(service.path))")
        output.line("state:      \(record.state ?? "unknown: the user manager does not answer")")
        output.line("at login:   \(record.start ?? "unknown")")
        output.line("lingering:  \(record.isLingering ? "yes" : "no: loginctl enable-linger")")
    }
}

struct ServiceRemove: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Stop the service, and remove it.",
        discussion: """
            The home directory stays as it is.

            EXAMPLES:
              earshot service remove
            """)

    @OptionGroup var common: CommonOptions

    private struct Record: Encodable {
        let unit: String
        let isRemoved: Bool
    }

    func execute(_ output: Output) async throws {
        let service = UserService(common)
        let isInstalled = service.isInstalled
        if isInstalled { try await service.remove() }
        try output.object(Record(unit: service.unit.name, isRemoved: isInstalled))
        output.line(isInstalled ? "the service \(service.unit.name) is removed" : "there was no service to remove")
    }
}

extension EarshotError.Code {
    /// The service manager did not do what it was asked.
    static let serviceManager = Self("serviceManager")
}
