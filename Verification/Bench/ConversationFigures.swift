import ArgumentParser
import Earshot
import EarshotDiscovery
import EarshotModel
import Foundation

/// What it costs that a node has many conversations: messages to all of them at random, beside as many to one.
struct ConversationFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversations",
        abstract: "Messages to many conversations at random, beside as many to one of them.",
        discussion: """
            Conversations of many have one other participant, who is there: a message counts when the receipt has come. \
            The direct ones are with users who were met and are gone: a message counts when its call has returned. Each \
            call has one message.
            """)

    @Option(help: "Conversations of many.") var many = Limits.conversationsOfMany
    @Option(help: "Direct conversations.") var direct = 2_000
    @Option(help: "Messages of each kind in a round.") var messages = 50_000
    @Option(help: "How often the four take turns.") var rounds = 5
    @Option(help: "Calls that are under way at once.") var inFlight = 1_024
    @Flag(help: "Print one object as the last line but one.") var json = false

    /// What the rate at random is at least, of that to one conversation: each message has a signature of its own, of its author
    /// and of its recipient, and rows of its own in both databases, where hundreds to one conversation share them.
    private static let (ofOne, ofOneWaiting) = (0.05, 0.1)
    private static let pageRounds = 40
    /// Users who are there at once while all are met.
    private static let wave = 50

    func validate() throws {
        guard (1...Limits.conversationsOfMany).contains(many) else {
            throw ValidationError("--many takes 1 to \(Limits.conversationsOfMany), which is what a node may have")
        }
        guard direct > 0, messages > 0, rounds > 0, inFlight > 0 else {
            throw ValidationError("every number is greater than zero")
        }
    }

    func run() async throws {
        // All of a wave are in this process, with the author and the other.
        try CrowdPart.allowDescriptors(CrowdPart.descriptors(of: Self.wave + 2, links: Self.wave))
        let folder = try Crowd.folder()
        defer { removeQuietly(folder) }
        let board = Noticeboard()
        let author = try await GroupNode.start("author", in: folder, discovery: .sources([board]))
        let users = try await meet(author, on: board, in: folder)
        let other = try await GroupNode.start("other", in: folder, peers: [author.port])
        try await author.waitForLinks(1)
        try await other.befriend(author)
        let rooms = try await join(author, other)

        let load = Load(count: messages, batch: 1, inFlight: inFlight)
        let random = (0..<messages).map { _ in (room: Int.random(in: 0..<many), user: Int.random(in: 0..<direct)) }
        var rates = [[Double]](repeating: [], count: 4)
        for _ in 0..<rounds {
            let seconds = [
                try await author.write(load, recipients: 1) { _ in rooms[0].destination },
                try await author.write(load, recipients: 1) { rooms[random[$0].room].destination },
                try await author.write(load, recipients: 0) { _ in .user(users[0]) },
                try await author.write(load, recipients: 0) { .user(users[random[$0].user]) },
            ]
            for (number, seconds) in seconds.enumerated() { rates[number].append(Double(messages) / seconds) }
            say("a round: \(seconds.map { String(format: "%.0f", Double(messages) / $0) }) messages/s")
        }
        let spreads = rates.map(Spread.init)
        print("messages/s with receipt, to one conversation: \(spreads[0].text(0))")
        print("messages/s with receipt, to \(many) conversations at random: \(spreads[1].text(0))")
        print("messages/s that wait, to one user: \(spreads[2].text(0))")
        print("messages/s that wait, to \(direct) users at random: \(spreads[3].text(0))")
        try await other.stop()
        try await author.stop()
        try await read(Home(path: folder.appending(path: "author").path))
        let perRound = zip(rates[1], rates[0]).map { $0 / $1 }
        let waiting = zip(rates[3], rates[2]).map { $0 / $1 }
        try Figure.report(
            [
                Figure(
                    "\(many) conversations of many at random, of the rate to one", Spread(perRound).median,
                    atLeast: Self.ofOne, detail: Spread(perRound).text(2)),
                Figure(
                    "\(direct) direct conversations at random, of the rate to one", Spread(waiting).median,
                    atLeast: Self.ofOneWaiting, detail: Spread(waiting).text(2)),
            ], json: json)
    }

    /// Users who were there, were written to, and are gone.
    private func meet(_ author: GroupNode, on board: Noticeboard, in folder: URL) async throws -> [UserID] {
        var users: [UserID] = []
        for first in stride(from: 0, to: direct, by: Self.wave) {
            var wave: [GroupNode] = []
            for number in first..<min(first + Self.wave, direct) {
                let user = try await GroupNode.start("user\(number)", in: folder)
                board.post(.notice(of: user.node.deviceID, user.node.userID, user.node.name, port: user.port))
                wave.append(user)
            }
            let ids = wave.map(\.node.userID)
            _ = try await author.latencies(ids.count, recipients: 1) { .user(ids[$0]) }
            users += ids
            for user in wave {
                board.withdraw(user.node.deviceID)
                try await user.stop()
                removeQuietly(folder.appending(path: user.node.name.text))
            }
        }
        say("\(users.count) users were met")
        return users
    }

    private func join(_ author: GroupNode, _ other: GroupNode) async throws -> [Conversation] {
        var rooms: [Conversation] = []
        for number in 0..<many {
            rooms.append(try await author.node.conversations.join(named: "room \(number)"))
            try await other.node.conversations.join(named: "room \(number)")
            if number % 100 == 99 { say("\(number + 1) conversations were joined") }
        }
        for room in rooms {
            try await Crowd.until("two in \(room.id)") { try await room.participants(limit: 2).count == 2 }
        }
        return rooms
    }

    /// Says what takes how long once all of it is there.
    private func read(_ home: Home) async throws {
        var starts: [Double] = []
        var node = try await open(home, taking: &starts)
        for _ in 1..<20 {
            await node.stop()
            node = try await open(home, taking: &starts)
        }
        let list = try await node.conversations.list(limit: Limits.historyPage)
        var (pages, counts, lists): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<Self.pageRounds {
            let summary = list[Int.random(in: list.indices)]
            pages.append(try await time { _ = try await summary.conversation.history(limit: 50) })
            counts.append(try await time { _ = try await node.conversations.summary(of: summary.id).unreadCount })
            lists.append(try await time { _ = try await node.conversations.list(limit: 50) })
        }
        await node.stop()
        print("ms for the last 50 of a random conversation: \(Spread(pages).text(2))")
        print("ms for its unread count: \(Spread(counts).text(2))")
        print("ms for the list's first 50 conversations: \(Spread(lists).text(2))")
        print("ms from a closed home to an open node: \(Spread(starts).text(1))")
    }

    private func open(_ home: Home, taking times: inout [Double]) async throws -> Node {
        let start = ContinuousClock.now
        let node = try await home.opened()
        times.append(milliseconds(start.duration(to: .now)))
        return node
    }

    private func time(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return milliseconds(start.duration(to: .now))
    }
}
