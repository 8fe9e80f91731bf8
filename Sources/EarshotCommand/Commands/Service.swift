import ArgumentParser
import Earshot

struct Service: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
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
        let service = UserService(home)
        if let pid = Session.pid(of: home), !(try await isOwn(pid, service)) {
            throw Failure(
                .homeInUse, "a node with pid \(pid) runs on \(home.path) already",
                remedy: "earshot stop; then: earshot service install")
        }
        try await service.install(output)
        try output.object(
            Record(unit: service.unit.name, path: service.path, isLingering: UserService.isLingering))
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
        let service = UserService(common.homeDirectory)
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
        let service = UserService(common.homeDirectory)
        let isInstalled = service.isInstalled
        if isInstalled { try await service.remove() }
        try output.object(Record(unit: service.unit.name, isRemoved: isInstalled))
        output.line(isInstalled ? "the service \(service.unit.name) is removed" : "there was no service to remove")
    }
}
