import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Of an open group")
struct OpenConversationAccessTests {
    /// What a device is that asks for its contents.
    enum Role: CaseIterable { case outsider, joined, left }

    private var group = MachineGroup()
    private let alice: Int
    private let bob: Int
    private let mallory = device("mallory")

    /// Alice and Bob have joined, and have written.
    init() {
        (alice, bob) = (group.add("alice"), group.add("bob"))
        group.dial(alice, bob)
        for member in [alice, bob] { join(member) }
        group.pass(61_000)
        for (member, text) in [(alice, "canary of alice"), (bob, "canary of bob")] { say(text, member) }
        group.pass(31_000)
    }

    private var ops: ConversationID {
        group.members[alice].machine.conversationsOfMany.first { $0.uniqueName == "ops" }?.conversationID
            ?? ConversationID(words(0))
    }
    private var record: ConversationRecord {
        ConversationRecord(conversationID: ops, kind: .open, participantIDs: [], uniqueName: "ops")
    }

    private mutating func join(_ member: Int) {
        group.request(member) { $0.join("ops", isAdvertised: true, requestID: $1, now: $2) }
    }

    private mutating func say(_ text: String, _ member: Int) {
        group.request(member) { [ops] in $0.send([MessageDraft(text)], to: ops, requestID: $1, now: $2) }
    }

    private func heard(_ member: Int) -> [String] {
        group.members[member].events.compactMap { event in
            if case .messageReceived(let message) = event, message.conversationID == ops { message.text } else { nil }
        }
    }

    /// Links to Alice, and says that it belongs to the group.
    private mutating func link(as role: Role) throws -> (peer: HandDrivenPeer, log: ForgedLog) {
        var peer = try HandDrivenPeer(mallory, beside: &group, now: group.now)
        // The handshake is over.
        _ = group.takeWritten(by: alice, on: peer.connectionID)
        var log = ForgedLog(by: mallory, in: record, kind: .messages)
        let direct = ConversationID.direct(mallory.userID, group.userID(alice))
        let heads = HeadsFrame(conversationID: direct, heads: [], isComplete: true)
        let known = ConversationDigest(conversationID: ops, heads: .of([]), uniqueName: "ops")
        peer.say([.heads(heads), .digests([known])], to: &group, now: group.now)
        group.settle()
        switch role {
        case .outsider: break
        case .joined: peer.say([.entries(log.append([.join()]))], to: &group, now: group.now)
        case .left: peer.say([.entries(log.append([.join(), .leave()]))], to: &group, now: group.now)
        }
        group.settle()
        return (peer, log)
    }

    /// Asks for all that there is.
    private mutating func ask(_ peer: inout HandDrivenPeer) -> [Frame] {
        let none = HeadsFrame(conversationID: ops, heads: [], isComplete: true, asks: true)
        peer.say([.heads(none)], to: &group, now: group.now)
        let ends = group.members.indices.flatMap { group.members[$0].machine.replication.logs.heads(of: ops) }
        // A log of the node's own comes unasked, and nobody may want it.
        for head in Set(ends) where head.log.deviceID != group.members[alice].local.deviceID {
            let origin = LogHead.origin(of: head.log.logID).place
            peer.say(
                [.wanted(WantedFrame(log: head.log, end: head.place, known: [origin]))], to: &group, now: group.now)
            peer.say(
                [.wantedBodies(WantedBodiesFrame(log: head.log, first: head.place, last: head.place.sequence))],
                to: &group, now: group.now)
        }
        say("canary of later", alice)
        group.pass(61_000)
        peer.hear(group.takeWritten(by: alice, on: peer.connectionID), now: group.now)
        return peer.heard
    }

    private func texts(in frames: [Frame]) -> [String] {
        frames.flatMap { frame -> [EntryContent] in
            switch frame {
            case .entries(let entries): entries.contents
            case .bodies(let bodies): bodies.contents
            default: []
            }
        }.compactMap { content in
            guard case .body(let bytes) = content, case .text(let text)? = (try? EntryBody(decoding: bytes))?.content
            else { return nil }
            return text.text
        }
    }

