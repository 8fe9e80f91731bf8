import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Who is in a private conversation")
struct MembershipTests {
    private let alice = TestUser.alice, bob = TestUser.bob, carol = TestUser.carol

    @Test("is its creator, and whom the owner's device adds until it removes them")
    func addedAndRemoved() throws {
        var log = ControlDraft.founding(alice.primary)
        let created = log.end
        let added = log.add(bob)
        log.add(carol)
        let removed = log.remove(bob)
        let membership = try Membership(log)
        #expect(membership.ownerID == alice.userID && membership.writer == alice.primary.deviceID)
        #expect(membership.participants.map(\.userID) == [alice.userID, carol.userID])
        #expect(membership.participants.map(\.role) == [.owner, .participant])
        #expect(membership.recipients(of: alice.userID, at: created) == [])
        #expect(membership.recipients(of: alice.userID, at: added) == [bob.userID])
        #expect(membership.recipients(of: carol.userID, at: removed) == [alice.userID])
        #expect(membership.status(of: bob) == .removed && membership.status(of: TestUser.dave) == nil)
    }

    @Test("is as if an unsent end had never been, once that gives way to what comes back")
    func forgotten() throws {
        var log = ControlDraft.founding(alice.primary)
        log.add(bob)
        var (older, newer) = (log, log)
        older.add(carol)
        let unsent = older.remove(bob)
        newer.add(TestUser.dave)
        var membership = try Membership(older)
        #expect(!membership.has(bob) && membership.has(carol))
        membership.forget(unsent, after: 2)
        #expect(try membership == Membership(log))
        membership.forget(unsent, after: 2)
        #expect(try membership == Membership(log))
        membership = try Membership(older, newer)
        membership.forget(unsent, after: 2)
        #expect(try membership == Membership(newer))
    }

    @Test("is as if a log of which nobody was given anything had never been, but for the one that founds it")
    func forgottenLog() throws {
        var log = ControlDraft.founding(alice.primary)
        log.add(bob)
        log.write(.handOver(to: bob.userID))
        var next = log.followed(by: bob.primary, rank: 2, .handOver)
        let unsent = next.add(carol)
        var membership = try Membership(log, next)
        #expect(membership.ownerID == bob.userID && membership.has(carol))
        membership.forget(unsent, after: 0)
        #expect(try membership == Membership(log))
        membership.forget(log.end, after: 0)
        #expect(try membership == Membership(log))
    }

