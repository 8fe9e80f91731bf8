import EarshotCrypto
import EarshotModel
import EarshotSimulation
import EarshotStore
import Testing

@testable import EarshotProtocol

@Suite("Behind the end of a revoked device's logs")
struct CutTests {
    @Test("nothing is newly shown or told, by whomever it comes; and nobody is held up")
    func carried() throws {
        var home = try SharedHome.robbed()
        home.meet(2, 3)
        home.meet(0, 3)
        home.send("from the tablet", from: 3, to: 2)
        home.network.run(for: 120_000)
        #expect(try home.texts(at: 2) == ["before", "from the tablet"])
        // What was shown stays, and all devices of one user show the same.
        for index in [0, 3] { #expect(try home.texts(at: index) == ["before", "after", "from the tablet"]) }
        let revokedID = home.network.nodes[1].local.deviceID
        for index in [0, 2, 3] {
            let store = try #require(home.network.nodes[index].store)
            let kept = try store.snapshot().logs.filter {
                $0.description.deviceID == revokedID && $0.description.conversationID == home.conversationID
            }
            #expect(kept.map(\.head.sequence) == [2])
        }
        #expect(home.network.nodes[2].events.names.filter { $0 == .messageReceived }.count == 2)
        #expect(try home.unread(at: 2) == 2)
        // Bob holds it, and his receipt does not say that it was delivered: he is not shown it.
        #expect(try home.state(of: "after", at: 3) == .sent)
        #expect(try home.state(of: "from the tablet", at: 3) == .delivered)
    }

    @Test("nothing is shown either when the node has started anew meanwhile")
    func restarted() throws {
        var home = try SharedHome.robbed()
        try home.restart(2)
        home.meet(2, 3)
        home.network.run(for: 60_000)
        #expect(try home.texts(at: 2) == ["before"])
    }

    @Test("nothing counts in a log that the cut does not name")
    func otherLogs() throws {
        let family = Family()
        var cuts = Cuts()
        var log = HandWrittenLog(by: family.primary, to: device("bob").userID)
        let ends = [LogPlace(logID: LogID(Bytes32()), sequence: 9, chain: ChainHash(Bytes32()))]
        let conversationID = log.record.description.conversationID
        let cut = DeviceCut.sign(family.linked.deviceID, after: ends, in: conversationID, with: family.identityKey)
        _ = cuts.insert([log.entry(.cut(cut))], by: family.primary.userID, in: conversationID)
        let other = HandWrittenLog(by: family.linked, to: device("bob").userID, epoch: 7)
        let place = Place(sequence: 1, chain: ChainHash(Bytes32()))
        #expect(!cuts.counts(place, of: other.record.description, by: family.linked.userID))
        #expect(cuts.counts(place, of: log.record.description, by: family.primary.userID))
    }

    @Test("something counts if the identity key has not said so, or not in this conversation")
    func forged() throws {
        let family = Family()
        var cuts = Cuts()
        var log = HandWrittenLog(by: family.linked, to: device("bob").userID)
        let conversationID = log.record.description.conversationID
        let own = ConversationID.direct(family.primary.userID, family.primary.userID)
        for forged in [
            DeviceCut.sign(family.primary.deviceID, after: [], in: conversationID, with: family.linked.signingKey),
            DeviceCut.sign(family.primary.deviceID, after: [], in: own, with: family.identityKey),
        ] {
            #expect(cuts.insert([log.entry(.cut(forged))], by: family.linked.userID, in: conversationID).isEmpty)
        }
        let place = Place(sequence: 1, chain: ChainHash(Bytes32()))
        let primarys = HandWrittenLog(by: family.primary, to: device("bob").userID)
        #expect(cuts.counts(place, of: primarys.record.description, by: family.primary.userID))
    }

    @Test("receipts that are met later deliver nothing, in whichever frame they come")
    func receipts() throws {
        var home = try SharedHome.ofFour()
        try home.revoke(1, at: 0)
        // The primary device says nothing from now on but what the test says.
        home.network.nodes[0].isStopped = true
        home.cut(2, from: 3)
        home.send("to alice", from: 2, to: 0)
        let primaryID = home.network.nodes[0].local.deviceID
        let connectionID = try #require(home.network.nodes[2].machine.replication.sessions[primaryID])
        for (signer, expected) in [(1, DeliveryState.sent), (0, .delivered)] {
            let local = home.network.nodes[signer].local
            let log = try #require(home.network.nodes[2].machine.replication.logs.own(in: home.conversationID).first)
            let receipt = Receipt.sign(
                logID: log.record.logID, sequence: log.head.sequence, chain: log.head.chain, readSequence: 0,
                deviceID: local.deviceID, with: local.signingKey)
            for frame in [Frame.receipts([receipt]), .carried([receipt], [FrameCredential(local.link.credential)])] {
                try home.network.nodes[2].machine.received(frame, on: connectionID, now: home.network.now)
                home.network.input(2) { $0.tick(now: $1) }
                home.network.run(for: 5_000)
            }
            #expect(try home.state(of: "to alice", at: 2) == expected)
        }
    }
}
