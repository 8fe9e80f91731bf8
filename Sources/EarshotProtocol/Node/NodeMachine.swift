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
    var local: LocalDevice
    var trust: TrustMachine
    var clocks = ClockMachine()
    var dialer = Dialer()
    var queue = CommitQueue()

    var links: [ConnectionID: Link] = [:]
    var linkOfDevice: [DeviceID: ConnectionID] = [:]
    /// Ascending, so that the same inputs give the same actions.
    var linksOfUser: [UserID: [ConnectionID]] = [:]

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
    /// Links with frames to send, and links that may have room for more.
    var linksToFlush: Set<ConnectionID> = []
    var linksToPump: Set<ConnectionID> = []
    /// Links that bring logs of this node's own back.
    var recoveringLinks: Set<ConnectionID> = []
    /// Users from whom logs are taken back, or were until a moment ago, in vain.
    var holds: [UserID: SendHold] = [:]
    /// None of these needs `updateHolds` before this uptime. It may be early, never late.
    var holdsDue = Int64.max
    var reachability = ReachabilityMachine()
    var notes = NodeNotes()
    /// Which connections of strangers may begin a handshake.
    var gate = AddressBudget(
        perAddress: Limits.connectionsPerAddress, perAddressAndSecond: Limits.connectionsPerAddressAndSecond,
        perSecond: Limits.connectionsPerSecond)
    var notices = StrangerNotices()
    var budgets = PeerBudgets()
    var returnBudgets = ReturnBudgets()
    /// Links that lose against another one to the same device; closed when the current input is dealt with.
    var duplicates: [ConnectionID] = []
    /// When the first peer was seen, as an uptime.
    var firstSight: Int64?
    var isStopping = false
    var hasStorageFailed = false
    var nextConnection: UInt64 = 0

    /// Draws a key for one handshake. Handed in, because a machine draws nothing of its own.
    let ephemeralKey: @Sendable () -> AgreementKey

    /// - Parameters:
    ///   - snapshot: what the store holds.
    ///   - ephemeralKey: draws a new key for each handshake.
    package init(
        local: LocalDevice, snapshot: Snapshot, now: Moment, ephemeralKey: @escaping @Sendable () -> AgreementKey
    ) {
        self.local = local
        self.ephemeralKey = ephemeralKey
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

    package var userID: UserID { local.userID }

    /// The links that carry traffic now.
    package var establishedLinks: [EstablishedLink] { links.values.compactMap(EstablishedLink.init) }

    /// How many devices and addresses are linked, dialled, or to be dialled.
    package var dialTargetCount: Int { dialer.count }

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
        for connectionID in duplicates { close(connectionID, .duplicate, error: nil, now: now) }
        duplicates.removeAll()
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

    private mutating func flushLinks(now: Moment) {
        while !linksToFlush.isEmpty {
            let flushing = linksToFlush.sorted()
            linksToFlush.removeAll(keepingCapacity: true)
            for connectionID in flushing {
                guard let output = links[connectionID]?.machine.flush(now: now) else { continue }
                run(output, on: connectionID, now: now)
            }
        }
    }

    mutating func emit(_ action: NodeAction) { actions.append(action) }
    mutating func post(_ event: Event) { actions.append(.post(event)) }
}
