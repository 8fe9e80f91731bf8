import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("A private conversation")
struct PrivateConversationsTests {
    private var group = MachineGroup()
    private let alice: Int
    private let bob: Int
    private let carol: Int
    private let salt = [UInt8](repeating: 7, count: ConversationOrigin.saltBytes)

    /// Alice is linked to both; Bob and Carol find each other when a test says so.
    init() {
        alice = group.add("alice")
        bob = group.add("bob")
        carol = group.add("carol")
        group.dial(alice, bob)
        group.dial(alice, carol)
    }

    private var ops: ConversationID {
        .private(ConversationOrigin(creatorID: group.userID(alice), salt: salt))
    }

    private mutating func create(inviting invited: [Int], givesHistory: Bool = true) {
        let draft = ConversationDraft(
            uniqueName: "ops", friendlyName: "Operations", givesHistory: givesHistory,
            invited: invited.map(group.userID))
        let proof = PrimaryProof.sign(
            group.members[alice].machine.localCredential.deviceID, in: ops, with: identityKey(of: "alice"))
        group.request(alice) { [salt] machine, requestID, now in
            machine.createConversation(draft, salt: salt, proof: proof, requestID: requestID, now: now)
        }
    }

    private mutating func accept(_ member: Int) {
        group.request(member) { [ops] in $0.acceptInvitation(to: ops, requestID: $1, now: $2) }
    }

    @discardableResult
    private mutating func say(_ text: String, _ member: Int) -> Result<RequestAnswer, ProtocolError>? {
        group.request(member) { [ops] in $0.send([MessageDraft(text)], to: ops, requestID: $1, now: $2) }
    }

    private func refusal(of answer: Result<RequestAnswer, ProtocolError>?) -> ProtocolError.Code? {
        if case .failure(let error) = answer { error.code } else { nil }
    }

    private mutating func invite(_ other: Int) {
        let userID = group.userID(other)
        group.request(alice) { [ops] in $0.invite(userID, to: ops, requestID: $1, now: $2) }
    }

    private mutating func remove(_ other: Int) {
        let userID = group.userID(other)
        group.request(alice) { [ops] in $0.remove(userID, from: ops, requestID: $1, now: $2) }
    }

    private func status(of user: Int, for member: Int) -> Participant.Status? {
        group.members[member].machine.membership(ops)?.status(of: group.userID(user))
    }

    /// The messages that a member heard of, in the order in which they came.
    private func heard(_ member: Int) -> [String] {
        group.members[member].events.compactMap { event in
            if case .messageReceived(let message) = event, message.conversationID == ops { message.text } else { nil }
        }
    }

    @Test("takes no decision that counts no more by the time it is written")
    mutating func lateDecision() {
        create(inviting: [bob])
        let userID = group.userID(carol)
        // The first is on its way to the disk, and the others wait behind it.
        let answer = group.request(alice) { [ops] machine, requestID, now in
            machine.invite(userID, to: ops, requestID: RequestID(901), now: now)
                + machine.closeConversation(ops, requestID: RequestID(902), now: now)
                + machine.invite(userID, to: ops, requestID: requestID, now: now)
        }
        #expect(refusal(of: group.members[alice].completions[RequestID(901)]) == nil)
        #expect(refusal(of: group.members[alice].completions[RequestID(902)]) == nil)
        #expect(refusal(of: answer) == .conversationClosed)
        #expect(group.members[alice].machine.membership(ops)?.isClosed == true)
    }

    @Test("reaches whoever is invited, and gives them nothing but who is in until they join")
    mutating func invitation() {
        create(inviting: [bob])
        say("before", alice)
        #expect(status(of: bob, for: bob) == .invited && status(of: alice, for: bob) == .joined)
        #expect(group.members[bob].machine.membership(ops)?.attributes.friendlyName == "Operations")
        #expect(heard(bob).isEmpty && group.members[carol].machine.membership(ops) == nil)
        #expect(refusal(of: say("too early", bob)) == .notJoined)
        accept(bob)
        #expect(status(of: bob, for: alice) == .joined && status(of: bob, for: bob) == .joined)
        group.pass(31_000)
        #expect(heard(bob) == ["before"])
        say("hello", bob)
        say("after", alice)
        #expect(heard(alice) == ["hello"] && heard(bob) == ["before", "after"])
    }

