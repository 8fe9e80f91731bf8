import Earshot
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("earshot up", .keepsWhatItStarts)
struct UpTests {
    @Test("ends cleanly at a signal", arguments: [SIGTERM, SIGINT])
    func signals(number: Int32) async throws {
        let home = try await TestHome.named("alice")
        let (node, _) = try await home.up()
        #expect(try home.mode(of: "/node.sock") == 0o600)
        node.signal(number)
        let result = try await node.end()
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(!FileManager.default.fileExists(atPath: home.path + "/node.sock"))
    }

    @Test("comes up, answers and ends, though nobody reads what it writes", arguments: [[], ["--json"]])
    func unread(options: [String]) async throws {
        let home = try await TestHome.named("alice")
        let (full, hasEnded) = (try FullPipe(), Watched(false))
        let node = Process()
        node.executableURL = URL(fileURLWithPath: Program.path)
        node.arguments = ["up", "--no-discovery", "--log-level", "debug", "--home", home.path] + options
        (node.standardOutput, node.standardError) = (full.pipe, full.pipe)
        node.terminationHandler = { _ in hasEnded.update { $0 = true } }
        try node.start()
        try await onThread("the node has the home") { while HomeLock.holder(of: Home(path: home.path)) == nil {} }
        #expect(try await home.run("status", "--json").objects()[0]["pid"] as? Int == Int(node.processIdentifier))
        node.terminate()
        try await hasEnded.wait(for: "the node ends")
        #expect(node.terminationStatus == 0)
    }

    @Test("is not held up by a dialog that is open")
    func openStream() async throws {
        let pair = try await Pair.met()
        let chat = try RunningProgram(["chat", "bob", "--home", pair.alice.path])
        chat.write(Data("hello\n".utf8))
        try await chat.expect("hello .*✓✓")
        pair.aliceNode.signal(SIGTERM)
        #expect(try await pair.aliceNode.end().status == 0)
        #expect(try await chat.end().status == 1)
    }

    @Test("replaces the socket of a node that died")
    func staleSocket() async throws {
        let home = try await TestHome.named("alice")
        let (killed, _) = try await home.up()
        killed.signal(SIGKILL)
        _ = try await killed.end()
        #expect(FileManager.default.fileExists(atPath: home.path + "/node.sock"))
        let (node, port) = try await home.up()
        let status = try await home.run("status", "--json").objects()
        #expect(status[0]["pid"] as? Int == Int(node.pid))
        #expect(status[0]["port"] as? Int == Int(port))
    }

    @Test("goes on if its log cannot be written, as on a full disk", arguments: ["text", "json"])
    func logOnFullDisk(format: String) async throws {
        let home = try await TestHome.named("alice")
        let node = try RunningProgram(
            [
                "-c", "exec \"$0\" \"$@\" 2>/dev/full", Program.path, "up", "--no-discovery", "--home", home.path,
                "--log-level", "trace", "--log-format", format,
            ], program: "/bin/sh")
        try await node.expect(#"is up: .* port (\d+)"#)
        #expect(try await home.run("status", "--json").objects()[0]["pid"] as? Int == Int(node.pid))
        node.signal(SIGTERM)
        #expect(try await node.end().status == 0)
    }

    /// A node in a network where every port is free, but those of the other node.
    private func up(_ home: TestHome, beside other: RunningProgram? = nil) throws -> RunningProgram {
        let words = [Program.path, "up", "--no-discovery", "--home", home.path]
        guard let other else { return try RunningProgram(["--net"] + words, program: "/usr/bin/unshare") }
        return try RunningProgram(["--target", "\(other.pid)", "--net"] + words, program: "/usr/bin/nsenter")
    }

    @Test(
        "takes the default port if it is free, says so if it is not, and keeps the port that it once had",
        .enabled(if: geteuid() == 0, "only root makes networks"))
    func defaultPort() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let first = try up(alice)
        try await first.expect(#"is up: .* port 28350\n"#)
        let second = try up(bob, beside: first)
        let port = try await second.expect(#"is up: .* port (\d+) \(28350 was taken\)\n"#)
        for node in [first, second] {
            node.signal(SIGTERM)
            #expect(try await node.end().status == 0)
        }
        let again = try up(bob)
        try await again.expect("is up: .* port \(port)\n")
    }

    @Test("refuses a database of a newer program by its name, and says what to do")
    func newerDatabase() async throws {
        let home = try await TestHome.named("alice")
        #expect(try await home.run("users").status == 0)
        let database = try DatabaseQueue(path: home.path + "/history.db", configuration: .patient)
        try await database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('of a later version')") }
        try database.close()
        for command in [["up"], ["users"]] {
            let result = try await home.run(command)
            #expect(result.status == 8)
            #expect(
                result.errors.contains("\(home.path)/history.db was written by a newer version"), "\(result.errors)")
            #expect(result.errors.contains("try: update this program, which is earshot \(Earshot.version)"))
        }
    }

    @Test("reports a port that is taken as a network error")
    func portInUse() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await alice.up()
        let result = try await bob.run("up", "--no-discovery", "--port", port)
        #expect(result.status == 9)
        #expect(result.errors.contains(port))
    }

    @Test("says in words why nobody answers at an address")
    func unreachable() async throws {
        let home = try await TestHome.named("alice")
        let address = "127.0.0.1:\(PortForOneTest.next())"
        let (node, _) = try await home.up("--peer", address)
        try await node.expectError("no link to \(address): \(address) cannot be reached: Connection refused\n")
    }

    @Test("ends at once with a network error if the port of the API is taken")
    func apiPortInUse() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await alice.up()
        let result = try await bob.run("up", "--no-discovery", "--http", port)
        #expect(result.status == 9)
        #expect(result.errors.contains("127.0.0.1:\(port)"))
        #expect(result.errors.contains("try: name another with --http PORT"))
    }

    @Test("tells who comes and goes, as JSON too")
    func presence() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let node = try RunningProgram(["up", "--no-discovery", "--json", "--home", alice.path])
        let port = try await node.expect(#""port":(\d+)"#)
        let (peer, _) = try await bob.up("--peer", "127.0.0.1:\(port)")
        try await node.expect(#""name":"userDiscovered""#)
        peer.signal(SIGTERM)
        _ = try await peer.end()
        try await node.expect(#""changes":\["isOnline"\]"#)
        node.signal(SIGTERM)
        let objects = try await node.end().objects()
        #expect(objects.first?["name"] as? String == "up")
        #expect(objects.allSatisfy { $0["name"] is String })
    }
}
