public import Earshot
import Foundation

/// Opens a user's node on loopback, which dials the ports that it is told. The home is made the first time.
public func openNode(
    _ name: String, in folder: String, port: UInt16, dialling ports: [UInt16] = [], endingLimit: Duration = .seconds(10)
) async throws -> Node {
    let home = Home(path: "\(folder)/\(name)")
    if !home.isInitialized { try home.create(name: name) }
    var configuration = NodeConfiguration(
        port: port, staticPeers: ports.map { PeerAddress(host: "127.0.0.1", port: $0) }, discovery: .off)
    configuration.endingLimit = endingLimit
    return try await Node.open(home, configuration: configuration)
}

/// Runs nodes while the body does its work.
public func running(_ nodes: [Node], _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
        for node in nodes { group.addTask { try await node.run() } }
        try await body()
        for node in nodes { await node.stop() }
        try await group.waitForAll()
    }
}

/// Waits until a node has met a user.
public func meet(_ userID: UserID, on node: Node) async throws {
    let met = node.events.events(.userDiscovered)
    guard await node.users.user(userID) == nil else { return }
    for try await user in met where user.userID == userID { return }
}

/// Prints what was checked, for `script/embed`.
public func check(_ name: String, _ isRight: Bool, _ detail: String) throws {
    let line: [String: Any] = ["check": name, "passed": isRight, "detail": detail]
    try print(String(decoding: JSONSerialization.data(withJSONObject: line, options: .sortedKeys), as: UTF8.self))
}
