import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Which control log counts")
struct MembershipTermTests {
    private let alice = TestUser.alice, bob = TestUser.bob, carol = TestUser.carol, dave = TestUser.dave

    private func started(by device: TestDevice, with users: TestUser...) -> ControlDraft {
        var log = ControlDraft.founding(device)
        for user in users { log.add(user) }
        return log
    }

    // MARK: Pass and full logs

    @Test("is that of the device to which the writer passed it; what the writer adds behind that falls")
    func pass() throws {
        var log = started(by: alice.primary, with: bob)
        let pass = log.write(.pass(to: alice.linked.deviceID))
        #expect(try Membership(log).writer == alice.primary.deviceID)
        log.add(dave)
        var next = log.followed(by: alice.linked, rank: 2, .pass, behind: pass)
        next.add(carol)
        let membership = try Membership(log, next)
        #expect(membership.writer == alice.linked.deviceID && membership.term == 2)
        #expect(membership.has(bob) && membership.has(carol) && !membership.has(dave))
        #expect(membership.lost(by: alice.primary.deviceID).map(\.entry) == [.add(dave.userID)])
        #expect(membership.status(of: dave) == .removed)
    }

    @Test("is not that of a device or a user whom the entry that it follows does not name")
    func notNamed() throws {
        var log = started(by: alice.primary, with: bob)
        let added = log.end
        let pass = log.write(.pass(to: alice.linked.deviceID))
        let handOver = log.write(.handOver(to: bob.userID))
        let wrong = [
            log.followed(by: alice.secondLinked, rank: 2, .pass, behind: pass),
            log.followed(by: bob.primary, rank: 3, .pass, behind: pass),
            log.followed(by: alice.linked, rank: 4, .pass, behind: added),
            log.followed(by: carol.primary, rank: 5, .handOver, behind: handOver),
            log.followed(by: bob.primary, rank: 6, .handOver, behind: pass),
            log.followed(by: alice.secondLinked, rank: 7, .takeover([]), behind: pass),
            log.followed(by: bob.primary, rank: 8, .takeover([]), behind: pass),
            log.followed(by: alice.primary, rank: 9, .full, behind: pass),
        ]
        let membership = try #require(
            Membership(conversationID: ControlDraft.conversationID, logs: ([log] + wrong).map(\.log)))
        #expect(membership.term == 1 && membership.ownerID == alice.userID)
    }

    @Test("is the next one of a writer whose log is full; nothing fits into the full one")
    func full() throws {
        var log = started(by: alice.linked, with: bob)
        while log.records.count < Limits.controlEntries { log.update("more", counter: UInt64(log.records.count)) }
        let last = log.end
        log.add(carol)
        var next = log.followed(by: alice.linked, rank: 2, .full, behind: last)
        next.add(dave)
        var appended = try Membership(log.copy(upTo: log.records[2].place))
        let isHeld = appended.append(log.records.dropFirst(3), after: log.records[2].place)
        #expect(try isHeld && !appended.has(carol) && appended == Membership(log))
        let membership = try Membership(log, next)
        #expect(membership.term == 2 && membership.has(bob) && membership.has(dave) && !membership.has(carol))
    }

    @Test("is at most the 64th")
    func termLimit() throws {
        var logs = [started(by: alice.primary, with: bob)]
        for term in 2...UInt64(Limits.controlTerms + 1) {
            let device = term.isMultiple(of: 2) ? alice.secondPrimary : alice.primary
            logs.append(logs[logs.count - 1].followed(by: device, rank: term, .takeover([(bob, logs[0].end)])))
        }
        let membership = try #require(
            Membership(conversationID: ControlDraft.conversationID, logs: logs.map(\.log)))
        #expect(membership.term == Limits.controlTerms && membership.has(bob))
    }

    @Test("goes up to what overrules an addition to whoever was added in vain")
    func overruledAddition() throws {
        var log = started(by: alice.primary, with: bob)
        let handOver = log.write(.handOver(to: bob.userID))
        log.add(dave)
        var next = log.followed(by: bob.primary, rank: 2, .handOver, behind: handOver)
        let begin = next.end
        next.add(carol)
        let membership = try Membership(log, next)
        let ends = membership.controlEnds(for: dave.userID)
        #expect(membership.status(of: dave) == .removed)
        #expect(ends == [log.log.description.logID: nil, next.log.description.logID: begin])
    }

    @Test("goes to who was removed where it has won over one that does not know of the removal")
    func overruledRival() throws {
        var log = started(by: alice.primary, with: bob, carol, dave)
        let handOver = log.write(.handOver(to: carol.userID))
        let removal = log.remove(bob)
        log.write(.handOver(to: dave.userID))
        let next = log.followed(by: dave.primary, rank: 2, .handOver)
        let rival = log.followed(by: carol.primary, rank: 3, .handOver, behind: handOver)
        let (logID, nextID) = (log.description.logID, next.description.logID)
        let held = try Membership(log, next)
        #expect(held.controlEnds(for: bob.userID) == [logID: removal])
        let all = try Membership(log, next, rival)
        #expect(all.writer == dave.primary.deviceID && all.status(of: bob) == .removed)
        #expect(all.controlEnds(for: bob.userID) == [logID: nil, nextID: next.end])
        // One that goes on from behind the removal changes nothing about it.
        let late = log.followed(by: dave.secondLinked, rank: 4, .handOver)
        #expect(try Membership(log, next, late).controlEnds(for: bob.userID) == [logID: removal])
    }

    // MARK: Takeovers

    @Test("is one with the identity key that takes over: it says who is in, and leaving somebody out removes them")
    func takeover() throws {
        let log = started(by: alice.linked, with: bob, carol)
        let taken = log.followed(by: alice.primary, rank: 2, .takeover([(bob, log.records[1].place), (dave, log.end)]))
        var membership = try Membership(log, taken)
        #expect(membership.writer == alice.primary.deviceID)
        #expect(membership.has(bob) && membership.has(dave) && !membership.has(carol))
        #expect(membership.status(of: carol) == .removed)
        #expect(membership.standing(of: carol.userID, in: messageLog(carol), at: log.end) == .doesNotCount)
        membership.noteJoin(of: bob.userID, answering: log.records[1].place)
        #expect(membership.status(of: bob) == .joined)
    }

    @Test("is that with the lowest id of two that take over at once; what follows the other falls with it")
    func duel() throws {
        let log = started(by: alice.linked, with: bob)
        let bobs = log.end
        var first = log.followed(by: alice.primary, rank: 2, .takeover([(bob, bobs)]))
        first.add(carol)
        var second = log.followed(by: alice.secondPrimary, rank: 3, .takeover([(bob, bobs)]))
        second.add(dave)
        second.write(.pass(to: alice.linked.deviceID))
        let fallen = second.followed(by: alice.linked, rank: 1, .pass)
        let membership = try Membership(log, first, second, fallen)
        #expect(membership.writer == alice.primary.deviceID && membership.term == 2)
        #expect(membership.has(carol) && !membership.has(dave))
        #expect(membership.lost(by: alice.secondPrimary.deviceID).map(\.entry) == [.add(dave.userID)])
    }

    @Test("is the takeover and not the pass or the continuation that a linked device makes beside it")
    func takeoverBeatsPass() throws {
        var log = started(by: alice.linked, with: bob)
        let bobs = log.end
        let pass = log.write(.pass(to: alice.secondLinked.deviceID))
        let passed = log.followed(by: alice.secondLinked, rank: 2, .pass, behind: pass)
        let taken = log.followed(by: alice.primary, rank: 3, .takeover([(bob, bobs)]), behind: bobs)
        #expect(try Membership(log, passed, taken).writer == alice.primary.deviceID)
    }

    @Test("keeps a removal that a takeover did not know, until an addition names it")
    func lateRemoval() throws {
        var log = started(by: alice.linked, with: bob, carol)
        let version = log.end
        let cut = messagePlace(bob, 4)
        let members = [(bob, log.records[1].place), (carol, log.records[2].place)]
        var taken = log.followed(by: alice.primary, rank: 2, .takeover(members))
        let removed = log.remove(bob, cuts: [cut])
        log.remove(alice)
        var membership = try Membership(log, taken)
        #expect(!membership.has(bob) && membership.has(carol) && membership.has(alice))
        #expect(membership.recipients(of: alice.userID, at: taken.end) == [carol.userID])
        #expect(membership.recipients(of: alice.userID, at: removed) == [carol.userID])
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: version) == .countsThrough([cut]))
        taken.add(bob)
        #expect(try !Membership(log, taken).has(bob))
        let back = taken.add(bob, returnsAfter: removed)
        membership = try Membership(log, taken)
        #expect(membership.status(of: bob) == .invited)
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: version) == .countsThrough([cut]))
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: back) == .counts)
    }

    @Test("takes back a removal that a takeover knew, if it lists the user")
    func knownRemoval() throws {
        var log = started(by: alice.linked, with: bob)
        let branchPoint = log
        log.remove(bob)
        var branch = branchPoint
        branch.update("else", counter: 3)
        let bobs = branchPoint.end
        let taken = branch.followed(by: alice.primary, rank: 2, .takeover([(bob, bobs)]), heads: [log.end])
        #expect(try Membership(log, branch, taken).has(bob))
        let unknowing = branch.followed(by: alice.primary, rank: 2, .takeover([(bob, bobs)]))
        #expect(try !Membership(log, branch, unknowing).has(bob))
    }

    @Test("takes a message whose version fell as written where the log parts from what counts")
    func fallenVersion() throws {
        var log = started(by: alice.linked, with: bob)
        let bobs = log.end
        let taken = log.followed(by: alice.primary, rank: 2, .takeover([(bob, bobs)]))
        let fallen = log.add(dave)
        let membership = try Membership(log, taken)
        #expect(membership.recipients(of: alice.userID, at: fallen) == [bob.userID])
        #expect(membership.standing(of: bob.userID, in: messageLog(bob), at: fallen) == .counts)
        #expect(membership.standing(of: dave.userID, in: messageLog(dave), at: fallen) == .doesNotCount)
    }

    // MARK: Hand-overs

    @Test("is the new owner's once they take a hand-over up; nobody has two owners before or after")
    func handOver() throws {
        var log = started(by: alice.primary, with: bob)
        let handOver = log.write(.handOver(to: bob.userID))
        #expect(try Membership(log).ownerID == alice.userID)
        log.add(carol)
        log.remove(bob)
        var next = log.followed(by: bob.linked, rank: 9, .handOver, behind: handOver)
        next.add(dave)
        let membership = try Membership(log, next)
        #expect(membership.ownerID == bob.userID && membership.writer == bob.linked.deviceID)
        #expect(membership.participants.filter { $0.role == .owner }.map(\.userID) == [bob.userID])
        #expect(membership.status(of: alice) == .joined && membership.status(of: bob) == .joined)
        #expect(membership.has(dave) && !membership.has(carol))
        next.remove(alice)
        #expect(try !Membership(log, next).has(alice))
    }

    @Test("is the new owner's whatever the former owner takes over, beside it or before it")
    func handOverBeatsTakeover() throws {
        let log = started(by: alice.linked, with: bob)
        let bobs = log.end
        var taken = log.followed(by: alice.primary, rank: 9, .takeover([(bob, bobs)]))
        taken.write(.handOver(to: bob.userID))
        let bobsLog = taken.followed(by: bob.primary, rank: 8, .handOver)
        let beside = taken.followed(by: alice.secondPrimary, rank: 2, .takeover([]))
        let before = log.followed(by: alice.secondPrimary, rank: 3, .takeover([]))
        let again = ControlDraft.founding(alice.secondPrimary, rank: 0)
        let membership = try Membership(log, taken, bobsLog, beside, before, again)
        #expect(membership.ownerID == bob.userID && membership.term == 3)
    }

    @Test("is that of one of two who took a hand-over up: the lower id")
    func twoHandOvers() throws {
        var log = started(by: alice.primary, with: bob, carol)
        let first = log.write(.handOver(to: bob.userID))
        log.write(.handOver(to: carol.userID))
        let bobs = log.followed(by: bob.primary, rank: 3, .handOver, behind: first)
        let carols = log.followed(by: carol.primary, rank: 2, .handOver)
        #expect(try Membership(log, bobs).ownerID == bob.userID)
        #expect(try Membership(log, bobs, carols).ownerID == carol.userID)
    }

    @Test("is not handed over to the owner, to somebody who is not in, or after closing")
    func handOverInVain() throws {
        var log = started(by: alice.primary, with: carol)
        log.remove(carol)
        let toCarol = log.write(.handOver(to: carol.userID))
        let toAlice = log.write(.handOver(to: alice.userID))
        log.add(bob)
        log.write(.closed)
        log.write(.handOver(to: bob.userID))
        let membership = try Membership(
            log, log.followed(by: carol.primary, rank: 2, .handOver, behind: toCarol),
            log.followed(by: alice.primary, rank: 3, .handOver, behind: toAlice),
            log.followed(by: bob.primary, rank: 4, .handOver))
        #expect(membership.term == 1 && membership.ownerID == alice.userID)
    }

    @Test("is the new owner's also if they had left: who takes a hand-over up is in")
    func handOverToLeaver() throws {
        var log = started(by: alice.primary, with: bob)
        let added = log.end
        log.write(.handOver(to: bob.userID))
        var membership = try Membership(log)
        membership.noteLeave(of: bob.userID, answering: added)
        #expect(membership.status(of: bob) == .left && membership.ownerID == alice.userID)
        membership.insert(log.followed(by: bob.primary, rank: 2, .handOver).log)
        #expect(membership.status(of: bob) == .joined && membership.ownerID == bob.userID)
    }

    @Test("is free of removals that the former owner's devices wrote and the new owner did not know")
    func removalAfterHandOver() throws {
        var log = started(by: alice.primary, with: bob, carol, dave)
        let before = log
        log.write(.handOver(to: bob.userID))
        var branch = before
        let known = branch.remove(carol)
        branch.remove(dave)
        let next = log.followed(by: bob.primary, rank: 2, .handOver, heads: [known])
        let membership = try Membership(log, branch, next)
        #expect(!membership.has(carol) && membership.has(dave))
        #expect(try !Membership(log, branch).has(dave))
    }

    @Test("is not handed over before all is here that the new owner's log names of the one before")
    func awaitsHeads() throws {
        var log = started(by: alice.primary, with: bob, carol)
        log.write(.handOver(to: bob.userID))
        let before = log
        log.remove(carol)
        let known = log.update("x", counter: 1)
        let next = log.followed(by: bob.primary, rank: 2, .handOver, behind: before.end, heads: [known])

        var membership = try Membership(log.copy(upTo: log.records[log.records.count - 2].place), next)
        #expect(membership.ownerID == alice.userID && !membership.has(carol))
        #expect(membership.duties(of: bob.userID, on: bob.linked.deviceID).isEmpty, "it is taken up already")
        membership = try Membership(before, next)
        #expect(membership.ownerID == alice.userID && membership.has(carol))
        let isHeld = membership.append(log.records.suffix(2), after: before.end)
        #expect(isHeld && membership.ownerID == bob.userID && !membership.has(carol))
    }

    // MARK: Thieves and revocations

    @Test("is never a thief's who has a copy of the owner's linked device")
    func thief() throws {
        let stolen = alice.linked
        var log = started(by: stolen, with: bob)
        let bobs = log.end
        let old = log
        log.write(.pass(to: alice.primary.deviceID))
        let primary = log.followed(by: alice.primary, rank: 9, .pass)

        var branch = old
        branch.remove(alice)
        branch.write(.handOver(to: bob.userID))
        let taken = branch.followed(by: bob.primary, rank: 2, .handOver)
        var passing = old
        passing.write(.pass(to: alice.secondLinked.deviceID))
        let passed = passing.followed(by: alice.secondLinked, rank: 3, .pass)
        var full = old
        while full.records.count < Limits.controlEntries { full.update("x", counter: UInt64(full.records.count)) }
        let continued = full.followed(by: stolen, rank: 4, .full)
        let claimed = old.followed(by: stolen, rank: 5, .takeover([]))
        let refounded = ControlDraft.founding(stolen, rank: 0)

        let membership = try Membership(
            log, primary, branch, taken, passing, passed, full, continued, claimed, refounded)
        #expect(membership.ownerID == alice.userID && membership.writer == alice.primary.deviceID)
        #expect(membership.has(alice) && membership.has(bob))
        #expect(membership.recipients(of: alice.userID, at: bobs) == [bob.userID])
    }

    @Test("loses a thief's removals with the revocation, and with it the cut that it names")
    func revokedRemovals() throws {
        var log = started(by: alice.linked, with: bob, carol)
        let cut = log.end
        let members = [(bob, log.records[1].place), (carol, log.records[2].place)]
        let taken = log.followed(by: alice.primary, rank: 2, .takeover(members))
        log.remove(bob)
        var membership = try Membership(log, taken)
        #expect(!membership.has(bob))
        membership.revoke(alice.linked.deviceID, after: [cut])
        #expect(membership.has(bob) && membership.has(carol))
        #expect(try membership == Membership(taken, log, revocations: [alice.linked.deviceID: [cut]]))
    }

    @Test("is no longer that of a revoked device: it ends at the cut, or does not begin")
    func passToRevoked() throws {
        var log = started(by: alice.primary, with: bob)
        log.write(.pass(to: alice.linked.deviceID))
        var next = log.followed(by: alice.linked, rank: 2, .pass)
        let cut = next.add(carol)
        next.add(dave)
        let linked = alice.linked.deviceID
        var membership = try Membership(log, next, revocations: [linked: [cut]])
        #expect(membership.writer == linked && membership.has(carol) && !membership.has(dave))
        membership = try Membership(log, next, revocations: [linked: []])
        #expect(membership.writer == alice.primary.deviceID && !membership.has(carol) && membership.has(bob))
        var appended = membership
        var more = log
        more.add(dave)
        let isHeld = appended.append(more.records.suffix(1), after: log.end)
        #expect(isHeld && appended.has(dave))
    }

    @Test("stays the new owner's when the former owner revokes the devices that wrote before")
    func revocationAfterHandOver() throws {
        var log = started(by: alice.primary, with: bob)
        let early = log.records[0].place
        log.write(.handOver(to: bob.userID))
        let next = log.followed(by: bob.primary, rank: 2, .handOver)
        let membership = try Membership(log, next, revocations: [alice.primary.deviceID: [early]])
        #expect(membership.ownerID == bob.userID && membership.has(alice))
    }

    @Test("stays with what the identity key has followed when a linked device before it is revoked")
    func revokedBeforeTakeover() throws {
        var log = started(by: alice.primary, with: bob)
        log.write(.pass(to: alice.linked.deviceID))
        let passed = log.followed(by: alice.linked, rank: 2, .pass)
        var taken = passed.followed(by: alice.secondPrimary, rank: 3, .takeover([(bob, log.records[1].place)]))
        let revoked = [alice.linked.deviceID: Set<LogPlace>()]
        #expect(try Membership(log, passed, taken, revocations: revoked).term == 3)
        taken.write(.handOver(to: bob.userID))
        let next = taken.followed(by: bob.primary, rank: 4, .handOver)
        #expect(try Membership(log, passed, taken, next, revocations: revoked).ownerID == bob.userID)
    }

    @Test("waits for the entry that it follows")
    func waits() throws {
        var log = started(by: alice.linked, with: bob)
        let held = log
        log.add(carol)
        let taken = log.followed(by: alice.primary, rank: 2, .takeover([(bob, held.end)]))
        var membership = try Membership(held, taken)
        #expect(membership.term == 1)
        let isHeld = membership.append(log.records.suffix(1), after: held.end)
        #expect(isHeld && membership.term == 2 && !membership.has(carol))
        #expect(try membership == Membership(taken, log))
    }
}
