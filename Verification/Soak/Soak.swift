import ArgumentParser
import EarshotSimulation
import Foundation

/// Does to two real nodes what a year would do, and counts what happens to their messages.
@main
struct Soak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Nodes of two users or of a group, messages without a pause, and everything that goes wrong.")

    enum Phase: String, CaseIterable, ExpressibleByArgument {
        case kills, sleep, cable, loss, disk, restore
    }

    @Option(help: "How often a node is killed.") var kills = 100
    @Option(help: "The kills cover at least so many messages; 400 a kill unless told.") var messages: Int?
    @Option(help: "Only these phases, separated by commas.", transform: Self.phases) var only = Phase.allCases
    @Option(help: "What the random moments come from; printed, so that they can be had again.") var seed: UInt64?
    @Flag(help: "Print one object as the line before the last.") var json = false
    @Option(help: "How many lanes each side sends on at once; 3 a device of a group unless told.") var lanes: Int?
    @Option(help: "Only kill nodes of this many users of one conversation, on the loopback.") var group: Int?
    @Flag(name: .customLong("private"), help: "The conversation of a group is a private one.") var isPrivate = false
    @Option(help: "How many devices each user of a group has.") var devices = 2
    @Option(help: "How many milliseconds a lane of a group waits between two messages.") var rest = 100

    private static let messagesPerKill = 400

    // What script/soak has prepared.
    @Option(help: .hidden) var labHosts = ""
    @Option(help: .hidden) var program: String
    @Option(help: .hidden) var folder: String
    @Option(help: .hidden) var disks: [String] = []

    private static func phases(_ text: String) throws -> [Phase] {
        try text.split(separator: ",").map { word in
            guard let phase = Phase(rawValue: String(word)) else {
                let all = Phase.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no phase \"\(word)\". There are: \(all).")
            }
            return phase
        }
    }

    func validate() throws {
        guard kills > 0, messages ?? 0 >= 0, lanes.map((1...100).contains) ?? true else {
            throw ValidationError("There are at least one kill and 1 to 100 lanes.")
        }
        if let group {
            guard (1...20).contains(group), (1...16).contains(devices), rest >= 0 else {
                throw ValidationError("A group has 1 to 20 users, with 1 to 16 devices each.")
            }
            return
        }
        guard disks.count == Side.allCases.count else { throw ValidationError("Each side has a small disk.") }
    }

    func run() async throws {
        let report = Report()
        let seed = seed ?? UInt64.random(in: 1...999_999)
        report.progress("seed \(seed)")
        var chance = SeededGenerator(seed: seed)
        if let group {
            let soak = GroupSoak(
                users: group, devicesPerUser: devices, isPrivate: isPrivate, kills: kills, lanes: lanes ?? 3,
                rest: .milliseconds(rest),
                program: program, folder: folder, report: report)
            await timed("group", report) { try await soak.run(&chance) }
        } else {
            for phase in only { await timed(phase.rawValue, report) { try await run(phase, report, &chance) } }
        }
        report.finish(seed: seed, json: json, users: group)
        if report.failed > 0 { throw ExitCode.failure }
    }

    private func timed(_ phase: String, _ report: Report, _ body: () async throws -> Void) async {
        report.progress("\(phase):")
        let start = ContinuousClock.now
        do { try await body() } catch { report.check("\(phase): comes to its end", false, "\(error)") }
        report.progress(String(format: "\(phase): %.1f s", (ContinuousClock.now - start).inSeconds))
    }

    private func run(_ phase: Phase, _ report: Report, _ chance: inout SeededGenerator) async throws {
        let laboratory = Laboratory(script: labHosts, program: program)
        var bench = Bench(laboratory: laboratory, report: report, phase: phase.rawValue, folder: folder)
        if let lanes { bench.lanes = lanes }
        switch phase {
        case .kills:
            try await Kills(count: kills, minimum: messages ?? kills * Self.messagesPerKill).run(bench, &chance)
        case .sleep: try await Sleeps(count: 6).run(bench, &chance)
        case .cable: try await Cables(count: 6).run(bench, &chance)
        case .loss:
            bench.rest = Loss.rest
            try await Loss(seconds: 40).run(bench, &chance)
        case .disk:
            try await FullDisks(disks: [.alice: disks[0], .bob: disks[1]]).run(bench)
        case .restore: try await Restores(folder: folder).run(bench, &chance)
        }
    }
}
