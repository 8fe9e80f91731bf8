import EarshotModel
import EarshotStore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Earshot

/// The gatherers, on real files and real nodes on loopback.
@Suite("A diagnosis")
struct DiagnosisTests {
    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
    }

    @Test("of a home without an identity says how to make one")
    func notInitialized() async throws {
        #expect(try await worst(.home)?.severity == .problem)
        #expect(try await worst(.home)?.code == .notInitialized)
    }

    @Test("of a new home finds nothing wrong in it")
    func new() async throws {
        try home.create(name: "alice")
        for check in [Finding.Check.home, .lock, .socket, .disk, .database, .credential] {
            #expect(try await worst(check).map(\.severity) ?? .ok == .ok)
        }
    }

    @Test("names a lock that somebody holds who answers on no socket")
    func held() async throws {
        try home.create(name: "alice")
        let lock = try HomeLock(home)
        let finding = try await worst(.lock)
        #expect(finding?.severity == .problem)
        #expect(finding?.what.contains("process \(getpid())") == true)
        withExtendedLifetime(lock) {}
    }

    @Test("notes the pid that a node left which did not end cleanly, and none after one that did")
    func stale() async throws {
        try home.create(name: "alice")
        do { _ = try HomeLock(home) }
        #expect(try await worst(.lock)?.severity == .ok)
        try Data("4711\n".utf8).write(to: URL(fileURLWithPath: home.lockFile))
        #expect(try await worst(.lock)?.severity == .note)
        #expect(try await worst(.lock)?.what.contains("4711") == true)
    }

    @Test("notes a socket that is left")
    func socket() async throws {
        try home.create(name: "alice")
        try Data().write(to: URL(fileURLWithPath: home.socketFile))
        #expect(try await worst(.socket)?.severity == .note)
    }

    @Test("finds damage in a table of the database, and changes no byte of it")
    func corrupt() async throws {
        try home.create(name: "alice")
        let file = URL(fileURLWithPath: home.databaseFile)
        try makeHistory()
        let place = try tablePlace()
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(place..<place + 2000, with: Data(repeating: 0xaa, count: 2000))
        try bytes.write(to: file)
        #expect(try await worst(.database)?.severity == .problem)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("calls the database sound while a node writes to it")
    func inUse() async throws {
        try home.create(name: "alice")
        let node = try Node(home: home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
        #expect(try await worst(.database)?.severity == .ok)
        withExtendedLifetime(node) {}
    }

    @Test("of two nodes that are linked: the link, the clocks, and that the one who was dialled is reached")
    func linked() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        for user in [alice, bob] {
            let findings = await user.node.findings()
            for check in [Finding.Check.peers, .port, .clock, .names, .links, .credential] {
                #expect(findings.filter { $0.check == check }.map(\.severity) == [.ok], "\(findings)")
            }
            #expect(findings.filter { $0.check == .discovery }.map(\.severity) == [.note])
        }
        try await alice.stop()
        try await bob.stop()
    }

    @Test("that is asked for twice in a row says both times whether the port is reached")
    func twice() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        for _ in 0..<2 {
            let findings = await alice.node.findings()
            #expect(findings.filter { $0.check == .port }.map(\.severity) == [.ok])
        }
        try await alice.stop()
        try await bob.stop()
    }

    @Test("of two nodes with one name tells both that it is taken")
    func takenName() async throws {
        let (one, other) = (try TestUser("alice"), try TestUser("alice"))
        try await TestUser.meet(one, other)
        for (user, rival) in [(one, other), (other, one)] {
            let finding = await user.node.findings().first { $0.check == .names }
            #expect(finding?.severity == .problem)
            #expect(finding?.what.contains(rival.userID.fingerprint) == true)
        }
        try await one.stop()
        try await other.stop()
    }

    @Test("finds a scheduled message that cannot be read; the node says so in its log, and runs")
    func unreadableScheduled() async throws {
        try home.create(name: "alice")
        try makeHistory()
        let database = try DatabaseQueue(path: home.databaseFile, configuration: .patient)
        try await database.write {
            try $0.execute(
                sql: """
                    INSERT INTO scheduled (scheduledID, conversationID, notBefore, draft, createdAt)
                    VALUES (zeroblob(16), zeroblob(32), 1, x'00', 1)
                    """)
        }
        try database.close()
        let finding = try #require(try await worst(.database))
        #expect(finding.severity == .problem && finding.code == .databaseDamaged)
        #expect(finding.what.contains("the scheduled message 0000"))
        let log = LogWatch()
        let node = try await Node.open(home, configuration: NodeConfiguration(discovery: .off, logger: log.logger))
        #expect(await node.messages.scheduled().isEmpty)
        #expect(log.warnings.value.contains { $0.contains("a message that waits for its time cannot be read") })
    }

    private func worst(_ check: Finding.Check) async throws -> Finding? {
        try await Diagnosis.of(home, testsMulticast: false).filter { $0.check == check }
            .max { $0.severity < $1.severity }
    }

    /// Makes the database, all of it in the one file.
    private func makeHistory() throws {
        try Store(path: home.databaseFile).close()
    }

    /// Where in the file the table of entries begins: not every page of a database is in use.
    private func tablePlace() throws -> Int {
        let database = try DatabaseQueue(path: home.databaseFile, configuration: .patient)
        let place = try database.read {
            try Int.fetchOne(
                $0,
                sql: """
                    SELECT (rootpage - 1) * page_size FROM sqlite_master, pragma_page_size() WHERE name = 'entry'
                    """)
        }
        try database.close()
        return try #require(place)
    }
}
