import EarshotDiscovery
import EarshotModel
import Testing

@testable import Earshot

/// A fault, the finding that must name it, and words that the user must read.
struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let findings: [Finding]
    let check: Finding.Check
    let severity: Finding.Severity
    let what: [String]
    let code: Finding.Code

    init(
        _ name: String, _ findings: [Finding], _ check: Finding.Check, _ severity: Finding.Severity, what: String...,
        code: Finding.Code
    ) {
        self.name = name
        self.findings = findings
        self.check = check
        self.severity = severity
        self.what = what
        self.code = code
    }

    var testDescription: String { name }
}

@Suite("A fault is named, with its code")
struct FaultTests {
    @Test("in this machine's home directory", arguments: homeFaults)
    func home(fault: Fault) throws { try check(fault) }

    @Test("in this machine's network", arguments: networkFaults)
    func network(fault: Fault) throws { try check(fault) }

    @Test("that a node sees", arguments: nodeFaults)
    func node(fault: Fault) throws { try check(fault) }

    @Test("that a node has counted", arguments: troubleFaults)
    func trouble(fault: Fault) throws { try check(fault) }

    private func check(_ fault: Fault) throws {
        let worst = try #require(fault.findings.max { $0.severity < $1.severity })
        #expect((worst.check, worst.severity) == (fault.check, fault.severity))
        for word in fault.what { #expect(worst.what.contains(word), "\(worst.what)") }
        #expect(worst.why != nil)
        #expect(worst.code == fault.code)
    }

    private static func home(
        loose: [HomeFacts.LooseFile] = [], lock: HomeFacts.Lock = .free(writtenBy: nil),
        socket: HomeFacts.Socket = .absent, state: HomeFacts.State = .initialized
    ) -> [Finding] {
        HomeFacts(path: "/h", state: state, loose: loose, lock: lock, socket: socket).findings
    }

    private static func disk(_ freeBytes: UInt64) -> [Finding] {
        DiskFacts(path: "/h", freeBytes: freeBytes, isReadOnly: false).findings
    }

    private static func credential(
        from notBefore: Int64, to notAfter: Int64, canRenew: Bool, isInUse: Bool = false
    ) -> [Finding] {
        CredentialFacts(
            notBefore: Sample.now + notBefore * Sample.day, notAfter: Sample.now + notAfter * Sample.day,
            canRenew: canRenew, isInUse: isInUse
        ).findings(now: Sample.now)
    }

    static let homeFaults: [Fault] = [
        Fault("no identity", home(state: .notInitialized), .home, .problem, what: "/h", code: .notInitialized),
        Fault(
            "others may read the keys", home(loose: [.init(path: "/h/device.key", mode: "600", isRefused: true)]),
            .home,
            .problem, what: "/h/device.key", code: .looseFile),
        Fault(
            "others may read the history", home(loose: [.init(path: "/h/history.db", mode: "600", isRefused: false)]),
            .home, .warning, what: "/h/history.db", code: .looseFile),
        Fault(
            "two nodes on one home", home(lock: .held(4711)), .lock, .problem, what: "4711", "/h",
            code: .unansweredLock),
        Fault(
            "a lock held by nobody knows whom", home(lock: .held(nil), socket: .deaf), .lock, .problem,
            what: "unknown pid", code: .unansweredLock),
        Fault("a stale lock", home(lock: .free(writtenBy: 4711)), .lock, .note, what: "4711", code: .staleLock),
        Fault("a stale socket", home(socket: .deaf), .socket, .note, what: "node.sock", code: .staleSocket),
        Fault("a full disk", disk((16 << 20) - 1), .disk, .problem, what: "full", "15 MiB", code: .lowSpace),
        Fault("a nearly full disk", disk(255 << 20), .disk, .warning, what: "255 MiB", code: .lowSpace),
        Fault(
            "a disk that cannot be written", DiskFacts(path: "/h", freeBytes: 1 << 40, isReadOnly: true).findings,
            .disk,
            .problem, what: "read-only", code: .readOnlyDisk),
        Fault(
            "a corrupt database", DatabaseFacts.damaged("the database is damaged: row 3 is missing").findings,
            .database, .problem,
            what: "damaged", "row 3", code: .databaseDamaged),
        Fault(
            "a newer database", DatabaseFacts.newer("a newer version wrote it").findings, .database, .problem,
            what: "newer", code: .databaseNewer),
        Fault(
            "an expired credential of a sealed identity", credential(from: -60, to: -30, canRenew: false), .credential,
            .problem, what: "30 days ago", "sealed", code: .credentialSealed),
        Fault(
            "an expired credential that the next node renews", credential(from: -60, to: -30, canRenew: true),
            .credential, .note, what: "30 days ago", code: .credentialExpired),
        Fault(
            "an expired credential that the node has not renewed",
            credential(from: -60, to: -30, canRenew: true, isInUse: true), .credential, .problem, what: "expired",
            code: .credentialNotRenewed),
        Fault(
            "a credential that expires soon", credential(from: -21, to: 9, canRenew: false), .credential, .warning,
            what: "9 days", code: .credentialSealed),
        Fault(
            "a credential that is not yet valid", credential(from: 2, to: 32, canRenew: true), .credential, .problem,
            what: "2 days", code: .credentialNotYetValid),
    ]

    private static func network(_ change: (inout NetworkFacts) -> Void) -> [Finding] {
        var facts = Sample.network
        change(&facts)
        return facts.findings
    }

    private static func multicast(_ outcomes: [MulticastSelfTest.Outcome]) -> [Finding] {
        network { facts in
            facts.multicast = zip([.ipv4, .ipv6], outcomes).map {
                MulticastOutcome(interface: "eth0", family: $0, outcome: $1)
            }
        }
    }

    static let networkFaults: [Fault] = [
        Fault(
            "no network",
            network {
                $0.interfaces = [Sample.interface("lo", isLoopback: true)]; $0.multicast = []
            },
            .interfaces, .problem, what: "no network interface", code: .noInterface),
        Fault(
            "multicast is dropped on its way in", multicast([.notHeard, .notHeard]), .multicast, .problem,
            what: "eth0", "not heard", code: .multicastBlocked),
        Fault(
            "multicast is forbidden", multicast([.cannotSend("Operation not permitted"), .notHeard]), .multicast,
            .problem, what: "eth0", "Operation not permitted", code: .multicastBlocked),
        Fault(
            "the multicast group cannot be joined", multicast([.cannotJoin("Address already in use"), .notHeard]),
            .multicast, .problem, what: "Address already in use", code: .multicastPortKept),
        Fault(
            "multicast works in one family only", multicast([.works, .notHeard]), .multicast, .warning, what: "IPv6",
            code: .multicastBlocked),
        Fault(
            "a VPN takes the local network",
            network {
                $0.captured = [
                    CapturedRoute(subnet: "192.0.2.0/24", expectedInterface: "eth0", actualInterface: "tun0")
                ]
            }, .routes, .problem, what: "192.0.2.0/24", "eth0", "tun0", code: .routeCaptured),
        Fault(
            "a route refuses the local network",
            network {
                $0.captured = [CapturedRoute(subnet: "192.0.2.0/24", expectedInterface: "eth0", actualInterface: nil)]
            }, .routes, .problem, what: "eth0", "refused", code: .routeCaptured),
    ]

    private static func node(_ change: (inout NodeFacts) -> Void) -> [Finding] {
        Sample.node(change).findings(now: Sample.now)
    }

    private static let hour: Int64 = 3_600_000

    private static func clocks(_ ahead: Int64...) -> [Finding] {
        node { facts in
            facts.clocks = zip(["bob", "carol", "dave"], ahead).map { NodeFacts.PeerClock(name: $0, ahead: $1) }
        }
    }

    private static func lonely(_ change: (inout NodeFacts) -> Void) -> [Finding] {
        node { facts in
            (facts.links, facts.clocks, facts.dialBacks, facts.deviceCount) = ([], [], [], 0)
            change(&facts)
        }
    }

    private static func slowCommits(_ count: Int) -> [Finding] {
        node {
            $0.trouble.slowCommits = count
            $0.trouble.slowestCommit = 3.14
        }
    }

    static let troubleFaults: [Fault] = [
        Fault(
            "a flood of connections", node { $0.trouble.connectionsLimited = 700 }, .handshakes, .warning,
            what: "700 connections", "too many", code: .connectionsLimited),
        Fault(
            "handshakes that are not authentic", node { $0.trouble.refusals = [.init("unauthentic"): 3] }, .handshakes,
            .warning, what: "3 handshakes", "by this node", "unauthentic", code: .handshakesRefused),
        Fault(
            "peers that refuse this node's credential",
            node { $0.trouble.refusals = [.init("credentialExpired", isByPeer: true): 1] }, .handshakes, .warning,
            what: "1 handshake was", "by peers", "credentialExpired", code: .handshakesRefusedByPeers),
        Fault(
            "somebody who is blocked", node { $0.trouble.refusals = [.init("blocked"): 9] }, .handshakes, .note,
            what: "9 handshakes", code: .handshakesRefused),
        Fault(
            "a disk that failed and works again", node { $0.trouble.commitFailures = 2 }, .disk, .note,
            what: "2 commits failed", code: .commitsFailed),
        Fault("one slow commit", slowCommits(1), .disk, .note, what: "3.1 seconds for a commit", code: .slowCommits),
        Fault(
            "a slow disk", slowCommits(3), .disk, .warning, what: "3 commits", "up to 3.1 seconds", code: .slowCommits),
        Fault(
            "an observer that is too slow", node { $0.trouble.eventsLost = 12 }, .events, .warning,
            what: "12 events", code: .eventsLost),
    ]

    static let nodeFaults: [Fault] = [
        Fault(
            "no daemon", node { $0.discovery = .embedded }, .discovery, .note, what: "no Avahi daemon", "embedded",
            code: .embeddedDiscovery),
        Fault(
            "nothing finds peers", node { $0.discovery = .none(reason: "no socket") }, .discovery, .problem,
            what: "no socket", code: .discoveryUnavailable),
        Fault(
            "a firewalled port", node { $0.dialBacks = [.init(name: "bob", isReached: false)] }, .port, .problem,
            what: "bob", "7000", code: .portUnreachable),
        Fault(
            "a port that was firewalled after a link was made",
            node {
                $0.dialBacks = [.init(name: "bob", isReached: false)]
                $0.links = [Sample.link("bob", at: "192.0.2.9:40000", isOutbound: false)]
            }, .port, .problem, what: "bob", "7000", code: .portUnreachable),
        Fault(
            "a port that only some reach",
            node {
                $0.dialBacks = [.init(name: "bob", isReached: false)]
                $0.links.append(Sample.link("carol", at: "192.0.2.9:40000", isOutbound: false))
            }, .port, .warning, what: "bob", code: .portUnreachable),
        Fault(
            "a wrong clock here", clocks(2 * hour, 2 * hour, 100), .clock, .problem,
            what: "this machine's clock is 2 hours behind 2 of 3", code: .ownClockWrong),
        Fault(
            "a wrong clock here or there", clocks(-61_000), .clock, .problem, what: "61 seconds ahead of bob's",
            code: .ownClockWrong),
        Fault(
            "a clock that is wrong by minutes, but for the time that a packet takes", clocks(-599_950), .clock,
            .problem, what: "10 minutes ahead of bob's", code: .ownClockWrong),
        Fault(
            "a peer's wrong clock", clocks(2 * hour, 0, 100), .clock, .warning, what: "bob's clock is 2 hours ahead",
            code: .peerClockWrong),
        Fault(
            "a disk that takes no writes", node { $0.storageFailure = "no space is left" }, .disk, .problem,
            what: "no space is left", code: .storageFailing),
        Fault(
            "this node's name is taken", node { $0.users = [Sample.user("alice", 3)] }, .names, .problem,
            what: "alice", Sample.userID(3).fingerprint, code: .ownNameTaken),
        Fault(
            "a contact's name is claimed",
            node { $0.users = [Sample.user("bob", 2, isPinned: true), Sample.user("bob", 4, conflictsWith: 2)] },
            .names,
            .problem, what: Sample.userID(2).fingerprint, Sample.userID(4).fingerprint, code: .nameConflict),
        Fault(
            "two have one name, and it is nobody's",
            node { $0.users = [Sample.user("bob", 2), Sample.user("bob", 4)] },
            .names, .warning, what: "2 keys", "bob", code: .nameAmbiguous),
        Fault(
            "a wrong network key", lonely { $0.otherNetworkCount = 2 }, .networkKey, .problem,
            what: "2 nodes of other networks", "key may be wrong", code: .otherNetworksOnly),
        Fault(
            "a copy of this home elsewhere", node { $0.ownDeviceElsewhere = [PeerAddress("192.0.2.9:7000")!] },
            .deviceCopy, .problem, what: "192.0.2.9:7000", code: .deviceCopied),
        Fault(
            "a credential that is over",
            node { $0.credential = .init(notBefore: 0, notAfter: 1, canRenew: false, isInUse: true) },
            .credential, .problem, what: "expired", code: .credentialSealed),
        Fault(
            "devices and no link", lonely { $0.deviceCount = 3 }, .peers, .problem, what: "3 devices",
            code: .noLinks),
        Fault("nobody is there", lonely { _ in }, .peers, .note, what: "nobody else", code: .nobodyFound),
        Fault(
            "a link to a node of another network",
            node { $0.failures = [Sample.failure("192.0.2.9:1", "otherNetwork")] },
            .links, .note, what: "192.0.2.9:1", code: .linkFailed),
        Fault(
            "links that fail", node { $0.failures = [Sample.failure("192.0.2.9:7000")] }, .links, .warning,
            what: "192.0.2.9:7000", code: .linkFailed),
    ]
}

extension RecentTrouble.Counts.Refusal {
    fileprivate init(_ reason: String, isByPeer: Bool = false) { self.init(reason: reason, isByPeer: isByPeer) }
}
