import Foundation

/// The database of one side, then of the other, is replaced by an older copy, thousands of messages behind.
///
/// What is on no other disk is gone with a disk, by nature. So everything that was accepted is delivered before the
/// copy is put back; and from the restart on messages go both ways again, into the places that the copy has free.
struct Restores {
    /// Where copies are kept.
    let folder: String

    private static let behind = 4000
    private static let after = Duration.seconds(5)

    func run(_ bench: Bench) async throws {
        try await bench.run { scene in
            for side in Side.allCases {
                try await Task.sleep(for: .seconds(2))
                try await restore(side, scene, bench)
                bench.report.count("databases restored")
            }
        }
    }

    private func restore(_ side: Side, _ scene: Bench.Scene, _ bench: Bench) async throws {
        let (pair, copy) = (scene.pair, "\(folder)/copy\(side.rawValue).db")
        try NodeDatabase.copy((pair.homes[side] ?? "") + "/history.db", to: copy)
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

    /// - Returns: whether both disks come to hold equally many entries, within the limit.
    private func isBack(_ scene: Bench.Scene) async throws -> Bool {
        let paths = Side.allCases.compactMap { scene.pair.homes[$0].map { $0 + "/history.db" } }
        let deadline = ContinuousClock.now + Bench.deliveryLimit
        while ContinuousClock.now < deadline {
            if Set(try paths.map(NodeDatabase.entries)).count == 1 { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
