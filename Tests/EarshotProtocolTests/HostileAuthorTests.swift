import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

/// The node of a group that hostile devices speak with.
extension MachineGroup: NodeHost {
    @discardableResult
    mutating func input(_ body: (inout NodeMachine) -> [NodeAction]) -> [NodeAction] { input(to: 0, body) }
}

@Suite("Of what somebody writes who may not, nothing is shown or passed on")
struct HostileAuthorTests {
    /// What a hostile device is in the group.
    enum Role: CaseIterable { case outsider, invited, participant, removed }

    private var group = MachineGroup()
    private let (alice, bob, carol): (Int, Int, Int)
    private let mallory = device("mallory")
    private let salt = [UInt8](repeating: 7, count: ConversationOrigin.saltBytes)

    /// Alice owns a group that Bob and Carol have joined. Carol is linked to Bob alone, so what she is told went through
    /// two honest nodes.
    init() {
        (alice, bob, carol) = (group.add("alice"), group.add("bob"), group.add("carol"))
        group.dial(alice, bob)
        group.dial(alice, carol)
        create()
        for member in [bob, carol] {
            group.request(member) { [ops] in $0.acceptInvitation(to: ops, requestID: $1, now: $2) }
        }
        group.cut(carol)
        group.dial(bob, carol)
        group.pass(61_000)
    }

    private var ops: ConversationID { .private(ConversationOrigin(creatorID: group.userID(alice), salt: salt)) }
    private var record: ConversationRecord {
        ConversationRecord(
            conversationID: ops, kind: .private, participantIDs: [group.userID(alice)], uniqueName: "ops")
    }

    private mutating func create() {
        let invited = [bob, carol].map(group.userID)
        let draft = ConversationDraft(uniqueName: "ops", givesHistory: true, invited: invited)
        let proof = PrimaryProof.sign(
            group.members[alice].machine.localCredential.deviceID, in: ops, with: identityKey(of: "alice"))
        group.request(alice) { [salt] in $0.createConversation(draft, salt: salt, proof: proof, requestID: $1, now: $2)
        }
    }

    /// What an entry can say that is no control entry.
    private func contents(about target: LogPlace) -> [EntryBody.Content] {
        let amendments: [Amendment.Content] = [
            .edit(text: "canary", counter: 1), .retract, .reaction(emoji: "canary", counter: 1, isRemoved: false),
        ]
        return [.text("canary", headers: [:])] + amendments.map { .amendment(Amendment(target: target, $0)) }
            + [.join(answering: target), .leave(answering: target), .version(target), .branches([]), .erasure([])]
    }

    private func text(_ text: String, by member: Int) throws -> LogPlace {
        let found = group.members[member].commits.flatMap(\.entries).lazy.flatMap { run in
            run.entries.filter { $0.kind == .text }.map {
                LogPlace(logID: run.logID, sequence: $0.sequence, chain: $0.chain)
            }
        }.first
        return try #require(found)
    }

