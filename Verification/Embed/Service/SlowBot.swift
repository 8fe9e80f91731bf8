import Earshot
import Foundation
import Logging
import ServiceLifecycle
import Support

/// A bot and its node as services: `service FOLDER PORT node-first|bot-first|count`.
///
/// A message says for how many milliseconds it is worked on. SIGTERM ends the service, which says on standard output when it
/// is up. `count` runs nothing, and prints how many messages are set aside and how many wait.
@main
struct SlowBot {
    static func main() async throws {
        let (folder, port, order) = (
            CommandLine.arguments[1], UInt16(CommandLine.arguments[2]), CommandLine.arguments[3]
        )
        let node = try await openNode("robot", in: folder, port: port ?? 0, endingLimit: .seconds(2))
        if order == "count" { return try await count(on: node) }

        let bot = Bot("slow", on: node).otherwise { message in
            let milliseconds = message.text.split(separator: " ").first.flatMap { Int($0) } ?? 0
            try await Task.sleep(for: .milliseconds(milliseconds))
            try await message.reply("done: \(message.text)")
        }
        let services: [any Service] = order == "node-first" ? [node, bot] : [bot, node]
        let group = ServiceGroup(
            services: services, gracefulShutdownSignals: [.sigterm], logger: Logger(label: "service"))

        let states = node.events.events(.nodeStateChanged)
        async let announced: Void = announce(states)
        try await group.run()
        try await announced
    }

    private static func announce(_ states: EventSequence<NodeState>) async throws {
        for try await state in states where state.port != nil {
            print("{\"up\":true}")
            // It is read by a pipe.
            fflush(nil)
            return
        }
    }

    private static func count(on node: Node) async throws {
        let consumer = try await node.inbox.consumers().first { $0.name == "slow" }
        print("{\"setAside\":\(consumer?.setAsideCount ?? -1),\"lag\":\(consumer?.lag ?? -1)}")
        await node.stop()
    }
}