    @Test("has what an unsent end said said again where that still changes something, by the device that may")
    func remaining() throws {
        var log = ControlDraft.founding(alice.primary)
        log.add(bob)
        let membership = try Membership(log)
        let unsent: [ControlEntry] = [
            .add(bob.userID), .add(carol.userID), .remove(carol.userID), .remove(TestUser.dave.userID),
            .update(ConversationAttributes(friendlyName: "The crew", json: "", counter: 1)),
            .pass(to: bob.primary.deviceID),
            .handOver(to: carol.userID), .closed,
        ]
        let device = alice.primary.deviceID
        #expect(
            membership.remaining(of: unsent, by: alice.userID, on: device) == [
                .add(carol.userID), .remove(carol.userID),
                .update(
                    ConversationAttributes(
                        friendlyName: "The crew", json: "", counter: membership.attributes.counter + 1)), .closed,
            ])
        #expect(membership.remaining(of: unsent, by: bob.userID, on: bob.primary.deviceID).isEmpty)
        log.write(.closed)
        #expect(try Membership(log).remaining(of: unsent, by: alice.userID, on: device).isEmpty)
    }

    @Test("is founded by the log whose creation gives the conversation's id, and by no other")
    func founded() throws {
        let other = ControlDraft.founding(bob.primary, as: ConversationID(messageLog(bob).bytes32))
        #expect(throws: Membership.NotFounded.self) { try Membership(other) }
        let log = ControlDraft.founding(alice.primary, rank: 2)
        #expect(try Membership(other, log).ownerID == alice.userID)
    }

    @Test("is the owner whatever is written: nothing removes the owner")
    func ownerStays() throws {
        var log = ControlDraft.founding(alice.primary)
        log.remove(alice)
        log.add(alice)
        let membership = try Membership(log)
        #expect(membership.participants.map(\.userID) == [alice.userID])
        #expect(membership.status(of: alice) == .joined)
        #expect(try Membership(log, log.followed(by: alice.secondPrimary, rank: 2, .takeover([]))).has(alice))
    }

    @Test("is nobody for whom an entry of another user's log speaks")
    func strangersLog() throws {
        var log = ControlDraft.founding(alice.primary)
        log.add(bob)
        var theirs = ControlDraft(bob.primary, rank: 0)
        theirs.add(carol)
        var taken = log.followed(by: bob.primary, rank: 3, .takeover([(carol, log.end)]))
        taken.remove(alice)
        let membership = try Membership(log, theirs, taken)
        #expect(try membership == Membership(taken, log, theirs))
        #expect(membership.participants.map(\.userID) == [alice.userID, bob.userID])
        #expect(membership.recipients(of: alice.userID, at: taken.end) == nil)
    }

    @Test("changes only once by adding somebody who is in, so an answer to the first addition stays good")
    func addedTwice() throws {
        var log = ControlDraft.founding(alice.primary)
        let first = log.add(bob)
        let second = log.add(bob)
        var membership = try Membership(log)
        membership.noteJoin(of: bob.userID, answering: second)
        #expect(membership.status(of: bob) == .invited)
        membership.noteJoin(of: bob.userID, answering: first)
        #expect(membership.status(of: bob) == .joined)
    }

    @Test("is invited, has joined or has left, as they answer their addition; a `Join` after a `Leave` does not count")
    func answers() throws {
        var log = ControlDraft.founding(alice.primary)
        let added = log.add(bob)
        var membership = try Membership(log)
        #expect(membership.status(of: bob) == .invited)
        membership.noteJoin(of: carol.userID, answering: added)
        #expect(membership.status(of: bob) == .invited)
        membership.noteJoin(of: bob.userID, answering: added)
        #expect(membership.status(of: bob) == .joined)
        membership.noteLeave(of: bob.userID, answering: added)
        membership.noteJoin(of: bob.userID, answering: added)
        #expect(membership.status(of: bob) == .left)

        log.remove(bob, reason: .left)
        let again = log.add(bob)
        var later = try Membership(log)
        later.noteLeave(of: bob.userID, answering: added)
        #expect(later.status(of: bob) == .invited)
        later.noteJoin(of: bob.userID, answering: again)
        #expect(later.status(of: bob) == .joined)
    }

    @Test("has left, and was not removed, if the owner's device records that they left")
    func recordedLeave() throws {
        var log = ControlDraft.founding(alice.primary)
        log.add(bob)
        log.remove(bob, reason: .left)
        #expect(try Membership(log).status(of: bob) == .left)
    }

    @Test("changes no longer once it is closed, and messages whose author knew of it do not count")
    func closed() throws {
        var log = ControlDraft.founding(alice.primary)
        let before = log.add(bob)
        let closed = log.write(.closed)
        log.add(carol)
        log.remove(bob)
        log.update("Later", counter: 9)
        let membership = try Membership(log)
        #expect(membership.isClosed && membership.has(bob) && !membership.has(carol))
        #expect(membership.status(of: bob) == .closed && membership.attributes.friendlyName == "Operations")
        #expect(membership.standing(of: bob.userID, in: messageLog(bob), at: before) == .counts)
        #expect(membership.standing(of: bob.userID, in: messageLog(bob), at: closed) == .doesNotCount)
        let taken = log.followed(by: alice.secondPrimary, rank: 2, .takeover([(bob, before)]))
        #expect(try Membership(log, taken).isClosed)
        let undone = log.followed(by: alice.secondPrimary, rank: 2, .takeover([(bob, before)]), behind: before)
        #expect(try !Membership(log, undone).isClosed)
    }

    @Test("is at most 128 users; an addition beyond that counts for nothing until somebody goes")
    func participantLimit() throws {
        var log = ControlDraft.founding(alice.primary)
        for number in 2...128 { log.add(TestUser(number: UInt64(number))) }
        log.add(TestUser(number: 129))
        #expect(try Membership(log).participants.count == Limits.participants)
        #expect(try !Membership(log).has(TestUser(number: 129)))
        log.remove(bob)
        log.add(TestUser(number: 129))
        log.add(bob)
        #expect(try Membership(log).participants.count == Limits.participants)
        #expect(try Membership(log).has(TestUser(number: 129)) && !Membership(log).has(bob))
        let members = (2...200).map { (TestUser(number: UInt64($0)), log.end) }
        let taken = log.followed(by: alice.secondPrimary, rank: 2, .takeover(members))
        #expect(try Membership(log, taken).participants.count == Limits.participants)
    }

    @Test("has the attributes with the highest counter, then time; a takeover's replace all")
    func attributes() throws {
        var log = ControlDraft.founding(alice.primary)
        log.update("second", counter: 2)
        log.update("first", counter: 1)
        #expect(try Membership(log).attributes.friendlyName == "second")
        log.update("second again", counter: 2)
        #expect(try Membership(log).attributes.friendlyName == "second again")
        let taken = log.followed(by: alice.secondPrimary, rank: 2, .takeover([], named: "restated"))
        #expect(try Membership(log, taken).attributes.friendlyName == "restated")
    }
}

