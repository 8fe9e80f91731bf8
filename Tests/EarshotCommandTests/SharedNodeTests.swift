import Earshot
import Foundation
import TestSupport
import Testing

@Suite("Commands that overlap where no node runs", .keepsWhatItStarts)
struct SharedNodeTests {
    private let send = ["send", "bob", "hi", "--wait", "delivered", "--no-discovery", "--peer"]

    @Test("share one short-lived node, and all succeed")
    func sharing() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let peer = send + ["127.0.0.1:\(port)", "--home", alice.path]
        #expect(try await Program.run(peer).status == 0)
        let commands = try (0..<6).map { _ in try RunningProgram(peer) }
        let others = try [["users"], ["status"], ["history", "bob"]]
            .map { try RunningProgram($0 + ["--home", alice.path]) }
        for command in commands + others {
            let result = try await command.end()
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(try await bob.run("history", "alice", "--json").objects().count == 7)
    }

    @Test("use one node to their end")
    func oneNode() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (bobNode, port) = try await bob.up()
        #expect(try await Program.run(send + ["127.0.0.1:\(port)", "--home", alice.path]).status == 0)
        try await bobNode.expect("alice is offline")
        #expect(!bobNode.outputText.contains("alice is online"), "\(bobNode.outputText)")
    }

    @Test("leave the home directory as free as before")
    func end() async throws {
        let alice = try await TestHome.named("alice")
        let result = try await alice.run("users")
        #expect(result.status == 0, "\(result.errors)")
        #expect(!HomeLock.isHeld(Home(path: alice.path)))
        #expect(!FileManager.default.fileExists(atPath: alice.path + "/node.sock"))
    }

    private struct Unmarked: Error {}

    @Test("mark their node for what it is until the home directory is free")
    func marked() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let home = Home(path: alice.path)
        let (_, port) = try await bob.up()
        // Such a node has goodbyes to say.
        let command = try RunningProgram(send + ["127.0.0.1:\(port)", "--home", alice.path])
        let hasEnded = Watched(false)
        async let looks = onThread("the command ends") {
            var looks = 0
            while !hasEnded.value {
                guard HomeLock.isHeld(home) else { continue }
                guard HomeMark.isSet(.shortLived, of: home) || !HomeLock.isHeld(home) else { throw Unmarked() }
                looks += 1
            }
            return looks
        }
        #expect(try await command.end().status == 0)
        hasEnded.update { $0 = true }
        #expect(try await looks > 0)
    }

    @Test("go on when the command that started the node is killed")
    func killed() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let peer = ["--no-discovery", "--peer", "127.0.0.1:\(port)", "--home", alice.path]
        #expect(try await Program.run(["send", "bob", "0", "--wait", "delivered"] + peer).status == 0)
        let first = try RunningProgram(["send", "bob", "1", "--wait", "read"] + peer)
        try await first.expect("delivered")
        let second = try RunningProgram(["send", "bob", "2", "--wait", "read"] + peer)
        try await second.expect("delivered")
        first.signal(SIGKILL)
        _ = try await first.end()
        #expect(try await bob.run("chat", "alice").status == 0)
        let result = try await second.end()
        #expect(result.lines.last == "read", "\(result.errors)")
    }

    @Test("wait for a node that comes up, and take nothing from it")
    func coming() async throws {
        let alice = try await TestHome.named("alice")
        let home = Home(path: alice.path)
        let coming = try #require(try HomeMark(.coming, of: home))
        let status = try RunningProgram(["status", "--json", "--home", alice.path])
        let (node, _) = try await alice.up()
        coming.remove()
        #expect(try await status.end().objects()[0]["pid"] as? Int == Int(node.pid))
    }

    @Test("wait longer for a short-lived node that is slow to answer than for another program's node")
    func slow() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let shortLived = try HomeMark(.shortLived, of: Home(path: alice.path))
        let locks = try [alice, bob].map { try HomeLock(Home(path: $0.path)) }
        let patient = try RunningProgram(["status", "--home", alice.path])
        #expect(try await bob.run("status").errors.contains("no node listens"))
        patient.signal(SIGKILL)
        #expect(try await patient.end().errors.isEmpty)
        withExtendedLifetime((shortLived, locks)) {}
    }

    @Test("make room for a node that comes up, as soon as they have ended")
    func makingRoom() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let peer = ["--no-discovery", "--peer", "127.0.0.1:\(port)", "--home", alice.path]
        let command = try RunningProgram(["send", "bob", "hi", "--wait", "read"] + peer)
        try await command.expect("delivered")
        let node = try RunningProgram(["up"] + peer)
        try await node.expectError("waiting for commands")
        #expect(try await bob.run("chat", "alice").status == 0)
        #expect(try await command.end().status == 0)
        try await node.expect("is up")
    }

    @Test("say why the node that one of them started cannot run")
    func failure() async throws {
        let alice = try await TestHome.named("alice")
        try #require(chmod(alice.path + "/device.key", 0o644) == 0)
        let result = try await alice.run("users", "--json")
        #expect(result.status == 8)
        #expect(result.errors.contains("chmod 600"), "\(result.errors)")
        let error = try #require(try result.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == "looseHome")
    }

    @Test("are told of a port that is taken, as before")
    func portInUse() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let result = try await alice.run("send", "bob", "hi", "--no-discovery", "--port", port)
        #expect(result.status == 9, "\(result.errors)")
        #expect(result.errors.contains(port))
    }
}
