import Earshot
import EarshotGateway
import Foundation
import GRDB

/// Sets up a pair of nodes on the two hosts, lets messages go both ways while something is done to them, and judges.
struct Bench {
    let laboratory: Laboratory
    let report: Report
    /// The phase's name, in checks and on the progress line.
    let phase: String
    /// The folder in which the homes of both sides are made.
    let folder: String
    var foldersOfSides: [Side: String] = [:]
    var lanes = 24
    /// How long a lane waits between two messages.
    var rest = Duration.zero

    static let linkLimit = Duration.seconds(60)
    static let deliveryLimit = Duration.seconds(180)

    /// The parts that a phase works with.
    struct Scene {
        let pair: Pair
        let clients: [Side: GatewayClient]

        func client(_ side: Side) throws -> GatewayClient {
            guard let client = clients[side] else { throw SoakError("\(side.name) has no client") }
            return client
        }
    }

    /// Runs a phase to its judgement.
    ///
    /// - Parameter body: what to do while messages go both ways. At its end both nodes must run, and reach each other.
    func run(_ body: (Scene) async throws -> Void) async throws {
        var homes: [Side: String] = [:]
        var clients: [Side: GatewayClient] = [:]
        for side in Side.allCases {
            let home = "\(foldersOfSides[side] ?? folder)/\(phase)\(side.rawValue)"
            homes[side] = home
            clients[side] = try GatewayClient(home: Home(path: home))
            try await laboratory.makeHome(home, of: side)
        }
        let pair = try Pair(laboratory, homes: homes)
        try await run(Scene(pair: pair, clients: clients), body)
    }

    private func run(_ scene: Scene, _ body: (Scene) async throws -> Void) async throws {
        let pair = scene.pair
        for side in Side.allCases { try await pair.start(side) }
        let keys = try await link(scene)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for side in Side.allCases {
                guard let home = pair.homes[side], let key = keys[side.other] else { continue }
                group.addTask { try await Listener(pair: pair, side: side, home: home).run() }
                for index in 0..<lanes {
                    let lane = Lane(author: side, index: index)
                    let sender = Sender(pair: pair, lane: lane, home: home, recipient: key, rest: rest)
                    group.addTask { try await sender.run() }
                }
            }
            group.addTask { try await progress(pair) }
            await pair.setSending(true)
            try await body(scene)
            await pair.setSending(false)
            try await judge(scene, seconds: (ContinuousClock.now - start).inSeconds)
            await pair.end()
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
        try await pair.stop(Side.allCases)
        report.add(
            phase, messages: await pair.accepted, kills: await pair.kills, faults: await pair.faults,
            events: await pair.events)
    }

    /// Waits until the two have met.
    /// - Returns: each side's key.
    private func link(_ scene: Scene) async throws -> [Side: String] {
        var keys: [Side: String] = [:]
        let deadline = ContinuousClock.now + Self.linkLimit
        while keys.count < Side.allCases.count {
            guard ContinuousClock.now < deadline else {
                throw SoakError("the two nodes did not meet: \(await scene.pair.lastWords(of: .alice))")
            }
            for side in Side.allCases where keys[side.other] == nil {
                do {
                    let users = try await scene.client(side).users()
                    keys[side.other] = users.first { $0.name == side.other.name && $0.isOnline }?.id
                } catch let error as GatewayError where error.code == .noNode {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return keys
    }

    private func progress(_ pair: Pair) async throws {
        while true {
            try await Task.sleep(for: .seconds(2))
            do { try await pair.look() } catch is DatabaseError { continue }  // A node that sleeps may hold a lock.
            let (accepted, arrived, kills) = (await pair.accepted, await pair.arrived, await pair.kills)
            let faults = await pair.faults
            report.progress(
                "\(phase): \(accepted) accepted, \(arrived) on the other disk, \(kills) kills, "
                    + (faults == .none ? "no fault" : "FAULTS: \(faults.summary)"))
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
