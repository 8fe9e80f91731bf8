package import EarshotCrypto
package import EarshotModel

/// A whole node without any I/O: links, logs, sync, delivery states.
///
/// A shell tells it what happened, one call an event, and runs the actions that each call returns. It reads no
/// clock and draws no random number, so a simulation with the same inputs takes the same course.
///
/// What holds at every moment:
/// - an entry leaves the node only after a commit that holds it and says that it may leave;
/// - a receipt leaves only after a commit that holds what it acknowledges;
/// - an event is posted only after the commit that makes it true;
/// - there is one commit at a time, and what it holds is not known to be true before it is done.
package struct NodeMachine: Sendable {
    var peers: PeersMachine
    var trust: TrustMachine
    var clocks = ClockMachine()
    var queue = CommitQueue()

    var ownLogs: [LogID: OwnLog] = [:]
    /// The log that this device writes to each user now.
    var currentLog: [UserID: LogID] = [:]
    var incomingLogs = IncomingLogs()
    var progress: [ProgressKey: TrackedProgress] = [:]
    /// Messages that failed and that no receipt has settled.
    var failures: [LogID: [UInt64: DeliveryFailure]] = [:]
    /// Logs in which expired messages are being looked for, and where each ended when the search began.
    var expirySearches: [LogID: UInt64] = [:]

    var actions: [NodeAction] = []
    /// Links that may have room for more.
    var linksToPump: Set<ConnectionID> = []
    /// Links that bring logs of this node's own back.
    var recoveringLinks: Set<ConnectionID> = []
    /// Users from whom logs are taken back, or were until a moment ago, in vain.
    var holds: [UserID: SendHold] = [:]
    /// None of these needs `updateHolds` before this uptime. It may be early, never late.
    var holdsDue = Int64.max
    var reachability = ReachabilityMachine()
    var notes = NodeNotes()
    var returnBudgets = ReturnBudgets()
    var hasStorageFailed = false
    /// - Parameters:
    ///   - snapshot: what the store holds.
    ///   - ephemeralKey: draws a new key for each handshake.
    package init(
        local: LocalDevice, snapshot: Snapshot, now: Moment, ephemeralKey: @escaping @Sendable () -> AgreementKey
    ) {
        peers = PeersMachine(local: local, ephemeralKey: ephemeralKey)
        trust = TrustMachine(users: snapshot.users, devices: snapshot.devices)
        for record in snapshot.logs {
            if record.description.deviceID == local.deviceID {
                ownLogs[record.logID] = OwnLog(record: record)
                clocks.resume(after: record.head.timestamp)
                let current = currentLog[record.peerID].flatMap { ownLogs[$0] }
                if current.map({ $0.description.epoch < record.description.epoch }) ?? true {
                    currentLog[record.peerID] = record.logID
                }
            } else {
                clocks.follow(record.head.timestamp, now: now)
                incomingLogs[record.logID] = IncomingLog(
                    description: record.description, authorID: record.authorID, head: record.head)
            }
        }
        for delivery in snapshot.deliveries {
            let key = ProgressKey(logID: delivery.logID, recipientID: delivery.recipientID)
            progress[key] = TrackedProgress(delivery.progress)
        }
        for failure in snapshot.failures {
            failures[failure.messageID.log, default: [:]][failure.messageID.sequence] = failure
        }
    }

    /// Everybody who was ever met, by name.
    package var users: [User] { trust.directory.all }

    package func user(_ userID: UserID) -> User? { trust.directory.user(userID) }

    var local: LocalDevice { peers.local }

    package var userID: UserID { local.userID }

    var isStopping: Bool { peers.isStopping }

    /// The links that carry traffic now.
    package var establishedLinks: [EstablishedLink] { peers.links.established }

    /// How many devices and addresses are linked, dialled, or to be dialled.
    package var dialTargetCount: Int { peers.dialer.count }

    /// How many messages wait for their recipients' receipts.
    package var undeliveredCount: UInt64 { undelivered.values.reduce(0, +) }

    /// How many messages wait for their recipients' receipts, for each recipient for whom some wait.
    package var undelivered: [UserID: UInt64] {
        ownLogs.values.reduce(into: [:]) { counts, log in
            let key = ProgressKey(logID: log.record.logID, recipientID: log.record.peerID)
            let settled = progress[key]?.committed.delivered ?? 0
            let failed = failures[log.record.logID]?.keys.count { $0 > settled } ?? 0
            let done = settled + UInt64(failed)
            if log.head.sequence > done { counts[log.record.peerID, default: 0] += log.head.sequence - done }
        }
    }

    // MARK: - The end of every input

    /// Does what has become possible, and hands over all actions in their order.
    mutating func finish(now: Moment) -> [NodeAction] {
        noticeClocks(now: now)
        closeDuplicates(now: now)
        advanceRecoveries(now: now)
        for connectionID in linksToPump.sorted() { pump(connectionID, now: now) }
        linksToPump.removeAll(keepingCapacity: true)
        flushLinks(now: now)
        commitIfDue(now: now)
        dialDue(now: now)
        clocks.expectCall(by: max(now.uptime, nextDeadline))
        defer { actions = [] }
        return actions
    }

    /// The node stops: says goodbye on every link, and writes what waits.
    package mutating func stop(now: Moment) -> [NodeAction] {
        peers.stop()
        for connectionID in openConnections { close(connectionID, .shutdown, error: nil, now: now) }
        queue.isUrgent = true
        queue.retryAt = nil
        return finish(now: now)
    }

    /// Whether everything that waited is on the disk, after `stop`.
    package var isSettled: Bool { queue.inFlight == nil && (!queue.hasWork || hasStorageFailed) }

    mutating func emit(_ action: NodeAction) { actions.append(action) }
    mutating func post(_ event: Event) { actions.append(.post(event)) }
}
