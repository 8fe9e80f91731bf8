import EarshotSimulation

/// Three packets in ten are lost in each direction; half-way one node dies, so that a new link must come about as well.
struct Loss {
    let seconds: Int

    static let part = 0.3
    /// TCP gets a few kilobytes a second through this, so there should be little to send.
    static let rest = Duration.milliseconds(1000)

    func run(_ bench: Bench, _ chance: inout SeededGenerator) async throws {
        let victim: Side = chance.oneIn(2) ? .alice : .bob
        try await bench.run { scene in
            let pair = scene.pair
            try await lose(Self.part, bench)
            let before = await pair.arrived
            try await Task.sleep(for: .seconds(seconds / 2))
            try await pair.look()
            let first = await pair.arrived
            try await pair.kill([victim])
            try await pair.start(victim)
            try await Task.sleep(for: .seconds(seconds - seconds / 2))
            try await pair.look()
            let second = await pair.arrived
            try await lose(nil, bench)
            bench.report.check(
                "\(bench.phase): messages arrive while 30 % of the packets are lost", first > before && second > first,
                "\(perSecond(second - before))/s; \(first - before) before a node died, \(second - first) after")
        }
    }

    private func perSecond(_ count: Int) -> Int { count / max(1, seconds) }

    private func lose(_ part: Double?, _ bench: Bench) async throws {
        for side in Side.allCases { try await bench.laboratory.lose(part, on: side) }
    }
}
