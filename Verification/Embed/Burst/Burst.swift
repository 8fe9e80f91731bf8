import Earshot
import Support

/// Sends a bot so many messages at once: `burst FOLDER COUNT`. Each is to be answered once.
@main
struct Burst {
    static func main() async throws {
        let (folder, count) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 5000)
        let robot = try await openNode("robot", in: folder, port: 28411)
        let alice = try await openNode("alice", in: folder, port: 28412, dialling: [28411])
        let bot = Bot("echo", on: robot).otherwise { message in try await message.reply("you said: \(message.text)") }
        try await bot.prepare()
        try await running([robot, alice]) {
            try await withThrowingTaskGroup { group in
                group.addTask { try await bot.run() }
                try await sendAll(count, from: alice, to: robot)
                // The bot ends with its task.
                group.cancelAll()
                try await group.waitForAll()
            }
            let left = try await robot.inbox.consumers().first { $0.name == "echo" }
            try check(
                "none of a burst is set aside", left?.setAsideCount == 0, "\(left?.setAsideCount ?? -1) set aside")
        }
    }

    private static func sendAll(_ count: Int, from alice: Node, to robot: Node) async throws {
        try await meet(robot.userID, on: alice)
        let conversation = alice.conversations.direct(with: robot.userID)
        // From here on everything comes, first what is here already, and then what arrives.
        let feed = conversation.feed()
        let drafts = (0..<count).map { MessageDraft("\($0)") }
        for start in stride(from: 0, to: count, by: Limits.messagesPerSend) {
            try await alice.messages.send(
                Array(drafts[start..<min(start + Limits.messagesPerSend, count)]), to: robot.userID)
        }
        var answers: [String: Int] = [:]
        for try await message in feed where message.senderID == robot.userID {
            answers[message.text, default: 0] += 1
            if answers.count == count { break }
        }
        // Once more from the disk: an answer that came twice may have come last.
        answers = [:]
        for try await message in conversation.messages(.arrival) where message.senderID == robot.userID {
            answers[message.text, default: 0] += 1
        }
        let missing = (0..<count).count { answers["you said: \($0)"] == nil }
        let doubled = answers.values.count { $0 > 1 }
        try check(
            "each message of a burst is answered once", missing == 0 && doubled == 0 && answers.count == count,
            "\(count) sent, \(missing) not answered, \(doubled) answered twice")
    }
}
