import Foundation
import Testing

@Suite("earshot trust", .keepsWhatItStarts)
struct TrustCommandTests {
    @Test("of a name that another key claims: both nodes say so, nothing goes to the claimant, and the table shows it")
    func conflict() async throws {
        let claim = try await Claim.made()
        let (bob, eve) = (try await claim.bob.key(), try await claim.eve.key())
        #expect(
            claim.aliceNode.errorText.contains(
                "another key claims the name bob, and is refused: \(eve.fingerprint); "
                    + "the name is pinned to \(bob.fingerprint)\n"
                    + "  try: ask bob in person which key is theirs, and see: earshot trust bob\n"))
        try await claim.eveNode.expectError(
            "refuses this node: there the name bob is pinned to another key than \(eve.fingerprint)\n  try: ")

        let table = try await claim.alice.run("users").output
        #expect(table.contains(try Regex("(?m)^bob +online +unverified  \(bob.fingerprint)$")))
        #expect(table.contains(try Regex("(?m)^bob@\(eve.prefix) .* conflict +\(eve.fingerprint)$")))
        #expect(table.contains("bob@\(eve.prefix) claims the name bob"))
        #expect(table.contains("To decide: earshot trust bob\n"))

        let refused = try await claim.alice.run("send", "bob@\(eve.prefix)", "hello")
        #expect(refused.status == 10)
        #expect(refused.errors.contains(bob.fingerprint) && refused.errors.contains(eve.fingerprint))
        #expect(refused.errors.contains("try: ask bob in person which key is theirs, and see: earshot trust bob"))
        #expect(try await claim.alice.run("chat", "bob@\(eve.prefix)").status == 10)

