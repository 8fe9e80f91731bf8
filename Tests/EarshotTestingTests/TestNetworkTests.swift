import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("A test network", .timeLimit(.ofHungTest))
struct TestNetworkTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// Waits for the state of a message.
    private func wait(for state: DeliveryState, in changes: EventSequence<MessageStateChange>) async throws {
        _ = try #require(try await changes.first { $0.state == state })
    }

    private func isOnline(_ user: Node, for node: Node) async -> Bool? {
        await node.users.user(user.userID)?.isOnline
    }

    @Test("links the nodes of all its users, and delivers without the clock being turned")
    func delivery() async throws {
        let nodes = [try await network.node("alice"), try await network.node("bob"), try await network.node("carol")]
        for node in nodes {
            for other in nodes where other.userID != node.userID { #expect(await isOnline(other, for: node) == true) }
        }
        let changes = nodes[0].events.events(.messageState)
        let received = nodes[2].events.events(.messageReceived)
        try await nodes[0].messages.send("hello", to: nodes[2].userID)
        try await wait(for: .delivered, in: changes)
        #expect(try await received.first { _ in true }?.text == "hello")
        await network.stop()
        #expect(nodes.map(\.state) == [.stopped, .stopped, .stopped])
    }

    @Test("has its own time, which stands still until it is turned")
    func time() async throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let network = try TestNetwork(startingAt: start)
        let alice = try await network.node("alice")
        #expect(network.now.timeIntervalSince(start) < 1)
        await network.advance(by: .seconds(86_400))
        #expect(abs(network.now.timeIntervalSince(start) - 86_400) < 1)
        let bob = try await network.node("bob")
        let message = try await alice.messages.send("hello", to: bob.userID)
        #expect(abs(Double(message.timestamp.milliseconds) / 1000 - network.now.timeIntervalSince1970) < 1)
        await network.stop()
    }

    @Test("with a cut cable delivers nothing; the nodes find out when it is time, and go on when it is mended")
    func cutCable() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        try network.cut(alice, bob)
        let message = try await alice.messages.send("hello", to: bob.userID)
        await network.advance(by: .seconds(10))
        #expect(await isOnline(bob, for: alice) == true)
        await network.advance(by: .seconds(60))
        #expect(await isOnline(bob, for: alice) == false)
        #expect(await isOnline(alice, for: bob) == false)
        #expect(try await alice.messages.message(message.messageID).states[bob.userID] == .sent)
        let changes = alice.events.events(.messageState)
        try network.mend(alice, bob)
        try await wait(for: .delivered, in: changes)
        await network.stop()
    }

    @Test("shows in a subscribed user when they come and go")
    func presence() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let user = try await alice.users.subscribe(to: bob.userID)
        #expect(user.isOnline)
        let updates = alice.events.events(.userUpdated)
        await bob.stop()
        _ = try await updates.first { !$0.0.isOnline }
        #expect(!user.isOnline && user.isSubscribed)
        await network.stop()
        #expect(!user.isSubscribed)
    }

    @Test("with a delay delivers when so much time has passed, there and back")
    func delay() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        try network.delay(alice, bob, by: .seconds(2))
        let changes = alice.events.events(.messageDelivered)
        let message = try await alice.messages.send("hello", to: bob.userID)
        await network.advance(by: .seconds(3))
        #expect(try await alice.messages.message(message.messageID).states[bob.userID] == .sent)
        await network.advance(by: .seconds(2))
        try await wait(for: .delivered, in: changes)
        await network.stop()
    }

    @Test("with broken connections loses what is on its way, and the nodes send it again")
    func brokenConnections() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let changes = alice.events.events(.messageState)
        try network.cut(alice, bob)
        try await alice.messages.send("hello", to: bob.userID)
        try network.breakConnections(alice, bob)
        try network.mend(alice, bob)
        await network.advance(by: .seconds(1))
        try await wait(for: .delivered, in: changes)
        await network.stop()
    }

    @Test("with a full disk accepts nothing; what comes later is delivered when there is room")
    func fullDisk() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        try network.fillDisk(of: alice)
        await expect(.storeFull) { try await alice.messages.send("no room", to: bob.userID) }
        try network.freeDisk(of: alice)
        await network.advance(by: .seconds(1))
        try network.fillDisk(of: bob)
        let changes = alice.events.events(.messageState)
        let received = bob.events.events(.messageReceived)
        try await alice.messages.send("later", to: bob.userID)
        await network.advance(by: .seconds(5))
        try network.freeDisk(of: bob)
        await network.advance(by: .seconds(60))
        try await wait(for: .delivered, in: changes)
        #expect(try await received.first { _ in true }?.text == "later")
        await network.stop()
    }

    @Test("gives a user who crashed a node with all that was on the disk")
    func crash() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let updates = alice.events.events(.userUpdated)
        try await network.crash(bob)
        #expect(bob.state == .stopped)
        _ = try await updates.first { !$0.0.isOnline }
        let changes = alice.events.events(.messageState)
        let message = try await alice.messages.send("waiting", to: bob.userID)

        let again = try await network.node("bob")
        #expect((again.userID, again.deviceID) == (bob.userID, bob.deviceID))
        try await wait(for: .delivered, in: changes)
        #expect(try await again.messages.message(message.messageID).text == "waiting")
        #expect(try await network.node("bob") === again)
        await network.stop()
    }

    @Test("with a clock that jumps tells peers of it when they link anew")
    func clockJump() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let skews = alice.events.events(.clockSkewed)
        try network.jumpClock(of: bob, by: .seconds(3600))
        try network.breakConnections(alice, bob)
        await network.advance(by: .seconds(10))
        let skew = try #require(try await skews.first { _ in true })
        #expect(skew.userID == bob.userID)
        await network.stop()
    }

    @Test("lets messages expire when their time is over")
    func expiry() async throws {
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        await bob.stop()
        let failures = alice.events.events(.messageFailed)
        try await alice.messages.send(MessageDraft("hello", timeToLive: .seconds(3600)), to: bob.userID)
        await network.advance(by: .seconds(2 * 3600))
        #expect(try await failures.first { _ in true }?.state == .failed(.expired))
        await network.stop()
    }

    @Test("has time wait for a node that renews its credential")
    func renewal() async throws {
        let alice = try await network.node("alice")
        let expiry = alice.credentialExpiry
        try network.jumpClock(of: alice, by: .seconds(21 * 86_400))
        await network.advance(by: .seconds(120))
        #expect(alice.credentialExpiry > expiry)
        await network.stop()
    }

    /// Expects an error with this code.
    private func expect<R>(_ code: EarshotError.Code, from body: () async throws -> R) async {
        let error = await #expect(throws: EarshotError.self) { _ = try await body() }
        #expect(error?.code == code)
    }
}
