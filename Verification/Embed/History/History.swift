import Earshot
import Support

/// Reads a history page by page, of which a tenth came late: `history FOLDER COUNT`.
@main
struct History {
    static func main() async throws {
        let (folder, count) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 10_000)
        try await getAcquainted(in: folder)
        let (alice, bob) = try await openBoth(in: folder)
        let conversation = alice.conversations.direct(with: bob.userID)

        // Both write, and bob's node is not on the network: alice will get what he writes when she has written everything.
        for number in 0..<count {
            let (author, reader) = number % 10 == 9 ? (bob, alice) : (alice, bob)
            try await author.messages.send("\(number)", to: reader.userID)
        }
        guard let lastRead = try await conversation.history(.latest, order: .arrival, limit: 1).last else { return }
        let lateTexts = stride(from: 9, to: count, by: 10).map(String.init)

        try await running([alice, bob]) {
            try await follow(
                conversation, of: alice.userID, from: bob, after: lastRead.messageID, late: lateTexts, live: 100)
        }
        try await read(alice, bob, count: count, after: lastRead.messageID, late: lateTexts, live: 100)
    }

    private static func openBoth(in folder: String) async throws -> (alice: Node, bob: Node) {
        (
            try await openNode("alice", in: folder, port: 28421),
            try await openNode("bob", in: folder, port: 28422, dialling: [28421])
        )
    }

    /// Nobody can write to somebody whom they have never met.
    private static func getAcquainted(in folder: String) async throws {
        let (alice, bob) = try await openBoth(in: folder)
        try await running([alice, bob]) {
            try await meet(bob.userID, on: alice)
            try await meet(alice.userID, on: bob)
        }
    }

    /// What is new since a message, and then what comes.
    private static func follow(
        _ conversation: Conversation, of readerID: UserID, from bob: Node, after lastRead: MessageID, late: [String],
        live: Int
    ) async throws {
        let reading = Task {
            var texts: [String] = []
            for try await message in conversation.feed(after: lastRead) {
                texts.append(message.text)
                if texts.count == late.count {
                    // From here on they come while somebody waits for them.
                    for number in 0..<live { try await bob.messages.send("live \(number)", to: readerID) }
                }
                if texts.count == late.count + live { break }
            }
            return texts
        }
        let texts = try await reading.value
        let expected = late + (0..<live).map { "live \($0)" }
        try check(
            "a feed gives what came since, in its order, and then what comes", texts == expected,
            "\(texts.count) messages, \(expected.count) expected")
    }

    private static func read(
        _ alice: Node, _ bob: Node, count: Int, after lastRead: MessageID, late: [String], live: Int
    ) async throws {
        let conversation = alice.conversations.direct(with: bob.userID)
        let liveTexts = (0..<live).map { "live \($0)" }
        let lateSet = Set(late)
        let inArrival = (0..<count).map(String.init).filter { !lateSet.contains($0) } + late + liveTexts

        for (order, name) in [(Conversation.Order.time, "time"), (.arrival, "arrival")] {
            var walked: [Message] = []
            for try await message in conversation.messages(order) { walked.append(message) }
            try compare(walked, order, "a walk in the order of \(name) has each message once", inArrival)

            var paged: [Message] = []
            var page = try await conversation.history(.first, order: order, limit: 100)
            while let last = page.last {
                paged += page
                page = try await conversation.history(.after(last.messageID), order: order, limit: 100)
            }
            try compare(paged, order, "pages in the order of \(name) have each message once", inArrival)
        }

        // Nobody says an order: all pages have the same one.
        var forwards: [Message] = []
        var page = try await conversation.history(.first, limit: 100)
        while let last = page.last {
            forwards += page
            page = try await conversation.history(.after(last.messageID), limit: 100)
        }
        try compare(forwards, .time, "pages without an order are in that of time, forwards", inArrival)
        var backwards: [Message] = []
        page = try await conversation.history(limit: 100)
        while let first = page.first {
            backwards = page + backwards
            page = try await conversation.history(.before(first.messageID), limit: 100)
        }
        try compare(backwards, .time, "pages without an order are in that of time, backwards", inArrival)

        var news: [String] = []
        page = try await conversation.history(.after(lastRead), order: .arrival, limit: 100)
        while let last = page.last {
            news += page.map(\.text)
            page = try await conversation.history(.after(last.messageID), order: .arrival, limit: 100)
        }
        try check(
            "what is new since a message has all that came late", news == late + liveTexts,
            "\(news.count) read, \(late.count + live) expected")
    }
    /// Whether each message was read once, in its order. What two users wrote in the same millisecond may stand either way.
    private static func compare(
        _ messages: [Message], _ order: Conversation.Order, _ name: String, _ expected: [String]
    ) throws {
        let texts = messages.map(\.text)
        let isInOrder =
            order == .arrival
            ? texts == expected : zip(messages, messages.dropFirst()).allSatisfy { $0.createdAt <= $1.createdAt }
        try check(
            name, isInOrder && texts.count == expected.count && Set(texts) == Set(expected),
            "\(texts.count) read, \(Set(texts).count) different, \(expected.count) expected"
                + (isInOrder ? "" : ", and not in their order"))
    }
}
