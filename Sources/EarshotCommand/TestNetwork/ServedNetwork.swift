import Earshot
import EarshotGateway
import EarshotTesting
import Foundation

/// A test network whose nodes serve their local API on sockets in a folder.
actor ServedNetwork {
    /// A node, and the task that serves its API.
    private struct Served {
        let node: Node
        let serving: Task<Void, any Error>
    }

    private struct Crash {
        let node: Node
        /// The consumer that brought it about.
        let consumer: String
    }

    /// What a line did.
    struct Answer: Encodable {
        var user: String?
        var id: String?
        var socket: String?
        var message: String?
        var time: String?
    }

    /// What happened since, because a line wanted it to.
    struct News: Encodable {
        /// The line's word.
        let name: String
        let user: String
        let consumer: String
        /// Why the node does not run again.
        var error: String?
    }

    private let network: TestNetwork
    private let folder: String
    private let tell: @Sendable (News) -> Void
    private var served: [String: Served] = [:]
    /// Users whose nodes have crashed because a line wanted it to, and run again.
    private var crashed: [String: Crash] = [:]
    /// An element after a node has crashed.
    private let crashes: AsyncStream<Void>
    private let hasCrashed: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - folder: holds the socket of each user, `NAME.sock`.
    ///   - tell: called when a fault has happened that a line has scripted.
    init(folder: String, tell: @escaping @Sendable (News) -> Void) throws {
        self.folder = folder
        self.tell = tell
        (crashes, hasCrashed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        network = try TestNetwork()
    }

    /// Brings back nodes that crash because a line wants it, while the body runs. Then it stops all nodes, and removes their
    /// sockets.
    /// - Throws: what the body throws; `Failure` `unusableFile` for a socket that cannot be removed.
    func run(_ body: @Sendable () async throws -> Void) async throws {
        async let restarting: Void = restartCrashed()
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        hasCrashed.finish()
        await restarting
        try await stop()
        try result.get()
    }

    /// Does what a line says. It returns when that is done.
    func obey(_ line: TestNetworkLine) async throws -> Answer {
        switch line {
        case .node(let name): return try await start(name)
        case .stop(let name):
            try await end(name) { await $0.stop() }
            return Answer(user: name)
        case .crash(let name):
            try await end(name) { [network] in try await network.crash($0) }
            return Answer(user: name)
        case .advance(let duration):
            await network.advance(by: duration)
            return Answer(time: network.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        case .send(let from, let to, let text, let headers):
            let message = try await node(from).messages.send(text, headers: headers, to: try node(to).userID)
            return Answer(message: message.messageID.description)
        case .cut(let names): try network.cut(try node(names[0]), try node(names[1]))
        case .mend(let names): try network.mend(try node(names[0]), try node(names[1]))
        case .breakConnections(let names): try network.breakConnections(try node(names[0]), try node(names[1]))
        case .fillDisk(let name): try network.fillDisk(of: try node(name))
        case .freeDisk(let name): try network.freeDisk(of: try node(name))
        case .duplicateHandOut(let name, let consumer):
            try network.duplicateHandOut(to: consumer, of: try node(name)) { [tell] in
                tell(News(name: "duplicateHandOut", user: name, consumer: consumer))
            }
        case .crashAfterHandOut(let name, let consumer):
            let crashing = try node(name)
            try network.crashAfterHandOut(to: consumer, of: crashing) { [weak self] in
                await self?.note(Crash(node: crashing, consumer: consumer), of: name)
            }
        }
        return Answer()
    }

    private func stop() async throws {
        var failures: [any Error] = []
        for name in served.keys.sorted() {
            do { try await end(name) { await $0.stop() } } catch { failures.append(error) }
        }
        if let failure = failures.first { throw failure }
    }

    /// The call that brought this about is still open. It is answered before the node starts again.
    private func note(_ crash: Crash, of name: String) {
        crashed[name] = crash
        hasCrashed.yield()
    }

    private func restartCrashed() async {
        for await _ in crashes {
            while let (name, crash) = crashed.first {
                crashed[name] = nil
                await restart(name, after: crash)
            }
        }
    }

    private func restart(_ name: String, after crash: Crash) async {
        guard served[name]?.node === crash.node else { return }
        var news = News(name: "crashAfterHandOut", user: name, consumer: crash.consumer)
        do {
            try await end(name) { _ in }
            _ = try await start(name)
        } catch { news.error = "\(error)" }
        tell(news)
    }

    private func node(_ name: String) throws -> Node {
        guard let node = served[name]?.node else { throw LineError("no node of \(name) runs: {\"node\":\"\(name)\"}") }
        return node
    }

    private func path(of name: String) -> String { "\(folder)/\(name).sock" }

    private func start(_ name: String) async throws -> Answer {
        if served[name] == nil {
            guard !name.contains("/"), !name.hasPrefix(".") else { throw LineError("\(name) is no name of a file") }
            // A network that was killed has left its socket.
            try removeSocket(of: name)
            let node = try await network.node(name)
            let (listening, listens) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
            let serving = Task {
                defer { listens.finish() }
                try await Gateway(node: node, shutdown: .zero) { listens.yield() }.run()
            }
            guard await listening.first(where: { true }) != nil else {
                serving.cancel()
                try await serving.value
                throw LineError("the API of \(name) has ended")
            }
            served[name] = Served(node: node, serving: serving)
            try FileManager.default.createSymbolicLink(
                atPath: path(of: name), withDestinationPath: node.home.socketFile)
        }
        return Answer(user: name, id: served[name]?.node.userID.description, socket: path(of: name))
    }

    /// - Parameter how: stops the node, or crashes it.
    private func end(_ name: String, _ how: (Node) async throws -> Void) async throws {
        let ending = try node(name)
        guard let served = served.removeValue(forKey: name) else { return }
        try await how(ending)
        served.serving.cancel()
        _ = await served.serving.result
        try removeSocket(of: name)
    }

    private func removeSocket(of name: String) throws(Failure) {
        let path = path(of: name)
        guard unlink(path) == 0 || errno == ENOENT else {
            throw Failure(.unusableFile, "\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
    }
}
