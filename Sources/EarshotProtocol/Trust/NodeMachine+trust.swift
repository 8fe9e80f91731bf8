package import EarshotModel

/// Whose a name is, and with whom this node's user wants to have to do.
extension NodeMachine {
    /// What the other devices of this node's user are told of a decision; `nil` about somebody who was never met.
    package func decision(_ verdict: TrustDecision, about userID: UserID, name: UserName? = nil) -> Decision? {
        trust.decision(verdict, about: userID, name: name)
    }

    /// This node's user has decided about another.
    /// - Parameters:
    ///   - name: what the other was called when that was decided. With another name by now, nothing is done.
    ///   - signed: what the user's other devices are told, with the identity key's word; without it, who is accepted or
    ///     verified is so on this device alone.
    package mutating func decide(
        _ decision: TrustDecision, about userID: UserID, name: UserName? = nil, signed: Decision? = nil,
        requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            let consequences = try node.trust.decide(
                decision, about: userID, name: name, signed: signed, exchange: node.exchange, now: now)
            node.run(consequences, now: now)
            node.replication.answer(requestID, .decided(userID))
        }
    }

    /// Changes who may have a link. Links of those who may not any more end at once; what waits for them stays.
    package mutating func admit(_ admission: Admission, now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            let others = node.peers.links.users.filter { $0 != node.local.userID }
            node.run(node.trust.admit(admission, linked: others), now: now)
        }
    }

    /// A message was exchanged with a user.
    mutating func use(_ userID: UserID, now: Moment) {
        guard trust.isPinnedByUse(userID) else { return }
        run(trust.pin(userID, exchange: exchange, now: now), now: now)
    }

    package func isStranger(_ userID: UserID) -> Bool {
        userID != local.userID && trust.isStranger(userID, hasWritten: replication.logs.hasWritten(to: userID))
    }

    /// What trust asks of the logs.
    var exchange: (UserID) -> TrustMachine.Exchange {
        let logs = replication.logs
        return { TrustMachine.Exchange(hasWritten: logs.hasWritten(to: $0), hasReceived: logs.hasIncoming(by: $0)) }
    }

    mutating func run(_ output: [TrustMachine.Action], now: Moment) {
        for action in output {
            switch action {
            case .met(let user, let event, let isNew):
                replication.write(user)
                if isNew { replication.hurry() } else { replication.mayWait(now: now) }
                if let event { replication.tell(event) }
            case .writeDevice(let device): replication.write(device)
            case .forgetUser(let userID): replication.forget(userID)
            case .forgetDevice(let deviceID): replication.forget(deviceID)
            case .conflict(let conflict):
                replication.tell(.identityConflict(conflict))
                replication.hurry()
            case .failMessages(let userID): replication.failUndelivered(to: userID, trust: trust)
            case .closeLinks(let userID, let reason, let error):
                for connectionID in connections(to: userID) { close(connectionID, reason, error: error, now: now) }
            case .dialEverybody: peers.dialEverybody(now: now.uptime)
            case .share(let decision): replication.share(decision)
            }
        }
    }
}
