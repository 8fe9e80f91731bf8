import Earshot
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EarshotCommand

/// A datagram socket that hears what a service tells its manager.
private final class NotifySocket: Sendable {
    let path: String
    private let descriptor: Int32

    init(in folder: TemporaryFolder) throws {
        path = folder.file("notify")
        descriptor = try PeerFailure.check(
            socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0), "socket")
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        _ = try withUnsafePointer(to: &name) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                try PeerFailure.check(bind(descriptor, name, size), "bind")
            }
        }
    }

    deinit { close(descriptor) }

    /// Waits for the next datagram.
    func next() async throws -> String {
        try await onThread("the service tells something") { [descriptor] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = try PeerFailure.check(recv(descriptor, &buffer, buffer.count, 0), "recv")
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}

@Suite("A node that a service manager has started", .keepsWhatItStarts)
struct ServiceTests {
    @Test("tells it when it is ready, that it is alive, and when it ends")
    func notify() async throws {
        let (folder, home) = (try TemporaryFolder(), try await TestHome.named("alice"))
        let socket = try NotifySocket(in: folder)
        let node = try RunningProgram(
            ["up", "--no-discovery", "--home", home.path],
            environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "200000"])
        #expect(try await socket.next().hasPrefix("READY=1\nSTATUS=alice, port "))
        #expect(try await home.run("status", "--json").objects()[0]["pid"] as? Int == Int(node.pid))
        for _ in 1...3 { #expect(try await socket.next() == "WATCHDOG=1") }
        node.signal(SIGTERM)
        var last = ""
        repeat { last = try await socket.next() } while last == "WATCHDOG=1"
        #expect(last == "STOPPING=1")
        #expect(try await node.end().status == 0)
    }

    @Test("is not ended because it once did not answer itself: one sign of life is left out")
    func missingSign() async throws {
        let folder = try TemporaryFolder()
        let socket = try NotifySocket(in: folder)
        let manager = try #require(ServiceManager(["NOTIFY_SOCKET": socket.path]))
        let (looks, looked) = AsyncStream<Int>.makeStream()
        let count = Mutex(0)
        let showing = Task {
            try await manager.showLife(every: .milliseconds(1)) {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                looked.yield(number)
                return number > 1
            }
        }
        #expect(try await socket.next() == "WATCHDOG=1")
        showing.cancel()
        #expect(await looks.first { _ in true } == 1 && count.withLock(\.self) > 1)
        withExtendedLifetime(folder) {}
    }

    @Test("writes no times, which the journal has")
    func journal() async throws {
        let home = try await TestHome.named("alice")
        let node = try RunningProgram(
            ["up", "--no-discovery", "--home", home.path], environment: ["JOURNAL_STREAM": "8:1"])
        try await node.expect("^alice is up")
        let dated = try await TestHome.named("bob")
        let (other, _) = try await dated.up()
        try await other.expect(#"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  bob is up"#)
    }

    @Test(
        "understands only addresses of sockets, and a watchdog that is its own",
        arguments: [
            ([:], false, nil), (["NOTIFY_SOCKET": ""], false, nil), (["NOTIFY_SOCKET": "vsock:2:1"], false, nil),
            (["NOTIFY_SOCKET": "/run/\(String(repeating: "x", count: 200))"], false, nil),
            (["NOTIFY_SOCKET": "@abstract"], true, nil),
            (["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "1500"], true, Duration.microseconds(1500)),
            (["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "1500", "WATCHDOG_PID": "1"], true, nil),
            (["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "-1"], true, nil),
        ] as [([String: String], Bool, Duration?)])
    func environment(environment: [String: String], isThere: Bool, watchdog: Duration?) {
        let manager = ServiceManager(environment)
        #expect((manager != nil) == isThere)
        #expect(manager?.watchdog == watchdog)
    }
}

@Suite("earshot service", .keepsWhatItStarts)
struct ServiceCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        // What the user manager would do is written down.
        let script = """
            #!/bin/sh
            echo "$@" >> '\(folder.path)/calls'
            case "$2" in show) printf 'ActiveState=active\\nUnitFileState=enabled\\nMainPID=0\\n' ;; esac
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder.file("systemctl")))
        try #require(chmod(folder.file("systemctl"), 0o700) == 0)
    }

    private func run(_ arguments: String..., home: TestHome) async throws -> Program.Result {
        let program = try RunningProgram(
            arguments + ["--home", home.path],
            environment: ["PATH": "\(folder.path):/usr/bin:/bin", "XDG_CONFIG_HOME": folder.path])
        program.closeInput()
        return try await program.end()
    }

    private var calls: [String] {
        get throws {
            try String(contentsOfFile: folder.file("calls"), encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }

    @Test("installs a unit and starts it, shows it, and removes it")
    func lifetime() async throws {
        let home = try await TestHome.named("alice")
        let installed = try await run("service", "install", "--json", home: home)
        #expect(installed.status == 0, "\(installed.errors)")
        let record = try #require(try installed.objects().first)
        let (name, path) = (try #require(record["unit"] as? String), try #require(record["path"] as? String))
        #expect(path == "\(folder.path)/systemd/user/\(name)")
        #expect(try calls == ["--user daemon-reload", "--user enable \(name)", "--user restart \(name)"])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("up --home \(home.path)\n"))
        #expect(try await run("service", "status", home: home).output.contains("state:      active"))
        let removed = try await run("service", "remove", "--json", home: home)
        #expect(try removed.objects().first?["isRemoved"] as? Bool == true)
        #expect(try calls.suffix(2) == ["--user disable --now \(name)", "--user daemon-reload"])
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await run("service", "remove", home: home).output.contains("no service to remove"))
        #expect(try await run("service", "status", home: home).output.contains("earshot service install"))
    }

    @Test("needs an identity, and says what to do where one is missing")
    func notInitialized() async throws {
        let result = try await run("service", "install", home: try TestHome())
        #expect(result.status == 3)
        #expect(result.errors.contains("earshot init"))
    }

    @Test("does not start a second node beside one that runs already")
    func runningNode() async throws {
        let home = try await TestHome.named("alice")
        _ = try await home.up()
        let result = try await run("service", "install", home: home)
        #expect(result.status == 7)
        #expect(result.errors.contains("earshot stop"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("systemd")))
    }

    @Test("leaves nothing behind where no user manager answers")
    func noManager() async throws {
        let home = try await TestHome.named("alice")
        try Data("#!/bin/sh\nexit 1\n".utf8).write(to: URL(fileURLWithPath: folder.file("systemctl")))
        let result = try await run("service", "install", home: home)
        #expect(result.status == 1)
        #expect(result.errors.contains("systemctl --user status"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("systemd/user")) == [])
    }

    @Test("hardens a node as the system's unit does, but for what only the system's manager can")
    func hardening() throws {
        let template = PackageFolder.root.appending(path: "packaging/systemd/earshot@.service")
        let (system, user) = (
            Self.settings(try String(contentsOf: template, encoding: .utf8)),
            Self.settings(UserUnit(program: "/bin/sh", home: Home(path: "/h"), isStandardHome: true).text)
        )
        let different = ["ExecStart", "Description", "WantedBy"]
        let onlySystem = system.filter { user[$0.key] != $0.value && !different.contains($0.key) }.map(\.key).sorted()
        #expect(
            onlySystem == [
                "After", "CapabilityBoundingSet", "LimitMEMLOCK", "LoadCredential", "PrivateDevices", "PrivateTmp",
                "ProtectClock", "ProtectControlGroups", "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules",
                "ProtectKernelTunables", "ProtectProc", "ProtectSystem", "RemoveIPC", "User",
            ])
        #expect(user.filter { system[$0.key] != $0.value && !different.contains($0.key) } == [:])
    }

    private static func settings(_ unit: String) -> [String: String] {
        let pairs = unit.split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains("=") }
            .map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
    }

    @Test(
        "writes a unit that systemd understands, whatever the path of the home is",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")),
        arguments: ["/srv/earshot", "/srv/a home/with %n $HOME \"quotes\" and \\ too"])
    func verify(path: String) async throws {
        let unit = UserUnit(program: "/bin/sh", home: Home(path: path), isStandardHome: false)
        let file = folder.file(unit.name)
        try Data(unit.text.utf8).write(to: URL(fileURLWithPath: file))
        let analyze = try RunningProgram(
            ["--user", "--man=no", "verify", file], program: "/usr/bin/systemd-analyze",
            environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path])
        let result = try await analyze.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(!result.errors.contains(unit.name), "\(result.errors)")
    }

    @Test(
        "names the units of other homes after them, each in its own way",
        arguments: [
            ("/srv/earshot", "earshot-srv-earshot.service"), ("/srv/a/b", "earshot-srv-a-b.service"),
            ("/srv/a-b", #"earshot-srv-a\x2db.service"#), ("/home/a b/é", #"earshot-home-a\x20b-\xc3\xa9.service"#),
        ])
    func name(path: String, name: String) {
        #expect(UserUnit(program: "/bin/sh", home: Home(path: path), isStandardHome: false).name == name)
        #expect(UserUnit(program: "/bin/sh", home: Home(path: path), isStandardHome: true).name == "earshot.service")
    }
}
