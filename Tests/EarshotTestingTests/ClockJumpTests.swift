import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("Where the clock of a machine is set")
struct ClockJumpTests {
    private static let day = 86_400

    /// Alice and Bob, who know each other and are cut off from each other.
    private func pair(_ network: TestNetwork) async throws -> (alice: Node, bob: Node) {
        let nodes = (alice: try await network.node("alice"), bob: try await network.node("bob"))
        await network.advance(by: .seconds(60))
        try network.cut(nodes.alice, nodes.bob)
        return nodes
    }

    private func state(_ message: Message, _ sender: Node, _ recipient: Node) async throws -> DeliveryState? {
        try await sender.messages.message(message.messageID).states[recipient.userID]
    }

    private func isWaiting(_ message: Message, _ sender: Node, _ recipient: Node) async throws -> Bool {
        [.queued, .sent].contains(try await state(message, sender, recipient))
    }

    @Test("nothing fails, is sent or is stamped by a clock that is wrong for less than a minute")
    func shortly() async throws {
        let network = try TestNetwork()
        let (alice, bob) = try await pair(network)
        let waiting = try await alice.messages.send("waits", to: bob.userID)
        let later = network.now.addingTimeInterval(Double(20 * Self.day))
        let scheduled = try await alice.messages.schedule(MessageDraft("later"), to: bob.userID, notBefore: later)
        try network.jumpClock(of: alice, by: .seconds(40 * Self.day))
        await network.advance(by: .seconds(5))
        let meanwhile = try await alice.messages.send("meanwhile", to: bob.userID)
        #expect(abs(meanwhile.createdAt.timeIntervalSince(network.now)) < 10)
        try network.jumpClock(of: alice, by: .seconds(-40 * Self.day))
        await network.advance(by: .seconds(180))
        #expect(try await isWaiting(waiting, alice, bob))
        #expect(try await isWaiting(meanwhile, alice, bob))
        #expect(await alice.messages.scheduled().map(\.id) == [scheduled.id])
        let after = try await alice.messages.send("after", to: bob.userID)
        #expect(abs(after.createdAt.timeIntervalSince(network.now)) < 10)
    }

    @Test("a clock that stays as it was set is followed after a minute")
    func settled() async throws {
        let network = try TestNetwork()
        let (alice, bob) = try await pair(network)
        let later = network.now.addingTimeInterval(Double(20 * Self.day))
        try await alice.messages.schedule(MessageDraft("later"), to: bob.userID, notBefore: later)
        try network.jumpClock(of: alice, by: .seconds(40 * Self.day))
        await network.advance(by: .seconds(50))
        #expect(await alice.messages.scheduled().count == 1)
        await network.advance(by: .seconds(30))
        #expect(await alice.messages.scheduled().isEmpty)
    }

    @Test("a message that was written before, on a machine without a battery, lives its whole time")
    func withoutBattery() async throws {
        let network = try TestNetwork(startingAt: Date(timeIntervalSince1970: 60))
        let (alice, bob) = try await pair(network)
        let draft = MessageDraft("waits", timeToLive: .seconds(7 * Self.day))
        let waiting = try await alice.messages.send(draft, to: bob.userID)
        for node in [alice, bob] { try network.jumpClock(of: node, by: .seconds(56 * 365 * Self.day)) }
        await network.advance(by: .seconds(6 * Self.day))
        #expect(try await isWaiting(waiting, alice, bob))
        await network.advance(by: .seconds(2 * Self.day))
        #expect(try await state(waiting, alice, bob) == .failed(.expired))
    }
}
