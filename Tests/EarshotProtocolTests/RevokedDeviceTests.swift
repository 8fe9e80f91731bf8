import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("A device that is revoked")
struct RevokedDeviceTests {
    private func revoke(in network: inout MachineNetwork, _ family: Family) {
        let revocation = Revocation.sign(family.linked.deviceID, with: family.identityKey)
        network.input(0) { $0.revoke(revocation, requestID: RequestID(9), now: $1) }
        network.run(for: 5_000)
    }

    @Test("loses its links to everybody who hears of it at once, and hears of it itself")
    func links() {
        let family = Family()
        var network = family.network
        network.meet(0, 1)
        network.meet(0, 2)
        network.meet(1, 2)
        revoke(in: &network, family)
        network.run(for: 60_000)
        #expect(network.isLinked(0, to: 2))
        #expect(!network.isLinked(1, to: 0) && !network.isLinked(1, to: 2))
        for node in network.nodes {
            #expect(node.machine.isRevoked(family.linked.deviceID, of: family.linked.userID))
            #expect(node.events.names.filter { $0 == .deviceRevoked } == [.deviceRevoked])
        }
    }

    @Test("is refused by those who hear of it later, and told why")
    func later() {
        let family = Family()
        var network = family.network
        network.meet(0, 1)
        network.meet(1, 2)
        network.nodes[1].isStopped = true
        revoke(in: &network, family)
        network.meet(0, 2)
        network.nodes[1].isStopped = false
        network.run(for: 60_000)
        #expect(!network.isLinked(2, to: 1))
        network.meet(1, 2)
        #expect(!network.isLinked(2, to: 1))
        let reasons = network.nodes[1].events.compactMap {
            if case .linkFailed(let failure) = $0 { failure.closeReason } else { nil }
        }
        #expect(reasons.contains("revoked") || network.nodes[1].events.names.contains(.deviceRevoked))
    }

    @Test("is heard of by the user's other devices from a friend whom both meet")
    func byFriend() {
        let family = Family()
        var generator = SeededGenerator(seed: 99)
        let tablet = LocalDevice.generated(name: "alice", identityKey: family.identityKey, using: &generator)
        var network = MachineNetwork([family.primary, family.linked, family.friend, tablet])
        network.meet(0, 1)
        revoke(in: &network, family)
        network.meet(0, 2)
        network.meet(2, 3)
        #expect(network.nodes[3].machine.isRevoked(family.linked.deviceID, of: family.linked.userID))
    }

    @Test("is given no new credential")
    func noRenewal() {
        let family = Family(notAfter: Family.now - 1)
        var network = family.network
        network.nodes[0].identityKey = nil
        network.meet(0, 1)
        revoke(in: &network, family)
        network.nodes[0].identityKey = family.identityKey
        network.meet(0, 1)
        network.run(for: 2 * Family.hour)
        #expect(!network.isLinked(0, to: 1))
        #expect(!network.nodes[1].machine.localCredential.isValid(at: network.now.wallClock))
    }

    /// One request for each way into the logs.
    private static let writing: [@Sendable (inout NodeMachine, RequestID, Moment) -> [NodeAction]] = [
        { $0.send([.message(MessageDraft("one"))], to: .user(device("bob").userID), requestID: $1, now: $2) },
        { $0.send([.message(MessageDraft("to myself"))], to: .user($0.userID), requestID: $1, now: $2) },
        { $0.join("ops", isAdvertised: true, requestID: $1, now: $2) },
        {
            $0.createConversation(
                ConversationDraft(uniqueName: "crew"), salt: Array(repeating: 1, count: 16), proof: nil, requestID: $1,
                now: $2)
        },
    ]

