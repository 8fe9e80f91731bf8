import EarshotModel
import EarshotSimulation
import EarshotStore
import Testing

@testable import EarshotProtocol

/// Alice's primary device is 0, the one that is revoked 1, bob 2, and alice's tablet 3.
@Suite("What one device has shown and does not count by what came later")
struct ShowingsTests {
    @Test(
        "is shown on the user's other devices, too, whichever starts anew, and on nobody else's",
        arguments: [nil, 0, 3])
    func union(restarted: Int?) throws {
        var home = try SharedHome.robbed()
        #expect(try home.texts(at: 0) == ["before"] && home.texts(at: 3) == ["before", "after"])
        home.meet(0, 3)
        home.meet(2, 3)
        if let restarted {
            home.network.run(for: 500)
            try home.restart(restarted)
            home.meet(0, 3)
        }
        home.network.run(for: 120_000)
        #expect(try home.texts(at: 0) == ["before", "after"])
        #expect(try home.texts(at: 3) == ["before", "after"])
        #expect(try home.texts(at: 2) == ["before"])
        // Whoever has seen nothing of it yet is told.
        if restarted == nil {
            #expect(home.network.nodes[0].events.names.filter { $0 == .messageQueued }.count == 2)
        }
        // It is said once.
        let said = try home.network.nodes[3].store.map { store in
            try store.snapshot().sharedEntries.flatMap(\.entries).filter { $0.kind == .shown }
        }
        #expect(said?.count == 1)
    }

    @Test("is said by no device for another user")
    func others() throws {
        var home = try SharedHome.robbed()
        let logs = try #require(home.network.nodes[3].store).snapshot().logs
        let log = try #require(
            logs.first {
                $0.description.deviceID == home.network.nodes[1].local.deviceID
                    && $0.description.conversationID == home.conversationID
            })
        home.say(
            .shown([ShownEntries(SequenceSet(1...9), of: log.logID)]), at: 2,
            in: .direct(home.userID(2), home.userID(0)))
        home.network.run(for: 10_000)
        home.meet(2, 3)
        home.network.nodes[3].isStopped = false
        home.network.run(for: 120_000)
        #expect(try home.texts(at: 0).contains("before") && !home.texts(at: 0).contains("after"))
    }

    @Test("is said by no revoked device behind its end, whichever is heard first", arguments: [true, false])
    func revoked(isCutFirst: Bool) {
        let family = Family()
        let userID = family.primary.userID
        var (thief, primary) = (
            HandWrittenLog(by: family.linked, to: userID), HandWrittenLog(by: family.primary, to: userID)
        )
        let logID = HandWrittenLog(by: device("bob"), to: userID).logID
        let shown = thief.entry(.shown([ShownEntries(SequenceSet(1...9), of: logID)]))
        let cut = DeviceCut.sign(
            family.linked.deviceID, after: [], in: primary.record.description.conversationID, with: family.identityKey)
        let said = RecordedEntries(log: thief.record, entries: [shown])
        let ended = RecordedEntries(log: primary.record, entries: [primary.entry(.cut(cut))])
        var showings = Showings(of: userID)
        for entries in isCutFirst ? [ended, said] : [said, ended] {
            _ = showings.insert(entries)
            #expect(showings.covers(5, of: logID) == (!isCutFirst && entries == said))
        }
    }

    @Test("is named by an entry with ranges that ascend, of no more logs than it may have")
    func wire() throws {
        func shown(_ ranges: [(UInt64, UInt64)], logs: Int = 1) -> Wire.Shown {
            Wire.Shown(
                entries: (0..<logs).map { _ in
                    Wire.ShownEntries(
                        logID: [UInt8](repeating: 1, count: 32),
                        ranges: ranges.map { Wire.Range(first: $0.0, last: $0.1) })
                })
        }
        #expect(try ShownEntries.decode(shown([(1, 2), (4, 4)]))[0].sequences.ranges == [1...2, 4...4])
        let wrong: [[(UInt64, UInt64)]] = [
            [(0, 1)], [(2, 1)], [(1, 2), (3, 4)], [(4, 4), (1, 2)], [(1, Counting.largest + 1)],
        ]
        for ranges in wrong {
            #expect(throws: ProtocolError.self) { try ShownEntries.decode(shown(ranges)) }
        }
        var many: [(UInt64, UInt64)] = []
        for number in 0...UInt64(Limits.shownRanges) { many.append((number * 3 + 1, number * 3 + 1)) }
        #expect(throws: ProtocolError.self) { try ShownEntries.decode(shown(many)) }
        #expect(throws: ProtocolError.self) { try ShownEntries.decode(shown([(1, 1)], logs: Limits.shownLogs + 1)) }
        #expect(throws: ProtocolError.self) {
            try ShownEntries.decode(Wire.Shown(entries: [Wire.ShownEntries(logID: [1], ranges: [])]))
        }
    }
}
