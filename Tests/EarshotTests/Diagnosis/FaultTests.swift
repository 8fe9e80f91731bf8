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
    let remedy: String

    init(
        _ name: String, _ findings: [Finding], _ check: Finding.Check, _ severity: Finding.Severity, what: String...,
        remedy: String
    ) {
        self.name = name
        self.findings = findings
        self.check = check
        self.severity = severity
        self.what = what
        self.remedy = remedy
    }

    var testDescription: String { name }
}

@Suite("A fault is named, with its remedy")
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
        #expect(worst.remedy?.contains(fault.remedy) == true, "\(worst.remedy ?? "")")
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
        Fault("no identity", home(state: .notInitialized), .home, .problem, what: "/h", remedy: "earshot init"),
        Fault(
            "others may read the keys", home(loose: [.init(path: "/h/device.key", mode: "600", isRefused: true)]),
            .home,
            .problem, what: "/h/device.key", remedy: "chmod 600 /h/device.key"),
        Fault(
            "others may read the history", home(loose: [.init(path: "/h/history.db", mode: "600", isRefused: false)]),
            .home, .warning, what: "/h/history.db", remedy: "chmod 600"),
        Fault(
            "two nodes on one home", home(lock: .held(4711)), .lock, .problem, what: "4711", "/h",
            remedy: "end process 4711"),
        Fault(
            "a lock held by nobody knows whom", home(lock: .held(nil), socket: .deaf), .lock, .problem,
            what: "unknown pid", remedy: "earshot init --home"),
        Fault("a stale lock", home(lock: .free(writtenBy: 4711)), .lock, .note, what: "4711", remedy: "nothing to do"),
        Fault("a stale socket", home(socket: .deaf), .socket, .note, what: "node.sock", remedy: "nothing to do"),
        Fault("a full disk", disk((16 << 20) - 1), .disk, .problem, what: "full", "15 MiB", remedy: "free some space"),
        Fault("a nearly full disk", disk(255 << 20), .disk, .warning, what: "255 MiB", remedy: "free some space"),
        Fault(
            "a disk that cannot be written", DiskFacts(path: "/h", freeBytes: 1 << 40, isReadOnly: true).findings,
            .disk,
            .problem, what: "read-only", remedy: "mount"),
        Fault(
            "a corrupt database", DatabaseFacts.damaged("the database is damaged: row 3 is missing").findings,
            .database, .problem,
            what: "damaged", "row 3", remedy: "history.db-wal"),
        Fault(
            "a newer database", DatabaseFacts.newer("a newer version wrote it").findings, .database, .problem,
            what: "newer", remedy: "update"),
        Fault(
            "an expired credential of a sealed identity", credential(from: -60, to: -30, canRenew: false), .credential,
            .problem, what: "30 days ago", "sealed", remedy: "--passphrase-file"),
        Fault(
            "an expired credential that the next node renews", credential(from: -60, to: -30, canRenew: true),
            .credential, .note, what: "30 days ago", remedy: "earshot up"),
        Fault(
            "an expired credential that the node has not renewed",
            credential(from: -60, to: -30, canRenew: true, isInUse: true), .credential, .problem, what: "expired",
            remedy: "start it again"),
        Fault(
            "a credential that expires soon", credential(from: -21, to: 9, canRenew: false), .credential, .warning,
            what: "9 days", remedy: "--passphrase-file"),
        Fault(
            "a credential that is not yet valid", credential(from: 2, to: 32, canRenew: true), .credential, .problem,
            what: "2 days", remedy: "timedatectl"),
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
            .interfaces, .problem, what: "no network interface", remedy: "cable"),
        Fault(
            "multicast is dropped on its way in", multicast([.notHeard, .notHeard]), .multicast, .problem,
            what: "eth0", "not heard", remedy: "UDP port 5353"),
        Fault(
            "multicast is forbidden", multicast([.cannotSend("Operation not permitted"), .notHeard]), .multicast,
            .problem, what: "eth0", "Operation not permitted", remedy: "--peer"),
        Fault(
            "the multicast group cannot be joined", multicast([.cannotJoin("Address already in use"), .notHeard]),
            .multicast, .problem, what: "Address already in use", remedy: "ss -ulpn"),
        Fault(
            "multicast works in one family only", multicast([.works, .notHeard]), .multicast, .warning, what: "IPv6",
            remedy: "UDP port 5353"),
        Fault(
            "a VPN takes the local network",
            network {
                $0.captured = [
                    CapturedRoute(subnet: "192.0.2.0/24", expectedInterface: "eth0", actualInterface: "tun0")
                ]
            }, .routes, .problem, what: "192.0.2.0/24", "eth0", "tun0", remedy: "the VPN on tun0"),
        Fault(
            "a route refuses the local network",
            network {
                $0.captured = [CapturedRoute(subnet: "192.0.2.0/24", expectedInterface: "eth0", actualInterface: nil)]
            }, .routes, .problem, what: "eth0", "refused", remedy: "ip route"),
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
            what: "700 connections", "too many", remedy: "sport = :7000"),
        Fault(
            "handshakes that are not authentic", node { $0.trouble.refusals = [.init("unauthentic"): 3] }, .handshakes,
            .warning, what: "3 handshakes", "by this node", "unauthentic", remedy: "something else speaks"),
        Fault(
            "peers that refuse this node's credential",
            node { $0.trouble.refusals = [.init("credentialExpired", isByPeer: true): 1] }, .handshakes, .warning,
            what: "1 handshake was", "by peers", "credentialExpired", remedy: "timedatectl"),
        Fault(
            "somebody who is blocked", node { $0.trouble.refusals = [.init("blocked"): 9] }, .handshakes, .note,
            what: "9 handshakes", remedy: "if that is meant"),
        Fault(
            "a disk that failed and works again", node { $0.trouble.commitFailures = 2 }, .disk, .note,
            what: "2 commits failed", remedy: "df -h"),
        Fault("one slow commit", slowCommits(1), .disk, .note, what: "3.1 seconds for a commit", remedy: "iostat"),
        Fault(
            "a slow disk", slowCommits(3), .disk, .warning, what: "3 commits", "up to 3.1 seconds", remedy: "iostat"),
        Fault(
            "an observer that is too slow", node { $0.trouble.eventsLost = 12 }, .events, .warning,
            what: "12 events", remedy: "read the history"),
    ]

    static let nodeFaults: [Fault] = [
        Fault(
            "no daemon", node { $0.discovery = .embedded }, .discovery, .note, what: "no Avahi daemon", "embedded",
            remedy: "nothing to do"),
        Fault(
            "nothing finds peers", node { $0.discovery = .none(reason: "no socket") }, .discovery, .problem,
            what: "no socket", remedy: "ss -ulpn"),
        Fault(
            "a firewalled port", node { $0.dialBacks = [.init(name: "bob", isReached: false)] }, .port, .problem,
            what: "bob", "7000", remedy: "open TCP port 7000"),
        Fault(
            "a port that was firewalled after a link was made",
            node {
                $0.dialBacks = [.init(name: "bob", isReached: false)]
                $0.links = [Sample.link("bob", at: "192.0.2.9:40000", isOutbound: false)]
            }, .port, .problem, what: "bob", "7000", remedy: "open TCP port 7000"),
        Fault(
            "a port that only some reach",
            node {
                $0.dialBacks = [.init(name: "bob", isReached: false)]
                $0.links.append(Sample.link("carol", at: "192.0.2.9:40000", isOutbound: false))
            }, .port, .warning, what: "bob", remedy: "open TCP port 7000"),
        Fault(
            "a wrong clock here", clocks(2 * hour, 2 * hour, 100), .clock, .problem,
            what: "this machine's clock is 2 hours behind 2 of 3", remedy: "timedatectl"),
        Fault(
            "a wrong clock here or there", clocks(-61_000), .clock, .problem, what: "61 seconds ahead of bob's",
            remedy: "timedatectl"),
        Fault(
            "a clock that is wrong by minutes, but for the time that a packet takes", clocks(-599_950), .clock,
            .problem, what: "10 minutes ahead of bob's", remedy: "timedatectl"),
        Fault(
            "a peer's wrong clock", clocks(2 * hour, 0, 100), .clock, .warning, what: "bob's clock is 2 hours ahead",
            remedy: "set the clock there"),
        Fault(
            "a disk that takes no writes", node { $0.storageFailure = "no space is left" }, .disk, .problem,
            what: "no space is left", remedy: "free some space"),
        Fault(
            "this node's name is taken", node { $0.users = [Sample.user("alice", 3)] }, .names, .problem,
            what: "alice", Sample.userID(3).fingerprint, remedy: "earshot trust alice@"),
        Fault(
            "a contact's name is claimed",
            node { $0.users = [Sample.user("bob", 2, isPinned: true), Sample.user("bob", 4, conflictsWith: 2)] },
            .names,
            .problem, what: Sample.userID(2).fingerprint, Sample.userID(4).fingerprint, remedy: "earshot trust bob@"),
        Fault(
            "two have one name, and it is nobody's",
            node { $0.users = [Sample.user("bob", 2), Sample.user("bob", 4)] },
            .names, .warning, what: "2 keys", "bob", remedy: "earshot trust bob@"),
        Fault(
            "a wrong network key", lonely { $0.otherNetworkCount = 2 }, .networkKey, .problem,
            what: "2 nodes of other networks", "key may be wrong", remedy: "earshot network show"),
        Fault(
            "a copy of this home elsewhere", node { $0.ownDeviceElsewhere = [PeerAddress("192.0.2.9:7000")!] },
            .deviceCopy, .problem, what: "192.0.2.9:7000", remedy: "earshot init"),
        Fault(
            "a credential that is over",
            node { $0.credential = .init(notBefore: 0, notAfter: 1, canRenew: false, isInUse: true) },
            .credential, .problem, what: "expired", remedy: "--passphrase-file"),
        Fault(
            "devices and no link", lonely { $0.deviceCount = 3 }, .peers, .problem, what: "3 devices",
            remedy: "why links failed"),
        Fault("nobody is there", lonely { _ in }, .peers, .note, what: "nobody else", remedy: "--peer"),
        Fault(
            "a link to a node of another network",
            node { $0.failures = [Sample.failure("192.0.2.9:1", "otherNetwork")] },
            .links, .note, what: "192.0.2.9:1", remedy: "earshot network show"),
        Fault(
            "links that fail", node { $0.failures = [Sample.failure("192.0.2.9:7000")] }, .links, .warning,
            what: "192.0.2.9:7000", remedy: "doctor on that machine"),
    ]
}

extension RecentTrouble.Counts.Refusal {
    fileprivate init(_ reason: String, isByPeer: Bool = false) { self.init(reason: reason, isByPeer: isByPeer) }
}
