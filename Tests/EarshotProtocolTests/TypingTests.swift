import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A user who types")
struct TypingTests {
    private func type(_ isTyping: Bool, _ network: inout MachineNetwork, _ number: UInt64 = 1) {
        let (alice, bob) = (network.nodes[0].local.userID, network.nodes[1].local.userID)
        network.input(0) {
            $0.setTyping(isTyping, in: .direct(alice, bob), with: bob, requestID: RequestID(number), now: $1)
        }
        network.run(for: 10)
    }

    /// What a node has posted of who types.
    private func events(of index: Int, in network: MachineNetwork) -> [EventName] {
        network.nodes[index].events.map(\.name).filter { [.typingStarted, .typingEnded].contains($0) }
    }

    @Test("is shown to the other user until they stop, and neither disk hears of it")
    func shown() {
        var network = MachineNetwork.linkedPair()
        network.run(for: 5_000)
        let commits = network.nodes.map(\.commits)
        type(true, &network)
        let alice = network.nodes[0].local.userID
        let typing = Typing(conversationID: .direct(alice, network.nodes[1].local.userID), userID: alice)
        #expect(network.nodes[1].events.last == .typingStarted(typing))
        type(false, &network, 2)
        #expect(network.nodes[1].events.last == .typingEnded(typing))
        #expect(events(of: 0, in: network).isEmpty)
        network.run(for: 60_000)
        #expect(network.nodes.map(\.commits) == commits)
    }

    @Test("no longer types for the other user after 10 s without a word, and after the end of the link")
    func ends() throws {
        var network = MachineNetwork.linkedPair()
        type(true, &network)
        network.run(for: Timing.typing)
        #expect(events(of: 1, in: network) == [.typingStarted, .typingEnded])
        type(true, &network, 2)
        let alice = network.nodes[0].local.userID
        let link = try #require(network.nodes[1].machine.connections(to: alice).first)
        network.input(1) { $0.disconnected(link, now: $1) }
        #expect(events(of: 1, in: network) == [.typingStarted, .typingEnded, .typingStarted, .typingEnded])
    }

    @Test("is not believed of a conversation in which the two are not")
    func elsewhere() throws {
        var network = MachineNetwork.linkedPair()
        let bob = network.nodes[1].local.userID
        let link = try #require(network.nodes[0].machine.connections(to: bob).first)
        network.nodes[0].machine.send(.typing(.direct(bob, bob), isTyping: true), on: link)
        type(true, &network)
        #expect(events(of: 1, in: network) == [.typingStarted])
    }
}
