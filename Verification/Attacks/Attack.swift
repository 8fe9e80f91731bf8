import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import Foundation

/// One attack, and its expected result.
struct Attack: Sendable {
    enum Kind: String, Sendable {
        case beforeAuthentication = "before authentication"
        case impersonation = "impersonation"
        case afterAuthentication = "after authentication"
        case conversations = "conversations of many"
        case files = "files"
        case discovery = "discovery"
        case localAPI = "local API"
        case fault = "fault"
    }

    /// The result of an attack.
    struct Outcome: Sendable {
        let happened: String
        let isAsExpected: Bool

        init(_ happened: String, _ isAsExpected: Bool) {
            self.happened = happened
            self.isAsExpected = isAsExpected
        }
    }

    let kind: Kind
    let name: String
    let expected: String
    /// Whether it waits for a time limit, and therefore runs beside the others.
    var isSlow = false
    /// Gets the arena, and an address that nobody else uses.
    let run: @Sendable (Arena, String) async throws -> Outcome
}

/// Runs blocking work on a thread of its own, because the nodes need Swift's threads.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

extension Attack.Outcome {
    /// How a connection ended, and what the node reported about it.
    /// - Parameters:
    ///   - reason: the reason that the attacker should be told; `nil` for a connection that just ends.
    ///   - code: the code of the event; `nil` if there should be none.
    init(_ end: LinkEnd, reason: UInt32?, code: String?, at node: RunningNode, from source: String) async {
        let failure = await node.events.failure(from: source, within: code == nil ? .milliseconds(200) : .seconds(10))
        self.init(
            "\(end); event \(failure.map { "\($0.code): \($0.message)" } ?? "none")",
            end.isClosed && end.reason == reason && failure?.code == code)
    }
}

extension Attack {
    /// Bytes of somebody who has not proved who they are: the node closes, and reports why.
    static func bytes(
        _ name: String, code: String, kind: Kind = .beforeAuthentication, answer: [UInt8] = [],
        to node: @escaping @Sendable (Arena) -> RunningNode = \.alice, _ bytes: [UInt8]
    ) -> Attack {
        let said = answer.isEmpty ? "closed without a word" : "told reason \(answer[2]) in the clear, closed"
        return Attack(kind: kind, name: name, expected: "\(said); event \(code)") { arena, source in
            let node = node(arena)
            let answered = try await blocking {
                let socket = try HostileSocket(to: node.port, from: source)
                socket.write(bytes)
                return socket.readToEnd()
            }
            let failure = await node.events.failure(from: source)
            let end = answered.map { $0.isEmpty ? "closed" : "said \($0), closed" } ?? "open"
            return Outcome(
                "\(end); event \(failure.map { "\($0.code): \($0.message)" } ?? "none")",
                answered == answer && failure?.code == code)
        }
    }

    /// A correct handshake with somebody who is not who they say, or who is not wanted.
    static func handshake(
        _ name: String, reason: UInt32?, code: String, to node: @escaping @Sendable (Arena) -> RunningNode = \.alice,
        _ mallory: @escaping @Sendable (Arena) async throws -> Mallory
    ) -> Attack {
        let said = reason.map { "told reason \($0), " } ?? ""
        return Attack(kind: .impersonation, name: name, expected: "\(said)closed; event \(code)") { arena, source in
            let (mallory, node) = (try await mallory(arena), node(arena))
            let end = try await blocking {
                try HostileLink.connect(mallory, to: node.port, from: source).end()
            }
            guard await node.node.users.user(mallory.userID)?.isOnline != true else {
                return Outcome("linked", false)
            }
            return await Outcome(end, reason: reason, code: code, at: node, from: source)
        }
    }

    /// Frames that a linked peer must not send.
    static func frames(
        _ name: String, kind: Kind = .afterAuthentication, reason: UInt32? = 3, code: String = "violation",
        _ send: @escaping @Sendable (HostileLink, Arena) throws -> Void
    ) -> Attack {
        let said = reason.map { "told reason \($0), " } ?? ""
        return Attack(kind: kind, name: name, expected: "\(said)closed; event \(code); nothing taken") {
            arena, source in
            let mallory = Mallory(name: "m \(source)")
            let end = try await blocking {
                let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
                try link.expectHeads()
                try send(link, arena)
                return link.end()
            }
            let outcome = await Outcome(end, reason: reason, code: code, at: arena.alice, from: source)
            let taken = await arena.alice.events.receivedTexts(from: mallory.userID).filter { $0.contains("forged") }
            return taken.isEmpty ? outcome : Outcome("took \(taken.count) forged messages", false)
        }
    }
}

extension HostileLink {
    /// The node considers the link established.
    func expectHeads() throws {
        // Who knows of revoked devices says so first.
        while let frame = nextFrame(), [1, 31].contains(frame.number) { if frame.number == 1 { return } }
        throw HostileSocket.Failure(description: "the node did not take the link")
    }

    /// Whether the node still answers.
    func answersPing() -> Bool {
        send(Mallory.ping)
        while let frame = nextFrame() { if frame.number == 5 { return true } }
        return false
    }
}

/// Resident memory of this process, nodes and attacker together, in bytes.
func residentBytes() -> Int {
    guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else { return 0 }
    let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}