        let sent = try await claim.alice.run("send", "bob", "still you?", "--wait", "delivered")
        #expect(sent.lines == ["queued", "sent", "delivered"])
        #expect(
            sent.errors.contains(
                "another key (\(eve.fingerprint)) claims the name bob; this goes to \(bob.fingerprint)"))
        #expect(try await claim.eve.run("users").output.contains("nobody known yet"))
    }

    @Test("without --accept shows everybody who claims the name, and changes nothing")
    func report() async throws {
        let claim = try await Claim.made()
        let (bob, eve) = (try await claim.bob.key(), try await claim.eve.key())
        for name in ["bob", "bob@\(eve.prefix)", try await claim.bob.userID()] {
            let report = try await claim.alice.run("trust", name)
            #expect(report.status == 0)
            #expect(report.lines.first == "2 keys claim the name bob; it is pinned to \(bob.fingerprint).")
            #expect(report.output.contains("\nbob\n  fingerprint  \(bob.fingerprint)\n  trust        unverified ("))
            #expect(
                report.output.contains(
                    "\nbob@\(eve.prefix)\n  fingerprint  \(eve.fingerprint)\n  trust        conflict ("))
            #expect(report.output.contains("messages     1\n") && report.output.contains("messages     0\n"))
        }
        let report = try await claim.alice.run("trust", "bob").output
        #expect(report.contains("\n  earshot trust bob@\(eve.prefix) --accept\n"))
        #expect(report.contains("\n  earshot block bob@\(eve.prefix)\n"))
        let objects = try await claim.alice.run("trust", "bob", "--json").objects()
        #expect(objects.compactMap { $0["isPinned"] as? Bool } == [true, false])
        #expect(try await claim.alice.user(eve.prefix)?["conflictsWith"] as? String == claim.bob.userID())
    }

    @Test("--accept gives the name to the other key: what waits for the old one fails, and the new one is reached")
    func accept() async throws {
        let claim = try await Claim.made()
        let (bob, eve) = (try await claim.bob.key(), try await claim.eve.key())
        claim.bobNode.signal(SIGTERM)
        _ = try await claim.bobNode.end()
        try await claim.aliceNode.expect("bob is offline")
        #expect(try await claim.alice.run("send", "bob", "waits").status == 0)

        let accepted = try await claim.alice.run("trust", "bob", "--accept")
        #expect(accepted.status == 0)
        #expect(
            accepted.lines == [
                "the name bob is pinned to \(eve.fingerprint)",
                "it was pinned to \(bob.fingerprint): nothing is sent to that key any more",
                "1 message that waited for them has failed",
            ])
        let history = try await claim.alice.run("history", "bob@\(bob.prefix)", "--json").objects()
        let recipients = try #require(history.last?["recipients"] as? [[String: Any]])
        #expect(recipients.first?["state"] as? String == "failed")
        #expect(recipients.first?["reason"] as? String == "identityChanged")
        #expect(
            try await claim.alice.run("history", "bob@\(bob.prefix)").output.contains("alice: waits  ✗ key changed"))

        let sent = try await claim.alice.run("send", "bob", "to the new key", "--wait", "delivered")
        #expect(sent.lines == ["queued", "sent", "delivered"], "\(sent.errors)")
        let received = try await claim.eve.run("history", "alice", "--json").objects()
        #expect(received.compactMap { $0["text"] as? String } == ["to the new key"])
        #expect(try await claim.alice.run("send", "bob@\(bob.prefix)", "old").status == 10)
    }

    @Test("--accept is believed by those who wait for the new key, though the old one was there later")
    func acceptedAway() async throws {
        let claim = try await Claim.made()
        for (node, home) in [(claim.eveNode, claim.eve), (claim.bobNode, claim.bob)] {
            node.signal(SIGTERM)
            #expect(try await node.end().status == 0, "\(home.path)")
        }
        try await claim.aliceNode.expect("bob is offline")
        #expect(try await claim.alice.run("trust", "bob", "--accept").status == 0)
        let sent = try await claim.alice.run("send", "bob", "hi", "--wait", "delivered", "--timeout", "1s")
        #expect(sent.lines == ["queued"])
        #expect(!sent.errors.contains("has the name"), "\(sent.errors)")
    }

    @Test("--accept during a dialog is told in it, and so is why no line goes out any more")
    func dialog() async throws {
        let claim = try await Claim.made()
        let (bob, eve) = (try await claim.bob.key(), try await claim.eve.key())
        let chat = try RunningProgram(["chat", "bob", "--home", claim.alice.path])
        try await chat.expectError("another key .* claims the name bob")
        try await chat.expect("hi .*✓✓")
        #expect(try await claim.alice.run("trust", "bob", "--accept").status == 0)
        try await chat.expect("— the name bob was given to another key: nothing is sent to this one")
        chat.write(Data("are you there\n".utf8))
        chat.closeInput()
        let result = try await chat.end()
        #expect(result.status == 10)
        #expect(result.errors.contains("pinned to the key \(eve.fingerprint), and \(bob.fingerprint) claims it"))
        #expect(result.errors.hasSuffix("which key is theirs, and see: earshot trust bob\n"))
    }

    @Test("--accept asks on a terminal, showing both keys, and takes only a yes", arguments: ["n\n", "\n", "y\n"])
    func confirmation(answer: String) async throws {
        let claim = try await Claim.made()
        let (bob, eve) = (try await claim.bob.key(), try await claim.eve.key())
        let terminal = try Terminal.run(["trust", "bob", "--accept", "--home", claim.alice.path])
        try await terminal.expect(
            #"Give the name bob from the key \#(bob.fingerprint) to the key \#(eve.fingerprint)\? \[y/N\] "#)
        terminal.write(Data(answer.utf8))
        #expect(try await terminal.end().status == (answer == "y\n" ? 0 : 1))
        #expect(try await claim.alice.user(eve.prefix)?["isPinned"] as? Bool == (answer == "y\n"))
    }

    @Test("--accept takes no beginning of a key that is easily made: eight characters where it asks, twenty where not")
    func shortPrefix() async throws {
        let claim = try await Claim.made()
        let id = try await claim.eve.userID()
        for length in [4, 8, 19] {
            let result = try await claim.alice.run("trust", "bob@\(id.prefix(length))", "--accept")
            #expect(result.status == 64)
            #expect(result.errors.contains("\(length) characters of the key are too few"))
            #expect(result.errors.contains("earshot trust \(id) --accept\n"))
        }
        #expect(try await claim.alice.run("verify", "bob", "--yes").status == 0)
        let bob = try await claim.bob.key().prefix
        let verified = try await claim.alice.run("verify", "bob@\(bob)", "--yes")
        #expect(verified.status == 64)
        #expect(verified.errors.contains("earshot verify \(try await claim.bob.userID()) --yes\n"))
        let short = try Terminal.run(["trust", "bob@\(id.prefix(7))", "--accept", "--home", claim.alice.path])
        #expect(try await short.end().status == 64)
        let asked = try Terminal.run(["trust", "bob@\(id.prefix(8))", "--accept", "--home", claim.alice.path])
        try await asked.expect(#"to the key \#(try await claim.eve.key().fingerprint)\? \[y/N\] "#)
        asked.write(Data("n\n".utf8))
        #expect(try await asked.end().status == 1)
        #expect(try await claim.alice.run("trust", "bob@\(id.prefix(20))", "--accept").status == 0)
        #expect(try await claim.alice.user(id)?["isPinned"] as? Bool == true)
    }

    @Test("--accept --yes does not ask on a terminal")
    func yes() async throws {
        let claim = try await Claim.made()
        let eve = try await claim.eve.key()
        let terminal = try Terminal.run(["trust", "bob", "--accept", "--yes", "--home", claim.alice.path])
        let result = try await terminal.end()
        #expect(result.status == 0)
        #expect(!result.output.contains("[y/N]"))
        #expect(try await claim.alice.user(eve.prefix)?["isPinned"] as? Bool == true)
    }

    @Test("of a name that nobody else claims has nothing to decide; of a new user it pins the name")
    func alone() async throws {
        let pair = try await Pair.met()
        let bob = try await pair.bob.key()
        #expect(try await pair.alice.run("users").output.contains(try Regex("(?m)^bob +online +new ")))
        #expect(try await pair.alice.run("trust", "bob").output.contains("so does: earshot trust bob --accept"))
        let accepted = try await pair.alice.run("trust", "bob", "--accept")
        #expect(accepted.lines == ["the name bob is pinned to \(bob.fingerprint)"])
        let again = try await pair.alice.run("trust", "bob", "--accept")
        #expect(again.status == 0)
        #expect(again.lines == ["the name bob is pinned to \(bob.fingerprint) already"])
        #expect(try await pair.alice.run("trust", "bob").output.contains("there is nothing to decide"))
    }

    @Test("of somebody who is blocked decides nothing, and says how to let them in")
    func blocked() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        #expect(try await pair.alice.run("block", "bob").status == 0)
        let report = try await pair.alice.run("trust", "bob").output
        #expect(report.hasSuffix("blocked. To let them in again:\n  earshot unblock bob\n"))
        #expect(!report.contains("nothing to decide") && !report.contains("earshot verify"))
        let refused = try await pair.alice.run("trust", "bob", "--accept")
        #expect(refused.status == 11 && refused.output == "")
        #expect(refused.errors.hasSuffix("\n  try: earshot unblock bob\n"))
        #expect(!(try await pair.alice.run("verify", "bob")).output.contains("--yes"))
    }

    @Test("where one of two who claim the name is blocked says so, and offers nothing that is refused")
    func blockedClaimants() async throws {
        let claim = try await Claim.made()
        let (bob, eve) = (try await claim.bob.key(), try await claim.eve.key())
        #expect(try await claim.alice.run("block", "bob@\(eve.prefix)").status == 0)
        #expect(try await claim.alice.run("trust", "bob").output.contains("Whoever else claims the name is blocked"))
        let named = try await claim.alice.run("trust", "bob@\(eve.prefix)").output
        #expect(named.hasSuffix("  earshot unblock bob@\(eve.prefix)\n") && !named.contains("--accept"))
        #expect(try await claim.alice.run("unblock", "bob").status == 0)
        #expect(try await claim.alice.run("block", "bob@\(bob.prefix)").status == 0)
        let other = try await claim.alice.run("trust", "bob").output
        #expect(other.hasPrefix("2 keys claim the name bob; it is pinned to \(bob.fingerprint), which is blocked.\n"))
        #expect(other.contains("\n  earshot trust bob@\(eve.prefix) --accept\n") && !other.contains("wait for the key"))
    }

    @Test("of an unknown name is an error that tells near ones, each once")
    func unknown() async throws {
        let namesakes = try await Namesakes.met()
        let result = try await namesakes.alice.run("trust", "bobb", "--accept")
        #expect(result.status == 5)
        #expect(result.errors.hasSuffix("\n  try: did you mean bob?\n"))
    }

    @Test("of two who are unknown: a name alone is nobody's, and the key says whom")
    func ambiguous() async throws {
        let namesakes = try await Namesakes.met()
        let (first, second) = (try await namesakes.first.key(), try await namesakes.second.key())
        for command in [
            ["send", "bob", "hi"], ["chat", "bob"], ["history", "bob"], ["trust", "bob", "--accept"],
            ["verify", "bob"],
        ] {
            let result = try await Program.run(command + ["--home", namesakes.alice.path])
            #expect(result.status == 5, "\(command)")
            #expect(result.errors.contains("2 users are called bob"))
            for key in [first, second] {
                #expect(result.errors.contains("\(key.fingerprint) (online)"))
                #expect(result.errors.contains("bob@\(key.prefix)"))
            }
        }
        let table = try await namesakes.alice.run("users").output
        for key in [first, second] {
            #expect(table.contains(try Regex("(?m)^bob@\(key.prefix) +online +new +\(key.fingerprint)$")))
        }
        #expect(try await namesakes.alice.run("trust", "bob").output.contains("it is pinned to none of them"))
        let sent = try await namesakes.alice.run("send", "bob@\(second.prefix.prefix(4))", "hi", "--wait", "delivered")
        #expect(sent.lines == ["queued", "sent", "delivered"])
        #expect(try await namesakes.second.run("history", "alice", "--json").objects().count == 1)
        #expect(try await namesakes.alice.user(second.prefix)?["isPinned"] as? Bool == false)
        let accepted = try await namesakes.alice.run("trust", namesakes.second.userID(), "--accept")
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(try await namesakes.alice.user(second.prefix)?["isPinned"] as? Bool == true)
        #expect(try await namesakes.alice.user(first.prefix)?["conflictsWith"] as? String != nil)
    }
}
