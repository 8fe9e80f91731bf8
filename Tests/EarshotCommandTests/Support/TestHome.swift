import Earshot
import EarshotGateway
import Foundation
import TestSupport
import Testing

/// A home directory for one test, which keeps it. It goes with the object, and so does the node that still runs on it, as one in the
/// background does where a test failed.
final class TestHome: Sendable {
    let path: String
    private let port = PortForOneTest.next()

    init() throws {
        // Short: the path of the socket in it has a limit.
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("earshot-\(UUID().uuidString.prefix(8))").path
        Belongings.keep(self)
    }

    deinit {
        if let pid = HomeLock.holder(of: Home(path: path)), pid != getpid() { kill(pid, SIGKILL) }
        do { try FileManager.default.removeItem(atPath: path) } catch CocoaError.fileNoSuchFile {
            // Never made, or made to be removed.
        } catch { FileHandle.standardError.write(Data("\(path) could not be removed: \(error)\n".utf8)) }
    }

    /// Where the home lies, and what an import makes of it before it is whole.
    var folder: String { (path as NSString).deletingLastPathComponent }

    /// A home with an identity.
    static func named(_ name: String, _ options: String...) async throws -> TestHome {
        let home = try TestHome()
        let result = try await Program.run(["init", "--name", name, "--home", home.path] + options)
        try #require(result.status == 0, "\(result.errors)")
        return home
    }

    func run(_ arguments: String..., input: Data = Data()) async throws -> Program.Result {
        try await run(arguments, input: input)
    }

    func run(_ arguments: [String], input: Data = Data()) async throws -> Program.Result {
        try await Program.run(arguments + ["--home", path], input: input)
    }

    /// A node on loopback, without discovery, always on the same port.
    func up(_ options: String...) async throws -> (program: RunningProgram, port: String) { try await up(options) }

    func up(_ options: [String]) async throws -> (program: RunningProgram, port: String) {
        let program = try RunningProgram(
            ["up", "--no-discovery", "--port", "\(port)", "--home", path] + options, home: self)
        return (program, try await program.expect(#"is up: .* port (\d+)"#))
    }

    /// The user's key.
    func userID() async throws -> String {
        try #require(try await run("status", "--json").objects().first?["id"] as? String)
    }

    /// What names the user beside others of the same name, and the fingerprint.
    func key() async throws -> (prefix: String, fingerprint: String) {
        let id = try await userID()
        let groups = stride(from: 0, to: 20, by: 4).map { id.dropFirst($0).prefix(4) }
        return (String(id.prefix(8)), groups.joined(separator: " "))
    }

    /// Waits until something holds of the node that runs here, which posts an event about it.
    func until(
        _ what: String, _ condition: @escaping @Sendable (GatewayClient) async throws -> Bool
    ) async throws {
        try await Self.until(what, GatewayClient(home: Home(path: path)), condition)
    }

    /// Waits until a condition holds at a node.
    static func until(
        _ what: String, _ client: GatewayClient, _ condition: @escaping @Sendable (GatewayClient) async throws -> Bool
    ) async throws {
        try await withDeadline(what) {
            try await client.withEvents { events in
                if try await condition(client) { return }
                for try await _ in events where try await condition(client) { return }
                throw CancellationError()
            }
        }
    }

    /// The known user whose key begins so, as `earshot users --json` shows them.
    func user(_ prefix: String) async throws -> [String: Any]? {
        try await run("users", "--json").objects().first { ($0["id"] as? String)?.hasPrefix(prefix) == true }
    }

    func mode(of file: String = "") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + file)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }
}

/// Two users whose nodes run and have met.
struct Pair {
    let alice: TestHome
    let bob: TestHome
    let aliceNode: RunningProgram
    let bobNode: RunningProgram

    static func met() async throws -> Pair {
        let (alice, bob) = (try await TestHome.named("alice"), try await TestHome.named("bob"))
        let (bobNode, port) = try await bob.up()
        let (aliceNode, _) = try await alice.up("--peer", "127.0.0.1:\(port)")
        try await aliceNode.expect("bob was met")
        try await bobNode.expect("alice was met")
        return Pair(alice: alice, bob: bob, aliceNode: aliceNode, bobNode: bobNode)
    }
}
