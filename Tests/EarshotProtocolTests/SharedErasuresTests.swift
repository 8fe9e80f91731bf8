import EarshotModel
import EarshotSimulation
import EarshotStore
import Testing

@testable import EarshotProtocol

@Suite("What a user erases on one device")
struct SharedErasuresTests {
    private func home(linked: [(Int, Int)] = [(0, 1), (0, 2), (1, 2)]) throws -> SharedHome {
        var home = try SharedHome()
        for (a, b) in linked { home.meet(a, b) }
        return home
    }

    private func erased(_ home: SharedHome, at index: Int) throws -> Int {
        try home.rows(at: index).count { $0.entry.isDeleted }
    }

    @Test("is erased on the others, and not at the recipient", arguments: [0, 1])
    func message(index: Int) throws {
        var home = try home()
        home.send("keep", from: 0, to: 2)
        home.send("secret", from: 0, to: 2)
        home.send("from bob", from: 2, to: 0)
        home.network.run(for: 60_000)
        try home.erase(["secret", "from bob"], at: index)
        home.network.run(for: 60_000)
        for device in 0...1 {
            #expect(try home.texts(at: device).filter { !$0.isEmpty } == ["keep"])
            #expect(try erased(home, at: device) == 2)
        }
        #expect(try home.texts(at: 2) == ["keep", "secret", "from bob"])
    }

    @Test("is erased on a device that was away, and that comes later, whoever brings it")
    func later() throws {
        var home = try home(linked: [(0, 2)])
        home.send("one", from: 0, to: 2)
        home.send("two", from: 2, to: 0)
        try home.eraseConversation(at: 0)
        home.send("three", from: 0, to: 2)
        home.network.run(for: 5_000)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        home.meet(1, 2)
        home.network.run(for: 120_000)
        #expect(try home.texts(at: 1).filter { !$0.isEmpty } == ["three"])
        #expect(home.network.nodes[1].machine.undeliveredCount == 0)
    }

    @Test("is erased where its text comes only after the word that it is erased, and is no news there")
    func afterwards() throws {
        var home = try home(linked: [(0, 2)])
        home.send("from bob", from: 2, to: 0)
        home.network.run(for: 5_000)
        try home.erase(["from bob"], at: 0)
        home.network.run(for: 5_000)
        home.cut(0, from: 2)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        home.cut(0, from: 1)
        home.meet(1, 2)
        home.network.run(for: 120_000)
        #expect(try home.texts(at: 1).allSatisfy(\.isEmpty))
        #expect(!home.network.nodes[1].events.names.contains(.messageReceived))
        #expect(try home.unread(at: 1) == 0)
    }

    @Test("is kept by the device that wrote it until its recipient has it")
    func undelivered() throws {
        var home = try home()
        home.cut(0, from: 2)
        home.cut(1, from: 2)
        home.send("on its way", from: 1, to: 2)
        home.network.run(for: 60_000)
        try home.erase(["on its way"], at: 0)
        home.network.run(for: 60_000)
        #expect(try home.texts(at: 0).allSatisfy(\.isEmpty))
        #expect(try home.texts(at: 1) == ["on its way"])
        home.meet(1, 2)
        home.network.run(for: 60_000)
        #expect(try home.texts(at: 2) == ["on its way"])
        #expect(try home.texts(at: 1).allSatisfy(\.isEmpty))
    }

    @Test("stays erased when a device starts anew")
    func restarted() throws {
        var home = try home(linked: [(0, 2)])
        home.send("from bob", from: 2, to: 0)
        home.network.run(for: 5_000)
        try home.erase(["from bob"], at: 0)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        try home.restart(1)
        home.meet(1, 2)
        home.network.run(for: 120_000)
        #expect(try home.texts(at: 1).allSatisfy(\.isEmpty))
    }

