import EarshotDiscovery
import EarshotModel
import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("The doctor's findings")
struct FindingTests {
    @Test("of a healthy home, network and node are all good but for what was skipped by choice")
    func healthy() {
        let findings =
            Sample.home.findings + Sample.disk.findings + DatabaseFacts.sound.findings + Sample.network.findings
            + Sample.node.findings(now: Sample.now)
        let notes = findings.filter { $0.severity != .ok }
        #expect(notes.map(\.what) == ["tun0 is skipped: matches tun*"])
        #expect(notes.map(\.severity) == [.note])
        #expect(findings.allSatisfy { $0.severity != .ok || ($0.why == nil && $0.code == nil) })
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

    @Test("leave out failures of users and at hosts that are linked by now, and are five at the most")
    func failures() {
        let facts = Sample.node { facts in
            facts.users.append(Sample.user("carol", 3, isOnline: true))
            facts.failures = [
                // Of bob's host, from another port; of carol, who is elsewhere now; of bob, who is not online.
                Sample.failure("192.0.2.7:41000"), Sample.failure("192.0.2.8:1", of: 3),
                Sample.failure("192.0.2.8:2", of: 2),
            ]
            facts.failures += (10..<30).map { Sample.failure("192.0.2.\($0):7000") }
        }
        let whats = facts.linkFindings.map(\.what)
        #expect(whats.count == 5)
        #expect(!whats.contains { $0.contains("192.0.2.7:") || $0.contains("192.0.2.8:1") })
        #expect(whats.first?.contains("bob (192.0.2.8:2)") == true)
    }

    @Test("leave out failures of users who are linked by now, or blocked")
    func settledFailures() {
        let facts = Sample.node { facts in
            facts.users += [Sample.user("eve", 9, trust: .blocked), Sample.user("dan", 8, isOnline: true)]
            facts.failures = [
                Sample.failure("192.0.2.8:1", of: 8), Sample.failure("192.0.2.8:2", of: 9),
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
        let problem = Finding.problem(check, .lowSpace, "what", why: "why")
        #expect(Diagnosis.allowsStart([problem]) == ![.home, .lock, .database].contains(check))
        #expect(Diagnosis.allowsStart([.note(check, .lowSpace, "what")]))
    }

    @Test(
        "say spans of time in words",
        arguments: [
            (0, "0 seconds"), (1000, "1 second"), (1499, "1 second"), (1500, "2 seconds"),
            (119_000, "119 seconds"), (-120_000, "2 minutes"), (599_900, "10 minutes"), (7_200_000, "2 hours"),
            (2_555_600_000, "30 days"), (2_592_000_000, "30 days"),
        ] as [(Int64, String)])
    func spans(milliseconds: Int64, text: String) {
        #expect(TimeSpan.text(milliseconds: milliseconds) == text)
    }

    @Test(
        "say sizes in words",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1_048_576, "1 MiB"), (1_073_741_831, "1 GiB"),
        ])
    func sizes(count: UInt64, text: String) {
        #expect(Wording.bytes(count) == text)
    }
}

@Suite("The doctor's findings about names")
struct NameFindingTests {
    @Test("name the claimants, and what tells them apart")
    func claimants() throws {
        let users = [Sample.user("bob", 4), Sample.user("bob", 5)]
        let finding = try #require(Sample.node { $0.users = users }.nameFindings.first)
        #expect(finding.parameters.candidates == users.map(\.userID).sorted())
        #expect(finding.parameters.suggestions.allSatisfy { $0.hasPrefix("bob@") })
    }

    @Test("are one a name, however many keys claim it")
    func grouped() {
        let claimants = (3..<60).map { Sample.user("bob", $0, conflictsWith: 2) }
        let facts = Sample.node { $0.users = [Sample.user("bob", 2, isPinned: true)] + claimants }
        #expect(facts.nameFindings.count == 1)
        #expect(facts.nameFindings[0].what.contains("and 52 more claim it"))
    }

    @Test("are five at the most, and the last counts the rest")
    func capped() {
        let facts = Sample.node { facts in
            facts.users = (0..<20).flatMap { index in
                [UInt8(2), 3].map { Sample.user("bob\(index)", $0 + UInt8(2 * index)) }
            }
        }
        #expect(facts.nameFindings.count == NodeFacts.shownNames)
        #expect(facts.nameFindings.last?.what == "16 other names are claimed by more than one key")
    }
}

@Suite("What a node notes for its diagnosis")
struct NodeObservationsTests {
    private func device(_ seed: UInt8, _ tag: String?) throws -> DiscoveredDevice {
        DiscoveredDevice(
            deviceID: try #require(DeviceID(bytes: [UInt8](repeating: seed, count: 32))),
            name: try UserName(typed: "bob"),
            fingerprint: "x", protocolVersion: 1, networkTag: tag, addresses: [])
    }

