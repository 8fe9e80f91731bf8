import Earshot
import EarshotTesting
import Testing

@Suite("The states of a message", .timeLimit(.ofHungTest))
struct DeliveryStatesTests {
    private let network: TestNetwork
    private let alice: Node
    private let bob: Node

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        bob = try await network.node("bob")
    }

    private func read(_ message: Message) async throws {
        let received = bob.events.events(.messageReceived)
        if try await bob.conversations.direct(with: alice.userID).history().isEmpty {
            _ = try await received.first { $0.messageID == message.messageID }
        }
        try await bob.messages.markRead(message.messageID)
    }

    @Test("begin with what is so, whenever they are asked for, rise, and end when nothing more can follow")
    func states() async throws {
        let message = try await alice.messages.send("hi", to: bob.userID)
        async let early = alice.messages.states(of: message.messageID).reduce(into: []) { $0.append($1.state) }
        try await alice.messages.wait(for: .delivered, of: message.messageID)
        try await read(message)
        let states = try await early
        #expect(states.last == .read && states == states.sorted { $0.rank < $1.rank })
        #expect(Set(states).count == states.count)
        let late = try await alice.messages.states(of: message.messageID).reduce(into: []) { $0.append($1.state) }
        #expect(late == [.read])
    }

    @Test("of other messages take no room from those who follow one")
    func others() async throws {
        let message = try await alice.messages.send("hi", to: bob.userID)
        try await alice.messages.wait(for: .delivered, of: message.messageID)
        var states = alice.messages.states(of: message.messageID).makeAsyncIterator()
        #expect(try await states.next()?.state == .delivered)
        var last = message
        for number in 0...Limits.observerEvents {
            last = try await alice.messages.send("\(number)", to: bob.userID)
        }
        try await alice.messages.wait(for: .delivered, of: last.messageID)
        try await bob.messages.markRead(message.messageID)
        #expect(try await states.next()?.state == .read)
        #expect(alice.events.lostCount == 0)
    }

    @Test("are waited for after the message was delivered, too")
    func late() async throws {
        let message = try await alice.messages.send("hi", to: bob.userID)
        let delivered = try await alice.messages.wait(for: .delivered, of: message.messageID)
        #expect(delivered.states[bob.userID]?.isDelivered == true)
        try await alice.messages.wait(for: .sent, of: message.messageID)
        try await read(message)
        let read = try await alice.messages.wait(for: .read, of: message.messageID)
        #expect(read.states == [bob.userID: .read])
    }

    @Test("are not waited for longer than one says, by the node's clock")
    func timeout() async throws {
        try network.cut(alice, bob)
        let message = try await alice.messages.send("hi", to: bob.userID)
        let waiting = Task { [alice] in
            try await alice.messages.wait(for: .delivered, of: message.messageID, timeout: .seconds(30))
        }
        var error: EarshotError?
        let advancing = Task { [network] in
            while !Task.isCancelled { await network.advance(by: .seconds(1)) }
        }
        do { _ = try await waiting.value } catch let thrown as EarshotError { error = thrown }
        advancing.cancel()
        #expect(error?.code == .timedOut && error?.parameters.messageID == message.messageID)
    }

    @Test("of a message that will not be delivered end with why, and a wait throws that")
    func failed() async throws {
        try network.cut(alice, bob)
        await network.advance(by: .seconds(60))
        let message = try await alice.messages.send("hi", to: bob.userID)
        let waiting = Task { [alice] in try await alice.messages.wait(for: .delivered, of: message.messageID) }
        try await alice.messages.cancel(message.messageID)
        let error = await #expect(throws: EarshotError.self) { try await waiting.value }
        #expect(error?.code == .notDelivered && error?.parameters.userID == bob.userID)
        let states = try await alice.messages.states(of: message.messageID).reduce(into: []) { $0.append($1.state) }
        #expect(states == [.failed(.cancelled)])
    }

    @Test("of a note to oneself end at once")
    func note() async throws {
        let note = try await alice.messages.send("milk", to: alice.userID)
        try await alice.messages.wait(for: .delivered, of: note.messageID)
        let states = try await alice.messages.states(of: note.messageID).reduce(into: []) { $0.append($1.state) }
        #expect(states.isEmpty)
    }

    @Test("of a message of somebody else are an error: nobody tells this node of them")
    func foreign() async throws {
        let received = bob.events.events(.messageReceived)
        try await alice.messages.send("hi", to: bob.userID)
        let message = try #require(try await received.first { _ in true })
        let waiting = await #expect(throws: EarshotError.self) {
            try await bob.messages.wait(for: .read, of: message.messageID, timeout: .seconds(Int64.max))
        }
        #expect(waiting?.code == .notAuthor)
        let states = await #expect(throws: EarshotError.self) {
            for try await _ in bob.messages.states(of: message.messageID) {}
        }
        #expect(states?.code == .notAuthor)
    }

    @Test("end with the node, and a wait says so")
    func stopped() async throws {
        try network.cut(alice, bob)
        await network.advance(by: .seconds(60))
        let message = try await alice.messages.send("hi", to: bob.userID)
        async let states = alice.messages.states(of: message.messageID).reduce(into: []) { $0.append($1.state) }
        let waiting = Task { [alice] in try await alice.messages.wait(for: .delivered, of: message.messageID) }
        await alice.stop()
        #expect(try await states == [.queued])
        let error = await #expect(throws: EarshotError.self) { try await waiting.value }
        #expect(error?.code == .stopped)
    }

    @Test("of a message that is not here are an error")
    func unknown() async throws {
        let received = bob.events.events(.messageReceived)
        let message = try await alice.messages.send("hi", to: bob.userID)
        _ = try await received.first { _ in true }
        let carol = try await network.node("carol")
        let error = await #expect(throws: EarshotError.self) {
            for try await _ in carol.messages.states(of: message.messageID) {}
        }
        #expect(error?.code == .unknownMessage)
    }
}

extension DeliveryState {
    fileprivate var rank: Int { ["queued", "sent", "delivered", "handled", "read"].firstIndex(of: name) ?? -1 }
}