    /// Mallory links to Alice, and is what a test wants.
    private mutating func link(as role: Role) throws -> HandDrivenPeer {
        let userID = mallory.userID
        var peer = try HandDrivenPeer(mallory, beside: &group, now: group.now)
        let direct = ConversationID.direct(userID, group.userID(alice))
        peer.say([.heads(HeadsFrame(conversationID: direct, heads: [], isComplete: true))], to: &group, now: group.now)
        group.settle()
        if role != .outsider { group.request(alice) { [ops] in $0.invite(userID, to: ops, requestID: $1, now: $2) } }
        let known = ConversationDigest(conversationID: ops, heads: .of([]), isPrivate: true, hasJoined: true)
        let heads = HeadsFrame(conversationID: ops, heads: [], isComplete: true, asks: true)
        peer.say([.digests([known]), .heads(heads)], to: &group, now: group.now)
        group.settle()
        let membership = try #require(group.members[alice].machine.membership(ops))
        if role == .participant || role == .removed {
            var log = ForgedLog(by: mallory, in: record, kind: .messages)
            let addition = try #require(membership.addition(of: userID))
            let join = log.append([.version(try #require(membership.ends.first)), .join(answering: addition)])
            peer.say([.entries(join)], to: &group, now: group.now)
            group.settle()
            #expect(group.members[alice].machine.membership(ops)?.status(of: userID) == .joined)
        }
        if role == .removed { group.request(alice) { [ops] in $0.remove(userID, from: ops, requestID: $1, now: $2) } }
        return peer
    }

    /// What anybody has heard of a user in the group.
    private func heard(of userID: UserID) -> [Event] {
        group.members.flatMap(\.events).filter { event in
            switch event {
            case .messageReceived(let message): message.senderID == userID && message.conversationID == ops
            case .messageUpdated(let update): update.userID == userID && update.conversationID == ops
            default: false
            }
        }
    }

    private func holds(_ logID: LogID, _ member: Int) -> Bool {
        group.members[member].commits.flatMap(\.entries).contains { $0.logID == logID }
    }

    @Test("in a control log, in whatever role they are", arguments: Role.allCases)
    mutating func controlLog(role: Role) throws {
        group.request(alice) { [ops] in $0.send([MessageDraft("hello")], to: ops, requestID: $1, now: $2) }
        let target = try text("hello", by: alice)
        var peer = try link(as: role)
        let membership = try #require(group.members[alice].machine.membership(ops))
        let follows = try #require(membership.ends.first)
        let begins: [EntryBody.Content?] = [
            nil, .control(ControlBody(.begin(ControlBegin(term: 2, follows: follows, cause: .pass)))),
        ]
        for (epoch, begin) in begins.enumerated() {
            var log = ForgedLog(by: mallory, in: record, kind: .control, epoch: UInt64(epoch + 1))
            let frames = ((begin.map { [$0] } ?? []) + contents(about: target)).map { log.append([$0]) }
            peer.say(frames.map { .entries($0) }, to: &group, now: group.now)
            group.pass(61_000)
            #expect(!holds(log.description.logID, bob) && !holds(log.description.logID, carol))
        }
        #expect(heard(of: mallory.userID) == [])
        group.request(bob) { [ops] in $0.send([MessageDraft("still here")], to: ops, requestID: $1, now: $2) }
        group.pass(31_000)
        #expect(
            group.members[alice].events.contains {
                if case .messageReceived(let it) = $0 { it.text == "still here" } else { false }
            })
    }

    @Test("in a log of messages, of who was never in or is in no longer", arguments: [Role.outsider, .removed])
    mutating func messages(role: Role) throws {
        group.request(alice) { [ops] in $0.send([MessageDraft("hello")], to: ops, requestID: $1, now: $2) }
        let target = try text("hello", by: alice)
        var peer = try link(as: role)
        let end = try #require(group.members[alice].machine.membership(ops)?.ends.first)
        var log = ForgedLog(by: mallory, in: record, kind: .messages, epoch: 7)
        let frames = [log.append([.version(end)])] + contents(about: target).map { log.append([$0]) }
        peer.say(frames.map { .entries($0) }, to: &group, now: group.now)
        group.pass(61_000)
        #expect(heard(of: mallory.userID) == [])
        #expect(!holds(log.description.logID, alice) && !holds(log.description.logID, bob))
    }

    @Test("of a group that a stranger has founded, before anybody has accepted their invitation")
    mutating func ownGroup() throws {
        var peer = try link(as: .outsider)
        let origin = ConversationOrigin(creatorID: mallory.userID, salt: salt)
        let theirs = ConversationRecord(
            conversationID: .private(origin), kind: .private, participantIDs: [mallory.userID], uniqueName: "theirs")
        let known = ConversationDigest(
            conversationID: theirs.conversationID, heads: .of([]), isPrivate: true, hasJoined: true)
        let creation = Creation(
            conversationID: theirs.conversationID, uniqueName: "theirs",
            attributes: ConversationAttributes(friendlyName: ""),
            givesHistory: true)
        var log = ForgedLog(by: mallory, in: theirs, kind: .control)
        let frames = [
            EntryBody.Content.control(ControlBody(.created(creation), origin: origin)),
            .control(ControlBody(.add(group.userID(alice)))), .text("canary", headers: [:]),
        ].map { Frame.entries(log.append([$0])) }
        peer.say([.digests([known])] + frames, to: &group, now: group.now)
        group.pass(31_000)
        let heardTexts = group.members[alice].events.filter { if case .messageReceived = $0 { true } else { false } }
        #expect(heardTexts.isEmpty)
        #expect(
            group.members[alice].machine.membership(theirs.conversationID)?.status(of: group.userID(alice)) == .invited)
    }
}
