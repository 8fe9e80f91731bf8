import ArgumentParser
import Earshot
import EarshotModel
import Foundation

/// What conversations of many cost on the wire and in memory: nodes with real stores, in one process, over loopback.
struct GroupFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "What conversations of many cost: a fan-out, one of ten who writes, catching up, idle conversations.")

    @Option(help: "Participants of the fan-out, the author among them.") var participants = 50
    @Option(help: "Entries of the catching up.") var entries = 100_000
    @Option(help: "How often they are caught up with, from each of the two, and how often the ten take turns.")
    var turns = 7
    @Option(help: "Conversations that are idle.") var conversations = 1_000
    @Option(help: "Messages of each run of the ten.") var messages = 51_200
    @Option(help: "Only this: fan-out, ten, catch-up or idle.") var only: String?
    @Flag(help: "Print one object as the last line but one.") var json = false

    func validate() throws {
        guard turns > 0, messages >= 64 else {
            throw ValidationError("--turns takes 1 or more, --messages 64 or more.")
        }
    }

    func run() async throws {
        var limit = rlimit(rlim_cur: 16_384, rlim_max: 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var figures: [Figure] = []
        // First, because the others leave memory behind, which it would use.
        if only ?? "idle" == "idle" { figures += try await idle() }
        if only ?? "fan-out" == "fan-out" { figures += try await fanOut() }
        if only ?? "ten" == "ten" { figures += try await ten() }
        if only ?? "catch-up" == "catch-up" { figures += try await catchUp() }
        try Figure.report(figures, json: json)
    }

    // MARK: - Fan-out

    /// One message to all: its author reaches everybody, or all but a few, who get it from others.
    private func fanOut() async throws -> [Figure] {
        let others = participants - 1
        let all = try await Crowd.with(participants, unreached: 0) { crowd in
            let (rounds, body) = (20, 16 * 1024)
            try await crowd.joinAndSettle("ops")
            let before = (try await crowd[0].sentBytes, try await Crowd.sentBytes(of: crowd.dropFirst()))
            for _ in 0..<rounds {
                try await crowd[0].send(String(repeating: "x", count: body), to: "ops", until: others)
            }
            let sent = try await crowd[0].sentBytes - before.0
            let answered = try await Crowd.sentBytes(of: crowd.dropFirst()) - before.1
            return [
                Figure(
                    "a message to \(participants): copies of its body", Double(sent + answered) / Double(rounds * body),
                    atMost: 1.2 * Double(others)),
                Figure(
                    "a message to \(participants): bytes of what comes back, for each of the others",
                    Double(answered) / Double(rounds * others), atMost: 400),
            ]
        }
        let unreached = participants / 5
        return try await all
            + Crowd.with(participants, unreached: unreached) { crowd in
                let body = 60 * 1024
                try await crowd.joinAndSettle("ops")
                let before = try await Crowd.sentBytes(of: crowd.nodes)
                try await crowd[0].send(String(repeating: "x", count: body), to: "ops", until: others)
                let sent = try await Crowd.sentBytes(of: crowd.nodes) - before
                return [
                    Figure(
                        "a message to \(participants), \(unreached) of whom get it from others: copies of its body",
                        Double(sent) / Double(body), atMost: 1.2 * Double(others))
                ]
            }
    }

    // MARK: - Ten

    /// How fast one of ten writes to the nine others, beside one of two who writes to the other: all in one process.
    private func ten() async throws -> [Figure] {
        let direct = try await pace(of: 2) { .user($0[1].node.userID) }
        let group = try await pace(of: 10) { crowd in
            try await crowd.join("ten")
            return try await crowd[0].node.conversations.open(named: "ten").destination
        }
        for (what, pace) in [("direct", direct), ("in a group of ten", group)] {
            print("\(what), messages/s with all receipts, 64 a call: \(Spread(pace.batches).text(0))")
            print("\(what), messages/s with all receipts, one a call: \(Spread(pace.singles).text(0))")
            print("\(what), ms from send to the last receipt, alone: \(Spread(pace.alone).text(2))")
        }
        let copies = 9 * Spread(group.batches).median / Spread(direct.batches).median
        return [
            Figure("receipts a second in a group of ten, of those of one recipient", copies, atLeast: 1),
            Figure(
                "one call a message in a group of ten, of the rate of 64 a call",
                Spread(group.singles).median / Spread(group.batches).median, atLeast: 0.7),
        ]
    }

    private struct Pace { var (batches, singles, alone): ([Double], [Double], [Double]) = ([], [], []) }

    private func pace(of count: Int, destination: (Crowd) async throws -> Destination) async throws -> Pace {
        var pace = Pace()
        _ = try await Crowd.with(count, unreached: 0) { crowd in
            let (author, destination, others) = (crowd[0], try await destination(crowd), count - 1)
            let messages = messages / 64 * 64
            for other in crowd.dropFirst() { try await other.befriend(author) }
            // The first turn warms up.
            for turn in 0...turns {
                let (batches, singles) = (
                    Load(count: messages, batch: 64, inFlight: 2_048), Load(count: messages, batch: 1, inFlight: 1_024)
                )
                let seconds = (
                    try await author.write(batches, recipients: others) { _ in destination },
                    try await author.write(singles, recipients: others) { _ in destination }
                )
                let alone = try await author.latencies(200, recipients: others) { _ in destination }
                say("\(others) others, turn \(turn): \(seconds.0) s in batches, \(seconds.1) s one a call")
                guard turn > 0 else { continue }
                pace.batches.append(Double(messages) / seconds.0)
                pace.singles.append(Double(messages) / seconds.1)
                pace.alone += alone
            }
            return []
        }
        return pace
    }

    // MARK: - Catching up

    /// A newcomer gets a long history from a third participant, and another one from its author: by turns, because what
    /// else the machine does would weigh on one of them.
    private func catchUp() async throws -> [Figure] {
        let folder = try Crowd.folder()
        defer { removeQuietly(folder) }
        let author = try await GroupNode.start("author", in: folder)
        let third = try await GroupNode.start("third", in: folder, peers: [author.port])
        try await author.waitForLinks(1)
        try await author.node.conversations.join(named: "log")
        try await third.node.conversations.join(named: "log")
        try await third.befriend(author)
        try await author.write(entries, to: "log")
        try await third.waitForMessages(entries, of: "log")
        // What the first one brings into memory, the others find there.
        _ = try await secondsToCatchUp("warm", from: author, author: author, in: folder)
        var (direct, carried): ([Double], [Double]) = ([], [])
        for turn in 1...turns {
            // Each of the two is first in every other turn.
            for isDirect in [turn.isMultiple(of: 2), !turn.isMultiple(of: 2)] {
                let seconds = try await secondsToCatchUp(
                    "\(isDirect ? "direct" : "carried") \(turn)", from: isDirect ? author : third, author: author,
                    in: folder)
                if isDirect { direct.append(seconds) } else { carried.append(seconds) }
            }
        }
        for node in [third, author] { try await node.stop() }
        let ratio = Spread(zip(direct, carried).map { $0 / $1 })
        return [
            Figure(
                "catching up \(entries) entries from a third participant: part of the rate from their author",
                ratio.median, atLeast: 0.8,
                detail: String(
                    format: "%.2f s from the author, %.2f s from another; of %d turns, %.2f to %.2f",
                    Spread(direct).median, Spread(carried).median, turns, ratio.minimum, ratio.maximum))
        ]
    }

    private func secondsToCatchUp(
        _ name: String, from source: GroupNode, author: GroupNode, in folder: URL
    ) async throws -> Double {
        let newcomer = try await GroupNode.start(name, in: folder, peers: [source.port])
        try await newcomer.waitForLinks(1)
        try await newcomer.befriend(author)
        let start = ContinuousClock.now
        try await newcomer.node.conversations.join(named: "log")
        try await newcomer.waitForMessages(entries, of: "log")
        let seconds = milliseconds(start.duration(to: .now)) / 1000
        try await newcomer.stop()
        return seconds
    }

    // MARK: - Idle

    /// Two nodes that have many conversations in common, in which nothing happens.
    private func idle() async throws -> [Figure] {
        try await Crowd.with(2, unreached: 0) { crowd in
            // What the first ones bring into memory is not theirs.
            for number in 0..<10 { try await crowd.join("warm \(number)") }
            try await crowd.settle()
            let before = GroupNode.residentBytes
            let without = try await crowd.bytes(in: .seconds(60))
            for number in 0..<conversations { try await crowd.join("idle \(number)") }
            try await crowd.settle()
            let grown = GroupNode.residentBytes - before
            let with = try await crowd.bytes(in: .seconds(60))
            return [
                Figure(
                    "\(conversations) idle conversations: MiB of each of two nodes", Double(grown) / 2 / 1_048_576,
                    atMost: 20),
                // A ping more or less falls into a minute.
                Figure(
                    "\(conversations) idle conversations: bytes a minute beside those of a link without them",
                    Double(with - without), atMost: 200, detail: "\(with) and \(without)"),
            ]
        }
    }
}

