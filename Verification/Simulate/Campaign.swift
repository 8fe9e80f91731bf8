import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Foundation

/// Runs many seeds, as many at once as there are processors.
struct Campaign {
    struct Tally {
        var passed = 0
        var failed = 0
        var messages = 0
        var faults = 0
        private var digests: [UInt64: Bytes32] = [:]

        /// One hash over the digests of all seeds, in the order of the seeds.
        var digest: EntryHash {
            var hash = Blake2b(label: "earshot simulation campaign 1")
            for (seed, digest) in digests.sorted(by: { $0.key < $1.key }) {
                hash.update(seed)
                hash.update(digest)
            }
            return EntryHash(hash.finalize())
        }

        mutating func add(_ outcome: Simulation.Outcome) {
            messages += outcome.messages
            faults += outcome.faults
            digests[outcome.seed] = outcome.digest
            if outcome.violations.isEmpty { passed += 1 } else { failed += 1 }
        }
    }

    let nodes: Int
    let seeds: Range<UInt64>
    /// The configuration of a seed.
    let configuration: @Sendable (UInt64) -> SimulationConfiguration

    /// Prints a line for each seed that fails, and its progress on standard error.
    func run() async throws -> Tally {
        let fleet = Fleet(nodes: nodes, devicesPerUser: configuration(seeds.lowerBound).devicesPerUser)
        return try await withThrowingTaskGroup(of: Simulation.Outcome.self) { group in
            var waiting = seeds.makeIterator()
            func startNext() {
                guard let seed = waiting.next() else { return }
                group.addTask { try Simulation.run(seed: seed, configuration: configuration(seed), fleet: fleet) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startNext() }
            var tally = Tally()
            for try await outcome in group {
                startNext()
                tally.add(outcome)
                report(outcome)
                progress(tally)
            }
            return tally
        }
    }

    private func report(_ outcome: Simulation.Outcome) {
        guard !outcome.violations.isEmpty else { return }
        print("seed \(outcome.seed), \(nodes) nodes: \(outcome.violations.joined(separator: "; "))")
    }

    /// Prints a line after every fiftieth of the seeds.
    private func progress(_ tally: Tally) {
        let done = tally.passed + tally.failed
        guard done % max(1, seeds.count / 50) == 0 else { return }
        FileHandle.standardError.write(Data("\(done) of \(seeds.count) seeds, \(tally.failed) failed\n".utf8))
    }
}
