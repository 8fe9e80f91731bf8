import ArgumentParser
import EarshotModel
import Foundation

/// Many nodes in a few processes, over real sockets on loopback, with real stores: more than each may have links.
struct CrowdFigures: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crowd",
        abstract: "Many nodes, more than each may have links: what they know of each other, and how soon messages come."
    )

    @Option(help: "How many nodes.") var nodes = 50
    @Option(help: "How many links each may have.") var links = 16
    @Option(help: "Random pairs that exchange a message and its answer, one after the other.") var pairs = 1_000
    @Option(help: "Seconds of rest, in which the processor's time is measured.") var idle = 20
    @Flag(help: "Print one object as the last line but one.") var json = false

    func validate() throws {
        guard nodes > 2, links > 0, pairs > 0, idle > 0 else {
            throw ValidationError("there are three nodes or more, and every other number is greater than zero")
        }
    }

    /// Seconds within which each node is to list all others.
    private static let listing = 60.0
    /// Milliseconds within which a message is to be delivered to somebody who has no link.
    private static let delivery = 1_000.0
    /// MiB that all nodes together may take.
    private static let memory = 12.0 * 1024
    /// Seconds after which links that still change are no longer waited for.
    private static let patience = 120.0

    func run() throws {
        let folder = try Crowd.folder()
        defer { removeQuietly(folder) }
        let began = ContinuousClock.now
        let parts = try CrowdParts(nodes, links: links, folder: folder)
        let opened = seconds(since: began)
        say("all are open after \(format(opened, 1)) s")
        let posted = ContinuousClock.now
        try parts.introduce()
        while try parts.status().map(\.listed).min() ?? 0 < nodes - 1, seconds(since: posted) < Self.patience {
            Thread.sleep(forTimeInterval: 0.25)
        }
        let listed = seconds(since: posted)
        say("each lists all after \(format(listed, 1)) s")
        let (mostAtFirst, settled) = try waitForLinks(parts)
        let rested = try parts.status()
        let counts = rested.flatMap(\.links)
        say("links of a node after \(format(settled, 1)) s: \(spread(counts))")
        let processor = parts.processorSeconds
        Thread.sleep(forTimeInterval: Double(idle))
        let share = 100 * (parts.processorSeconds - processor) / Double(idle) / Double(nodes)
        say("an idle node takes \(format(share, 3)) % of a core")
        let exchanges = try parts.exchange(pairs)
        let after = try parts.status()
        let most = max(mostAtFirst, after.flatMap(\.links).max() ?? 0)
        try parts.end()

        func mebibytes(_ status: [CrowdPart.Status]) -> Double {
            Double(status.reduce(0) { $0 + $1.residentBytes }) / 1_048_576
        }
        let met = rested.flatMap(\.met).sorted()
        print(
            "\(nodes) nodes in \(parts.count) processes, with at most \(links) links each; all were open after "
                + "\(format(opened, 1)) s")
        print(
            "links of a node, \(format(settled, 1)) s after all were listed: \(spread(counts)); users met: \(spread(met))"
        )
        print(
            "an idle node: \(format(share, 3)) % of a core, \(format(mebibytes(rested) / Double(nodes), 1)) MiB")
        print("send to delivered with a link: \(exchanges.linked.text)")
        print("send to delivered without: \(exchanges.unlinked.text)")
        let figures = [
            Figure(
                "seconds until each of \(nodes) nodes lists the advertisements of all", listed, atMost: Self.listing),
            Figure("links of the node that had the most", Double(most), atMost: Double(links)),
            Figure(
                "links of the node that had the fewest", Double(counts.min() ?? 0),
                atLeast: Double(min(nodes - 1, Limits.unaskedLinks(of: links))) / 2),
            Figure("MiB of all nodes together", max(mebibytes(rested), mebibytes(after)), atMost: Self.memory),
            Figure(
                "messages of \(pairs) random pairs that were not delivered", Double(exchanges.lost), atMost: 0,
                detail: "\(2 * pairs - exchanges.lost) were"),
            Figure("ms from send to delivered, p99 of all", exchanges.all.percentile(0.99), atMost: Self.delivery),
            Figure(
                "ms from send to delivered, the longest without a link", exchanges.unlinked.percentile(1),
                atMost: Self.delivery, detail: "\(exchanges.unlinked.count) of \(exchanges.all.count)"),
        ]
        try Figure.report(figures, json: json)
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double {
        milliseconds(start.duration(to: .now)) / 1000
    }

    private func format(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

    private func spread(_ counts: [Int]) -> String {
        let sorted = counts.sorted()
        return "\(sorted[sorted.count / 2]) (\(sorted[0]) to \(sorted[sorted.count - 1]))"
    }

    /// Waits until the number of links has been about the same for some seconds.
    /// - Returns: the most links that a node had meanwhile, and after how many seconds the number was so.
    private func waitForLinks(_ parts: CrowdParts) throws -> (most: Int, seconds: Double) {
        let start = ContinuousClock.now
        var (most, last, same, settled) = (0, -1, 0, 0.0)
        while same < 5, seconds(since: start) < Self.patience {
            let counts = try parts.status().flatMap(\.links)
            let sum = counts.reduce(0, +)
            most = max(most, counts.max() ?? 0)
            if abs(sum - last) <= sum / 200 {
                same += 1
            } else {
                (same, settled) = (0, seconds(since: start))
            }
            last = sum
            Thread.sleep(forTimeInterval: 1)
        }
        return (most, settled)
    }
}

/// The processes of a crowd.
struct CrowdParts {
    /// Nodes of one process. Each has a thread of libdispatch that waits for news of the network, and there are 255 of them: the
    /// first node for which none is left would wait for ever.
    private static let nodesOfProcess = 128

    private let children: [Child]
    private let notices: [[CrowdPart.Notice]]

    /// Starts as many processes as the threads, files and mappings of memory that each may have demand; and waits until all
    /// nodes are open.
    /// - Parameter peer: the port of a node to which each links, and learns of no other.
    init(_ nodes: Int, links: Int, folder: URL, peer: UInt16? = nil) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let (each, mappings) = (min(links, nodes), try Self.mappings())
        var most = min(nodes, Self.nodesOfProcess)
        while most > 1,
            CrowdPart.descriptors(of: most, links: each) > Int(clamping: limit.rlim_max)
                || CrowdPart.mappings(of: most, links: each) > mappings
        { most -= 1 }
        let count = (nodes + most - 1) / most
        children = try (0..<count).map { number in
            let (first, end) = (nodes * number / count, nodes * (number + 1) / count)
            return try Child(
                [
                    "crowd-part", "--first", "\(first)", "--nodes", "\(end - first)", "--links", "\(links)", "--folder",
                    folder.path,
                ] + (peer.map { ["--peer", "\($0)"] } ?? []))
        }
        notices = try children.map { try $0.decode([CrowdPart.Notice].self, "notices") }
    }

    private static func mappings() throws -> Int {
        let text = try String(contentsOfFile: "/proc/sys/vm/max_map_count", encoding: .utf8)
        guard let count = Int(text.trimmingCharacters(in: .newlines)) else {
            throw Crowd.Failure(description: "the system does not say how many mappings a process may have")
        }
        return count
    }

    var count: Int { children.count }

    var processorSeconds: Double { children.reduce(0) { $0 + $1.processorSeconds } }

    /// Tells the nodes of each process of those in the others.
    func introduce() throws {
        for (number, child) in children.enumerated() {
            let others = notices.indices.filter { $0 != number }.flatMap { notices[$0] }
            child.tell("post " + String(decoding: try JSONEncoder().encode(others), as: UTF8.self))
        }
    }

    func status() throws -> [CrowdPart.Status] {
        for child in children { child.tell("status") }
        return try children.map { try $0.decode(CrowdPart.Status.self, "status") }
    }

    /// Random pairs exchange a message and its answer.
    func exchange(_ pairs: Int) throws -> Exchanges {
        let all = notices.indices.flatMap { part in notices[part].indices.map { (part: part, index: $0) } }
        var exchanges = Exchanges()
        for _ in 0..<pairs {
            let pair = all.indices.shuffled().prefix(2).map { all[$0] }
            for (from, to) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                children[from.part].tell("send \(from.index) \(notices[to.part][to.index].userID)")
                exchanges.add(try children[from.part].decode(CrowdPart.Exchange.self, "sent"))
            }
        }
        return exchanges
    }

    func end() throws { for child in children { try child.end() } }
}

extension Child {
    fileprivate func decode<Value: Decodable>(_ type: Value.Type, _ word: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(try expect(word).utf8))
    }
}

/// What became of all messages.
struct Exchanges {
    struct Latencies {
        private var values: [Double] = []

        var count: Int { values.count }

        mutating func add(_ value: Double) { values.append(value) }

        func percentile(_ part: Double) -> Double {
            values.isEmpty ? 0 : values.sorted()[min(values.count - 1, Int(Double(values.count) * part))]
        }

        var text: String {
            String(
                format: "p50 %.1f, p99 %.1f, longest %.1f ms (%d)", percentile(0.5), percentile(0.99), percentile(1),
                count)
        }
    }

    private(set) var lost = 0
    private(set) var all = Latencies()
    private(set) var linked = Latencies()
    private(set) var unlinked = Latencies()

    mutating func add(_ exchange: CrowdPart.Exchange) {
        guard let took = exchange.milliseconds else {
            lost += 1
            return
        }
        all.add(took)
        if exchange.wasLinked { linked.add(took) } else { unlinked.add(took) }
    }
}
