import EarshotSimulation
import Foundation

/// The database of one side, then of the other, is replaced by an older copy, thousands of messages behind.
///
/// What is on no other disk is lost with a disk. So everything that was accepted is delivered before the copy is put
/// back. From the restart on messages go both ways again, into the places that are free in the copy. While the node
/// takes back what it had, one or the other is killed a few times.
struct Restores {
    /// Where copies are kept.
    let folder: String

    private static let behind = 4000
    private static let after = Duration.seconds(5)
    private static let kills = 4
    private static let between = 20...700

    /// Who is killed after how many milliseconds.
    private typealias Plan = [(victim: Side, wait: Int)]

    func run(_ bench: Bench, _ chance: inout SeededGenerator) async throws {
        let plans = Side.allCases.map { side in
            (
                side: side,
                kills: (0..<Self.kills).map { _ in
                    (
                        victim: chance.oneIn(3) ? side.other : side,
                        wait: Int.random(in: Self.between, using: &chance)
                    )
                }
            )
        }
        try await bench.run { scene in
            for plan in plans {
                try await Task.sleep(for: .seconds(2))
                try await restore(plan.side, killing: plan.kills, scene, bench)
                bench.report.count("databases restored")
            }
        }
    }

    private func restore(_ side: Side, killing plan: Plan, _ scene: Bench.Scene, _ bench: Bench) async throws {
        let (pair, copy) = (scene.pair, "\(folder)/copy\(side.rawValue).db")
        try DatabaseFile.copy((pair.homes[side] ?? "") + "/history.db", to: copy)
        let copied = await pair.accepted
        while await pair.accepted < copied + Self.behind { try await Task.sleep(for: .milliseconds(50)) }
        await pair.setSending(false)
        _ = try await bench.settle(scene)
        let behind = await pair.accepted - copied

        try await pair.kill([side])
        try await pair.restore(copy, to: side)
        await pair.setSending(true)
        try await pair.start(side)
        let start = ContinuousClock.now
        for step in plan {
            try await Task.sleep(for: .milliseconds(step.wait))
            try await pair.kill([step.victim])
            try await pair.start(step.victim)
        }
        try await Task.sleep(for: Self.after)
        await pair.setSending(false)
        let isDelivered = try await bench.settle(scene)
        let isBack = try await isBack(scene)
        bench.report.check(
            "\(bench.phase): \(side.name) gets back what the copy lacked", isDelivered && isBack,
            String(
                format: "%d messages were behind; settled after %.1f s", behind, (ContinuousClock.now - start).inSeconds
            ))
        try await pair.recovered()
        await pair.setSending(true)
    }

    /// - Returns: whether both disks come to hold the same number of entries within the limit.
    private func isBack(_ scene: Bench.Scene) async throws -> Bool {
        let paths = Side.allCases.compactMap { scene.pair.homes[$0].map { $0 + "/history.db" } }
        let deadline = ContinuousClock.now + Bench.deliveryLimit
        while ContinuousClock.now < deadline {
            if Set(try paths.map(DatabaseFile.entries)).count == 1 { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
