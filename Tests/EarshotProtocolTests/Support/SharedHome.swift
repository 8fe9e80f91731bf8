import EarshotCrypto
import EarshotModel
import EarshotSimulation
import EarshotStore
import Testing

@testable import EarshotProtocol

/// Two devices of alice, 0 and 1, and her friend bob, 2, with disks.
struct SharedHome {
    var network: MachineNetwork
    private var requests: UInt64 = 0

    /// - Parameter more: further devices, from node 3 on.
    init(_ family: Family = Family(), and more: [LocalDevice] = []) throws {
        network = MachineNetwork([family.primary, family.linked, family.friend] + more)
        network.nodes[0].identityKey = family.identityKey
        try network.addStores()
    }

    mutating func meet(_ a: Int, _ b: Int) {
        network.severed.remove([a, b])
        network.meet(a, b)
    }

    mutating func cut(_ a: Int, from b: Int) { network.cut(a, from: b) }

    /// A node's user decides. A node that holds the identity's key signs that.
    mutating func decide(_ verdict: TrustDecision, at index: Int, about userID: UserID) {
        requests += 1
        let requestID = RequestID(requests)
        let (deviceID, key) = (network.nodes[index].local.deviceID, network.nodes[index].identityKey)
        network.input(index) { machine, now in
            let signed = key.flatMap { machine.decision(verdict, about: userID)?.signed(for: deviceID, with: $0) }
            return machine.decide(verdict, about: userID, signed: signed, requestID: requestID, now: now)
        }
    }

    /// A node that holds the identity's key revokes another device.
    mutating func revoke(_ revoked: Int, at index: Int) throws {
        requests += 1
        let requestID = RequestID(requests)
        let (deviceID, key) = (network.nodes[revoked].local.deviceID, try #require(network.nodes[index].identityKey))
        network.input(index) { machine, now in
            var cuts: [ConversationID: DeviceCut] = [:]
            for (conversationID, ends) in machine.ends(of: deviceID) {
                cuts[conversationID] = .sign(deviceID, after: ends, in: conversationID, with: key)
            }
            return machine.revoke(
                .sign(deviceID, with: key), cuts: cuts, requestID: requestID, now: now)
        }
        network.run(for: 5_000)
    }

    /// The node of this number starts anew with what its disk holds.
    mutating func restart(_ index: Int) throws {
        for other in network.nodes.indices where other != index { network.cut(index, from: other) }
        let snapshot = try #require(network.nodes[index].store).snapshot()
        network.nodes[index].machine = NodeMachine(
            local: network.nodes[index].local, snapshot: snapshot, now: network.moment(of: index)
        ) { .generate() }
    }

    func trust(in userID: UserID, at index: Int) -> Trust? { network.nodes[index].machine.user(userID)?.trust }

    /// Alice writes to a conversation on her first device.
    mutating func send(_ text: String, to conversationID: ConversationID) {
        requests += 1
        let requestID = RequestID(requests)
        if conversationID == self.conversationID {
            send(text, from: 0, to: 2)
        } else {
            network.input(0) { $0.send([MessageDraft(text)], to: conversationID, requestID: requestID, now: $1) }
            network.run(for: 1_000)
        }
    }

    mutating func send(_ text: String, from index: Int, to other: Int) {
        requests += 1
        let (requestID, userID) = (RequestID(requests), network.nodes[other].local.userID)
        network.input(index) { $0.send([MessageDraft(text)], to: userID, requestID: requestID, now: $1) }
        network.run(for: 1_000)
    }

    /// The conversation of the two users.
    var conversationID: ConversationID {
        .direct(network.nodes[0].local.userID, network.nodes[2].local.userID)
    }

    func rows(at index: Int, of conversationID: ConversationID? = nil) throws -> [HistoryRow] {
        let id = conversationID ?? self.conversationID
        return try #require(network.nodes[index].store).history(of: id, .latest, limit: 100) ?? []
    }

    func texts(at index: Int, of conversationID: ConversationID? = nil) throws -> [String] {
        try rows(at: index, of: conversationID).map(text)
    }

    private func text(of row: HistoryRow) throws -> String {
        guard case .body(let bytes) = row.entry.content,
            case .text(let message) = try EntryBody(decoding: bytes).content
        else { return "" }
        return message.text
    }

    /// The state of a message for the user who did not write it.
    func state(of text: String, at index: Int) throws -> DeliveryState? {
        try rows(at: index).first { try self.text(of: $0) == text }.map { $0.state(for: $0.log.recipientID) }
    }

    func unread(at index: Int) throws -> Int {
        let store = try #require(network.nodes[index].store)
        return try store.conversation(conversationID, readBy: network.nodes[index].local.userID)?.unreadCount ?? 0
    }
}

extension SharedHome {
    /// Alice's primary device is 0, one that will be revoked 1, Bob 2, and Alice's tablet 3. All meet but Bob and the tablet.
    static func ofFour() throws -> SharedHome {
        let family = Family()
        var generator = SeededGenerator(seed: 99)
        let tablet = LocalDevice.generated(name: "alice", identityKey: family.identityKey, using: &generator)
        var home = try SharedHome(family, and: [tablet])
        for (a, b) in [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)] { home.meet(a, b) }
        home.send("before", from: 1, to: 2)
        home.network.run(for: 60_000)
        return home
    }

    /// The device is stolen: it is cut off from all but the tablet, which has not heard.
    static func robbed() throws -> SharedHome {
        var home = try ofFour()
        for (a, b) in [(0, 1), (1, 2), (0, 3)] { home.cut(a, from: b) }
        home.send("after", from: 1, to: 2)
        home.network.run(for: 10_000)
        #expect(try home.texts(at: 3) == ["before", "after"])
        home.network.nodes[1].isStopped = true
        try home.revoke(1, at: 0)
        home.network.run(for: 10_000)
        return home
    }
}
