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
        let entries = try #require(home.network.nodes[3].store).entries(
            of: log.logID, from: 1, countLimit: 9, byteLimit: .max)
        home.say(
            .shown(entries.map { log.description.place($0.place) }), at: 2, in: .direct(home.userID(2), home.userID(0)))
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
        var log = HandWrittenLog(by: device("bob"), to: userID)
        let place = log.record.description.place(log.entry("hello").place)
        let shown = thief.entry(.shown([place]))
        let cut = DeviceCut.sign(
            family.linked.deviceID, after: [], in: primary.record.description.conversationID, with: family.identityKey)
        let said = RecordedEntries(log: thief.record, entries: [shown])
        let ended = RecordedEntries(log: primary.record, entries: [primary.entry(.cut(cut))])
        var showings = Showings(of: userID)
        for entries in isCutFirst ? [ended, said] : [said, ended] {
            _ = showings.insert(entries)
            #expect(showings.covers(place) == (!isCutFirst && entries == said))
        }
    }

    @Test("is about one branch of a log, whichever a device knew first")
    func branches() {
        let author = device("bob")
        let userID = Family().primary.userID
        var (one, other) = (HandWrittenLog(by: author, to: userID), HandWrittenLog(by: author, to: userID))
        let description = one.record.description
        let places = (description.place(one.entry("one").place), description.place(other.entry("other").place))
        #expect(other.record.description == description && places.0.sequence == places.1.sequence)
        var showings = Showings(of: userID)
        #expect(showings.note([places.0]) == [places.0])
        #expect(showings.covers(places.0) && !showings.covers(places.1))
        #expect(showings.note([places.0, places.1]) == [places.1])
    }

    @Test("is named by places, of which one entry has no more than it may")
    func wire() throws {
        func place(_ sequence: UInt64, _ count: Int = 32) -> Wire.LogPlace {
            let bytes = [UInt8](repeating: 1, count: count)
            return Wire.LogPlace(logID: bytes, sequence: sequence, chain: bytes)
        }
        #expect(try Wire.Shown(places: [place(1), place(4)]).decoded().map(\.sequence) == [1, 4])
        for wrong in [place(0), place(Counting.largest + 1), place(1, 31)] {
            #expect(throws: ProtocolError.self) { try Wire.Shown(places: [place(1), wrong]).decoded() }
        }
        let most = Wire.Shown(places: Array(repeating: place(1), count: Limits.shownPlaces))
        #expect(try most.decoded().count == Limits.shownPlaces)
        #expect(throws: ProtocolError.self) { try Wire.Shown(places: most.places + [place(1)]).decoded() }
    }
}
