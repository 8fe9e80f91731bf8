package import EarshotModel

/// Whose a name is, and with whom this node's user wants to have to do.
extension NodeMachine {
    /// This node's user has decided about another.
    /// - Parameter name: what the other was called when that was decided. With another name by now, nothing is done.
    package mutating func decide(
        _ decision: TrustDecision, about userID: UserID, name: UserName? = nil, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        do throws(ProtocolError) {
            let consequences = try trust.decide(decision, about: userID, name: name, exchange: exchange, now: now)
            run(consequences, now: now)
            queue.markRequests.append(requestID)
            queue.isUrgent = true
        } catch {
            emit(.complete(requestID, .failure(error)))
        }
        return finish(now: now)
    }

    /// Changes who may have a link. Links of those who may not any more end at once; what waits for them stays.
    package mutating func admit(_ admission: Admission, now: Moment) -> [NodeAction] {
        run(trust.admit(admission, linked: peers.links.users), now: now)
        return finish(now: now)
    }

    /// A message was exchanged with a user.
    mutating func use(_ userID: UserID, now: Moment) {
        guard trust.isPinnedByUse(userID) else { return }
        run(trust.pin(userID, exchange: exchange, now: now), now: now)
    }

    func isStranger(_ userID: UserID) -> Bool {
        trust.isStranger(userID, hasWritten: currentLog[userID] != nil)
    }

    /// What trust asks of the logs.
    var exchange: (UserID) -> TrustMachine.Exchange {
        let (currentLog, incomingLogs) = (currentLog, incomingLogs)
        return { TrustMachine.Exchange(hasWritten: currentLog[$0] != nil, hasReceived: incomingLogs.count(of: $0) > 0) }
    }

    mutating func run(_ output: [TrustMachine.Action], now: Moment) {
        for action in output {
            switch action {
            case .met(let user, let event, let isNew):
                queue.users[user.userID] = user
                if isNew { queue.isUrgent = true } else { markLazily(now: now) }
                if let event { queue.add(event, isMerged: hasStorageFailed) }
            case .writeDevice(let device):
                queue.devices[device.deviceID] = device
                queue.forgottenDevices.remove(device.deviceID)
            case .forgetUser(let userID):
                queue.users[userID] = nil
                queue.devices = queue.devices.filter { $0.value.userID != userID }
                if hasStorageFailed { queue.dropEvents(about: userID) }
                queue.forgottenUsers.append(userID)
            case .forgetDevice(let deviceID):
                queue.devices[deviceID] = nil
                queue.forgottenDevices.insert(deviceID)
            case .conflict(let conflict):
                queue.add(.identityConflict(conflict), isMerged: hasStorageFailed)
                queue.isUrgent = true
            case .failMessages(let userID): failUndelivered(to: userID)
            case .closeLinks(let userID, let reason, let error):
                for connectionID in connections(to: userID) { close(connectionID, reason, error: error, now: now) }
            case .dialEverybody: peers.dialEverybody(now: now.uptime)
            }
        }
    }

    // MARK: - What follows

    /// Messages to a user to whom nothing may be sent any more fail. What may have left already may still turn out to be
    /// delivered; what has not is kept back for good.
    mutating func failUndelivered(to userID: UserID) {
        guard let reason = trust.bar(to: userID) else { return }
        for (logID, log) in ownLogs.sorted(by: { $0.key < $1.key }) where log.record.peerID == userID {
            let current = progress[ProgressKey(logID: logID, recipientID: userID)]?.target ?? DeliveryProgress()
            guard current.delivered < log.head.sequence else { continue }
            for sequence in current.delivered + 1...log.head.sequence where failures[logID]?[sequence] == nil {
                let failure = DeliveryFailure(
                    messageID: MessageID(log: logID, sequence: sequence), reason: reason,
                    isWithheld: sequence > current.offered)
                queueFailure(failure, requestID: nil)
            }
        }
    }
}
