import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A control log with branches")
struct MembershipBranchTests {
    private let alice = TestUser.alice, bob = TestUser.bob, carol = TestUser.carol, dave = TestUser.dave

    private func started(with users: TestUser...) -> ControlDraft {
        var log = ControlDraft.founding(alice.primary)
        for user in users { log.add(user) }
        return log
    }

    @Test("adds whom any branch adds, and then removes whom any branch removes")
    func additionsThenRemovals() throws {
        let log = started(with: bob)
        var one = log
        one.add(carol)
        one.remove(bob)
        var two = log
        two.add(dave)
        two.add(bob)
        let membership = try Membership(one, two)
        #expect(membership.participants.map(\.userID) == [alice.userID, carol.userID, dave.userID])
        #expect(try membership == Membership(two, one))
        #expect(Set(membership.ends) == [one.end, two.end])
    }

    @Test("keeps in whom the branch that removed them has added again, unless another branch removes them too")
    func addedAgain() throws {
        let log = started(with: bob)
        let cut = messagePlace(bob, 2)
        let version = log.end
        var one = log
        one.remove(bob, cuts: [cut])
        let back = one.add(bob)
        var two = log
        two.update("two", counter: 2)
        let membership = try Membership(one, two)
        #expect(membership.has(bob))
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: version) == .countsThrough([cut]))
        #expect(membership.standing(of: bob.userID, in: cut.logID, at: back) == .counts)
        two.remove(bob)
        #expect(try !Membership(one, two).has(bob))
    }

    @Test("takes a removal of another branch back where an addition names it")
    func named() throws {
        let log = started(with: bob)
        var one = log
        let removed = one.remove(bob)
        var two = log
        two.add(bob, returnsAfter: removed)
        #expect(try Membership(one, two).has(bob))
    }

    @Test("takes an answer to the addition on either branch")
    func twoAdditions() throws {
        let log = started()
        var one = log
        one.add(bob)
        var two = log
        two.update("two", counter: 2)
        two.add(bob)
        for addition in [one.end, two.end] {
            var membership = try Membership(one, two)
            membership.noteJoin(of: bob.userID, answering: addition)
            #expect(membership.status(of: bob) == .joined)
            #expect(membership.standing(of: bob.userID, in: messageLog(bob), at: addition) == .counts)
        }
    }

    @Test("sends nothing to whom another branch removes, whichever branch the author knew")
    func recipients() throws {
        let log = started(with: bob, carol)
        var one = log
        one.remove(bob)
        var two = log
        two.update("two", counter: 2)
        let membership = try Membership(one, two)
        #expect(membership.recipients(of: alice.userID, at: two.end) == [carol.userID])
        #expect(membership.recipients(of: alice.userID, at: log.end) == [bob.userID, carol.userID])
    }

    @Test("is closed if any branch closes it, and that branch's later entries count for nothing")
    func closed() throws {
        let log = started()
        var one = log
        one.write(.closed)
        one.add(bob)
        var two = log
        two.add(carol)
        let membership = try Membership(one, two)
        #expect(membership.isClosed && membership.has(carol) && !membership.has(bob))
    }

    @Test("has the attributes with the highest counter of all branches")
    func attributes() throws {
        let log = started()
        var one = log
        one.update("high", counter: 3)
        var two = log
        two.update("low", counter: 2)
        #expect(try Membership(one, two).attributes.friendlyName == "high")
    }

    @Test("hands the conversation over on each branch, until somebody takes it up")
    func handOvers() throws {
        let log = started(with: bob, carol)
        var one = log
        one.write(.handOver(to: bob.userID))
        var two = log
        two.write(.handOver(to: carol.userID))
        two.add(dave)
        #expect(try Membership(one, two).ownerID == alice.userID)
        let membership = try Membership(one, two, one.followed(by: bob.primary, rank: 2, .handOver))
        #expect(membership.ownerID == bob.userID && !membership.has(dave))
    }

    @Test("has its new owner in, also if another branch, which the new owner knew, removes them and fills up")
    func newOwnerIsIn() throws {
        var log = started(with: bob)
        for number in 10...135 { log.add(TestUser(number: UInt64(number))) }
        var one = log
        one.write(.handOver(to: bob.userID))
        var two = log
        two.remove(bob)
        var three = one
        three.remove(bob)
        three.add(carol)
        for known in [two, three] {
            let membership = try Membership(
                one, known, one.followed(by: bob.primary, rank: 2, .handOver, heads: [known.end]))
            #expect(membership.ownerID == bob.userID && membership.status(of: bob) == .joined)
            #expect(membership.participants.count == Limits.participants && !membership.has(carol))
        }
    }

    @Test("counts up to the ends that the next log names, and no further")
    func namedByNext() throws {
        let log = started()
        var one = log
        one.add(bob)
        one.write(.pass(to: alice.linked.deviceID))
        var two = log
        two.add(carol)
        let known = two.end
        two.add(dave)
        let next = one.followed(by: alice.linked, rank: 2, .pass, heads: [known])
        let membership = try Membership(one, two, next)
        #expect(membership.has(bob) && membership.has(carol) && !membership.has(dave))
        #expect(try !Membership(one, two, one.followed(by: alice.linked, rank: 2, .pass)).has(carol))
    }

    @Test("stays within the limit: who was added first finds room")
    func limit() throws {
        var log = started()
        for number in 10...135 { log.add(TestUser(number: UInt64(number))) }
        var one = log
        one.write(.add(bob.userID), at: 20_000)
        var two = log
        two.write(.add(carol.userID), at: 10_000)
        let membership = try Membership(one, two)
        #expect(membership.participants.count == Limits.participants)
        #expect(membership.has(carol) && !membership.has(bob))
    }

    @Test("that begins differently is two logs, and a thief's does not displace one that the identity key follows")
    func firstEntries() throws {
        var log = ControlDraft.founding(alice.linked)
        log.add(bob)
        let taken = log.followed(by: alice.primary, rank: 2, .takeover([(bob, log.end)]))
        for givesHistory in [false, true] {
            for name in 0..<8 {
                var other = ControlDraft(alice.linked, rank: 1)
                other.write(
                    .created(
                        Creation(
                            conversationID: ControlDraft.conversationID, uniqueName: "other \(name)",
                            attributes: ConversationAttributes(friendlyName: ""), givesHistory: givesHistory)))
                let membership = try Membership(other, log, taken)
                #expect(membership.uniqueName == "ops" && membership.has(bob))
            }
        }
    }
}
