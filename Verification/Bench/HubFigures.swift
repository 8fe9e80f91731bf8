import ArgumentParser
import Earshot
import EarshotModel
import Foundation

/// One node with as many links as a node may have, over real sockets; its peers are in other processes.
struct HubFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub", abstract: "One node with as many links as it may have, beside the same node with one peer.")

    @Option(help: "How many links it has.") var links = Limits.links
    @Option(help: "Messages that go to its peers in turn, 64 a call.") var messages = 65_536
    @Option(help: "How often it writes to all, and as much to one of them, by turns.") var rounds = 5
    @Option(help: "Messages that are alone under way, to each peer in turn.") var singles = 512
    @Option(help: "Seconds of rest, in which the processor's time is measured.") var idle = 60
    @Flag(help: "Print one object as the last line but one.") var json = false

    private static let batch = 64
    private static let inFlight = 2_048
    /// A link takes no more descriptors.
    private static let descriptors = 3.0
    /// Milliseconds within which a message that is alone is delivered to any of them.
    private static let delivery = 1_000.0

    func validate() throws {
        guard (2...Limits.links).contains(links) else {
            throw ValidationError("--links takes 2 to \(Limits.links), which is what a node may have")
        }
        guard messages >= Self.batch, rounds > 0, singles > 1, idle > 0 else {
            throw ValidationError("--messages takes \(Self.batch) or more, and every other number is greater than zero")
        }
    }

    func run() async throws {
        let folder = try Crowd.folder()
        defer { removeQuietly(folder) }
        let hub = try await GroupNode.start("hub", in: folder)
        let (memory, descriptors) = (GroupNode.residentBytes, try GroupNode.descriptors())
        let began = ContinuousClock.now
        let parts = try CrowdParts(links, links: 1, folder: folder, peer: hub.port)
        try await hub.waitForLinks(links)
        let linked = await hub.linkedUsers
        let linkedAfter = milliseconds(began.duration(to: .now)) / 1000
        let stood = linked.count
        let of = Double(max(1, stood))
        let descriptorsEach = Double(try GroupNode.descriptors() - descriptors) / of
        let memoryEach = Double(GroupNode.residentBytes - memory) / of / 1024

        say(String(format: "\(stood) links after %.1f s, with the start of the peers", linkedAfter))
        try await Task.sleep(for: .seconds(5))
        let before = GroupNode.processorSeconds
        try await Task.sleep(for: .seconds(idle))
        let share = (GroupNode.processorSeconds - before) / Double(idle) * 100

        // Whoever was never written to is a stranger, of whom a node keeps little.
        _ = try await hub.latencies(stood, recipients: 1) { .user(linked[$0]) }
        say("each was written to")
        let count = messages / Self.batch * Self.batch
        let load = Load(count: count, batch: Self.batch, inFlight: Self.inFlight)
        var (toOne, toAll): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            toOne.append(Double(count) / (try await hub.write(load, recipients: 1) { _ in .user(linked[0]) }))
            toAll.append(Double(count) / (try await hub.write(load, recipients: 1) { .user(linked[$0 % stood]) }))
            say("a round: \(Int(toOne.last ?? 0)) messages/s to one, \(Int(toAll.last ?? 0)) to all")
        }
        let alone = try await hub.latencies(singles, recipients: 1) { .user(linked[$0 % stood]) }
        let still = await hub.linkedUsers.count
        try parts.end()
        try await hub.stop()

        print(String(format: "memory of a link: %.0f KiB", memoryEach))
        print(String(format: "with all links, idle: %.3f %% of a core", share))
        print("messages/s with receipt, to one of them: \(Spread(toOne).text(0))")
        print("messages/s with receipt, to all in turn: \(Spread(toAll).text(0))")
        print("ms from send to delivered, alone, to each in turn: \(Spread(alone).text(2))")
        try Figure.report(
            [
                Figure("links of one node", Double(stood), atLeast: Double(links)),
                Figure("links after all of it", Double(still), atLeast: Double(links)),
                Figure("descriptors for each link", descriptorsEach, atMost: Self.descriptors),
                Figure("ms from send to delivered, the longest", Spread(alone).maximum, atMost: Self.delivery),
            ], json: json)
    }
}

extension GroupNode {
    /// Those whose link stands, each once.
    fileprivate var linkedUsers: [UserID] {
        get async { Set(await node.status().links.map(\.userID)).sorted() }
    }

    /// Of this process.
    fileprivate static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// User and system time of this process so far.
    fileprivate static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