/// A number, and what it is to be.
struct Figure: Encodable {
    let what: String
    let value: Double
    let limit: Double
    let isKept: Bool
    let detail: String

    init(_ what: String, _ value: Double, atMost limit: Double, detail: String = "") {
        (self.what, self.value, self.limit, self.detail) = (what, value, limit, detail)
        isKept = value <= limit
    }

    init(_ what: String, _ value: Double, atLeast limit: Double, detail: String = "") {
        (self.what, self.value, self.limit, self.detail) = (what, value, limit, detail)
        isKept = value >= limit
    }

    var line: String {
        let numbers = String(format: "%10.2f (%.2f)", value, limit)
        return "\(isKept ? "ok    " : "FAILED") \(numbers)  \(what)\(detail.isEmpty ? "" : ": " + detail)"
    }

    /// Prints all, and last "N passed, N failed".
    /// - Throws: `ExitCode` if one is not what it is to be, or there is none.
    static func report(_ figures: [Figure], json isJSON: Bool) throws {
        for figure in figures { print(figure.line) }
        let failed = figures.count { !$0.isKept }
        if isJSON { print(try json(figures)) }
        print("\(figures.count - failed) passed, \(failed) failed")
        guard failed == 0, !figures.isEmpty else { throw ExitCode.failure }
    }

    private static func json(_ figures: [Figure]) throws -> String {
        struct Report: Encodable {
            let passed, failed: Int
            let figures: [Figure]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let report = Report(
            passed: figures.count(where: \.isKept), failed: figures.count { !$0.isKept }, figures: figures)
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}

/// Says how far a long run has come, beside its result.
func say(_ what: String) { FileHandle.standardError.write(Data("\(what)\n".utf8)) }
