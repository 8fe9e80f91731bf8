import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The machine of trust")
struct TrustMachineTests {
    private var trust = TrustMachine()
    private let now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)
    private let nothing = { (_: UserID) in TrustMachine.Exchange(hasWritten: false, hasReceived: false) }
    private let messages = { (_: UserID) in TrustMachine.Exchange(hasWritten: true, hasReceived: true) }

    private func peer(_ name: String, seed: UInt64? = nil) -> LinkPeer {
        LinkPeer(credential: device(name, seed: seed).link.credential, run: 1)
    }

    @discardableResult
    private mutating func link(_ peer: LinkPeer) -> [TrustMachine.Action] {
        trust.linked(peer, at: nil, exchange: nothing, isIdle: { _ in true }, now: now)
    }

    @Test("gives a name to whom a message was exchanged with, as long as nobody else has it")
    mutating func pinning() {
        let (first, second) = (peer("alice", seed: 1), peer("alice", seed: 2))
        link(first)
        #expect(trust.isPinnedByUse(first.userID))
        link(second)
        #expect(!trust.isPinnedByUse(first.userID))
    }

    @Test("shuts out whoever else has a name when it is given, and lets nobody in under it afterwards")
    mutating func impostor() {
        let (first, second) = (peer("alice", seed: 1), peer("alice", seed: 2))
        link(first)
        link(second)
        let actions = trust.pin(first.userID, exchange: messages, now: now)
        #expect(
            actions.names == [
                "met", "conflict", "failMessages \(second.userID)", "closeLinks \(second.userID) identityConflict",
            ])
        #expect(trust.refusal(of: second)?.reason == .identityConflict)
        #expect(trust.refusal(of: first) == nil)
        #expect(trust.bar(to: second.userID) == .identityChanged)
        #expect(throws: ProtocolError.self) { try trust.checkRecipient(second.userID) }
    }

    @Test("tells of a claim once, and of the first against somebody it has written to whatever others have claimed")
    mutating func claims() {
        link(peer("alice", seed: 1))
        _ = trust.pin(peer("alice", seed: 1).userID, exchange: nothing, now: now)
        // So many claims from one address that no more of them are told.
        link(peer("carol", seed: 1_000))
        _ = trust.pin(peer("carol", seed: 1_000).userID, exchange: nothing, now: now)
        let crowd = (2..<200 as Range<UInt64>).map { seed in
            trust.refused(peer("carol", seed: seed), at: "10.0.0.9", exchange: nothing, now: now)
        }
        #expect(crowd.first?.names.contains("conflict") == true)
        #expect(crowd.last?.names.contains("conflict") == false)
        let claimant = peer("alice", seed: 2)
        let first = trust.refused(claimant, at: "10.0.0.9", exchange: messages, now: now)
        #expect(first.names.contains("conflict"))
        let again = trust.refused(claimant, at: "10.0.0.9", exchange: messages, now: now)
        #expect(!again.names.contains("conflict"))
        let second = trust.refused(peer("alice", seed: 3), at: "10.0.0.9", exchange: messages, now: now)
        #expect(!second.names.contains("conflict"))
    }

    @Test("closes the links of a user who is blocked before their messages fail, and dials when they are not any more")
    mutating func blocking() throws {
        let alice = peer("alice")
        link(alice)
        let blocking = try trust.decide(.block, about: alice.userID, name: nil, exchange: nothing, now: now)
        #expect(
            blocking.names == ["met", "closeLinks \(alice.userID) blocked", "failMessages \(alice.userID)"])
        #expect(trust.refusal(of: alice)?.reason == .blocked)
        #expect(throws: ProtocolError.self) {
            try trust.decide(.verify, about: alice.userID, name: nil, exchange: nothing, now: now)
        }
        let unblocking = try trust.decide(.unblock, about: alice.userID, name: nil, exchange: nothing, now: now)
        #expect(unblocking.names == ["met", "dialEverybody"])
    }

    @Test("takes no decision about a user who has changed their name since")
    mutating func renamed() {
        let alice = peer("alice")
        link(alice)
        let error = #expect(throws: ProtocolError.self) {
            try trust.decide(.verify, about: alice.userID, name: UserName("bob"), exchange: nothing, now: now)
        }
        #expect(error?.code == .nameChanged)
    }

    @Test("closes the links of those who are not admitted any more")
    mutating func admission() {
        let (alice, bob) = (peer("alice"), peer("bob"))
        let actions = trust.admit(.only([alice.userID]), linked: [alice.userID, bob.userID])
        #expect(actions.names == ["closeLinks \(bob.userID) notAdmitted", "dialEverybody"])
        #expect(trust.refusal(of: bob)?.reason == .notAdmitted)
    }

    @Test("takes for strangers whom it never wrote to and did not verify")
    mutating func strangers() throws {
        let alice = peer("alice")
        link(alice)
        #expect(trust.isStranger(alice.userID, hasWritten: false))
        #expect(!trust.isStranger(alice.userID, hasWritten: true))
        _ = try trust.decide(.verify, about: alice.userID, name: nil, exchange: nothing, now: now)
        #expect(!trust.isStranger(alice.userID, hasWritten: false))
    }
}

extension [TrustMachine.Action] {
    fileprivate var names: [String] {
        map { action in
            switch action {
            case .met: "met"
            case .writeDevice: "writeDevice"
            case .forgetUser: "forgetUser"
            case .forgetDevice: "forgetDevice"
            case .conflict: "conflict"
            case .failMessages(let userID): "failMessages \(userID)"
            case .closeLinks(let userID, let reason, _): "closeLinks \(userID) \(reason.name)"
            case .dialEverybody: "dialEverybody"
            case .share: "share"
            }
        }
    }
}
