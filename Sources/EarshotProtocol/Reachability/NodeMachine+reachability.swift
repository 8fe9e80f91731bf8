package import EarshotModel

/// Whether this node's port can be reached, peers find out by dialling back.
extension NodeMachine {
    /// Asks up to `Limits.reachabilityPeers` linked users. The answer is the action `reachability`: when all have
    /// answered, after `Timing.reachabilityCheck` at the latest; at once, and empty, without links.
    /// - Parameter port: where this node listens.
    package mutating func checkReachability(port: UInt16, requestID: RequestID, now: Moment) -> [NodeAction] {
        run(reachability.check(port: port, requestID: requestID, among: peers.links.heardLast, now: now.uptime))
        clocks.wake(by: reachability.deadline)
        return finish(now: now)
    }

    /// What became of `probe`.
    package mutating func probed(_ probeID: ProbeID, isReachable: Bool, now: Moment) -> [NodeAction] {
        guard let answer = reachability.probed(probeID, isReachable: isReachable) else { return [] }
        run([answer])
        return finish(now: now)
    }

    mutating func askedToDialBack(port: UInt16, nonce: UInt64, on connectionID: ConnectionID, now: Moment) {
        guard !isStopping, let link = peers.links[connectionID], let peer = link.peer, let host = link.address?.host
        else { return }
        run(
            reachability.asked(
                peer.deviceID, at: host, port: port, nonce: nonce, on: connectionID, now: now.uptime))
    }

    mutating func run(_ output: [ReachabilityMachine.Action]) {
        for action in output {
            switch action {
            case .send(let frame, let connectionID): send(frame, on: connectionID)
            case .probe(let probeID, let address): emit(.probe(probeID, address))
            case .answer(let requestID, let answers): emit(.reachability(requestID, answers))
            }
        }
    }
}
