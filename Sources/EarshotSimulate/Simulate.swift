import ArgumentParser
import EarshotTesting
import Foundation

/// Runs the protocol and the store under virtual time, many times, each with another seed.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Two nodes on a network that loses, delays and cuts, with disks that fail and processes that die.")

    @Option(help: "How many seeds, from 1 on.") var seeds: UInt64 = 100
    @Option(help: "Only this seed, twice, with what it did.") var seed: UInt64?
    @Option(help: "Messages that each node sends.") var messages = 40
    @Option(help: "One process in so many that died begins anew with an older copy of its disk; 0 for none.")
    var restoreOdds = 0
    @Flag(help: "Print one object as the last line.") var json = false

    func run() throws {
        var configuration = SimulationConfiguration()
        configuration.messagesPerNode = messages
        configuration.restoreOdds = restoreOdds
        if let seed {
            try repeatExactly(seed, configuration)
            return
        }
        let start = Date()
        var (passed, failed, messages, faults) = (0, 0, 0, 0)
        var (recovered, renamed) = (0, 0)
        for seed in 1...max(1, seeds) {
            let outcome = try Simulation.run(seed: seed, configuration: configuration)
            messages += outcome.messages
            faults += outcome.faults
            recovered += outcome.recovered
            renamed += outcome.renamed
            if outcome.violations.isEmpty {
                passed += 1
            } else {
                failed += 1
                print("seed \(seed): \(outcome.violations.joined(separator: "; "))")
            }
        }
        let seconds = Date().timeIntervalSince(start)
        print("\(messages) messages, \(faults) faults, \(String(format: "%.1f", seconds)) s")
        if restoreOdds > 0 { print("\(recovered) messages taken back, \(renamed) renamed") }
        if json { print("{\"passed\":\(passed),\"failed\":\(failed),\"messages\":\(messages),\"faults\":\(faults)}") }
        print("\(passed) passed, \(failed) failed")
        if failed > 0 { throw ExitCode.failure }
    }

    private func repeatExactly(_ seed: UInt64, _ configuration: SimulationConfiguration) throws {
        let first = try Simulation.run(seed: seed, configuration: configuration)
        let second = try Simulation.run(seed: seed, configuration: configuration)
        for violation in first.violations { print(violation) }
        print(
            "seed \(seed): \(first.messages) messages, \(first.faults) faults, \(first.duration / 1000) ms of virtual time, "
                + "trace \(String(first.trace, radix: 16))")
        let isSame = first.trace == second.trace
        print(isSame ? "the second run took the same course" : "the second run took another course")
        guard isSame, first.violations.isEmpty else {
            print("0 passed, 1 failed")
            throw ExitCode.failure
        }
        print("1 passed, 0 failed")
    }
}
