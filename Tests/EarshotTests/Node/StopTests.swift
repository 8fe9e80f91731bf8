import Earshot
import TestSupport
import Testing

@testable import Earshot

@Suite("A node's stop")
struct StopTests {
    @Test("is clean: the peer hears of it, no error is reported, and the events end")
    func clean() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let events = bob.node.events.events(.all)
        try await bob.stop()
        try await alice.waitForNoLink(to: bob)
        // Alice dials where Bob was, and may have found out already that nobody is there: that is no failed link.
        let failures = await alice.events.events.compactMap(\.linkFailure)
        #expect(failures.allSatisfy { $0.code == "unreachable" })
        try await withDeadline("the events end") {
            for try await event in events { #expect(event.linkFailure == nil) }
        }
    }

    @Test("ends sending: a message is refused, and nothing of it is kept")
    func sendAfterStop() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        try await alice.stop()
        let live = try await LiveNode.start(alice.home)
        try await live.stop()
        await expect(.stopped) { try await live.node.messages.send("hello", to: bob.userID) }
        await expect(.stopped) { try await live.node.users.decide(.block, about: bob.userID) }
        #expect(try await live.node.conversations.direct(with: bob.userID).history().isEmpty)
    }

    @Test("loses no message that was accepted before it")
    func acceptedBeforeStop() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let port = try await bob.stop()
        var sent: [String] = []
        for number in 0..<50 { sent.append(try await alice.send("\(number)", to: bob).text) }
        try await alice.stop()
        try await bob.start(port: port)
        try await alice.start()
        let received = try await bob.events.wait(for: "all messages") { events in
            let texts = events.compactMap { $0.received?.text }
            return texts.count >= 50 ? texts : nil
        }
        #expect(received == sent)
    }

    @Test("lets go of everything, although messages wait for their expiry")
    func release() async throws {
        let (alice, bob, carol) = (try TestUser("alice"), try TestUser("bob"), try TestUser("carol"))
        let log = LogWatch()
        try await bob.start(port: LoopbackPort.next())
        try await alice.start(peers: [bob.address], log: log)
        try await alice.waitForLink(to: bob)
        try await bob.stop()
        _ = try await alice.send("waits for a month", to: bob)
        try await carol.start(peers: [alice.address])
        try await alice.waitForLink(to: carol)
        let shell = WeakShell(alice.node.shell)
        try await alice.stop()
        try await log.isReleased.wait(for: "the node's insides are released")
        #expect(shell.isReleased)
    }

    @Test("lets go of everything, too, where the node never ran")
    func releaseWithoutRun() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        try await alice.stop()
        let log = LogWatch()
        let shell = try await sendWithoutRunning(alice, to: bob, log: log)
        try await log.isReleased.wait(for: "the node's insides are released")
        #expect(shell.isReleased)
    }

    private func sendWithoutRunning(
        _ sender: TestUser, to recipient: TestUser, log: LogWatch
    ) async throws -> WeakShell {
        let configuration = NodeConfiguration(discovery: .off, logger: log.logger)
        let node = try Node(home: sender.home, configuration: configuration)
        try await node.messages.send("waits for a month", to: recipient.userID)
        return WeakShell(node.shell)
    }

    @Test("is for good: a node runs once")
    func runsOnce() async throws {
        let user = try TestUser("alice")
        let live = try await LiveNode.start(user.home)
        await expect(.alreadyRunning) {
            try await withDeadline("the second run ends") { try await live.node.run() }
        }
        try await live.stop()
        await expect(.stopped) {
            try await withDeadline("the third run ends") { try await live.node.run() }
        }
    }

    @Test("lets the home go at once, for the next node; what is left of the old one writes nothing there")
    func homeIsFree() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let message = try await alice.send("hello", to: bob)
        try await alice.events.state(.delivered, of: message.messageID)
        let old = alice.node
        await old.stop()
        let next = try await Node.open(alice.home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
        await expect(.stopped) { try await old.messages.erase([message.messageID]) }
        #expect(try await old.messages.message(message.messageID).text == "hello")
        await next.stop()
    }

    @Test("comes at once where the port is in use, with a word about which")
    func portInUse() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await alice.start()
        let port = alice.address.port
        let error = await expect(.portInUse) { try await bob.start(port: port) }
        #expect(error?.message.contains("\(port)") == true)
        // Its home is free again.
        try await bob.start()
    }
}

/// Looks whether a node's insides are still there, without keeping them.
private final class WeakShell: Sendable {
    private weak let shell: NodeShell?

    init(_ shell: NodeShell) { self.shell = shell }

    var isReleased: Bool { shell == nil }
}
