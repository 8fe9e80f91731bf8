import EarshotGateway
import EarshotModel
import Foundation

extension Bench {
    /// Waits until everything that was accepted is delivered, and compares both histories and both disks with the
    /// ledger.
    func judge(_ scene: Scene, seconds: Double) async throws {
        let pair = scene.pair
        let isDelivered = try await settle(scene)
        try await pair.look()
        let histories = try await (history(of: .alice, scene), history(of: .bob, scene))
        await pair.judge(alice: histories.0, bob: histories.1)
        let (faults, accepted) = (await pair.faults, await pair.accepted)
        let rate = Int(Double(accepted) / max(seconds, 0.001))
        report.check("\(phase): all that was accepted is delivered in the end", isDelivered, "\(accepted) messages")
        report.check("\(phase): nothing is lost", faults.lost == 0, "\(accepted) accepted, \(rate)/s")
        report.check("\(phase): nothing is doubled", faults.doubled == 0, "\(await pair.repeated) sends were repeated")
        report.check("\(phase): nothing is reordered", faults.reordered == 0)
        report.check(
            "\(phase): nothing is called delivered that is not on the recipient's disk", faults.falselyDelivered == 0)
        var others = faults
        (others.lost, others.doubled, others.reordered, others.falselyDelivered) = (0, 0, 0, 0)
        report.check(
            "\(phase): no hole, no state that goes back, both histories alike", others == .none,
            others == .none ? "\(await pair.events) events heard" : others.summary)
        let (surprises, unanswered) = (await pair.surprises, await pair.lanesInDoubt)
        report.check(
            "\(phase): no node ends by itself, every send is answered", surprises + unanswered == 0,
            "\(surprises) nodes, \(unanswered) sends")
    }

    /// - Returns: whether nothing waits on either side, within the limit.
    func settle(_ scene: Scene) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.deliveryLimit
        while ContinuousClock.now < deadline {
            if try await isSettled(scene) { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    private func isSettled(_ scene: Scene) async throws -> Bool {
        guard await scene.pair.isQuiet else { return false }
        for side in Side.allCases {
            do {
                guard try await scene.client(side).status().undeliveredMessages == 0 else { return false }
            } catch let error as GatewayError where error.code == .noNode {
                return false
            }
        }
        return true
    }

    /// The whole conversation as a side's node shows it, page by page, backwards from the end.
    private func history(of side: Side, _ scene: Scene) async throws -> [HistoryLine<Numbered>] {
        let client = try scene.client(side)
        var lines: [HistoryLine<Numbered>] = []
        var page = try await client.history(with: side.other.name, limit: Limits.historyPage)
        while let first = page.first {
            lines += page.reversed().map { HistoryLine<Numbered>($0) }
            page = try await client.history(with: side.other.name, before: first.id, limit: Limits.historyPage)
        }
        return lines.reversed()
    }
}

extension Pair {
    /// Whether no send is under way.
    var isQuiet: Bool { Side.allCases.allSatisfy { inFlightCount(of: $0) == 0 } }

    /// Reads both histories to their ends.
    func judge(alice: [HistoryLine<Numbered>], bob: [HistoryLine<Numbered>]) {
        read(alice, by: .alice)
        read(bob, by: .bob)
        var faults = Faults.none
        for side in Side.allCases {
            faults.lost += Side.allCases.reduce(0) { $0 + ledger.missing(of: side, by: .history($1)) }
            faults.lost += ledger.missing(of: side, by: .disk(side.other))
        }
        faults.different = HistoryLine.differences(alice, bob)
        note(faults)
    }

    private func read(_ history: [HistoryLine<Numbered>], by side: Side) {
        var faults = Faults.none
        for line in history {
            guard let message = line.message else {
                seeForeign()
                continue
            }
            see(message, by: .history(side))
            if message.lane.author == side, !line.isDelivered { faults.lost += 1 }
        }
        note(faults)
    }
}