    @Test("contents go to whoever has joined and not left, and to nobody else", arguments: Role.allCases)
    mutating func contents(role: Role) throws {
        var (peer, _) = try link(as: role)
        let frames = ask(&peer)
        #expect(texts(in: frames).isEmpty == (role != .joined))
        let logs = frames.flatMap { frame -> [BranchHead] in
            if case .heads(let heads) = frame, heads.conversationID == ops { heads.heads } else { [] }
        }
        // That Alice herself has joined is said to everybody who says that they have.
        #expect(role == .joined || logs.allSatisfy { $0.log.deviceID == group.members[alice].local.deviceID })
        #expect(role == .joined || logs.allSatisfy { $0.place.sequence == 1 })
    }

    @Test("messages count from whoever has joined, and from nobody else", arguments: [Role.outsider, .joined])
    mutating func writing(role: Role) throws {
        var (peer, log) = try link(as: role)
        peer.say([.entries(log.append([.text("hello", headers: [:])]))], to: &group, now: group.now)
        group.pass(61_000)
        #expect(heard(alice).contains("hello") == (role == .joined))
        #expect(heard(bob).contains("hello") == (role == .joined))
    }

    @Test("a claim by somebody who never joined keeps nobody's messages back")
    mutating func claim() throws {
        var (peer, _) = try link(as: .outsider)
        let own = try #require(
            group.members[alice].machine.replication.logs.heads(of: ops).first {
                $0.log.deviceID == group.members[alice].local.deviceID
            })
        let claim = BranchHead(log: own.log, place: Place(sequence: 99, chain: ChainHash(words(9))))
        peer.say(
            [.heads(HeadsFrame(conversationID: ops, heads: [claim], isComplete: true))], to: &group, now: group.now)
        say("at once", alice)
        #expect(heard(bob).contains("at once"))
    }

    @Test("nothing is given to whoever wants it when the node's user has left, and their link stays")
    mutating func wantedAfterLeaving() throws {
        var (peer, _) = try link(as: .joined)
        let theirs = try #require(
            group.members[alice].machine.replication.logs.heads(of: ops).first {
                $0.log.deviceID == group.members[bob].local.deviceID
            })
        group.request(alice) { [ops] in $0.leave(ops, requestID: $1, now: $2) }
        let origin = LogHead.origin(of: theirs.log.logID).place
        let wanted = WantedFrame(log: theirs.log, end: theirs.place, known: [origin])
        peer.say([.wanted(wanted)], to: &group, now: group.now)
        group.settle()
        peer.hear(group.takeWritten(by: alice, on: peer.connectionID), now: group.now)
        #expect(group.members[alice].machine.isOpen(peer.connectionID))
        #expect(!texts(in: peer.heard).contains("canary of bob"))
    }

    @Test("entries behind some that were skipped, as their author had not joined yet, break no rule and come again")
    mutating func behindSkipped() throws {
        var (peer, log) = try link(as: .outsider)
        var later = ForgedLog(by: mallory, in: record, kind: .messages, epoch: 2)
        let skipped = later.append([.branches([]), .text("one", headers: [:])])
        let behind = later.append([.text("two", headers: [:])])
        // The last comes while the join is on its way to the disk.
        let frames = [skipped, log.append([.join()]), behind]
        peer.say(frames.map { .entries($0) }, to: &group, now: group.now)
        group.settle()
        let reasons = group.members[alice].events.compactMap {
            if case .linkFailed(let failure) = $0 { failure.closeReason } else { nil }
        }
        #expect(reasons.last == CloseReason.storageFailure.name)
    }

    @Test("newcomers and members come to know of each other, though neither knew that the other had joined")
    mutating func newcomer() {
        let carol = group.add("carol")
        join(carol)
        group.dial(carol, alice)
        group.pass(61_000)
        #expect(Set(heard(carol)).isSuperset(of: ["canary of alice", "canary of bob"]))
        say("hello", carol)
        group.pass(31_000)
        #expect(heard(bob).contains("hello"))
    }
}