@Suite("What a participant is owed, and what counts of theirs")
struct MembershipVersionTests {
    private let alice = TestUser.alice, bob = TestUser.bob, carol = TestUser.carol

    @Test(
        "goes by the participants at a version: newcomers are owed what came before only if history is given",
        arguments: [false, true])
    func history(givesHistory: Bool) throws {
        var log = ControlDraft.founding(alice.primary, givesHistory: givesHistory)
        let before = log.end
        let added = log.add(bob)
        var membership = try Membership(log)
        #expect(!membership.isOwed(bob.userID, at: added))
        membership.noteJoin(of: bob.userID, answering: added)
        #expect(membership.isOwed(bob.userID, at: added) && membership.isOwed(alice.userID, at: before))
        #expect(membership.isOwed(bob.userID, at: before) == givesHistory)
        membership.noteLeave(of: bob.userID, answering: added)
        #expect(!membership.isOwed(bob.userID, at: added))
    }

    @Test("is nothing for somebody who was removed, even of versions at which they were in")
    func removedIsOwedNothing() throws {
        var log = ControlDraft.founding(alice.primary, givesHistory: true)
        let added = log.add(bob)
        log.remove(bob)
        var membership = try Membership(log)
        membership.noteJoin(of: bob.userID, answering: added)
        #expect(!membership.isOwed(bob.userID, at: added))
    }

    @Test("is unknown at a version that this node does not hold")
    func unknownVersion() throws {
        var log = ControlDraft.founding(alice.primary)
        let membership = try Membership(log)
        let ahead = log.add(bob)
        #expect(membership.recipients(of: alice.userID, at: ahead) == nil)
        #expect(membership.standing(of: alice.userID, in: messageLog(alice), at: ahead) == .unknownVersion)
    }

    @Test("ends at the furthest of a removal's cuts; a log that none names counts for nothing")
    func cuts() throws {
        var log = ControlDraft.founding(alice.primary)
        let added = log.add(bob)
        let near = messagePlace(bob, 3)
        let far = messagePlace(bob, 7)
        let removed = log.remove(bob, cuts: [near])
        var membership = try Membership(log)
        #expect(membership.standing(of: bob.userID, in: near.logID, at: added) == .countsThrough([near]))
        #expect(membership.standing(of: bob.userID, in: messageLog(bob, 1), at: added) == .doesNotCount)
        #expect(membership.standing(of: bob.userID, in: near.logID, at: removed) == .doesNotCount)
        log.remove(bob, cuts: [far])
        membership = try Membership(log)
        #expect(membership.standing(of: bob.userID, in: near.logID, at: added) == .countsThrough([near, far]))
    }

    @Test("begins anew with a later addition, for entries whose author knew of it")
    func addedAgain() throws {
        var log = ControlDraft.founding(alice.primary)
        let first = log.add(bob)
        let cut = messagePlace(bob, 3)
        let removed = log.remove(bob, cuts: [cut])
        let second = log.add(bob)
        let membership = try Membership(log)
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: first) == .countsThrough([cut]))
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: removed) == .doesNotCount)
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: second) == .counts)
    }

    @Test("is nothing without an addition")
    func neverAdded() throws {
        let log = ControlDraft.founding(alice.primary)
        let membership = try Membership(log)
        #expect(membership.standing(of: bob.userID, in: messageLog(bob), at: log.end) == .doesNotCount)
        #expect(!membership.isOwed(bob.userID, at: log.end))
    }
}
