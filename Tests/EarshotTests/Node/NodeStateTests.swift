import Earshot
import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite("A node's state")
struct NodeStateTests {
    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        try home.create(name: "alice")
    }

    private func open(port: UInt16 = 0) async throws -> Node {
        try await Node.open(home, configuration: NodeConfiguration(port: port, discovery: .off, logger: .quiet))
    }

    /// All states that come, until the events end.
    private func rest(_ states: EventSequence<NodeState>) async throws -> [NodeState] {
        try await withDeadline("the events end") { try await states.reduce(into: []) { $0.append($1) } }
    }

    @Test("goes from open to running to stopped, and each change is an event")
    func wholeLife() async throws {
        let node = try await open()
        #expect(node.state == .open)
        let states = node.events.events(.nodeStateChanged)
        let watched = node.events.events(.nodeStateChanged)
        async let running: Void = node.run()
        let port = try #require(try await watched.compactMap(\.port).first { _ in true })
        #expect(node.state == .running(port: port))
        await node.stop()
        #expect(node.state == .stopped)
        try await running
        #expect(try await rest(states) == [.starting, .running(port: port), .stopping, .stopped])
    }

    @Test("is stopped, too, when the task that runs the node is cancelled")
    func cancelled() async throws {
        let node = try await open()
        let states = node.events.events(.nodeStateChanged)
        let running = Task { try await node.run() }
        _ = try await states.first { $0.port != nil }
        running.cancel()
        try await running.value
        #expect(node.state == .stopped)
    }

    @Test("is stopped after a run that cannot begin, and whoever waits for an event waits no longer")
    func unableToRun() async throws {
        let first = try await open()
        let states = first.events.events(.nodeStateChanged)
        async let running: Void = first.run()
        let port = try #require(try await states.compactMap(\.port).first { _ in true })

        let folder = try TemporaryFolder()
        let home = Home(path: folder.file("home"))
        try home.create(name: "bob")
        let configuration = NodeConfiguration(port: port, discovery: .off, logger: .quiet)
        let second = try await Node.open(home, configuration: configuration)
        let secondStates = second.events.events(.nodeStateChanged)
        await expect(.portInUse) { try await second.run() }
        #expect(try await rest(secondStates) == [.starting, .stopping, .stopped])
        // Whoever asks it for something learns why, and so does whoever awaits its bot.
        let errors = [
            await expect(.stopped) { try await second.messages.send("hello", to: first.userID) },
            await expect(.stopped) { try await second.users.subscribe(to: first.userID) },
        ]
        for error in errors {
            #expect(error?.message.contains("\(port)") == true)
            #expect((error?.cause as? EarshotError)?.code == .portInUse)
        }
        await expect(.portInUse) { try await Bot("echo", on: second).run() }
        await first.stop()
        try await running
    }

    @Test("goes from open to stopped where the node never runs; a run that comes later returns, and a second one fails")
    func neverRun() async throws {
        let node = try await open()
        let states = node.events.events(.nodeStateChanged)
        await node.stop()
        await node.stop()
        #expect(try await rest(states) == [.stopping, .stopped])
        try await node.run()
        await expect(.stopped) { try await node.run() }
    }

    @Test("is reached by a node on an event loop that its program hands in, whose thread ends with it")
    func ownEventLoop() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let node = try await Node.open(
            home, configuration: NodeConfiguration(discovery: .off, logger: .quiet, eventLoopGroup: group.next()))
        #expect(node.configuration.eventLoopGroup.any() === group.any())
        let states = node.events.events(.nodeStateChanged)
        async let running: Void = node.run()
        _ = try await states.first { $0.port != nil }
        await node.stop()
        try await running
        try await group.shutdownGracefully()
    }
}
