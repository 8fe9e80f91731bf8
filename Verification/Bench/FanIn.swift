import ArgumentParser
import Earshot
import EarshotModel
import Foundation

/// Many nodes that send to one, beside one of them alone: all in one process, over real sockets on loopback.
struct FanIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fan-in", abstract: "Many senders to one recipient, beside one of them alone.")

    @Option(help: "How many senders.") var senders = 100
    @Option(help: "Seconds in which one is measured, and as many in which all are; before that, half of it goes by.")
    var seconds = 8
    @Option(help: "How often one and all take turns.") var rounds = 3
    @Option(help: "Messages of one call.") var batch = 64
    @Option(help: "Messages that a sender has under way, alone or with others.") var inFlight = 1_024
    @Option(help: "Bytes of each message.") var bytes = 100
    @Flag(help: "Print one object as the last line but one.") var json = false

    func validate() throws {
        guard senders > 1, seconds > 0, rounds > 0, batch > 0, inFlight > 0, bytes > 0 else {
            throw ValidationError("there are two senders or more, and every other number is greater than zero")
        }
    }

    func run() async throws {
        let folder = try Crowd.folder()
        defer { removeQuietly(folder) }
        let bot = try await GroupNode.start("bot", in: folder)
        var crowd: [GroupNode] = []
        for number in 0..<senders {
            crowd.append(try await GroupNode.start("sender\(number)", in: folder, peers: [bot.port]))
        }
        try await bot.waitForLinks(senders)
        // Whoever was never written to is a stranger, of whom a node keeps little.
        for sender in crowd { try await bot.node.messages.send("hello", to: sender.node.userID) }
        try await Crowd.until("greetings") { await bot.node.status().undeliveredMessages == 0 }
        _ = try await rates(of: [crowd[0]], to: bot)  // Warms up.
        var (ratios, ofMean, single, total) = ([Double](), [Double](), [Double](), [Double]())
        for _ in 0..<rounds {
            let alone = try await rates(of: [crowd[0]], to: bot)[0]
            let all = try await rates(of: crowd, to: bot)
            let sum = all.reduce(0, +)
            single.append(alone)
            total.append(sum)
            ratios.append(sum / alone)
            ofMean.append((all.min() ?? 0) / (sum / Double(all.count)))
        }
        print("messages/s with receipt, one sender alone: \(Spread(single).text(0))")
        print("messages/s with receipt, \(senders) senders together: \(Spread(total).text(0))")
        let figures = [
            Figure(
                "\(senders) senders together, of one sender's rate", Spread(ratios).median, atLeast: 0.8,
                detail: Spread(ratios).text(2)),
            Figure(
                "the slowest of \(senders) senders, of the mean", Spread(ofMean).median, atLeast: 0.5,
                detail: Spread(ofMean).text(2)),
        ]
        for node in crowd + [bot] { try await node.stop() }
        try Figure.report(figures, json: json)
    }

    /// Messages a second of one sender.
    private struct Rate {
        let sender: Int
        let messages: Double
    }

    /// Messages a second of each sender that were delivered while all of them sent.
    private func rates(of crowd: [GroupNode], to bot: GroupNode) async throws -> [Double] {
        let calls = max(1, inFlight / batch)
        let counts = try await withThrowingTaskGroup(of: Rate.self) { group in
            for (number, node) in crowd.enumerated() {
                let (recipient, batch, bytes) = (bot.node.userID, batch, bytes)
                group.addTask { [seconds] in
                    let count = try await node.stream(
                        to: recipient, for: .seconds(seconds), calls: calls, batch: batch, bytes: bytes)
                    return Rate(sender: number, messages: Double(count) / Double(seconds))
                }
            }
            var counts = [Double](repeating: 0, count: crowd.count)
            for try await rate in group { counts[rate.sender] = rate.messages }
            return counts
        }
        for node in crowd {
            try await Crowd.until("rest of \(node.node.name)") { await node.node.status().undeliveredMessages == 0 }
        }
        return counts
    }
}

extension GroupNode {
    /// Sends for a while. So many calls are under way at once: a call is over when its messages are delivered.
    /// - Returns: how many messages were delivered by the end of that time.
    /// - Parameter time: how long, after half of it has gone by.
    fileprivate func stream(
        to recipient: UserID, for time: Duration, calls: Int, batch: Int, bytes: Int
    ) async throws -> Int {
        let start = ContinuousClock.now + time / 2
        let end = start + time
        let delivered = node.events.events(.messageDelivered, bufferLimit: 2 * calls * batch + 64)
        let drafts = (0..<batch).map { _ in MessageDraft(String(repeating: "x", count: bytes)) }
        let (credits, credit) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<calls { credit.yield() }
        return try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                var (all, counted) = (0, 0)
                for try await _ in delivered {
                    let now = ContinuousClock.now
                    guard now < end else { break }
                    all += 1
                    if now >= start { counted += 1 }
                    if all.isMultiple(of: batch) { credit.yield() }
                }
                credit.finish()
                return counted
            }
            group.addTask { [node] in
                try await withThrowingTaskGroup(of: Void.self) { sends in
                    for await _ in credits where ContinuousClock.now < end {
                        sends.addTask { try await node.messages.send(drafts, to: recipient) }
                    }
                    try await sends.waitForAll()
                }
                return 0
            }
            return try await group.reduce(0, +)
        }
    }
}
