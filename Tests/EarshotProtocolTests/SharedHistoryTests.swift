import EarshotCrypto
import EarshotModel
import EarshotSimulation
import EarshotStore
import Testing

@testable import EarshotProtocol

@Suite("What devices of one user share")
struct SharedHistoryTests {
    @Test("shows a message that one of them sent as the user's own on the other, with its states")
    func sent() throws {
        var home = try SharedHome()
        home.meet(0, 1)
        home.meet(0, 2)
        home.send("hello", from: 0, to: 2)
        home.network.run(for: 60_000)
        for device in 0...1 {
            #expect(try home.texts(at: device) == ["hello"])
            #expect(try home.state(of: "hello", at: device) == .delivered)
        }
        let events = home.network.nodes[1].events.names
        #expect(events.contains(.messageQueued) && events.contains(.messageDelivered))
        #expect(!events.contains(.messageReceived))
    }

    @Test("reaches one that met nobody: it is given the history, and knows whom it is with")
    func newcomer() throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.send("question", from: 0, to: 2)
        home.send("answer", from: 2, to: 0)
        home.network.run(for: 10_000)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(try home.texts(at: 1) == ["question", "answer"])
        #expect(home.network.nodes[1].machine.users.map(\.name.text) == ["bob"])
        #expect(try home.state(of: "question", at: 1) == .delivered)
    }

    @Test("is delivered by one that is on for another that is off")
    func mailbox() throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.cut(0, from: 2)
        home.meet(0, 1)
        home.send("later", from: 0, to: 2)
        home.network.run(for: 10_000)
        #expect(try home.state(of: "later", at: 0) == .queued)
        home.cut(0, from: 1)
        home.meet(1, 2)
        home.network.run(for: 10_000)
        #expect(try home.texts(at: 2) == ["later"])
        #expect(try home.state(of: "later", at: 1) == .delivered)
        // The answer reaches the one that was off through the other.
        home.send("thanks", from: 2, to: 0)
        home.network.run(for: 10_000)
        #expect(try home.state(of: "thanks", at: 2) == .delivered)
        home.network.nodes[2].isStopped = true
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(try home.state(of: "later", at: 0) == .delivered)
        #expect(try home.texts(at: 0) == ["later", "thanks"])
    }

    @Test("is not delivered because another device of its author has it")
    func keptIsNotDelivered() throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.cut(0, from: 2)
        home.meet(0, 1)
        home.send("kept", from: 0, to: 2)
        home.network.run(for: 90_000)
        for device in 0...1 {
            #expect(try home.texts(at: device) == ["kept"])
            #expect(try home.state(of: "kept", at: device) == .queued)
        }
    }

    @Test(
        "shows what one of them cancelled while the others were away, and gives it to no other user",
        arguments: [false, true])
    func cancelled(isHeardOfBefore: Bool) throws {
        let family = Family()
        var generator = SeededGenerator(seed: 99)
        let tablet = LocalDevice.generated(name: "alice", identityKey: family.identityKey, using: &generator)
        var home = try SharedHome(family, and: [tablet])
        home.meet(0, 2)
        home.send("before", from: 0, to: 2)
        home.cut(0, from: 2)
        home.send("mistake", from: 0, to: 2)
        let last = try #require(try home.rows(at: 0).last)
        let messageID = MessageID(log: last.log.logID, sequence: last.entry.sequence)
        home.network.input(0) { $0.cancel(messageID, requestID: RequestID(77), now: $1) }
        home.send("after", from: 0, to: 2)
        if isHeardOfBefore {
            // The second device hears of the message from Bob first, and starts anew.
            home.meet(0, 2)
            home.network.run(for: 10_000)
            home.cut(0, from: 2)
            home.meet(1, 2)
            home.network.run(for: 60_000)
            #expect(try home.texts(at: 1) == ["before", "after"])
            try home.restart(1)
        }
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(home.network.nodes[1].events.names.suffix(20).contains(.messageFailed))
        home.cut(0, from: 1)
        // The second device has not written it, and gives it to another device of the user alone.
        home.meet(1, 2)
        home.meet(1, 3)
        home.network.run(for: 60_000)
        try home.restart(1)
        for device in [0, 1, 3] {
            #expect(try home.texts(at: device) == ["before", "mistake", "after"])
            #expect(try home.state(of: "mistake", at: device) == .failed(.cancelled))
            #expect(try home.state(of: "after", at: device)?.isDelivered == true || device == 0)
        }
        #expect(try home.texts(at: 2) == ["before", "after"])
    }

    @Test("says why a message failed as the device does that wrote it, also where the reason is over")
    func reasons() throws {
        var home = try SharedHome(Family())
        home.meet(0, 2)
        home.send("before", from: 0, to: 2)
        home.cut(0, from: 2)
        home.send("too late", from: 0, to: 2)
        let bob = home.userID(2)
        home.decide(.block, at: 0, about: bob)
        home.network.run(for: 1_000)
        home.decide(.unblock, at: 0, about: bob)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        for device in 0...1 {
            #expect(try home.state(of: "too late", at: device) == .failed(.blocked))
        }
    }

    @Test(
        "says what one of them had cancelled before its disk was replaced by an older copy, in a direct conversation and in others",
        arguments: [false, true])
    func cancelledBeforeCopy(isOpen: Bool) throws {
        var home = try SharedHome()
        home.meet(0, 2)
        var conversationID = home.conversationID
        if isOpen {
            for device in [0, 2] {
                home.network.input(device) {
                    $0.join("ops", isAdvertised: false, requestID: RequestID(UInt64(500 + device)), now: $1)
                }
            }
            home.network.run(for: 60_000)
            conversationID = try home.network.nodes[0].machine.openConversationID("ops")
        }
        home.send("before", to: conversationID)
        home.network.run(for: 10_000)
        home.cut(0, from: 2)
        home.send("mistake", to: conversationID)
        let copy = try #require(home.network.nodes[0].store).inMemoryCopy()
        let last = try #require(try home.rows(at: 0, of: conversationID).last)
        let messageID = MessageID(log: last.log.logID, sequence: last.entry.sequence)
        home.network.input(0) { $0.cancel(messageID, requestID: RequestID(77), now: $1) }
        home.meet(0, 1)
        home.network.run(for: 60_000)
        home.network.nodes[0].store = copy
        try home.restart(0)
        // Nobody but the user's other device can say it.
        home.meet(0, 1)
        home.network.run(for: 60_000)
        let told = home.network.nodes[0].events.count
        home.meet(0, 2)
        home.network.run(for: 60_000)
        #expect(!home.network.nodes[0].events.names.dropFirst(told).contains(.messageDelivered))
        for device in [0, 1] {
            let row = try #require(try home.rows(at: device, of: conversationID).last)
            #expect(row.state(for: row.log.recipientID) == .failed(.cancelled))
        }
        #expect(try home.texts(at: 2, of: conversationID) == ["before"])
    }

    @Test(
        "is delivered on all as far as the recipient says, also where an older word of theirs was carried to its author"
    )
    func furthestReceipt() throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.cut(0, from: 2)
        home.meet(0, 1)
        home.send("first", from: 0, to: 2)
        home.network.run(for: 10_000)
        home.cut(0, from: 1)
        home.meet(1, 2)
        home.network.run(for: 10_000)
        home.cut(1, from: 2)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(try home.state(of: "first", at: 0) == .delivered)
        home.cut(0, from: 1)
        home.meet(0, 2)
        home.send("second", from: 0, to: 2)
        home.network.run(for: 10_000)
        #expect(try home.state(of: "second", at: 0) == .delivered)
        home.cut(0, from: 2)
        home.meet(0, 1)
        home.network.run(for: 120_000)
        #expect(try home.state(of: "first", at: 1) == .delivered)
        #expect(try home.state(of: "second", at: 1) == .delivered)
    }

    @Test("is read on all when it was read on one")
    func read() throws {
        var home = try SharedHome()
        home.meet(0, 1)
        home.meet(0, 2)
        home.send("one", from: 2, to: 0)
        home.send("two", from: 2, to: 0)
        home.network.run(for: 60_000)
        let last = try #require(try home.rows(at: 1).last)
        #expect(try home.unread(at: 0) == 2 && home.unread(at: 1) == 2)
        let messageID = MessageID(log: last.log.logID, sequence: last.entry.sequence)
        home.network.input(1) { $0.markRead(messageID, requestID: RequestID(77), now: $1) }
        home.network.run(for: 10_000)
        #expect(try home.unread(at: 0) == 0 && home.unread(at: 1) == 0)
        #expect(try home.state(of: "two", at: 2) == .read)
    }

    @Test("is read also on one that comes later")
    func readBefore() throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.send("one", from: 2, to: 0)
        home.network.run(for: 10_000)
        let last = try #require(try home.rows(at: 0).last)
        let messageID = MessageID(log: last.log.logID, sequence: last.entry.sequence)
        home.network.input(0) { $0.markRead(messageID, requestID: RequestID(77), now: $1) }
        home.network.run(for: 10_000)
        home.meet(0, 1)
        home.network.run(for: 90_000)
        #expect(try home.texts(at: 1) == ["one"])
        #expect(try home.unread(at: 1) == 0)
    }

    @Test("is the same also where each of them met only the other user")
    func throughOthers() throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.send("from the first", from: 0, to: 2)
        home.meet(1, 2)
        home.send("from the second", from: 1, to: 2)
        home.send("from bob", from: 2, to: 0)
        home.network.run(for: 120_000)
        for device in 0...1 {
            #expect(Set(try home.texts(at: device)) == ["from the first", "from the second", "from bob"])
            for text in ["from the first", "from the second"] {
                #expect(try home.state(of: text, at: device) == .delivered)
            }
        }
    }

    @Test("is which open conversations their user belongs to, and what is said there")
    func openConversations() throws {
        var home = try SharedHome()
        home.meet(0, 1)
        for device in [0, 2] {
            home.network.input(device) {
                $0.join("ops", isAdvertised: false, requestID: RequestID(UInt64(500 + device)), now: $1)
            }
        }
        home.meet(0, 2)
        home.network.run(for: 60_000)
        let conversationID = try home.network.nodes[1].machine.openConversationID("ops")
        #expect(home.network.nodes[1].machine.openConversation(conversationID)?.isJoined == true)
        home.network.input(1) {
            $0.send([MessageDraft("from the linked one")], to: conversationID, requestID: RequestID(600), now: $1)
        }
        home.network.run(for: 90_000)
        #expect(try home.texts(at: 2, of: conversationID) == ["from the linked one"])
        #expect(try home.texts(at: 0, of: conversationID) == ["from the linked one"])
    }

    @Test("is within a second which open conversations their user has joined and left, on whichever of them")
    func openConversationsAtOnce() throws {
        var home = try SharedHome()
        home.meet(0, 1)
        let conversationID = try home.network.nodes[0].machine.openConversationID("ops")
        for (number, device) in [0, 1, 1, 0].enumerated() {
            let (requestID, isJoining) = (RequestID(UInt64(700 + number)), number.isMultiple(of: 2))
            home.network.input(device) { machine, now in
                isJoining
                    ? machine.join("ops", isAdvertised: false, requestID: requestID, now: now)
                    : machine.leave(conversationID, requestID: requestID, now: now)
            }
            home.network.run(for: 1_000)
            for other in 0...1 {
                let isJoined = home.network.nodes[other].machine.openConversation(conversationID)?.isJoined
                #expect(isJoined == isJoining, "\(number), at \(other)")
            }
        }
    }

    @Test(
        "is within a second which invitations their user has accepted, and which private conversations they began or left"
    )
    func privateConversationsAtOnce() throws {
        var home = try SharedHome()
        home.meet(0, 1)
        home.meet(0, 2)
        let (alice, bob) = (home.network.nodes[0].local.userID, home.network.nodes[2].local.userID)
        let salt = [UInt8](repeating: 7, count: ConversationOrigin.saltBytes)
        for (owner, other) in [(2, alice), (0, bob)] {
            let creatorID = home.network.nodes[owner].local.userID
            let ops = ConversationID.private(ConversationOrigin(creatorID: creatorID, salt: salt))
            let draft = ConversationDraft(uniqueName: "ops \(owner)", givesHistory: true, invited: [other])
            home.network.input(owner) {
                $0.createConversation(draft, salt: salt, proof: nil, requestID: RequestID(800), now: $1)
            }
            home.network.run(for: 1_000)
            #expect(home.network.nodes[1].machine.membership(ops) != nil, "\(owner)")
            guard owner == 2 else { continue }
            home.network.input(0) { $0.acceptInvitation(to: ops, requestID: RequestID(801), now: $1) }
            home.network.run(for: 1_000)
            #expect(home.network.nodes[1].machine.membership(ops)?.hasJoined(alice) == true)
            home.network.input(1) { $0.leavePrivate(ops, requestID: RequestID(802), now: $1) }
            home.network.run(for: 1_000)
            #expect(home.network.nodes[0].machine.membership(ops)?.hasJoined(alice) == false)
        }
    }

    @Test("is nothing while a credential is expired")
    func expired() throws {
        var home = try SharedHome(Family(notAfter: Family.now - 1))
        home.network.nodes[0].identityKey = nil
        home.meet(0, 2)
        home.send("hello", from: 0, to: 2)
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(home.network.isLinked(0, to: 1))
        #expect(try home.texts(at: 1).isEmpty)
    }

    @Test("goes on as soon as the clock is right by which a credential seemed expired", arguments: [false, true])
    func wrongClock(isTold: Bool) throws {
        var home = try SharedHome()
        home.meet(0, 2)
        home.send("hello", from: 0, to: 2)
        home.network.nodes[1].clockOffset = 1_000 * Family.hour
        home.meet(0, 1)
        home.network.run(for: 60_000)
        #expect(home.network.isLinked(0, to: 1))
        #expect(try home.texts(at: 1).isEmpty)
        home.network.nodes[1].clockOffset = 0
        home.network.input(1) { isTold ? $0.clockChanged(now: $1) : $0.tick(now: $1) }
        home.network.run(for: 30_000)
        #expect(try home.texts(at: 1) == ["hello"])
    }

    @Test("holds nothing that a thief wrote after the device was revoked")
    func revoked() throws {
        let family = Family()
        var home = try SharedHome(family)
        home.meet(0, 1)
        home.meet(1, 2)
        home.send("before", from: 1, to: 2)
        home.network.run(for: 60_000)
        let revocation = Revocation.sign(family.linked.deviceID, with: family.identityKey)
        home.cut(1, from: 0)
        // The thief's words reach the friend, who has not heard.
        home.send("after", from: 1, to: 2)
        home.network.run(for: 10_000)
        #expect(try home.texts(at: 2) == ["before", "after"])
        home.network.nodes[1].isStopped = true
        home.network.input(0) { $0.revoke(revocation, requestID: RequestID(900), now: $1) }
        home.meet(0, 2)
        home.network.run(for: 120_000)
        #expect(try home.texts(at: 0) == ["before"])
    }
}