    @Test("is joined by neighbours who know of each other only that they are invited")
    mutating func neighbours() {
        create(inviting: [bob, carol])
        group.cut(alice)
        group.dial(bob, carol)
        accept(bob)
        accept(carol)
        group.pass(1_000)
        #expect(status(of: carol, for: bob) == .joined && status(of: bob, for: carol) == .joined)
        say("hello", bob)
        group.pass(1_000)
        #expect(heard(carol) == ["hello"])
    }

    @Test("takes an answer that comes before the addition that it answers")
    mutating func earlyAnswer() {
        create(inviting: [bob])
        accept(bob)
        group.cut(bob)
        let carolID = group.userID(carol)
        group.request(alice) { [ops] in $0.invite(carolID, to: ops, requestID: $1, now: $2) }
        accept(carol)
        group.cut(alice)
        // Carol's answer and the addition come to Bob over one link.
        group.dial(bob, carol)
        group.pass(61_000)
        #expect(status(of: carol, for: bob) == .joined)
    }

    @Test("gives newcomers what was written before only if it was created so", arguments: [true, false])
    mutating func history(isGiven: Bool) {
        create(inviting: [bob], givesHistory: isGiven)
        accept(bob)
        say("early", alice)
        say("early too", bob)
        let carolID = group.userID(carol)
        group.request(alice) { [ops] in $0.invite(carolID, to: ops, requestID: $1, now: $2) }
        say("to whom is invited", alice)
        accept(carol)
        group.dial(bob, carol)
        group.pass(61_000)
        say("late", alice)
        group.pass(61_000)
        let earlier = isGiven ? ["early", "early too"] : []
        #expect(Set(heard(carol)) == Set(earlier + ["to whom is invited", "late"]))
        // Nothing waits for what is not given, and the journal says nothing of it.
        #expect(group.members[carol].machine.load.missingRanges == 0)
        #expect(journalled(carol) == heard(carol).count)
    }

    /// How many places the journal of a member names where messages came.
    private func journalled(_ member: Int) -> Int {
        let commits = group.members[member].commits
        let held = commits.flatMap { $0.entries + $0.bodies + $0.regarded }
        return commits.flatMap(\.journal).reduce(0) { count, record in
            guard case .received(let logID, _, let range) = record else { return count }
            return count
                + range.count { sequence in
                    let records = held.filter { $0.logID == logID }.flatMap(\.entries)
                    return records.last { $0.sequence == sequence }.map { !$0.kind.isHidden } ?? true
                }
        }
    }

    @Test("is carried by its participants to those whom the author does not reach")
    mutating func carried() {
        create(inviting: [bob, carol])
        accept(bob)
        accept(carol)
        say("from bob", bob)
        group.pass(61_000)
        #expect(heard(carol) == ["from bob"] && heard(alice) == ["from bob"])
        let message = group.members[bob].events.compactMap { event in
            if case .messageDelivered(let change) = event { change.recipientID } else { nil }
        }
        #expect(Set(message) == [group.userID(alice), group.userID(carol)])
    }

    @Test("gives who is removed the word of it and nothing more, and takes nothing more from them")
    mutating func removal() {
        create(inviting: [bob, carol])
        accept(bob)
        accept(carol)
        group.dial(bob, carol)
        say("one", bob)
        remove(bob)
        #expect(status(of: bob, for: bob) == .removed && status(of: bob, for: carol) == .removed)
        say("secret", alice)
        group.pass(61_000)
        #expect(!heard(bob).contains("secret") && heard(carol) == ["one", "secret"])
        #expect(refusal(of: say("still here", bob)) == .notJoined)
    }

