package import EarshotModel

/// Whether this node's port can be reached, peers find out by dialling back.
extension NodeMachine {
    /// Asks up to `Limits.reachabilityPeers` linked users. The answer is the action `reachability`: when all have
    /// answered, after `Timing.reachabilityCheck` at the latest; at once, and empty, without links.
    /// - Parameter port: where this node listens.
    package mutating func checkReachability(port: UInt16, requestID: RequestID, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            let linked = node.peers.links.heardLast
            node.run(node.reachability.check(port: port, requestID: requestID, among: linked, now: now.uptime))
            node.clocks.wake(by: node.reachability.deadline)
        }
    }

    /// What became of `probe`.
    package mutating func probed(_ probeID: ProbeID, isReachable: Bool, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.reachability.probed(probeID, isReachable: isReachable)) }
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
