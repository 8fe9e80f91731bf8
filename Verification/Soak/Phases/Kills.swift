import EarshotSimulation

/// `kill -9` at random moments of either side, or of both; each is started again at once or a little later.
struct Kills {
    let count: Int
    let minimum: Int

    private static let between = 50...800
    /// The milliseconds after a start in which a node is killed while it still begins.
    private static let early = 0...80
    private static let away = 50...600
    /// How long messages that are missing in the end may take.
    private static let patience = Duration.seconds(300)

    func run(_ bench: Bench, _ chance: inout SeededGenerator) async throws {
        let plan = (0..<count).map { _ in Step(&chance) }
        try await bench.run { scene in
            let pair = scene.pair
            for step in plan {
                guard await pair.kills < count else { break }
                try await Task.sleep(for: .milliseconds(step.wait))
                try await pair.kill(step.sides)
                try await Task.sleep(for: .milliseconds(step.away))
                for side in step.sides { try await pair.start(side) }
                guard let again = step.again else { continue }
                try await Task.sleep(for: .milliseconds(again))
                try await pair.kill(step.sides)
                for side in step.sides { try await pair.start(side) }
            }
            let deadline = ContinuousClock.now + Self.patience
            while await pair.accepted < minimum, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(100))
            }
            let (kills, accepted) = (await pair.kills, await pair.accepted)
            bench.report.check("\(bench.phase): a node was killed so often", kills >= count, "\(kills) of \(count)")
            bench.report.check(
                "\(bench.phase): so many messages were covered", accepted >= minimum, "\(accepted) of \(minimum)")
        }
    }

    /// What is done at one moment.
    private struct Step {
        let wait: Int
        let sides: [Side]
        let away: Int
        /// Milliseconds after which the same nodes are killed once more.
        let again: Int?

        init(_ chance: inout SeededGenerator) {
            wait = Int.random(in: Kills.between, using: &chance)
            sides = chance.oneIn(8) ? Side.allCases : [chance.oneIn(2) ? .alice : .bob]
            away = chance.oneIn(4) ? Int.random(in: Kills.away, using: &chance) : 0
            again = chance.oneIn(8) ? Int.random(in: Kills.early, using: &chance) : nil
        }
    }
}
