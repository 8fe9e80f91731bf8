import EarshotCrypto
import EarshotModel
import EarshotSimulation
import EarshotStore
import Testing

@testable import EarshotProtocol

@Suite("What a user decides on one device")
struct SharedDecisionsTests {
    private let bob = device("bob").userID

    private func linkedHome() throws -> SharedHome {
        var home = try SharedHome()
        home.meet(0, 1)
        home.meet(0, 2)
        home.meet(1, 2)
        return home
    }

    @Test("is who is blocked, from whichever device, and who is no longer")
    func blocks() throws {
        var home = try linkedHome()
        home.decide(.block, at: 1, about: bob)
        home.network.run(for: 5_000)
        #expect(home.trust(in: bob, at: 0) == .blocked && home.trust(in: bob, at: 1) == .blocked)
        #expect(!home.network.isLinked(0, to: 2) && !home.network.isLinked(1, to: 2))
        #expect(home.network.nodes[0].events.names.contains(.userUpdated))
        home.decide(.unblock, at: 0, about: bob)
        home.network.run(for: 60_000)
        #expect(home.trust(in: bob, at: 0) == .unverified && home.trust(in: bob, at: 1) == .unverified)
        #expect(home.network.isLinked(1, to: 2))
    }

    @Test("holds on a device that comes later, about users whom it never met")
    func later() throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.decide(.verify, at: 0, about: bob)
        home.decide(.block, at: 0, about: bob)
        home.network.run(for: 5_000)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(home.trust(in: bob, at: 1) == .blocked)
        #expect(home.network.nodes[1].machine.user(bob)?.name.text == "bob")
        home.meet(1, 2)
        #expect(!home.network.isLinked(1, to: 2))
        home.decide(.unblock, at: 1, about: bob)
        home.network.run(for: 5_000)
        #expect(home.trust(in: bob, at: 0) == .verified && home.trust(in: bob, at: 1) == .verified)
    }

    @Test("is who is verified by a device with the identity key; without it, on that device alone")
    func verified() throws {
        var home = try linkedHome()
        home.decide(.verify, at: 1, about: bob)
        home.network.run(for: 60_000)
        #expect(home.trust(in: bob, at: 1) == .verified && home.trust(in: bob, at: 0) == .unverified)
        home = try linkedHome()
        home.decide(.verify, at: 0, about: bob)
        home.network.run(for: 60_000)
        #expect(home.trust(in: bob, at: 0) == .verified && home.trust(in: bob, at: 1) == .verified)
        #expect(home.network.nodes[1].machine.user(bob)?.isPinned == true)
    }

    @Test("is on the disk in one commit with the entry that says it, on every device")
    func together() throws {
        var home = try linkedHome()
        home.decide(.block, at: 0, about: bob)
        home.network.run(for: 5_000)
        for index in 0...1 {
            let snapshot = try #require(home.network.nodes[index].store).snapshot()
            #expect(snapshot.users.first { $0.userID == bob }?.trust == .blocked)
            let kinds = snapshot.sharedEntries.flatMap { $0.entries.map(\.kind) }
            #expect(kinds == [.decision])
            let held = home.network.nodes[index].machine.user(bob)?.trust
            #expect(held == .blocked)
        }
    }

    @Test("goes on where it was when the node starts anew")
    func restarted() throws {
        var home = try linkedHome()
        home.decide(.block, at: 1, about: bob)
        home.network.run(for: 5_000)
        try home.restart(0)
        home.decide(.unblock, at: 0, about: bob)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(home.trust(in: bob, at: 0) == .unverified && home.trust(in: bob, at: 1) == .unverified)
    }

    @Test("is shown to nobody as a conversation, waits for nobody, and goes to nobody else")
    func unseen() throws {
        var home = try linkedHome()
        home.decide(.verify, at: 0, about: bob)
        home.network.run(for: 60_000)
        let alice = home.network.nodes[0].local.userID
        let own = ConversationID.direct(alice, alice)
        for index in 0...1 {
            let store = try #require(home.network.nodes[index].store)
            #expect(try store.snapshot().logs.contains { $0.description.conversationID == own })
            #expect(try store.conversations(readBy: alice, before: nil, limit: 9).isEmpty)
            #expect(try store.conversation(own, readBy: alice) == nil)
            #expect(try store.history(of: own, .latest, limit: 9)?.isEmpty == true)
            #expect(home.network.nodes[index].machine.undeliveredCount == 0)
            let names = home.network.nodes[index].events.names
            #expect(!names.contains(.messageQueued) && !names.contains(.messageReceived))
        }
        let friend = try #require(home.network.nodes[2].store).snapshot()
        #expect(!friend.logs.contains { $0.description.conversationID == own })
    }

    // MARK: The fold

    private struct Author {
        let device: LocalDevice
        var log: HandWrittenLog

        init(_ device: LocalDevice) {
            self.device = device
            log = HandWrittenLog(by: device, to: device.userID)
        }

        mutating func say(_ drafts: [EntryDraft]) -> [RecordedEntries] {
            let entries = drafts.map { log.entry($0) }
            return entries.map { RecordedEntries(log: log.record, entries: [$0]) }
        }
    }

    private func decision(_ verdict: TrustDecision, _ user: String, _ counter: UInt64) throws -> Decision {
        Decision(verdict, about: device(user).userID, name: try UserName(user), counter: counter)
    }

    private func outcome(_ family: Family, _ entries: [RecordedEntries]) -> Decisions.Outcome {
        Decisions(of: family.primary.userID, entries).outcome
    }

    @Test("comes to the same in whatever order it is heard")
    func order() throws {
        let family = Family()
        var (primary, linked) = (Author(family.primary), Author(family.linked))
        let signed = try decision(.verify, "bob", 3).signed(for: family.primary.deviceID, with: family.identityKey)
        let entries =
            try primary.say([
                .decision(decision(.block, "bob", 1)), .decision(decision(.unblock, "bob", 2)), .decision(signed),
            ]) + linked.say([.decision(decision(.block, "carol", 1)), .decision(decision(.block, "bob", 4))])
        let expected = outcome(family, entries)
        #expect(expected.blocked == [device("bob").userID, device("carol").userID])
        #expect(expected.verified == [device("bob").userID])
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            var decisions = Decisions(of: family.primary.userID)
            for run in entries.shuffled(using: &generator) { decisions.insert(run) }
            #expect(decisions.outcome == expected)
        }
    }

    @Test("counts behind none of a number that a device made up")
    func counters() throws {
        let family = Family()
        var (primary, linked) = (Author(family.primary), Author(family.linked))
        let entries =
            try linked.say([.decision(decision(.block, "bob", .max)), .decision(decision(.block, "bob", 1))])
            + primary.say([.decision(decision(.unblock, "bob", 2))])
        #expect(outcome(family, entries).blocked.isEmpty)
        #expect(Decisions(of: family.primary.userID, entries).nextCounter == 3)
    }

    @Test("is accepted or verified only by the identity key's word, for the device that says so")
    func forged() throws {
        let family = Family()
        var linked = Author(family.linked)
        let bare = try decision(.verify, "bob", 1)
        let byDevice = bare.signed(for: family.linked.deviceID, with: family.linked.signingKey)
        // What the primary device has said is not the linked one's to say.
        let repeated = bare.signed(for: family.primary.deviceID, with: family.identityKey)
        for forged in [bare, byDevice, repeated] {
            let outcome = outcome(family, linked.say([.decision(forged)]))
            #expect(outcome.verified.isEmpty && outcome.holders.isEmpty)
        }
        let signed = bare.signed(for: family.linked.deviceID, with: family.identityKey)
        #expect(outcome(family, linked.say([.decision(signed)])).verified == [device("bob").userID])
    }

    @Test("counts for nothing behind the end of a revoked device, and others count on")
    func revoked() throws {
        let family = Family()
        var (primary, linked) = (Author(family.primary), Author(family.linked))
        let first = try linked.say([.decision(decision(.block, "carol", 1))])
        let end = LogPlace(
            logID: linked.log.logID, sequence: linked.log.head.sequence, chain: linked.log.head.chain)
        let thiefs = try linked.say([.decision(decision(.block, "bob", 2))])
        let own = family.primary.userID
        let cut = DeviceCut.sign(
            family.linked.deviceID, after: [end], in: .direct(own, own), with: family.identityKey)
        let mine = try primary.say([.cut(cut), .decision(decision(.block, "dave", 3))])
        let blocked = outcome(family, first + thiefs + mine).blocked
        #expect(blocked == [device("carol").userID, device("dave").userID])
    }
}
