import EarshotModel

/// The sessions of all established links, by connection, user and device, and the links that may have room for more.
struct ReplicationSessions: Sendable {
    private var sessions: [ConnectionID: ReplicationSession] = [:]
    /// Ascending, so that the same inputs give the same actions.
    private var ofUser: [UserID: [ConnectionID]] = [:]
    /// The chosen link to each device.
    private var ofDevice: [DeviceID: ConnectionID] = [:]
    private var eager: Set<ConnectionID> = []

    subscript(connectionID: ConnectionID) -> ReplicationSession? {
        get { sessions[connectionID] }
        _modify { yield &sessions[connectionID] }
    }

    /// The user and the device at the other end.
    func peer(on connectionID: ConnectionID) -> (userID: UserID, deviceID: DeviceID)? {
        sessions[connectionID].map { ($0.userID, $0.deviceID) }
    }

    /// The links to a user's devices, ascending.
    subscript(userID: UserID) -> [ConnectionID] { ofUser[userID] ?? [] }

    /// The chosen link to a device.
    subscript(deviceID: DeviceID) -> ConnectionID? { ofDevice[deviceID] }

    /// The bytes that were sent and not acknowledged, of the link that has the most.
    var mostWindowUsed: Int { sessions.values.reduce(0) { max($0, $1.windowUsed) } }

    mutating func begin(_ session: ReplicationSession) {
        sessions[session.connectionID] = session
        ofUser[session.userID, default: []].removeAll { $0 == session.connectionID }
        ofUser[session.userID, default: []].append(session.connectionID)
        ofUser[session.userID]?.sort()
    }

    /// Everything for a device goes over this link from now on.
    mutating func choose(_ connectionID: ConnectionID) {
        if let deviceID = sessions[connectionID]?.deviceID { ofDevice[deviceID] = connectionID }
    }

    mutating func end(_ connectionID: ConnectionID) -> ReplicationSession? {
        guard let session = sessions.removeValue(forKey: connectionID) else { return nil }
        if ofDevice[session.deviceID] == connectionID { ofDevice[session.deviceID] = nil }
        ofUser[session.userID]?.removeAll { $0 == connectionID }
        if ofUser[session.userID]?.isEmpty == true { ofUser[session.userID] = nil }
        return session
    }

    mutating func takeBackOffers() {
        for connectionID in Array(sessions.keys) { sessions[connectionID]?.takeBackOffers() }
    }

    // MARK: - Logs of this node's own

    /// A log has begun, or goes on: links to its recipient carry it, unless they do already.
    mutating func openIfNew(_ log: OwnLog) {
        for connectionID in self[log.record.recipientID] where sessions[connectionID]?.hasHeads == true {
            sessions[connectionID]?.openIfNew(log)
            pump(connectionID)
        }
    }

    /// Where a link has sent all that came before, new entries may go out as soon as their commit is done.
    /// - Returns: whether some link takes them.
    mutating func offerNew(_ entries: [EntryRecord], of record: LogRecord) -> Bool {
        let bytes = entries.reduce(0) { $0 + $1.windowBytes }
        var isOffered = false
        for connectionID in self[record.recipientID]
        where sessions[connectionID]?.offerNew(entries, bytes: bytes, of: record) == true { isOffered = true }
        return isOffered
    }

    /// What is being read of a log, to be sent to a user, must be read again.
    mutating func discardReading(of logID: LogID, to userID: UserID) {
        for connectionID in self[userID] { sessions[connectionID]?.discardReading(of: logID) }
    }

    // MARK: - Room for more

    mutating func pump(_ connectionID: ConnectionID) { eager.insert(connectionID) }
    mutating func pump(_ userID: UserID) { eager.formUnion(self[userID]) }
    mutating func pumpAll() { eager.formUnion(sessions.keys) }

    /// The reads to ask of the store, link by link.
    /// - Parameters:
    ///   - mayRead: whether the disk may be used now.
    ///   - isHeld: whether nothing goes to a user now. The user's links are looked at again later.
    mutating func takeReads(
        mayRead: Bool, logs: Logs, deliveries: Deliveries, isHeld: (UserID) -> Bool
    ) -> [EntriesRead] {
        guard !eager.isEmpty else { return [] }
        let held = eager.filter { sessions[$0].map { isHeld($0.userID) } ?? false }
        let free = eager.subtracting(held)
        eager = held
        guard mayRead else { return [] }
        return free.sorted().compactMap { sessions[$0]?.nextRead(logs: logs, deliveries: deliveries) }
    }
}
