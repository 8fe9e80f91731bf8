import EarshotSimulation
import Glibc

/// A node, or both, is stopped for seconds and goes on, as a laptop that sleeps.
struct Sleeps {
    let count: Int

    private static let asleep = 1000...8000
    private static let awake = 200...2000

    func run(_ bench: Bench, _ chance: inout SeededGenerator) async throws {
        let plan = (0..<count).map { _ in
            (
                sides: chance.oneIn(5) ? Side.allCases : [chance.oneIn(2) ? .alice : .bob],
                asleep: Int.random(in: Self.asleep, using: &chance), awake: Int.random(in: Self.awake, using: &chance)
            )
        }
        try await bench.run { scene in
            for step in plan {
                try await Task.sleep(for: .milliseconds(step.awake))
                for side in step.sides { await scene.pair.signal(SIGSTOP, to: side) }
                try await Task.sleep(for: .milliseconds(step.asleep))
                for side in step.sides { await scene.pair.signal(SIGCONT, to: side) }
                try await scene.pair.look()
                bench.report.count("sleeps", step.sides.count)
            }
            try await Task.sleep(for: .milliseconds(Self.awake.upperBound))
        }
    }
}
