import Earshot
import TestSupport
import Testing

@Suite("What a node measures")
struct NodeTelemetryTests {
    private let alice: TestUser

    init() throws { alice = try TestUser("alice") }

    private func text(of user: TestUser) async throws -> String {
        try #require(await user.node.metricsText())
    }

    @Test("of a link and the messages over it is counted, once each, at both ends")
    func messages() async throws {
        let bob = try TestUser("bob")
        try await TestUser.meet(alice, bob)
        let sent = try await alice.send("hello", to: bob)
        try await alice.events.state(.delivered, of: sent.messageID)
        let again = try await alice.send("and again", to: bob)
        try await alice.events.state(.delivered, of: again.messageID)
        let text = try await text(of: alice)
        for line in [
            "earshot_messages_delivered_total 2",
            "earshot_links 1", "earshot_links_established_total 1", "earshot_messages_accepted_total 2",
            "earshot_messages_sent_total 2", "earshot_messages_received_total 0", "earshot_messages_undelivered 0",
            "earshot_commit_failures_total 0", "earshot_events_lost_total 0", "earshot_receipts_received_total 2",
        ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
        let other = try await self.text(of: bob)
        #expect(other.contains("\nearshot_messages_received_total 2\n"))
        #expect(other.contains("\nearshot_messages_accepted_total 0\n"))
        // Every entry came in a commit.
        let entries = try #require(try value("earshot_commit_entries_sum", in: text))
        #expect(entries == 2)
        #expect(try value("earshot_commit_duration_seconds_count", in: text) ?? 0 > 0)
        #expect(try value("earshot_received_bytes_total", in: text) ?? 0 > 0)
        #expect(try value("earshot_sent_bytes_total", in: text) ?? 0 > 0)

        try await bob.stop()
        try await alice.waitForNoLink(to: bob)
        let after = try await self.text(of: alice)
        #expect(after.contains(#"earshot_links_closed_total{reason="shutdown",by="peer"} 1"#))
        #expect(after.contains("\nearshot_links 0\n"))
    }

    private func value(_ name: String, in text: String) throws -> Double? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    @Test("of a handshake that is refused is its reason, and the doctor tells of it")
    func refused() async throws {
        try await alice.start()
        for _ in 0..<3 {
            let connection = try RawConnection(to: alice.address.port)
            try connection.write(HostileConnectionTests.hello([0x08, 2, 0x12, 3] + Array("lab".utf8)))
            _ = try await connection.readToEnd()
        }
        let text = try await text(of: alice)
        #expect(text.contains(#"earshot_handshakes_refused_total{reason="otherNetwork",by="here"} 3"#))
        let finding = try #require(await alice.node.findings().first { $0.check == .handshakes })
        #expect(finding.what == "3 handshakes were refused by this node in the last 10 minutes: otherNetwork")
    }

    @Test("of connections that are too many is how many were closed at once, and the doctor warns")
    func limited() async throws {
        try await alice.start()
        let connections = try (0..<100).map { _ in try RawConnection(to: alice.address.port) }
        let over = 100 - Limits.pendingHandshakesPerAddress
        #expect(try await RawConnection.closed(of: connections, atLeast: over) == over)
        #expect(try await text(of: alice).contains("\nearshot_connections_limited_total \(over)\n"))
        let finding = try #require(await alice.node.findings().first { $0.check == .handshakes })
        #expect((finding.severity, finding.what.prefix(2)) == (.warning, "\(over)"))
    }

    @Test("of an observer that is too slow is what it lost")
    func observers() async throws {
        try await alice.start()
        let (held, gate) = AsyncStream<Void>.makeStream()
        let observer = alice.node.events.addObserver(for: [.storageRecovered], bufferLimit: 1) { _ in
            for await _ in held {}
        }
        for _ in 0..<10 { alice.node.events.post(.storageRecovered) }
        // One is with the observer, at the most, and one waits.
        #expect(try await text(of: alice).contains(/earshot_events_lost_total [89]\n/))
        let finding = try #require(await alice.node.findings().first { $0.check == .events })
        #expect(finding.severity == .warning)
        gate.finish()
        observer.remove()
    }
}
