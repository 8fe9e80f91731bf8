import EarshotSimulation

/// A host's cable is pulled, and plugged in again, while both sides go on sending.
struct Cables {
    let count: Int

    private static let pulled = 500...8000
    private static let plugged = 200...3000

    func run(_ bench: Bench, _ chance: inout SeededGenerator) async throws {
        let plan = (0..<count).map { _ in
            (
                side: chance.oneIn(2) ? Side.alice : .bob, pulled: Int.random(in: Self.pulled, using: &chance),
                plugged: Int.random(in: Self.plugged, using: &chance)
            )
        }
        try await bench.run { scene in
            for step in plan {
                try await Task.sleep(for: .milliseconds(step.plugged))
                try await bench.laboratory.pull(step.side)
                try await Task.sleep(for: .milliseconds(step.pulled))
                try await bench.laboratory.plug(step.side)
                try await scene.pair.look()
                bench.report.count("cables pulled")
            }
            try await Task.sleep(for: .milliseconds(Self.plugged.upperBound))
        }
    }
}
