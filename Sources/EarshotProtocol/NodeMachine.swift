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
    var devices: DevicesMachine
    var pairing = PairingHost()
    private var conversations: DirectConversations
    var clocks = ClockMachine()
    var replication: Replication
    private var output = NodeOutput()
    var reachability = ReachabilityMachine()
    var programs: ProgramsMachine
    var typing = TypingMachine()
    var files = FileTransfers()
    private(set) var notes = NodeNotes()
    /// The uptime by which `tick` has something to do.
    package private(set) var nextCall = Int64.max

    /// - Parameters:
    ///   - snapshot: what the store holds.
    ///   - linkLimit: how many links there may be.
    ///   - ephemeralKey: draws a new key for each handshake.
    package init(
        local: LocalDevice, snapshot: Snapshot, now: Moment, linkLimit: Int = Limits.links,
        ephemeralKey: @escaping @Sendable () -> AgreementKey
    ) {
        peers = PeersMachine(local: local, linkLimit: linkLimit, ephemeralKey: ephemeralKey)
        conversations = DirectConversations(userID: local.userID)
        trust = TrustMachine(
            users: snapshot.users, devices: snapshot.devices,
            decisions: Decisions(of: local.userID, snapshot.sharedEntries))
        devices = DevicesMachine(local, own: snapshot.ownDevices, revocations: snapshot.revocations)
        replication = Replication(local: local, snapshot: snapshot)
        programs = ProgramsMachine(
            keys: EntryKeys(local.signingKey), salts: EntrySalts(local.signingKey), consumers: snapshot.consumers,
            scheduled: snapshot.scheduled, drafts: Drafts(snapshot.drafts, discarded: snapshot.discardedDrafts),
            sharedKeysEnd: snapshot.sharedKeysEnd)
        for record in snapshot.logs {
            if record.description.deviceID == local.deviceID {
                clocks.resume(after: record.head.timestamp)
            } else {
                clocks.follow(record.head.timestamp, now: now)
            }
        }
        nextCall = max(now.uptime, nextDeadline)
    }

    /// Everybody who was ever met, by name.
    package var users: [User] { trust.directory.all }

    package func user(_ userID: UserID) -> User? { trust.directory.user(userID) }

    /// - Throws: `ProtocolError` `unknownUser`.
    mutating func conversation(_ conversationID: ConversationID) throws(ProtocolError) -> ConversationRecord {
        if let record = replication.conversations.record(conversationID) { return record }
        return try conversations.conversation(conversationID, among: trust.directory.users.keys)
    }

    /// - Parameter peerID: a user who need not be known.
    mutating func conversation(with peerID: UserID) -> ConversationRecord {
        conversations.conversation(with: peerID, known: trust.directory.users.count)
    }

    var local: LocalDevice { peers.local }

    package var userID: UserID { local.userID }

    var isStopping: Bool { peers.isStopping }

    /// The links that carry traffic now.
    package var establishedLinks: [EstablishedLink] { peers.links.established }

    /// The hosts of a user's linked devices.
    package func hosts(of userID: UserID) -> Set<String> { peers.links.hosts(of: userID) }

    /// How many devices and addresses are linked, dialled, or to be dialled.
    package var dialTargetCount: Int { peers.dialer.count }

    // MARK: - The one way in

    /// Takes inputs that came at once, in their order. What follows an input is done once, after all of them, so that what they
    /// want written goes into one commit.
    /// - Parameter inputs: hands them to the machine. What each of them returns is empty: this returns all that came of them.
    package mutating func together(now: Moment, _ inputs: (inout NodeMachine) -> Void) -> [NodeAction] {
        handle(now: now) { node in
            node.output.beginTakingMore()
            inputs(&node)
            node.output.endTakingMore()
        }
    }

    /// Takes an input, does what follows every input, and hands over all that came of both, in this order.
    mutating func handle<Result>(
        now: Moment, _ input: (inout NodeMachine) -> Result
    ) -> (Result, [NodeAction]) {
        let result = input(&self)
        guard !output.isTakingMore else { return (result, []) }
        follow(now: now)
        return (result, output.take())
    }

    mutating func handle(now: Moment, _ input: (inout NodeMachine) -> Void) -> [NodeAction] {
        let (_, actions): (Void, [NodeAction]) = handle(now: now, input)
        return actions
    }

    /// Takes a request, which is answered with what it throws.
    mutating func handle(
        _ requestID: RequestID, now: Moment, _ request: (inout NodeMachine) throws(ProtocolError) -> Void
    ) -> [NodeAction] {
        handle(now: now) { node in
            do throws(ProtocolError) { try request(&node) } catch {
                node.emit(.complete(requestID, .failure(error)))
            }
        }
    }

    /// Does what an input has made possible.
    private mutating func follow(now: Moment) {
        performReplication(now: now)
        noticeClocks(now: now)
        closeDuplicates(now: now)
        replication.advance(trust: trust, clocks: &clocks, now: now)
        performReplication(now: now)
        if programs.isWaiting { advancePrograms(now: now) }
        advanceFiles(now: now)
        flushLinks(now: now)
        adoptHeard(now: now)
        replication.commitIfDue(trust: trust, clocks: &clocks, now: now)
        performReplication(now: now)
        dialDue(now: now)
        for deviceID in peers.takeSought() { emit(.seek(deviceID)) }
        nextCall = max(now.uptime, nextDeadline)
        clocks.expectCall(by: nextCall)
    }

    /// The node stops: says goodbye on every link, and writes what waits.
    package mutating func stop(now: Moment) -> [NodeAction] {
        handle(now: now) { node in
            node.peers.stop()
            for connectionID in node.openConnections { node.close(connectionID, .shutdown, error: nil, now: now) }
            node.run(node.pairing.cancel(), now: now)
            node.replication.stop()
        }
    }

    /// Whether everything that waited is on the disk, after `stop`.
    package var isSettled: Bool { replication.isSettled }

    /// Whether more waits for the disk than what is being written. It changes nothing: a shell that read it otherwise would be
    /// given a copy of the whole machine.
    package var hasUnwritten: Bool { mutating get { replication.hasUnwritten } }

    /// What has happened since this was last asked.
    package mutating func takeNotes() -> NodeNotes? {
        guard !notes.isEmpty else { return nil }
        defer { notes = NodeNotes() }
        return notes
    }

    mutating func note(_ change: (inout NodeNotes) -> Void) { change(&notes) }
    mutating func emit(_ action: NodeAction) { output.append(action) }

    mutating func post(_ event: Event) {
        emit(.post(event))
        followDrafts(event)
    }

    /// Posts events of messages of one author in one conversation. What they typed ends with the first of them.
    mutating func post(_ run: EventRun) {
        let endOfTyping = endTyping(by: run)
        guard case .received(let messages) = run, !endOfTyping.isEmpty else { return emit(.postRun(run)) }
        emit(.postRun(.received([messages[0]])))
        self.run(endOfTyping)
        if messages.count > 1 { emit(.postRun(.received(Array(messages.dropFirst())))) }
    }
}
