import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("An open group that is not advertised")
struct HiddenConversationTests {
    private var group = MachineGroup()
    private let alice, bob: Int
    private let mallory = device("mallory")
    private let plan: ConversationID

    init() throws {
        (alice, bob) = (group.add("alice"), group.add("bob"))
        plan = try group.members[0].machine.openConversationID("plan")
    }

    private mutating func join(_ member: Int) {
        group.request(member) { $0.join("plan", isAdvertised: false, requestID: $1, now: $2) }
    }

    private mutating func say(_ text: String, _ member: Int) {
        group.request(member) { [plan] in $0.send([MessageDraft(text)], to: plan, requestID: $1, now: $2) }
    }

    private func heard(_ member: Int) -> [String] {
        group.members[member].events.compactMap { event in
            if case .messageReceived(let message) = event, message.conversationID == plan { message.text } else { nil }
        }
    }

    @Test("is found by those who belong to it, whichever of them joined or linked first", arguments: 0..<4)
    mutating func found(order: Int) {
        if order & 1 == 0 { join(alice) }
        if order & 2 == 0 { join(bob) }
        group.dial(alice, bob)
        if order & 1 != 0 { join(alice) }
        if order & 2 != 0 { join(bob) }
        group.pass(10_000)
        say("of alice", alice)
        say("of bob", bob)
        group.pass(61_000)
        #expect(heard(bob) == ["of alice"] && heard(alice) == ["of bob"])
    }

    /// Links to Alice.
    private mutating func link() throws -> HandDrivenPeer {
        var peer = try HandDrivenPeer(mallory, beside: &group, now: group.now)
        // The handshake is over.
        _ = group.takeWritten(by: alice, on: peer.connectionID)
        let direct = ConversationID.direct(mallory.userID, group.userID(alice))
        peer.say([.heads(HeadsFrame(conversationID: direct, heads: [], isComplete: true))], to: &group, now: group.now)
        hear(&peer)
        return peer
    }

    private mutating func hear(_ peer: inout HandDrivenPeer) {
        group.settle()
        // Not longer than a link may be silent.
        group.pass(5_000)
        peer.hear(group.takeWritten(by: alice, on: peer.connectionID), now: group.now)
    }

    private func digests(_ peer: HandDrivenPeer) -> [ConversationDigest] {
        peer.heard.flatMap { frame -> [ConversationDigest] in
            if case .digests(let digests) = frame { digests } else { [] }
        }
    }

    private func isTold(_ peer: HandDrivenPeer) -> Bool {
        let bytes = peer.heard.map { $0.encoded() }
        return bytes.contains { $0.contains(plan.bytes) }
    }

    @Test("is told to nobody who does not know it: neither by its id, nor to who says back what they were told")
    mutating func hidden() throws {
        join(alice)
        say("canary", alice)
        var peer = try link()
        #expect(!isTold(peer))
        let told = digests(peer).filter(\.isHidden)
        #expect(told.count == 1)
        peer.say([.digests(told)], to: &group, now: group.now)
        hear(&peer)
        #expect(!isTold(peer) && peer.handshakeHash != nil)
        // On another link it is called otherwise.
        var next = try link()
        hear(&next)
        #expect(digests(next).filter(\.isHidden).map(\.conversationID) != told.map(\.conversationID))
    }

    @Test("is told to whoever knows its id")
    mutating func known() throws {
        join(alice)
        var peer = try link()
        let hash = try #require(peer.handshakeHash)
        let hidden = ConversationDigest(
            conversationID: plan.hidden(by: mallory.deviceID, on: hash), heads: .of([]), isHidden: true)
        peer.say([.digests([hidden])], to: &group, now: group.now)
        hear(&peer)
        #expect(digests(peer).contains { $0.conversationID == plan && !$0.isHidden })
    }
}
