import EarshotModel

/// Whom a node links with where more are there than it keeps links to: as soon as it has something for them.
extension NodeMachine {
    mutating func dialDue(now: Moment) {
        run(peers.dialDue(now: now))
        let parked = peers.takeParked()
        if !parked.isEmpty {
            for deviceID in parked where isWanted(deviceID) { peers.reach(deviceID, delay: 0, now: now.uptime) }
            run(peers.dialDue(now: now))
        }
        noteResting(now: now)
    }

    /// Something is here for users of whom some have no link.
    mutating func reach(_ userIDs: [UserID], delay: Int64 = 0, now: Moment) {
        guard peers.isCrowded else { return }
        for userID in userIDs where connections(to: userID).isEmpty && trust.admits(userID) {
            for deviceID in deviceIDs(of: userID) { peers.reach(deviceID, delay: delay, now: now.uptime) }
        }
    }

    /// The same for those who take part in a conversation, if nobody of them has a link.
    mutating func reachParticipants(of conversationID: ConversationID, now: Moment) {
        guard peers.isCrowded else { return }
        let conversation =
            replication.conversations.record(conversationID) ?? replication.logs.conversations[conversationID]
        let others = conversation?.recipientIDs(of: local.userID) ?? []
        guard others.allSatisfy({ connections(to: $0).isEmpty }) else { return }
        reach(Array(others.prefix(Limits.reachedParticipants)), now: now)
    }

    /// The user whose device it is, as far as this node knows.
    func owner(of deviceID: DeviceID) -> UserID? {
        trust.owner(of: deviceID) ?? (devices.own[deviceID] == nil ? nil : local.userID)
    }

    private func deviceIDs(of userID: UserID) -> [DeviceID] {
        let known = userID == local.userID ? devices.own.keys.sorted() : trust.directory.devices(of: userID)
        return known.isEmpty ? peers.dialer.devices(advertisedFor: userID) : known
    }

    private func isWanted(_ deviceID: DeviceID) -> Bool {
        if let owner = owner(of: deviceID) { return isWanted(owner) }
        // Whoever was never met can be written to by their key.
        guard let fingerprint = peers.dialer.fingerprint(of: deviceID) else { return false }
        return replication.unmetRecipients(trust).contains { $0.fingerprint.filter { $0 != " " } == fingerprint }
    }

    /// Whether something is here for a user.
    func isWanted(_ userID: UserID) -> Bool {
        userID == local.userID || replication.isWaiting(for: userID)
            || files.isFetching && files.conversations.contains(.direct(local.userID, userID))
    }

    /// Whether something is under way over a link, which it would have to begin anew on another.
    func isBusy(_ connectionID: ConnectionID) -> Bool {
        peer(on: connectionID).map(isOwn) == true || replication.isBusy(connectionID) || files.isBusy(connectionID)
    }

    /// Who has no link only because there are too many counts as online.
    mutating func noteResting(now: Moment) {
        for (deviceID, isResting) in peers.takeRestNews() {
            run(trust.rested(deviceID, isResting: isResting, now: now), now: now)
        }
    }
}
