import Earshot
import Foundation
import Support
import Synchronization

/// Four users who write to a bot: `senders FOLDER ROBOT-PORT`, until the standard input ends. Then each waits for its answers,
/// and all is counted.
@main
struct Senders {
    /// How long no answer may come when nobody is killed any more. The bot has more to do than it has time for while it is ended
    /// again and again, so it is given as long as it goes on.
    private static let patience = Duration.seconds(60)

    static func main() async throws {
        let (folder, robotPort) = (CommandLine.arguments[1], UInt16(CommandLine.arguments[2]) ?? 0)
        var nodes: [Node] = []
        for (number, name) in ["alice", "bob", "carol", "dave"].enumerated() {
            nodes.append(
                try await openNode(name, in: folder, port: robotPort + 1 + UInt16(number), dialling: [robotPort]))
        }
        let senders = nodes
        let ending = Ending()
        try await running(senders) {
            let tallies = try await withThrowingTaskGroup(of: Tally.self) { group in
                for node in senders { group.addTask { try await send(from: node, until: ending) } }
                return try await group.reduce(into: Tally()) { $0.add($1) }
            }
            print(
                "{\"sent\":\(tallies.sent),\"missing\":\(tallies.missing),\"doubled\":\(tallies.doubled)}")
        }
    }

    private struct Tally {
        var sent = 0, missing = 0, doubled = 0

        mutating func add(_ other: Self) {
            sent += other.sent
            missing += other.missing
            doubled += other.doubled
        }
    }

    private static func send(from node: Node, until ending: Ending) async throws -> Tally {
        let robot = try await robot(metBy: node)
        let conversation = node.conversations.direct(with: robot)
        var texts: [String] = []
        while !ending.isHere {
            let text = "\(Int.random(in: 0...3000)) \(texts.count)"
            try await node.messages.send(text, to: robot)
            texts.append(text)
            try await Task.sleep(for: .milliseconds(Int.random(in: 1000...2600)))
        }
        let clock = ContinuousClock()
        var (tally, deadline) = (try await count(texts, in: conversation), clock.now + patience)
        while tally.missing > 0, clock.now < deadline {
            try await Task.sleep(for: .milliseconds(500))
            let next = try await count(texts, in: conversation)
            if next.missing < tally.missing { deadline = clock.now + patience }
            tally = next
        }
        return tally
    }

    private static func count(_ texts: [String], in conversation: Conversation) async throws -> Tally {
        var answers: [String: Int] = [:]
        for try await message in conversation.messages(.arrival) where message.senderID == conversation.peerID {
            answers[message.text, default: 0] += 1
        }
        var tally = Tally(sent: texts.count)
        for text in texts {
            let count = answers["done: \(text)", default: 0]
            if count == 0 { tally.missing += 1 }
            if count > 1 { tally.doubled += 1 }
        }
        return tally
    }

    private static func robot(metBy node: Node) async throws -> UserID {
        let met = node.events.events(.userDiscovered)
        if let known = await node.users.all.first(where: { $0.name.text == "robot" }) { return known.userID }
        for try await user in met where user.name.text == "robot" { return user.userID }
        throw CancellationError()
    }
}

/// The end of the standard input.
private final class Ending: Sendable {
    private let isReached = Mutex(false)

    init() {
        // It waits on a thread that may wait.
        Thread.detachNewThread { [weak self] in
            while readLine() != nil {}
            self?.isReached.withLock { $0 = true }
        }
    }

    var isHere: Bool { isReached.withLock(\.self) }
}
