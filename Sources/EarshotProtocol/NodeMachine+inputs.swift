package import EarshotModel

/// What reaches every machine of a node: frames of peers, and time.
extension NodeMachine {
    /// A frame of a linked peer.
    mutating func received(_ frame: Frame, on connectionID: ConnectionID, now: Moment) throws(ProtocolError) {
        guard let peer = peer(on: connectionID) else { return }
        noteUse(of: connectionID, now: now)
        defer { performReplication(now: now) }
        switch frame {
        case .grant, .revocations, .deviceNames, .contacts:
            try received(frame, of: peer, on: connectionID, now: now)
        case .entries(var run):
            if let shown = run.credential { run.credential = try proved(shown, on: connectionID, now: now) }
            guard mayTake(run, from: peer) else {
                peers.credit(-1, on: connectionID)
                return
            }
            try replication.receivedEntries(
                run, on: connectionID, isStranger: isStranger(peer.userID), trust: trust, clocks: &clocks, now: now)
        case .receipts(let receipts):
            for receipt in receipts where isOpen(connectionID) {
                try checkBudget(on: connectionID, now: now)
                note { $0.receiptsReceived += 1 }
                guard !isRevoked(receipt, []) else { continue }
                try replication.receivedReceipt(receipt, on: connectionID, trust: trust, now: now)
                performReplication(now: now)
            }
        case .heads(let heads):
            try checkBudget(on: connectionID, now: now)
            replication.receivedHeads(heads, on: connectionID, trust: trust, now: now)
        case .carried(let receipts, let shown):
            var credentials: [Credential] = []
            for credential in shown {
                guard let proved = try proved(credential, on: connectionID, now: now).proved else { continue }
                credentials.append(proved)
            }
            for receipt in receipts where isOpen(connectionID) {
                try checkBudget(on: connectionID, now: now)
                note { $0.receiptsReceived += 1 }
                if receipt.deviceID == peer.deviceID {
                    try replication.receivedReceipt(receipt, on: connectionID, trust: trust, now: now)
                } else {
                    guard !isRevoked(receipt, credentials) else { continue }
                    try replication.receivedCarried(
                        receipt, credentials: credentials, on: connectionID, trust: trust, now: now)
                }
                performReplication(now: now)
            }
        case .digests(let digests):
            try checkBudget(on: connectionID, now: now)
            let proved = digests.map(withProvedName)
            if isOwn(peer) { learnConversations(from: proved) }
            replication.receivedDigests(proved, on: connectionID)
        case .wanted(let wanted): try replication.receivedWanted(wanted, on: connectionID)
        case .wantedBodies(let wanted): replication.receivedWantedBodies(wanted, on: connectionID)
        case .bodies(let bodies): replication.receivedBodies(bodies, on: connectionID, trust: trust)
        case .unplaced(let log): replication.receivedUnplaced(log, on: connectionID, now: now)
        case .taken(let logID, let place): replication.receivedTaken(logID, through: place, on: connectionID, now: now)
        case .typing(let conversationID, let isTyping): heardTyping(isTyping, in: conversationID, from: peer, now: now)
        case .dialBack(let port, let nonce): askedToDialBack(port: port, nonce: nonce, on: connectionID, now: now)
        case .dialBackResult(let nonce, let isReachable):
            run(reachability.answered(nonce: nonce, isReachable: isReachable, on: connectionID))
        case .wantedFile, .fileHashes, .fileChunk, .fileNews:
            try received(file: frame, of: peer, on: connectionID, now: now)
        case .ping, .pong, .rekey, .close: break  // The link has dealt with these.
        }
    }

    /// Time has passed. To be called at `deadline`, and harmless at any other time.
    package mutating func tick(now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            node.noticeClocks(now: now)
            node.closeExpired(now: now)
            for connectionID in node.openConnections {
                node.run(node.peers.tick(connectionID, now: now), on: connectionID, now: now)
            }
            node.run(node.reachability.tick(now: now.uptime))
            node.run(node.typing.tick(now: now.uptime))
            node.clocks.restartDeadline()
            for link in node.peers.links.links.values { node.clocks.wake(by: link.machine.deadline) }
            node.clocks.wake(by: node.reachability.deadline)
            node.clocks.wake(by: node.typing.deadline)
            node.replication.tick(clocks: &node.clocks, now: now)
            for connectionID in node.openConnections { node.noteCredential(on: connectionID, now: now) }
            node.renewLinkedDevices(now: now)
            node.tickPairing(now: now)
        }
    }

    /// When `tick` has something to do, at the latest.
    package func deadline(now: Moment) -> Int64 { max(now.uptime, nextCall) }

    var nextDeadline: Int64 { min(replication.deadline, clocks.deadline, peers.dialDeadline) }
}
