import ArgumentParser
import EarshotSimulation
import Foundation

/// Does to two real nodes what a year would do, and counts what happens to their messages.
@main
struct Soak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Two nodes on two hosts, messages both ways without a pause, and everything that goes wrong.")

    enum Phase: String, CaseIterable, ExpressibleByArgument {
        case kills, sleep, cable, loss, disk, restore
    }

    @Option(help: "How often a node is killed.") var kills = 100
    @Option(help: "The kills cover at least so many messages; 400 a kill unless told.") var messages: Int?
    @Option(help: "Only these phases, separated by commas.", transform: Self.phases) var only = Phase.allCases
    @Option(help: "What the random moments come from; printed, so that they can be had again.") var seed: UInt64?
    @Flag(help: "Print one object as the line before the last.") var json = false
    @Option(help: "How many lanes each side sends on at once.") var lanes = 24

    private static let messagesPerKill = 400

    // What script/soak has prepared.
    @Option(help: .hidden) var labHosts: String
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
        guard kills > 0, messages ?? 0 >= 0, (1...100).contains(lanes) else {
            throw ValidationError("There are at least one kill and 1 to 100 lanes.")
        }
        guard disks.count == Side.allCases.count else { throw ValidationError("Each side has a small disk.") }
    }

    func run() async throws {
        let report = Report()
        let seed = seed ?? UInt64.random(in: 1...999_999)
        report.progress("seed \(seed)")
        var chance = SeededGenerator(seed: seed)
        for phase in only {
            report.progress("\(phase.rawValue):")
            let start = ContinuousClock.now
            do { try await run(phase, report, &chance) } catch {
                report.check("\(phase.rawValue): comes to its end", false, "\(error)")
            }
            report.progress(String(format: "\(phase.rawValue): %.1f s", (ContinuousClock.now - start).inSeconds))
        }
        report.finish(seed: seed, json: json)
        if report.failed > 0 { throw ExitCode.failure }
    }

    private func run(_ phase: Phase, _ report: Report, _ chance: inout SeededGenerator) async throws {
        let laboratory = Laboratory(script: labHosts, program: program)
        var bench = Bench(laboratory: laboratory, report: report, phase: phase.rawValue, folder: folder)
        bench.lanes = lanes
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