    @Test("is what their own devices say: another user's entry erases nothing, wherever it stands")
    func others() throws {
        var home = try home()
        home.send("mine", from: 0, to: 2)
        home.network.run(for: 60_000)
        let place = try #require(try home.rows(at: 0).first).place
        home.say(.erasure([ErasedRun(through: place)]), at: 2, in: .direct(home.userID(2), home.userID(0)))
        home.say(.erasure([ErasedRun(through: place)]), at: 2, in: .direct(home.userID(2), home.userID(2)))
        home.network.run(for: 60_000)
        for device in 0...2 { #expect(try home.texts(at: device) == ["mine"]) }
    }

    @Test("does not count where a revoked device says it behind its end")
    func revoked() throws {
        var home = try home(linked: [(0, 1), (0, 2)])
        home.send("mine", from: 0, to: 2)
        home.network.run(for: 60_000)
        home.cut(1, from: 0)
        try home.revoke(1, at: 0)
        try home.erase(["mine"], at: 1)
        let thiefs = try #require(home.network.nodes[1].store).snapshot().sharedEntries
        let mine = try #require(home.network.nodes[0].store).snapshot().sharedEntries
        var erasures = Erasures(of: home.userID(0), mine)
        let log = try #require(thiefs.first)
        #expect(erasures.insert(log).isEmpty)
        #expect(erasures.isEmpty)
    }

    @Test("is named by an entry that says how many entries there are, and no more than a log has")
    func wire() throws {
        let place = Wire.LogPlace(
            logID: [UInt8](repeating: 1, count: 32), sequence: 2, chain: [UInt8](repeating: 2, count: 32))
        #expect(try ErasedRun.decode(Wire.Erasure(runs: [.init(last: place, count: 2)]))[0].sequences == 1...2)
        for run in [Wire.ErasedRun(last: place, count: 0), .init(last: place, count: 3), .init(last: nil, count: 1)] {
            #expect(throws: ProtocolError.self) { try ErasedRun.decode(Wire.Erasure(runs: [run])) }
        }
        let many = Array(repeating: Wire.ErasedRun(last: place, count: 1), count: Limits.erasedRuns + 1)
        #expect(throws: ProtocolError.self) { try ErasedRun.decode(Wire.Erasure(runs: many)) }
    }
}

extension SharedHome {
    func userID(_ index: Int) -> UserID { network.nodes[index].local.userID }

    /// Erases messages like `Messages.erase`.
    mutating func erase(_ texts: [String], at index: Int) throws {
        let ids = try zip(self.texts(at: index), rows(at: index)).filter { texts.contains($0.0) }.map {
            MessageID(log: $0.1.log.logID, sequence: $0.1.entry.sequence)
        }
        let store = try #require(network.nodes[index].store)
        let outcome = try store.deleteContents(of: ids, deviceID: network.nodes[index].local.deviceID)
        #expect(outcome.deletedCount == texts.count && outcome.runs.count >= texts.count)
        tell(outcome.runs, at: index)
    }

    mutating func eraseConversation(at index: Int) throws {
        let store = try #require(network.nodes[index].store)
        let result = store.deleteContents(
            of: conversationID, deviceID: network.nodes[index].local.deviceID, listed: 9)
        #expect(result.failure == nil)
        tell(result.outcome.runs, at: index)
    }

    private mutating func tell(_ runs: [ErasedRun], at index: Int) {
        network.input(index) { $0.handleErased(runs, requestID: RequestID(9_000), now: $1) }
        network.run(for: 1_000)
    }

    /// Writes what no honest node writes there.
    mutating func say(_ draft: EntryDraft, at index: Int, in conversation: ConversationRecord) {
        network.input(index) { machine, now in
            machine.handle(now: now) { node in
                node.replication.changes.write(
                    PendingSend(requestID: nil, parts: [.init(conversation: conversation, drafts: [draft])]))
                node.replication.hurry()
            }
        }
        network.run(for: 1_000)
    }
}

extension HistoryRow {
    fileprivate var place: LogPlace {
        LogPlace(logID: log.description.logID, sequence: entry.sequence, chain: entry.chain)
    }
}
