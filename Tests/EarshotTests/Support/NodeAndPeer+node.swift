import Earshot
import Foundation
import TestSupport

extension NodeAndPeer {
    /// Runs a node on a home of its own for as long as `body` takes. It finds peers at the given addresses only.
    static func withNode<Result>(
        _ name: String, networkKey: [UInt8]? = nil, peers: [PeerAddress] = [], _ body: (Node) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder()
        let home = Home(path: folder.file("home"))
        try home.create(name: name)
        if let networkKey { try write(networkKey, to: home) }
        return try await withNode(home, peers: peers, body)
    }

    /// Runs the node of a home for as long as `body` takes.
    static func withNode<Result>(
        _ home: Home, peers: [PeerAddress], _ body: (Node) async throws -> Result
    ) async throws -> Result {
        let configuration = NodeConfiguration(staticPeers: peers, discovery: .off, logger: .quiet)
        let node = try await Node.open(home, configuration: configuration)
        let states = node.events.events(.nodeStateChanged)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            _ = try await states.compactMap(\.port).first { _ in true }
            let result = try await body(node)
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    private static func write(_ networkKey: [UInt8], to home: Home) throws {
        let file = home.path + "/network.key"
        let content = Data("earshot network 1\n".utf8) + networkKey
        guard FileManager.default.createFile(atPath: file, contents: content, attributes: [.posixPermissions: 0o600])
        else { throw PeerFailure("\(file) cannot be written") }
    }

    /// Waits for the next event of a kind.
    static func next<Payload>(_ events: EventSequence<Payload>, _ what: String) async throws -> Payload {
        try await withDeadline(what) {
            for try await payload in events { return payload }
            throw PeerFailure("the node stopped before this came to pass: \(what)")
        }
    }
}
