import EarshotModel
import Testing

@testable import EarshotDiscovery

@Suite("The selection of a DNS-SD stack")
struct StackSelectionTests {
    private typealias Action = StackSelection.Action
    private var selection = StackSelection()
    private let noDaemon = SourceReport.unavailable(reason: "no daemon")

    private static func wait(_ number: Int) -> Action { .wait(.grace(number), StackSelection.grace) }
    private static func bob(at address: String = "10.0.0.1:4000") throws -> ServiceRecord {
        try record("bob", seed: 1, at: [address])
    }
    private static func carol() throws -> ServiceRecord { try record("carol", seed: 2, at: ["10.0.0.2:4000"]) }

    @discardableResult
    private mutating func daemon(_ report: SourceReport) -> [Action] { selection.handle(.daemon(report)) }
    @discardableResult
    private mutating func embedded(_ report: SourceReport, run: Int = 1) -> [Action] {
        selection.handle(.embedded(run: run, report))
    }
    private mutating func graceOver(_ number: Int) -> [Action] { selection.handle(.elapsed(.grace(number))) }

    @Test("starts no other stack if the daemon answers")
    mutating func daemonAnswers() throws {
        #expect(selection.handle(.started) == [.wait(.patience, StackSelection.patience)])
        #expect(daemon(.available(.daemon)) == [.report(.available(.daemon))])
        #expect(selection.handle(.elapsed(.patience)) == [])
        #expect(daemon(.appeared(try Self.bob())) == [.report(.appeared(try Self.bob()))])
    }

    @Test("starts the embedded stack at once if no daemon answers, and says so only once it works")
    mutating func noDaemonAnswers() {
        #expect(daemon(noDaemon) == [.startEmbedded(run: 1)])
        #expect(daemon(noDaemon) == [], "the daemon's source tries again and again")
        #expect(embedded(.available(.embedded)) == [.report(.available(.embedded))])
    }

    @Test("starts the embedded stack if the daemon keeps it waiting")
    mutating func silentDaemon() {
        #expect(selection.handle(.elapsed(.patience)) == [.startEmbedded(run: 1)])
        #expect(embedded(.available(.embedded)) == [.report(.available(.embedded))])
        #expect(daemon(noDaemon) == [], "it works, so nobody needs to know")
    }

