import EarshotModel
import EarshotProtocol

/// What goes wrong.
extension Simulation {
    mutating func fault() throws {
        guard !isHealed else { return }
        if let fault = draw() {
            faults += 1
            let index = Int.random(in: nodes.indices, using: &generator)
            trace.host("fault", node: index, at: time)
            log("\(name(index)): \(fault)")
            if configuration.faults.contains(.restoredDisk), generator.oneIn(2) { try nodes[index].copyDisk() }
            try cause(fault, at: index)
        }
        queue.push(.fault, at: time + Int64.random(in: 1...configuration.faultInterval * 2, using: &generator))
    }

    private mutating func draw() -> Fault? {
        let sum = configuration.faults.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return nil }
        var number = Int.random(in: 0..<sum, using: &generator)
        return configuration.faults.first { fault in
            number -= fault.weight
            return number < 0
        }
    }

    /// A moment within some seconds from now.
    private mutating func soon(_ seconds: Int64 = 10) -> Int64 {
        time + Int64.random(in: 100_000...seconds * 1_000_000, using: &generator)
    }

    private mutating func cause(_ fault: Fault, at index: Int) throws {
        switch fault {
        case .connectionsBreak: try breakConnections(of: index, halfOpen: false)
        case .everyConnectionBreaks: try breakEveryConnection()
        case .halfOpen: try breakConnections(of: index, halfOpen: true)
        case .partition: partition()
        case .crash: try crash(index, isHeard: true)
        case .crashBetweenActions: nodes[index].actionsLeft = Int.random(in: 0..<40, using: &generator)
        case .powerCut: try crash(index, isHeard: false)
        case .stop: try stop(index)
        case .sleep: nodes[index].asleepUntil = soon(60)
        case .fullDisk: nodes[index].diskFullUntil = soon()
        case .slowDisk: nodes[index].diskSlowUntil = soon()
        case .unreadableDisk: nodes[index].diskUnreadableUntil = soon()
        case .slowPeer: nodes[index].tricklesUntil = soon()
        case .move: try move(index)
        case .networkChange: try perform(index) { $0.networkChanged(now: $1) }
        case .wakeUp: try perform(index) { $0.woke(now: $1) }
        case .clockJump: try jumpClock(of: index)
        case .trust: decide(index)
        case .renewal: try renew(index)
        case .reachability: try askReachability(index)
        case .restoredDisk: try restoreDisk(of: index)
        }
    }

    private mutating func breakEveryConnection() throws {
        for index in nodes.indices where nodes.count <= 16 || generator.oneIn(10) {
            try breakConnections(of: index, halfOpen: generator.oneIn(8))
        }
    }

    private mutating func partition() {
        let groups = generator.oneIn(4) ? 3 : 2
        for index in nodes.indices { nodes[index].group = Int.random(in: 0..<groups, using: &generator) }
        queue.push(.rejoin, at: soon(20))
    }

    /// The groups reach each other again, and some find each other anew.
    mutating func rejoin() {
        for index in nodes.indices { nodes[index].group = 0 }
        for index in nodes.indices {
            for peer in nodes[index].contacts where index < peer && generator.oneIn(2) {
                queue.push(.meet(index, peer), at: soon(2))
            }
        }
    }

    private mutating func stop(_ index: Int) throws {
        guard nodes[index].isUp, !nodes[index].isStopping else { return }
        nodes[index].beginStop()
        try perform(index) { $0.stop(now: $1) }
    }

    private mutating func move(_ index: Int) throws {
        let old = nodes[index].address
        nodes[index].addressNumber = (nodes[index].addressNumber + 1) % 250
        network.moved(from: old, to: nodes[index].address, index)
        loseConnections(of: index, isKept: true)
        if generator.oneIn(2) { try perform(index) { $0.networkChanged(now: $1) } }
        for peer in nodes[index].contacts { queue.push(.meet(index, peer), at: soon(3)) }
    }

    private mutating func decide(_ index: Int) {
        guard let other = nodes[index].contacts.randomElement(using: &generator), !isSameUser(index, other) else {
            return
        }
        let decision = TrustDecision.allCases[Int.random(in: 0..<4, using: &generator)]
        queue.push(.decide(node: index, decision, about: other), at: time + 1)
        guard decision == .block, !generator.oneIn(4) else { return }
        queue.push(.decide(node: index, .unblock, about: other), at: soon())
    }

    private mutating func restoreDisk(of index: Int) throws {
        try crash(index, isHeard: generator.oneIn(2))
        guard !nodes[index].isUp, try nodes[index].restoreDisk() else { return }
        // A host that was down for long may have forgotten the time.
        if generator.oneIn(2) { nodes[index].clockOffset -= abs(clockJump()) }
        // What no disk holds, nobody can give back.
        for peer in nodes[index].contacts where !isSameUser(index, peer) {
            let texts = try textsHeld(between: index, peer)
            nodes[index].forgetAccepted(for: nodes[peer].local.userID, except: texts)
            nodes[peer].forgetAccepted(for: nodes[index].local.userID, except: texts)
        }
    }

    private mutating func askReachability(_ index: Int) throws {
        guard nodes[index].isUp, !nodes[index].isStopping else { return }
        let requestID = nodes[index].nextRequest(for: [])
        try perform(index) { [port = nodes[index].address.port] in
            $0.checkReachability(port: port, requestID: requestID, now: $1)
        }
    }

    // MARK: - Clocks and credentials

    /// Seconds to years, ahead or behind, in milliseconds.
    mutating func clockJump() -> Int64 {
        let spans: [Int64] = [2_000, 40_000, 90_000, 3_600_000, 86_400_000, 40 * 86_400_000, 400 * 86_400_000]
        let span = spans[Int.random(in: spans.indices, using: &generator)]
        return generator.oneIn(2) ? span : -span
    }

    private mutating func jumpClock(of index: Int) throws {
        try setClock(
            of: index, to: generator.oneIn(2) ? Int64.random(in: -2000...2000, using: &generator) : clockJump())
        // A node may renew its credential by a clock that is wrong.
        if generator.oneIn(3) { try renew(index) }
    }

    /// The node is told, or finds out by itself.
    mutating func setClock(of index: Int, to offset: Int64) throws {
        nodes[index].clockOffset = offset
        if generator.oneIn(2) { try perform(index) { $0.clockChanged(now: $1) } }
    }

    mutating func renew(_ index: Int) throws {
        let credential = nodes[index].renew(now: nodes[index].now(at: time).wallClock)
        try perform(index) { $0.renew(credential, now: $1) }
    }
}
