import EarshotDiscovery
import EarshotModel
import Testing

@testable import Earshot

@Suite("Findings")
struct FindingTests {
    @Test("of a healthy home, network and node are all good but for what was skipped by choice")
    func healthy() {
        let findings =
            Sample.home.findings + Sample.disk.findings + DatabaseFacts.sound.findings + Sample.network.findings
            + Sample.node.findings(now: Sample.now)
        let notes = findings.filter { $0.severity != .ok }
        #expect(notes.map(\.what) == ["tun0 is skipped: matches tun*"])
        #expect(notes.map(\.severity) == [.note])
        #expect(findings.allSatisfy { $0.severity != .ok || ($0.why == nil && $0.remedy == nil) })
    }

    @Test("say that a port is open where somebody made a link to it from outside, and nobody was asked")
    func inbound() {
        let facts = Sample.node {
            $0.dialBacks = []
            $0.links = [Sample.link("bob", at: "192.0.2.7:41000", isOutbound: false)]
        }
        #expect(facts.portFindings.map(\.severity) == [.ok])
    }

    @Test("do not take a link from this machine for proof of an open port", arguments: ["127.0.0.1:9", "[::1]:9"])
    func loopback(address: String) {
        let facts = Sample.node {
            $0.dialBacks = []
            $0.links = [Sample.link("bob", at: address, isOutbound: false)]
        }
        #expect(facts.portFindings.map(\.severity) == [.note])
    }

    @Test("leave out who was blocked: that was decided")
    func blocked() {
        let facts = Sample.node { $0.users = [Sample.user("alice", 3, trust: .blocked)] }
        #expect(facts.nameFindings.map(\.severity) == [.ok])
    }

    @Test("do not call the key wrong where nodes of this network are here too")
    func otherNetworks() {
        let facts = Sample.node { $0.otherNetworkCount = 5 }
        #expect(facts.networkKeyFindings.map(\.severity) == [.ok])
    }

    @Test("leave out failures at addresses that are linked by now, and name each address once, five at the most")
    func failures() {
        let facts = Sample.node { facts in
            facts.failures = [
                Sample.failure("192.0.2.7:7000"), Sample.failure("192.0.2.8:1"), Sample.failure("192.0.2.8:1"),
            ]
            facts.failures += (2..<20).map { Sample.failure("192.0.2.9:\($0)") }
        }
        #expect(facts.linkFindings.count == 5)
        #expect(facts.linkFindings.count { $0.what.contains("192.0.2.8:1 ") } == 1)
        #expect(!facts.linkFindings.contains { $0.what.contains("192.0.2.7:7000") })
    }

    @Test("leave out failures of users who are linked by now, or blocked")
    func settledFailures() {
        let facts = Sample.node { facts in
            facts.users.append(Sample.user("eve", 9, trust: .blocked))
            facts.failures = [
                Sample.failure("192.0.2.8:1", of: 2), Sample.failure("192.0.2.8:2", of: 9),
                Sample.failure("192.0.2.8:3", of: 4),
            ]
        }
        #expect(facts.linkFindings.count == 1)
        #expect(facts.linkFindings.first?.what.contains("192.0.2.8:3") == true)
    }

    @Test(
        "stop a node from being started on a damaged database, a held or an unusable home",
        arguments: Finding.Check.allCases)
    func start(check: Finding.Check) {
        let problem = Finding.problem(check, "what", why: "why", remedy: "remedy")
        #expect(Diagnosis.allowsStart([problem]) == ![.home, .lock, .database].contains(check))
        #expect(Diagnosis.allowsStart([.note(check, "what")]))
    }

    @Test(
        "say spans and sizes in words",
        arguments: [
            (0, "0 seconds"), (1000, "1 second"), (1499, "1 second"), (1500, "2 seconds"),
            (119_000, "119 seconds"), (-120_000, "2 minutes"), (599_900, "10 minutes"), (7_200_000, "2 hours"),
            (2_555_600_000, "30 days"), (30 * 86_400_000, "30 days"),
        ])
    func spans(milliseconds: Int64, text: String) {
        #expect(Wording.span(milliseconds: milliseconds) == text)
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1 << 20, "1 MiB"), ((1 << 30) + 7, "1 GiB"),
    ])
    func sizes(count: UInt64, text: String) {
        #expect(Wording.bytes(count) == text)
    }
}