    @Test("is unavailable only if both stacks are, and gives both reasons")
    mutating func bothFail() {
        daemon(noDaemon)
        #expect(
            embedded(.unavailable(reason: "no socket")) == [.report(.unavailable(reason: "no daemon; no socket"))])
        #expect(embedded(.available(.embedded)) == [.report(.available(.embedded))])
    }

    @Test("runs both stacks until a new daemon has had time, then stops the other")
    mutating func moveToDaemon() throws {
        daemon(noDaemon)
        embedded(.available(.embedded))
        embedded(.appeared(try Self.bob()))
        embedded(.appeared(try Self.carol()))
        #expect(daemon(.available(.daemon)) == [.report(.available(.daemon)), Self.wait(1)])
        #expect(daemon(.appeared(try Self.bob())) == [], "known already")
        #expect(graceOver(1) == [Self.wait(2)], "it still finds some")
        #expect(graceOver(2) == [.stopEmbedded, .report(.disappeared(try Self.carol().key))])
        #expect(embedded(.disappeared(try Self.bob().key)) == [], "what it says while it ends is void")
        #expect(daemon(.disappeared(try Self.bob().key)) == [.report(.disappeared(try Self.bob().key))])
    }

    @Test("keeps what a lost daemon had found until the embedded stack has had time to find it")
    mutating func moveToEmbedded() throws {
        daemon(.available(.daemon))
        daemon(.appeared(try Self.bob()))
        daemon(.appeared(try Self.carol()))
        #expect(daemon(noDaemon) == [Self.wait(1), .startEmbedded(run: 1)])
        #expect(embedded(.available(.embedded)) == [.report(.available(.embedded))])
        #expect(embedded(.appeared(try Self.bob())) == [])
        #expect(graceOver(1) == [Self.wait(2)])
        #expect(graceOver(2) == [.report(.disappeared(try Self.carol().key))])
        #expect(embedded(.disappeared(try Self.bob().key)) == [.report(.disappeared(try Self.bob().key))])
    }

    @Test("believes the running stack when it sees a goodbye, and takes a new address from it")
    mutating func news() throws {
        daemon(.available(.daemon))
        daemon(.appeared(try Self.bob()))
        daemon(.appeared(try Self.carol()))
        daemon(noDaemon)
        let moved = try Self.bob(at: "10.0.0.9:4000")
        #expect(embedded(.appeared(moved)) == [.report(.appeared(moved))])
        embedded(.appeared(try Self.carol()))
        #expect(embedded(.disappeared(try Self.carol().key)) == [.report(.disappeared(try Self.carol().key))])
        #expect(graceOver(1) == [Self.wait(2)])
        #expect(graceOver(2) == [], "what the daemon had said of bob is replaced")
    }

    @Test("keeps a device that one running stack has lost while the other still sees it")
    mutating func overlap() throws {
        daemon(noDaemon)
        embedded(.available(.embedded))
        embedded(.appeared(try Self.bob()))
        daemon(.available(.daemon))
        daemon(.appeared(try Self.bob()))
        #expect(embedded(.disappeared(try Self.bob().key)) == [])
        #expect(daemon(.disappeared(try Self.bob().key)) == [.report(.disappeared(try Self.bob().key))])
    }

    @Test("goes on with the embedded stack when the daemon goes again before it was stopped")
    mutating func flapping() throws {
        daemon(noDaemon)
        embedded(.available(.embedded))
        embedded(.appeared(try Self.bob()))
        daemon(.available(.daemon))
        #expect(daemon(noDaemon) == [Self.wait(2), .report(.available(.embedded))])
        #expect(graceOver(1) == [], "of the earlier move")
        #expect(graceOver(2) == [])
    }

    @Test("starts the embedded stack anew when the daemon goes a second time")
    mutating func again() throws {
        daemon(noDaemon)
        daemon(.available(.daemon))
        #expect(graceOver(1) == [.stopEmbedded])
        #expect(daemon(noDaemon) == [Self.wait(2), .startEmbedded(run: 2)])
        #expect(embedded(.available(.embedded), run: 1) == [], "of the first run")
        #expect(embedded(.available(.embedded), run: 2) == [.report(.available(.embedded))])
    }

    @Test("does not wait for ever for a stack that keeps finding devices")
    mutating func patienceEnds() throws {
        daemon(noDaemon)
        embedded(.available(.embedded))
        let many = try (1...StackSelection.maximumGraces).map { number in
            try record("u", seed: UInt8(number), at: ["10.0.0.\(number):4000"])
        }
        for record in many { embedded(.appeared(record)) }
        daemon(.available(.daemon))
        for number in 1..<StackSelection.maximumGraces {
            daemon(.appeared(many[number]))
            #expect(graceOver(number) == [Self.wait(number + 1)])
        }
        daemon(.appeared(many[0]))
        #expect(graceOver(StackSelection.maximumGraces) == [.stopEmbedded])
    }

    @Test("does not wait for newcomers, of whom there may always be some")
    mutating func newcomers() throws {
        daemon(noDaemon)
        embedded(.available(.embedded))
        daemon(.available(.daemon))
        daemon(.appeared(try Self.bob()))
        #expect(graceOver(1) == [.stopEmbedded])
    }

    @Test("says that nothing works only after everything found has expired")
    mutating func lateNews() throws {
        daemon(.available(.daemon))
        daemon(.appeared(try Self.bob()))
        daemon(noDaemon)
        #expect(embedded(.unavailable(reason: "no socket")) == [])
        #expect(
            graceOver(1) == [
                .report(.disappeared(try Self.bob().key)), .report(.unavailable(reason: "no daemon; no socket")),
            ])
    }

    @Test("passes on unreadable records")
    mutating func malformed() {
        let report = SourceReport.malformed(instance: "x", reason: "y")
        daemon(.available(.daemon))
        #expect(daemon(report) == [.report(report)])
    }
}
