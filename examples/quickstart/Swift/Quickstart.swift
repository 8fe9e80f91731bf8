import Dispatch
import Earshot
import Foundation

/// Talks in the open conversation `#quickstart`: `quickstart HOME`. Each line that you type is a message.
///
/// Make the home directory with `earshot init`; no other node may run on it.
@main
struct Quickstart {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: quickstart HOME")
            return
        }
        // A node has the user's keys, their history, and links to the nodes on the network.
        let node = try await Node.open(Home(path: CommandLine.arguments[1]))
        try await withThrowingTaskGroup { group in
            // It is on the network until it is stopped.
            group.addTask { try await node.run() }
            // The conversation with this name, which begins if nobody has it yet. Its history comes from whoever has it.
            let conversation = try await node.conversations.join(named: "quickstart")
            let last = try await conversation.history(order: .arrival, limit: 20)
            for message in last { await show(message, node) }
            group.addTask {
                // What comes after that, each message once, as soon as it is on this disk.
                let feed = last.last.map { conversation.feed(after: $0.messageID) } ?? conversation.feed()
                for try await message in feed where !message.isOwn { await show(message, node) }
            }
            group.addTask {
                // What you write is on this disk when `send` returns, and travels to everybody who belongs to it, now or
                // when they are met.
                while let line = await nextLine() {
                    if !line.isEmpty { try await conversation.send(line) }
                }
            }
            // The end of the input, or the reason why the node cannot run.
            do { try await group.next() } catch {
                print(error)
                exit(EXIT_FAILURE)
            }
            await node.stop()
            try await group.waitForAll()
        }
    }

    private static func show(_ message: Message, _ node: Node) async {
        let name = await node.users.user(message.senderID)?.name
        print("\(name?.text ?? "somebody"): \(message.text)")
        fflush(nil)
    }

    /// Waits for the keyboard on a thread that may wait. `nil` at the end of the input.
    private static func nextLine() async -> String? {
        await withCheckedContinuation { waiting in
            DispatchQueue.global().async { waiting.resume(returning: readLine()) }
        }
    }
}