    /// Alice removes Bob while she is cut off, and Bob writes before he hears of it. When they meet again, Carol has shown it, and
    /// Alice never does.
    private mutating func removeBobUnheard(andInviteAgain: Bool = false) {
        create(inviting: [bob, carol])
        accept(bob)
        accept(carol)
        group.dial(bob, carol)
        group.pass(5_000)
        group.cut(alice)
        remove(bob)
        if andInviteAgain { invite(bob) }
        say("too late", bob)
        group.dial(alice, bob)
        group.dial(alice, carol)
        group.pass(61_000)
    }

    @Test("does not count what somebody wrote who did not know yet that they were removed")
    mutating func late() {
        removeBobUnheard()
        #expect(heard(carol) == ["too late"] && heard(alice).isEmpty)
        #expect(failures(of: bob) == [.failed(.removed)])
        #expect(status(of: bob, for: bob) == .removed)
    }

    private func failures(of member: Int) -> [DeliveryState] {
        group.members[member].events.compactMap { event in
            if case .messageFailed(let change) = event { change.state } else { nil }
        }
    }

    @Test(
        "shows what did not count on all devices of its author as failed, whatever they heard first",
        arguments: [false, true])
    mutating func lateElsewhere(hearsOfRemovalFirst: Bool) throws {
        var generator = SeededGenerator(seed: 77)
        let tablet = group.add(.generated(name: "bob", identityKey: identityKey(of: "bob"), using: &generator))
        if !hearsOfRemovalFirst { group.dial(bob, tablet) }
        removeBobUnheard()
        if hearsOfRemovalFirst {
            group.dial(alice, tablet)
            group.pass(61_000)
            #expect(status(of: bob, for: tablet) == .removed && failures(of: tablet).isEmpty)
            group.dial(bob, tablet)
        }
        group.pass(61_000)
        let shown = group.members[tablet].events.compactMap { event in
            if case .messageQueued(let message) = event, message.conversationID == ops { message.text } else { nil }
        }
        #expect(shown == ["too late"])
        let replication = group.members[tablet].machine.replication
        let log = try #require(
            replication.logs.incoming(of: ops).first {
                $0.authorID == group.userID(bob) && $0.description.kind == .messages
            })
        let messageID = MessageID(log: log.logID, sequence: log.committed.sequence)
        #expect(replication.deliveries.failure(of: messageID)?.reason == .removed)
        #expect(failures(of: bob) == [.failed(.removed)])
    }

    @Test("holds what neither counts nor ever left its author for never sent on their other devices, too")
    mutating func neverSentElsewhere() throws {
        var generator = SeededGenerator(seed: 77)
        let tablet = group.add(.generated(name: "bob", identityKey: identityKey(of: "bob"), using: &generator))
        create(inviting: [bob, carol])
        accept(bob)
        accept(carol)
        group.dial(bob, tablet)
        group.pass(61_000)
        group.cut(bob)
        remove(bob)
        say("too late", bob)
        let log = try #require(
            group.members[bob].machine.replication.logs.own(in: ops).first { $0.description.kind == .messages })
        let messageID = MessageID(log: log.record.logID, sequence: log.head.sequence)
        group.request(bob) { $0.cancel(messageID, requestID: $1, now: $2) }
        group.dial(alice, bob)
        group.pass(61_000)
        #expect(failures(of: bob) == [.failed(.cancelled)])
        group.dial(bob, tablet)
        group.pass(61_000)
        for device in [bob, tablet] {
            let failure = group.members[device].machine.replication.deliveries.failure(of: messageID)
            #expect(failure?.isWithheld == true)
        }
    }

    @Test("fails what did not count once, also where some have it and its author is removed again")
    mutating func removedTwice() {
        removeBobUnheard()
        invite(bob)
        accept(bob)
        // Carol's receipt for this covers what did not count, too.
        say("back", bob)
        group.pass(61_000)
        #expect(heard(carol) == ["too late", "back"])
        remove(bob)
        group.pass(61_000)
        #expect(status(of: bob, for: bob) == .removed)
        #expect(failures(of: bob) == [.failed(.removed)])
    }

    /// What Bob is told of the first of his messages, and of the last, for another.
    private func states(for other: Int) throws -> [DeliveryState] {
        let machine = group.members[bob].machine
        let logs = machine.replication.logs.own(in: ops).filter { $0.description.kind == .messages }
        let log = try #require(logs.last)
        let messages = machine.replication.logs.messages(of: log.record.logID)
        let key = DeliveryKey(logID: log.record.logID, recipientID: group.userID(other))
        let progress = try #require(machine.replication.deliveries.committed(key))
        let all = (1...log.head.sequence).filter { messages.contains($0) }
        return try [#require(all.first), #require(all.last)].map { sequence in
            let messageID = MessageID(log: log.record.logID, sequence: sequence)
            return progress.state(of: sequence, failure: machine.replication.deliveries.failure(of: messageID))
        }
    }

    @Test("tells an author only what others can see, also of what they were given once its author was in again")
    mutating func unshown() throws {
        removeBobUnheard()
        invite(bob)
        accept(bob)
        say("back", bob)
        group.pass(61_000)
        #expect(heard(carol) == ["too late", "back"] && heard(alice) == ["back"])
        #expect(try states(for: carol) == [.delivered, .delivered])
        #expect(try states(for: alice) == [.failed(.removed), .delivered])
    }

    @Test("fails what does not count, also where its author is in again by the time that they hear of it")
    mutating func inAgain() throws {
        removeBobUnheard(andInviteAgain: true)
        accept(bob)
        say("back", bob)
        group.pass(61_000)
        #expect(failures(of: bob) == [.failed(.removed)])
        #expect(try states(for: alice) == [.failed(.removed), .delivered])
    }

    @Test("is left by an answer, which its owner records")
    mutating func leaving() {
        create(inviting: [bob])
        accept(bob)
        group.request(bob) { [ops] in $0.leavePrivate(ops, requestID: $1, now: $2) }
        group.pass(1_000)
        #expect(status(of: bob, for: alice) == .left && status(of: bob, for: bob) == .left)
        say("alone", alice)
        group.pass(61_000)
        #expect(heard(bob).isEmpty)
    }

    @Test("is declined by who is invited, who can be invited anew and is told nothing meanwhile")
    mutating func declining() {
        create(inviting: [bob])
        let declined = group.request(bob) { [ops] in $0.leavePrivate(ops, requestID: $1, now: $2) }
        #expect(refusal(of: declined) == nil)
        group.pass(1_000)
        #expect(status(of: bob, for: alice) == .left && status(of: bob, for: bob) == .left)
        let late = group.request(bob) { [ops] in $0.acceptInvitation(to: ops, requestID: $1, now: $2) }
        #expect(refusal(of: late) == .notJoined)
        say("without bob", alice)
        invite(bob)
        group.pass(1_000)
        #expect(status(of: bob, for: bob) == .invited && heard(bob).isEmpty)
        accept(bob)
        #expect(status(of: bob, for: alice) == .joined)
    }

    @Test("tells programs who is invited, in, out and its owner, once each")
    mutating func news() {
        create(inviting: [bob])
        group.pass(1_000)
        accept(bob)
        invite(carol)
        group.pass(1_000)
        accept(carol)
        group.pass(1_000)
        group.request(alice) { [ops] in
            $0.updateConversation(ops, friendlyName: "Ops", attributes: nil, requestID: $1, now: $2)
        }
        remove(carol)
        group.pass(1_000)
        let bobID = group.userID(bob)
        group.request(alice) { [ops] in $0.handOver(ops, to: bobID, requestID: $1, now: $2) }
        group.pass(1_000)
        group.request(bob) { [ops] in $0.closeConversation(ops, requestID: $1, now: $2) }
        group.pass(1_000)
        #expect(
            told(alice) == [
                "joined: status", "bob joined", "carol invited", "carol joined", "joined: attributes", "carol removed",
                "joined: owner", "bob joined", "closed: status",
            ])
        #expect(
            told(bob) == [
                "invited: status", "joined: status", "carol invited", "carol joined", "joined: attributes",
                "carol removed", "joined: owner", "alice joined", "closed: status",
            ])
        #expect(
            told(carol) == [
                // Who has joined is in the logs of messages, which only those get who have joined.
                "invited: status", "joined: status", "bob joined", "joined: attributes", "removed: status",
            ])
    }

    /// What a member was told about conversations and their participants.
    private func told(_ member: Int) -> [String] {
        let names = [group.userID(alice): "alice", group.userID(bob): "bob", group.userID(carol): "carol"]
        return group.members[member].events.compactMap { event in
            switch event {
            case .conversationUpdated(let update):
                "\(update.status): \(update.changes.map(\.rawValue).sorted().joined(separator: ","))"
            case .participantUpdated(let update):
                "\(names[update.participant.userID] ?? "?") \(update.participant.status)"
            default: nil
            }
        }
    }

    @Test("has a new owner as soon as a device of theirs hears of it")
    mutating func handOver() {
        create(inviting: [bob])
        accept(bob)
        let bobID = group.userID(bob)
        group.request(alice) { [ops] in $0.handOver(ops, to: bobID, requestID: $1, now: $2) }
        group.pass(1_000)
        #expect(group.members[alice].machine.membership(ops)?.ownerID == bobID)
        #expect(group.members[bob].machine.membership(ops)?.ownerID == bobID)
        let carolID = group.userID(carol)
        group.request(bob) { [ops] in $0.invite(carolID, to: ops, requestID: $1, now: $2) }
        group.pass(61_000)
        #expect(status(of: carol, for: carol) == .invited)
        // Who owned it may leave now.
        let left = group.request(alice) { [ops] in $0.leavePrivate(ops, requestID: $1, now: $2) }
        group.pass(1_000)
        #expect(refusal(of: left) == nil)
        #expect(status(of: alice, for: alice) == .left && status(of: alice, for: bob) == .left)
    }

    @Test("is sent anew what an owner who had left did not take, also where nobody else noticed")
    mutating func refusals() {
        // Carol meets nobody but Bob.
        group = MachineGroup()
        for name in ["alice", "bob", "carol"] { _ = group.add(name) }
        group.dial(alice, bob)
        group.dial(carol, bob)
        create(inviting: [bob, carol])
        accept(bob)
        accept(carol)
        group.pass(61_000)
        #expect(status(of: carol, for: alice) == .joined)
        group.cut(bob)
        for member in [bob, carol] {
            group.request(member) { [ops] in $0.leavePrivate(ops, requestID: $1, now: $2) }
        }
        let bobID = group.userID(bob)
        group.request(alice) { [ops] in $0.handOver(ops, to: bobID, requestID: $1, now: $2) }
        // Neither of the two takes what the other has written, and with it the word that they have left.
        group.find(carol, by: bob)
        #expect(group.isLinked(bob, carol) && !group.isLinked(alice, bob))
        #expect(status(of: carol, for: bob) == .joined && status(of: bob, for: carol) == .joined)
        group.pass(61_000)
        #expect(status(of: bob, for: bob) == .joined)
        #expect(status(of: carol, for: bob) == .left && status(of: bob, for: carol) == .joined)
    }

    @Test("takes no more messages once its owner has closed it")
    mutating func closing() {
        create(inviting: [bob])
        accept(bob)
        group.request(alice) { [ops] in $0.closeConversation(ops, requestID: $1, now: $2) }
        #expect(refusal(of: say("more", bob)) == .conversationClosed)
        #expect(status(of: bob, for: alice) == .closed)
    }
}