    @Test("is refused what others would have to take, from when it hears of it and after a start", arguments: 0..<4)
    func refused(place: Int) {
        let family = Family()
        var network = family.network
        network.meet(0, 1)
        network.meet(1, 2)
        network.input(1) { Self.writing[place](&$0, RequestID(20), $1) }
        network.run(for: 1_000)
        #expect(network.nodes[1].completions[RequestID(20)]?.isSuccess == true)
        revoke(in: &network, family)
        network.input(1) { Self.writing[place](&$0, RequestID(21), $1) }
        network.run(for: 1_000)
        // The others are so already.
        if place < 2 { #expect(network.nodes[1].completions[RequestID(21)]?.code == .deviceRevoked) }

        var snapshot = Snapshot()
        snapshot.revocations = [Revocation.sign(family.linked.deviceID, with: family.identityKey)]
        let now = network.now
        network.nodes[1].machine = NodeMachine(local: family.linked, snapshot: snapshot, now: now) { .generate() }
        network.input(1) { Self.writing[place](&$0, RequestID(22), $1) }
        network.run(for: 1_000)
        #expect(network.nodes[1].completions[RequestID(22)]?.code == .deviceRevoked)
    }

    @Test("stays so when the node starts anew")
    func permanent() {
        let family = Family()
        let revocation = Revocation.sign(family.linked.deviceID, with: family.identityKey)
        let devices = DevicesMachine(family.friend, revocations: [revocation])
        #expect(devices.refusal(of: family.linked.link.credential)?.closeReason == .revoked)
        #expect(devices.refusal(of: family.primary.link.credential) == nil)
    }

    @Test("is one only by the word of the identity that it belongs to")
    func forged() throws {
        let family = Family()
        var devices = DevicesMachine(family.friend)
        var generator = SeededGenerator(seed: 5)
        let hostile = generator.signingKey()
        // Another identity's statement about the device says nothing about it.
        let foreign = Revocation.sign(family.linked.deviceID, with: hostile)
        _ = try devices.received(foreign, from: foreign.userID, isStranger: true)
        #expect(devices.refusal(of: family.linked.link.credential) == nil)
        // A linked device's own key is not the identity's.
        let byDevice = Revocation(
            userID: family.linked.userID, deviceID: family.primary.deviceID,
            signature: Revocation.sign(family.primary.deviceID, with: family.linked.signingKey).signature)
        #expect(throws: ProtocolError.self) {
            try devices.received(byDevice, from: family.linked.userID, isStranger: false)
        }
        #expect(devices.refusal(of: family.primary.link.credential) == nil)
        // Nobody passes on the statements of users who are neither of the two.
        let third = Revocation.sign(family.linked.deviceID, with: family.identityKey)
        #expect(try devices.received(third, from: foreign.userID, isStranger: true).isEmpty)
    }

    @Test("is one of a bounded number that is remembered of a user, and of strangers")
    func bounded() throws {
        let family = Family()
        var devices = DevicesMachine(family.friend)
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<Limits.revocationsPerUser + 3 {
            let deviceID = DeviceID(generator.signingKey().publicKey)
            _ = try devices.received(
                .sign(deviceID, with: family.identityKey), from: family.linked.userID, isStranger: true)
        }
        #expect(devices.revocations.of(family.linked.userID).count == Limits.revocationsPerUser)
    }

    @Test("is told to its user as revoked only where others remember it, and one that is so already stays so")
    func ownBounded() throws {
        let family = Family()
        var generator = SeededGenerator(seed: 8)
        var others: [Revocation] = []
        for _ in 1..<Limits.revocationsPerUser {
            others.append(.sign(DeviceID(generator.signingKey().publicKey), with: family.identityKey))
        }
        let linked = OwnDeviceRecord(
            deviceID: family.linked.deviceID, credential: family.linked.link.credential.encoded(), lastSeen: 0)
        let revocation = Revocation.sign(family.linked.deviceID, with: family.identityKey)
        var devices = DevicesMachine(family.primary, own: [linked], revocations: others)
        let last = try devices.revoke(revocation)
        let again = try devices.revoke(revocation)
        #expect(last.count == 1 && again.isEmpty)
        others.append(.sign(DeviceID(generator.signingKey().publicKey), with: family.identityKey))
        var full = DevicesMachine(family.primary, own: [linked], revocations: others)
        let error = #expect(throws: ProtocolError.self) { try full.revoke(revocation) }
        #expect(error?.code == .tooManyDevices)
        #expect(!full.revocations.contains(family.linked.deviceID, of: family.linked.userID))
    }
}

extension Result where Success == RequestAnswer, Failure == ProtocolError {
    fileprivate var isSuccess: Bool { code == nil }
    fileprivate var code: ProtocolError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}
