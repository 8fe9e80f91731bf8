import Earshot
import EarshotModel
import Foundation

/// A node in this process, on loopback.
final class GroupNode: Sendable {
    let node: Node
    let port: UInt16
    private let running: Task<Void, any Error>

    private init(node: Node, port: UInt16, running: Task<Void, any Error>) {
        (self.node, self.port, self.running) = (node, port, running)
    }

    static func start(
        _ name: String, in folder: URL, peers: [UInt16] = [], discovery: PeerDiscovery = .off,
        linkLimit: Int = Limits.links
    ) async throws -> GroupNode {
        let home = Home(path: folder.appending(path: name).path)
        try home.create(name: name)
        var configuration = NodeConfiguration(
            staticPeers: peers.map { PeerAddress(host: "127.0.0.1", port: $0) }, discovery: discovery,
            logger: .quiet, metrics: PrometheusMetrics())
        configuration.linkLimit = linkLimit
        let node = try await Node.open(home, configuration: configuration)
        let states = node.events.events(.nodeStateChanged)
        let running = Task { try await node.run() }
        guard let port = try await states.compactMap(\.port).first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return GroupNode(node: node, port: port, running: running)
    }

    func stop() async throws {
        running.cancel()
        try await running.value
    }

    /// What it has written to its connections.
    var sentBytes: Int {
        get async throws {
            let text = await node.metricsText() ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("earshot_sent_bytes_total ") }
            guard let value = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
                throw Crowd.Failure(description: "the node does not say what it has sent")
            }
            return Int(value)
        }
    }

    /// Of this process.
    static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    func waitForLinks(_ count: Int) async throws {
        try await Crowd.until("\(count) links of \(node.name)") {
            await self.node.users.all.count(where: \.isOnline) >= count
        }
    }

    /// Sends a text, and waits until so many others have it.
    func send(_ text: String, to name: String, until count: Int) async throws {
        var delivered = node.events.events(.messageDelivered).makeAsyncIterator()
        let message = try await node.conversations.open(named: name).send(text)
        var seen = 0
        while seen < count, let change = try await delivered.next() {
            if change.messageID == message.messageID { seen += 1 }
        }
    }

    /// Writes many short messages.
    func write(_ count: Int, to name: String) async throws {
        let conversation = try await node.conversations.open(named: name)
        for first in stride(from: 0, to: count, by: 256) {
            let drafts = (first..<min(first + 256, count)).map { number in
                MessageDraft(String(format: "%07d ", number) + String(repeating: "x", count: 92))
            }
            try await node.messages.send(drafts, to: conversation)
        }
    }

    /// Waits until so many messages of a conversation are here.
    func waitForMessages(_ count: Int, of name: String) async throws {
        let conversation = try await node.conversations.open(named: name)
        try await Crowd.until("\(count) messages at \(node.name)") {
            guard let last = try await conversation.history(.latest, limit: 1).last else { return false }
            return last.text.hasPrefix(String(format: "%07d ", count - 1))
        }
    }
}

/// Nodes that are linked with each other.
struct Crowd: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let nodes: [GroupNode]

    subscript(number: Int) -> GroupNode { nodes[number] }
    func dropFirst() -> ArraySlice<GroupNode> { nodes.dropFirst() }

    static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-groups-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Links nodes with each other.
    /// - Parameter unreached: how many of them, the last ones, have no link to the first.
    static func with(
        _ count: Int, unreached: Int, _ body: (Crowd) async throws -> [Figure]
    ) async throws -> [Figure] {
        let folder = try folder()
        defer { removeQuietly(folder) }
        var nodes: [GroupNode] = []
        for number in 0..<count {
            let peers = nodes.dropFirst(number >= count - unreached ? 1 : 0).map(\.port)
            nodes.append(try await GroupNode.start("node\(number)", in: folder, peers: peers))
        }
        for (number, node) in nodes.enumerated() {
            let missing = number == 0 ? unreached : number >= count - unreached ? 1 : 0
            try await node.waitForLinks(count - 1 - missing)
        }
        let figures = try await body(Crowd(nodes: nodes))
        for node in nodes { try await node.stop() }
        return figures
    }

    static func sentBytes(of nodes: some Sequence<GroupNode>) async throws -> Int {
        var sum = 0
        for node in nodes { sum += try await node.sentBytes }
        return sum
    }

    static func until(_ what: String, _ condition: @escaping @Sendable () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(600)
        while try await !condition() {
            guard ContinuousClock.now < end else { throw Failure(description: "no \(what)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// All join an open conversation, and know each other.
    func join(_ name: String) async throws {
        for node in nodes { try await node.node.conversations.join(named: name) }
        for node in nodes {
            let conversation = try await node.node.conversations.open(named: name)
            try await Self.until("all in #\(name)") {
                try await conversation.participants(limit: Limits.historyPage).count == nodes.count
            }
        }
    }

    /// Waits until all that has changed has been compared.
    func settle() async throws { try await Task.sleep(for: .seconds(40)) }

    func joinAndSettle(_ name: String) async throws {
        try await join(name)
        try await settle()
    }

    /// What all of them write to their connections in some time.
    func bytes(in time: Duration) async throws -> Int {
        let before = try await Self.sentBytes(of: nodes)
        try await Task.sleep(for: time)
        return try await Self.sentBytes(of: nodes) - before
    }
}
