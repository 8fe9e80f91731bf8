import ArgumentParser
import Earshot
import Foundation

/// One node in a process of its own, which takes orders on standard input and answers on standard output.
struct MeasuredNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "node", shouldDisplay: false)

    @Option var home: String
    @Option var name: String
    @Option var peer: String?
    @Flag var noDiscovery = false

    func run() async throws {
        let home = Home(path: self.home)
        try home.create(name: name)
        let started = ContinuousClock.now
        var configuration = NodeConfiguration(logger: .quiet)
        if noDiscovery { configuration.discovery = .off }
        if let peer = peer.flatMap({ PeerAddress($0) }) { configuration.staticPeers = [peer] }
        let node = try await Node.open(home, configuration: configuration)
        let states = node.events.events(.nodeStateChanged)
        let discovered = node.events.events(.userDiscovered)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            answer("port", "\(try await states.compactMap(\.port).first { _ in true } ?? 0)")
            var iterator = discovered.makeAsyncIterator()
            guard let other = try await iterator.next() else { return }
            answer("linked", "\(milliseconds(started.duration(to: .now)))")
            // A stranger may fill no more than some of the disk.
            try await node.users.decide(.verify, about: other.userID)
            for await line in Self.orders { try await obey(line, node: node, other: other.userID) }
            group.cancelAll()
        }
    }

    private func obey(_ line: String, node: Node, other: UserID) async throws {
        let words = line.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch words.first {
        case "single": try await sendSingly(numbers[0], bytes: numbers[1], node: node, to: other)
        case "paced": try await sendPaced(numbers[0], every: .milliseconds(numbers[1]), node: node, to: other)
        case "stream":
            let load = Load(count: numbers[0], batch: numbers[3], inFlight: numbers[2])
            try await send(load, first: numbers[4], bytes: numbers[1], node: node, to: other)
        case "verify": try await verify(numbers[0], node: node, with: other)
        default: return
        }
    }

    /// One message at a time: from the call to the event that says it is on the other's disk.
    private func sendSingly(_ count: Int, bytes: Int, node: Node, to other: UserID) async throws {
        let text = String(repeating: "x", count: bytes)
        var delivered = node.events.events(.messageDelivered).makeAsyncIterator()
        var latencies: [String] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            let message = try await node.messages.send(text, to: other)
            while let change = try await delivered.next(), change.messageID != message.messageID {}
            latencies.append(String(format: "%.1f", milliseconds(start.duration(to: .now)) * 1000))
        }
        answer("latencies", latencies.joined(separator: " "))
    }

    /// One message at a time in fixed intervals, whatever happened to those before. It answers with how many were sent,
    /// how often the other was gone, and how long each took until it was delivered.
    private func sendPaced(_ count: Int, every interval: Duration, node: Node, to other: UserID) async throws {
        let delivered = node.events.events(.messageDelivered, bufferLimit: count)
        let updates = node.events.events(.userUpdated, bufferLimit: count)
        let pace = Pace(count: count)
        let watching = Task {
            for try await change in delivered where await pace.delivered(change.messageID) { return }
        }
        let online = Task { for try await (user, _) in updates where !user.isOnline { await pace.lostLink() } }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                try await Task.sleep(until: start + interval * number)
                group.addTask {
                    let began = ContinuousClock.now
                    let message = try await node.messages.send("message \(number)", to: other)
                    await pace.sent(message.messageID, at: began)
                }
            }
        }
        // A message that is not delivered some seconds later is lost.
        let patience = Task {
            try await Task.sleep(for: .seconds(10))
            watching.cancel()
        }
        try await watching.value
        patience.cancel()
        online.cancel()
        answer("paced", await pace.result)
    }

    /// Many at once: from the first call to the receipt that covers the last.
    /// - Parameter first: the number of the first message.
    private func send(_ load: Load, first: Int, bytes: Int, node: Node, to other: UserID) async throws {
        let padding = String(repeating: "x", count: max(0, bytes - 9))
        let seconds = try await load.write(
            by: node, receipts: load.count, progress: { answer("progress", "\($0)") },
            call: { numbers in
                let drafts = numbers.map { MessageDraft("\(Self.firstNumber + first + $0) \(padding)") }
                try await node.messages.send(drafts, to: other)
            })
        answer("streamed", "\(seconds)")
    }

    /// Pages through the whole history, which must have each streamed message once, in the order of the sender's log.
    private func verify(_ count: Int, node: Node, with other: UserID) async throws {
        let conversation = node.conversations.direct(with: other)
        var page = try await conversation.history(.latest, limit: Limits.historyPage)
        var seen = Set<String>()
        var (doubled, disordered) = (0, 0)
        var later: Message?
        while !page.isEmpty {
            for message in page.reversed() {
                if let later, message.messageID.sequence != later.messageID.sequence - 1 { disordered += 1 }
                later = message
                let number = String(message.text.prefix(8))
                if Int(number) != nil, !seen.insert(number).inserted { doubled += 1 }
            }
            page = try await conversation.history(.before(page[0].messageID), limit: Limits.historyPage)
        }
        answer(
            "verified",
            "\(seen.count) of \(count) present, \(count - seen.count) lost, \(doubled) doubled, \(disordered) out of order"
        )
    }

    /// What is added to the numbers of streamed messages, so that all have eight digits.
    private static let firstNumber = 10_000_000

    /// The lines of standard input, until its end.
    static var orders: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// The states of messages that are sent at a pace.
private actor Pace {
    private let count: Int
    private var began: [MessageID: ContinuousClock.Instant] = [:]
    private var ended: [MessageID: ContinuousClock.Instant] = [:]
    private var linksLost = 0

    init(count: Int) { self.count = count }

    func sent(_ messageID: MessageID, at instant: ContinuousClock.Instant) { began[messageID] = instant }
    func lostLink() { linksLost += 1 }

    /// - Returns: whether it was the last message.
    func delivered(_ messageID: MessageID) -> Bool {
        ended[messageID] = .now
        return ended.count == count
    }

    var result: String {
        let times = began.compactMap { messageID, start in
            ended[messageID].map { String(format: "%.0f", milliseconds(start.duration(to: $0)) * 1000) }
        }
        return (["\(count)", "\(linksLost)"] + times).joined(separator: " ")
    }
}

func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
}

/// Output of several tasks, a line at a time.
func answer(_ word: String, _ value: String) {
    FileHandle.standardOutput.write(Data("\(word) \(value)\n".utf8))
}
