import EarshotCrypto
import EarshotModel
import EarshotProtocol
import Foundation
import Testing

@Suite("Somebody who has a name here and takes another", .keepsWhatItStarts)
struct ClaimedNameTests {
    @Test("keeps it: the node, the table and `trust` say so, and --accept --yes with enough of the key agrees")
    func claimed() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        let id = try await pair.bob.userID()
        pair.bobNode.signal(SIGTERM)
        #expect(try await pair.bobNode.end().status == 0)
        try pair.bob.takeName("robert")
        let again = try await pair.bob.up()
        try await pair.aliceNode.expectError("bob calls themselves robert now, and is bob here until you agree")

        let table = try await pair.alice.run("users").output
        #expect(table.contains("bob calls themselves robert now. To agree: earshot trust bob --accept\n"))
        #expect(try await pair.alice.run("send", "robert", "who are you").status == 5)
        let sent = try await pair.alice.run("send", "bob", "still you", "--wait", "delivered")
        #expect(sent.lines.last == "delivered", "\(sent.errors)")

        for arguments in [["bob"], ["bob@\(id.prefix(8))"], [id]] {
            let unasked = try await pair.alice.run(["trust"] + arguments + ["--accept"])
            #expect(unasked.status != 0, "\(arguments)")
            #expect(unasked.errors.contains("--accept --yes"), "\(unasked.errors)")
            #expect(try await pair.alice.user(id)?["name"] as? String == "bob")
        }
        let agreed = try await pair.alice.run("trust", id, "--accept", "--yes")
        #expect(agreed.status == 0, "\(agreed.errors)")
        #expect(agreed.lines == ["bob is called robert here from now on"])
        let user = try await pair.alice.user(id)
        #expect(user?["name"] as? String == "robert" && user?["claimedName"] == nil)
        #expect(try await pair.alice.run("send", "robert", "hello", "--wait", "delivered").status == 0)
        again.program.signal(SIGTERM)
    }

    @Test("is asked about on a terminal, which shows both names and takes only a yes", arguments: ["n\n", "y\n"])
    func confirmation(answer: String) async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        let bob = try await pair.bob.key()
        pair.bobNode.signal(SIGTERM)
        #expect(try await pair.bobNode.end().status == 0)
        try pair.bob.takeName("robert")
        let again = try await pair.bob.up()
        try await pair.aliceNode.expectError("bob calls themselves robert now")
        let terminal = try Terminal.run(["trust", "bob@\(bob.prefix)", "--accept", "--home", pair.alice.path])
        try await terminal.expect(#"Call bob \(\#(bob.fingerprint)\) robert from now on\? \[y/N\] "#)
        terminal.write(Data(answer.utf8))
        #expect(try await terminal.end().status == (answer == "y\n" ? 0 : 1))
        #expect(try await pair.alice.user(bob.prefix)?["name"] as? String == (answer == "y\n" ? "robert" : "bob"))
        again.program.signal(SIGTERM)
    }
}

@Suite("Somebody who is called like the word for oneself", .keepsWhatItStarts)
struct NamedLikeOneselfTests {
    @Test("is named by their key: the word means oneself in every command")
    func everywhere() async throws {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        // As a home of an earlier version may be, or a peer that is not ours.
        try bob.takeName("me")
        let (bobNode, port) = try await bob.up()
        let (aliceNode, _) = try await alice.up("--peer", "127.0.0.1:\(port)")
        try await bobNode.expect("alice was met")
        let key = try await bob.key()
        try await aliceNode.expect("me@\(key.prefix) was met")
        #expect(try await alice.run("send", "me", "a note", "--json").status == 0)
        #expect(try await alice.run("history", "me").output.contains("a note"))
        #expect(try await alice.run("search", "note", "--from", "me").output.contains("a note"))
        for command in [["verify", "me"], ["trust", "me"], ["block", "me"]] {
            let refused = try await alice.run(command)
            #expect(refused.status == 5 && refused.errors.contains("me is you"), "\(command)")
        }
        #expect(try await alice.run("users").output.contains("me@\(key.prefix)"))
        let sent = try await alice.run("send", "me@\(key.prefix)", "to them", "--wait", "delivered")
        #expect(sent.lines.last == "delivered", "\(sent.errors)")
        #expect(try await bob.run("history", "alice").output.contains("to them"))
        #expect(try await !bob.run("history", "alice").output.contains("a note"))
    }
}

extension TestHome {
    /// The home's user takes another name, as whoever holds the identity's key can.
    fileprivate func takeName(_ name: String) throws {
        func bytes(of file: String, _ label: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(fileURLWithPath: path + file)).dropFirst(label.utf8.count))
        }
        let identity = try bytes(of: "/identity.key", "earshot identity 1\n")
        let device = try bytes(of: "/device.key", "earshot device 1\n")
        let file = URL(fileURLWithPath: path + "/credential")
        let old = try Credential(decoding: Array(try Data(contentsOf: file)))
        let new = Credential.issue(
            name: try UserName(name), identityKey: try SigningKey(seed: SecretBytes(copying: identity)),
            deviceKey: try SigningKey(seed: SecretBytes(copying: device.prefix(32))), agreementKey: old.agreementKey,
            isPrimary: old.isPrimary, notBefore: old.notBefore, notAfter: old.notAfter)
        try Data(new.encoded()).write(to: file)
    }
}
