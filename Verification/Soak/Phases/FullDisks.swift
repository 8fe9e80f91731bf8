import EarshotGateway
import Foundation

/// The disk of one side, then of the other, fills, stays full while both sides go on sending, and is freed.
struct FullDisks {
    /// The mount points of small file systems, for the home of each side.
    let disks: [Side: String]

    private static let fillLimit = Duration.seconds(60)
    private static let full = Duration.seconds(8)
    private static let recoveryLimit = Duration.seconds(20)

    func run(_ bench: Bench) async throws {
        var bench = bench
        bench.foldersOfSides = disks
        try await bench.run { [bench] scene in
            for side in Side.allCases {
                try await Task.sleep(for: .seconds(2))
                try await fill(side, scene, bench)
                bench.report.count("disks filled")
            }
            try await Task.sleep(for: .seconds(2))
        }
    }

    private func fill(_ side: Side, _ scene: Bench.Scene, _ bench: Bench) async throws {
        guard let disk = disks[side] else { return }
        let (pair, report, who) = (scene.pair, bench.report, "\(bench.phase): \(side.name)'s disk is full")
        let (pid, refusals) = (await pair.pid(of: side), await pair.refusals[side] ?? 0)
        let filler = disk + "/filler"
        try Self.fill(filler)
        let isRefused = try await wait(Self.fillLimit) {
            try Self.fill(filler)  // A file that was made smaller leaves room.
            return await pair.refusals[side] ?? 0 > refusals
        }
        let reasons = await pair.refusalReasons[side] ?? []
        report.check(
            "\(who): a send fails, with the reason",
            isRefused && reasons.allSatisfy { $0.hasPrefix("storeFull: no space is left") },
            reasons.sorted().joined(separator: "; ").replacingOccurrences(of: disk, with: "DISK"))

        let deadline = ContinuousClock.now + Self.full
        while ContinuousClock.now < deadline {
            try await pair.look()  // Does anybody call delivered what the full disk does not hold?
            try await Task.sleep(for: .milliseconds(200))
        }
        let answers = try await scene.client(side).status().name == side.name
        let (now, isRunning) = (await pair.pid(of: side), await pair.isRunning(side))
        report.check(
            "\(who): the node stays up, and answers", now == pid && isRunning && answers, "process \(pid ?? 0)")
        let refused = (await pair.refusals[side] ?? 0) - refusals

        let accepted = await pair.ledger.accepted(by: side)
        try FileManager.default.removeItem(atPath: filler)
        let freed = ContinuousClock.now
        let goesOn = try await wait(Self.recoveryLimit) {
            await pair.ledger.accepted(by: side) > accepted + bench.lanes
        }
        report.check(
            "\(who): once it is freed, sends are accepted again", goesOn,
            String(format: "%d were refused; after %.2f s", refused, (ContinuousClock.now - freed).inSeconds))
    }

    private func wait(_ limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Writes until nothing more fits.
    private static func fill(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw SoakError("\(path) cannot be written") }
        defer { close(file) }
        for size in [1 << 16, 1 << 12, 1] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(file, bytes, size) > 0 {}
        }
        guard errno == ENOSPC else { throw SoakError("\(path) cannot be filled: errno \(errno)") }
    }
}