@Suite("A remedy")
struct RemedyTests {
    @Test(
        "is safe to copy, whatever a peer calls itself",
        arguments: [
            ("bob@3fk9", "bob@3fk9"), ("bob; reboot", "'bob; reboot'"), ("it's", #"'it'\''s'"#), ("$(id)", "'$(id)'"),
            ("-rf", "'-rf'"), ("bøb", "'bøb'"), ("", "''"),
        ])
    func shellWord(text: String, word: String) {
        #expect(Wording.shellWord(text) == word)
    }
}

@Suite("What a node notes for its diagnosis")
struct NodeJournalTests {
    private func device(_ seed: UInt8, _ tag: String?) throws -> DiscoveredDevice {
        DiscoveredDevice(
            deviceID: try #require(DeviceID(bytes: [UInt8](repeating: seed, count: 32))),
            name: try UserName(typed: "bob"),
            fingerprint: "x", protocolVersion: 1, networkTag: tag, addresses: [])
    }

    @Test("counts the devices of its own network, while they are there")
    func devices() throws {
        var journal = NodeJournal(networkTag: "ours", isDiscovering: true)
        let (ours, theirs, open) = (try device(1, "ours"), try device(2, "theirs"), try device(3, nil))
        for device in [ours, theirs, open, ours] { journal.note(.found(device)) }
        #expect(journal.deviceCount == 1)
        journal.note(.updated(try device(3, "ours")))
        #expect(journal.deviceCount == 2)
        journal.note(.updated(try device(1, "theirs")))
        journal.note(.lost(open.deviceID))
        #expect(journal.deviceCount == 0)
    }

    @Test("knows the hosts where another network answered, whether or not they advertise it")
    func dialled() {
        var journal = NodeJournal(networkTag: "", isDiscovering: false)
        let now = ContinuousClock.now
        journal.note(.linkFailed(Sample.failure("192.0.2.9:1", "otherNetwork")), at: now)
        journal.note(.linkFailed(Sample.failure("192.0.2.9:2", "otherNetwork")), at: now)
        #expect(journal.otherNetworkHosts(at: now) == ["192.0.2.9"])
        #expect(journal.discovery == .off)
    }

    @Test("keeps the last failure of an address, the last first, and a bounded number")
    func failures() {
        var journal = NodeJournal(networkTag: "", isDiscovering: true)
        let now = ContinuousClock.now
        for port in 1...100 { journal.note(.linkFailed(Sample.failure("192.0.2.9:\(port)")), at: now) }
        journal.note(.linkFailed(Sample.failure("192.0.2.9:90", "timeout")), at: now)
        let failures = journal.failures(at: now)
        #expect(failures.count == NodeJournal.failureLimit)
        #expect(failures.first?.code == "timeout")
        #expect(failures.count { $0.address == "192.0.2.9:90" } == 1)
    }

    @Test("keeps the last failure of a user, who dials from another port each time")
    func failuresOfUser() {
        var journal = NodeJournal(networkTag: "", isDiscovering: true)
        let now = ContinuousClock.now
        for port in 1...3 { journal.note(.linkFailed(Sample.failure("192.0.2.9:\(port)", of: 7)), at: now) }
        journal.note(.linkFailed(Sample.failure("192.0.2.9:4", of: 8)), at: now)
        #expect(journal.failures(at: now).map(\.address) == ["192.0.2.9:4", "192.0.2.9:3"])
    }

    @Test("forgets failures with time")
    func oldFailures() {
        var journal = NodeJournal(networkTag: "", isDiscovering: true)
        let then = ContinuousClock.now
        journal.note(.linkFailed(Sample.failure("192.0.2.9:1")), at: then)
        let later = then.advanced(by: NodeJournal.failureLifetime - .seconds(1))
        journal.note(.linkFailed(Sample.failure("192.0.2.9:2")), at: later)
        #expect(journal.failures(at: later).count == 2)
        #expect(journal.failures(at: later.advanced(by: .seconds(1))).map(\.address) == ["192.0.2.9:2"])
    }

    @Test("knows by what peers are found, as that changes")
    func discovery() {
        var journal = NodeJournal(networkTag: "", isDiscovering: true)
        #expect(journal.discovery == .starting)
        let steps: [(DiscoveryEvent, NodeDiscovery)] = [
            (.sourceAvailable(source: DiscoveryStack.embedded.description), .embedded),
            (.sourceAvailable(source: DiscoveryStack.daemon.description), .daemon),
            (.sourceUnavailable(source: "dns-sd", reason: "gone"), .none(reason: "gone")),
            (.sourceAvailable(source: "carrier pigeons"), .other("carrier pigeons")),
        ]
        for (event, expected) in steps {
            journal.note(event)
            #expect(journal.discovery == expected)
        }
    }

    @Test("knows whether the disk takes writes")
    func storage() {
        var journal = NodeJournal(networkTag: "", isDiscovering: true)
        journal.note(.storageFailed("full"), at: .now)
        #expect(journal.storageFailure == "full")
        journal.note(.storageRecovered, at: .now)
        #expect(journal.storageFailure == nil)
    }
}
