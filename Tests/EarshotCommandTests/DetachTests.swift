import Earshot
import Foundation
import Testing

@Suite("earshot up --detach", .keepsWhatItStarts)
struct DetachTests {
    @Test("returns when the node is up, which earshot stop ends")
    func upAndStop() async throws {
        let home = try await TestHome.named("alice")
        let up = try await home.run("up", "--detach", "--no-discovery", "--json")
        #expect(up.status == 0, "\(up.errors)")
        let pid = try #require(try up.objects().first?["pid"] as? Int)
        #expect(try await home.run("status", "--json").objects()[0]["pid"] as? Int == pid)
        let log = try String(contentsOfFile: home.path + "/up.log", encoding: .utf8)
        #expect(log.contains(#""name":"up""#))
        #expect(try home.mode(of: "/up.log") == 0o600)
        let stop = try await home.run("stop", "--json")
        #expect(try stop.objects()[0]["isStopped"] as? Bool == true)
        #expect(!HomeLock.isHeld(Home(path: home.path)))
        let again = try await home.run("stop")
        #expect(again.status == 0)
        #expect(again.output.contains("no node runs"))
    }

    @Test("ends with the node's error, once, and with its status")
    func failure() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let result = try await alice.run("up", "--detach", "--no-discovery", "--port", port)
        #expect(result.status == 9)
        #expect(result.errors.components(separatedBy: "earshot: ").count == 2, "\(result.errors)")
        #expect(!HomeLock.isHeld(Home(path: alice.path)))
        // Where there is no home yet, there is no log, either.
        let early = try await TestHome().run("up", "--detach", "--no-discovery")
        #expect(early.status == 3)
        #expect(early.errors.components(separatedBy: "earshot: ").count == 2, "\(early.errors)")
    }

    @Test("leaves the log of the node that runs as it is, where another is started in vain")
    func log() async throws {
        let home = try await TestHome.named("alice")
        #expect(try await home.run("up", "--detach", "--no-discovery").status == 0)
        #expect(try await home.run("up", "--detach", "--no-discovery").status == 7)
        #expect(try String(contentsOfFile: home.path + "/up.log", encoding: .utf8).contains("alice is up"))
        #expect(try await home.run("stop", "--json").objects()[0]["isStopped"] as? Bool == true)
    }

    @Test("asks for the passphrase before it leaves the terminal")
    func passphrase() async throws {
        let home = try TestHome()
        #expect(
            try await home.run(
                ["init", "--name", "alice", "--passphrase-fd", "0"], input: Data("correct horse\n".utf8)
            ).status == 0)
        let terminal = try Terminal.run(["up", "--detach", "--no-discovery", "--passphrase", "--home", home.path])
        try await terminal.expect("Passphrase: ")
        terminal.write(Data("correct horse\n".utf8))
        try await terminal.expect("is up in the background")
        #expect(try await terminal.end().status == 0)
        #expect(try await home.run("stop", "--json").objects()[0]["isStopped"] as? Bool == true)
    }

    @Test("leaves the nodes of others alone: where none but a short-lived one runs, stop has nothing to do")
    func shortLived() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (_, port) = try await bob.up()
        let send = try RunningProgram([
            "send", "bob", "hi", "--wait", "read", "--no-discovery", "--peer", "127.0.0.1:\(port)", "--home",
            alice.path,
        ])
        try await send.expect("delivered")
        #expect(try await alice.run("stop").output.contains("no node runs"))
        #expect(try await bob.run("chat", "alice").status == 0)
        #expect(try await send.end().status == 0)
    }
}