    @Test("counts the devices of its own network, while they are there")
    func devices() throws {
        var observations = NodeObservations(networkTag: "ours", isDiscovering: true)
        let (ours, theirs, open) = (try device(1, "ours"), try device(2, "theirs"), try device(3, nil))
        for device in [ours, theirs, open, ours] { observations.note(.found(device)) }
        #expect(observations.deviceCount == 1)
        observations.note(.updated(try device(3, "ours")))
        #expect(observations.deviceCount == 2)
        observations.note(.updated(try device(1, "theirs")))
        observations.note(.lost(open.deviceID))
        #expect(observations.deviceCount == 0)
    }

    @Test("knows the hosts where another network answered, whether or not they advertise it")
    func dialled() {
        var observations = NodeObservations(networkTag: "", isDiscovering: false)
        observations.note(.linkFailed(Sample.failure("192.0.2.9:1", "otherNetwork")), now: 1)
        observations.note(.linkFailed(Sample.failure("192.0.2.9:2", "otherNetwork")), now: 1)
        #expect(observations.otherNetworkHosts(now: 2) == ["192.0.2.9"])
        #expect(observations.discovery == .off)
    }

    private func observations(_ failures: [LinkFailure]) -> NodeObservations {
        var observations = NodeObservations(networkTag: "", isDiscovering: true)
        for (time, failure) in failures.enumerated() { observations.note(.linkFailed(failure), now: Int64(time)) }
        return observations
    }

    @Test("keeps the last failure of a user or else of a host, the last first, and a bounded number")
    func failures() {
        let ports = (1...100).map { Sample.failure("192.0.2.9:\($0)") }
        let bob = (1...100).map { Sample.failure("192.0.2.9:\($0)", of: 2) }
        let hosts = observations(ports + bob + [Sample.failure("192.0.2.9:90", "timeout")]).failures(now: 300)
        #expect(hosts.map(\.code) == ["timeout", "unreachable"])
        #expect(hosts.map(\.userID) == [nil, Sample.userID(2)])
        let many = observations((1...100).map { Sample.failure("192.0.2.\($0):1") }).failures(now: 300)
        #expect(many.count == NodeObservations.failureLimit)
    }

    @Test("lets no host with many keys hide the failures of others")
    func manyKeys() {
        let keys = (3..<90).map { Sample.failure("192.0.2.9:1", of: $0) }
        let failures = observations([Sample.failure("192.0.2.8:1")] + keys).failures(now: 300)
        #expect(failures.count == NodeObservations.hostFailureLimit + 1)
        #expect(failures.last?.address == "192.0.2.8:1")
    }

    @Test("forgets a failure when there is a link to that user or host, and after a while")
    func linked() {
        var observations = observations([
            Sample.failure("192.0.2.8:1", of: 2), Sample.failure("192.0.2.9:1"), Sample.failure("192.0.2.9:1", of: 4),
        ])
        observations.note(.userUpdated(Sample.user("bob", 2), changes: [.isOnline]), now: 10)
        #expect(observations.failures(now: 10).count == 3)
        observations.note(.userUpdated(Sample.user("bob", 2, isOnline: true), changes: [.isOnline]), now: 10)
        #expect(observations.failures(now: 10).map(\.userID) == [Sample.userID(4), nil])
        observations.linked(hosts: ["192.0.2.9"])
        #expect(observations.failures(now: 10).map(\.userID) == [Sample.userID(4)])
        #expect(observations.failures(now: 2 + NodeObservations.failureAge).isEmpty)
    }

    @Test("knows by what peers are found, as that changes")
    func discovery() {
        var observations = NodeObservations(networkTag: "", isDiscovering: true)
        #expect(observations.discovery == .starting)
        let steps: [(DiscoveryEvent, NodeDiscovery)] = [
            (.sourceAvailable(source: DiscoveryStack.embedded.description), .embedded),
            (.sourceAvailable(source: DiscoveryStack.daemon.description), .daemon),
            (.sourceUnavailable(source: "dns-sd", reason: "gone"), .none(reason: "gone")),
            (.sourceAvailable(source: "carrier pigeons"), .other("carrier pigeons")),
        ]
        for (event, expected) in steps {
            observations.note(event)
            #expect(observations.discovery == expected)
        }
    }

    @Test("knows whether the disk takes writes")
    func storage() {
        var observations = NodeObservations(networkTag: "", isDiscovering: true)
        observations.note(.storageFailed("full"), now: 1)
        #expect(observations.storageFailure == "full")
        observations.note(.storageRecovered, now: 2)
        #expect(observations.storageFailure == nil)
    }
}
