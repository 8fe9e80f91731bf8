import EarshotModel

/// The sessions of all established links, by connection, user and device, and the links that may have room for more.
struct ReplicationSessions: Sendable {
    private var sessions: [ConnectionID: ReplicationSession] = [:]
    /// Ascending, so that the same inputs give the same actions.
    private var ofUser: [UserID: [ConnectionID]] = [:]
    /// The chosen link to each device.
    private var ofDevice: [DeviceID: ConnectionID] = [:]
    /// Links over which entries of a conversation of many go.
    private var ofConversation: [ConversationID: Set<ConnectionID>] = [:]
    private var eager: Set<ConnectionID> = []
    /// When peers are told of conversations in common.
    var gossip: Gossip

    init(deviceID: DeviceID) { gossip = Gossip(deviceID: deviceID) }

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

    /// The chosen links, ascending.
    var chosen: [ConnectionID] { ofDevice.values.sorted() }

    /// The users at the other ends.
    func isLinked(_ userID: UserID) -> Bool { ofUser[userID] != nil }

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
        for conversationID in Array(ofConversation.keys) {
            ofConversation[conversationID]?.remove(connectionID)
            if ofConversation[conversationID]?.isEmpty == true { ofConversation[conversationID] = nil }
        }
        ofUser[session.userID]?.removeAll { $0 == connectionID }
        if ofUser[session.userID]?.isEmpty == true { ofUser[session.userID] = nil }
        return session
    }

    mutating func takeBackOffers() {
        for connectionID in Array(sessions.keys) { sessions[connectionID]?.takeBackOffers() }
    }

    // MARK: - Logs of this node's own

    /// It is known what the peer has of a conversation of many: its entries go over the link.
    mutating func carry(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        ofConversation[conversationID, default: []].insert(connectionID)
    }

    /// Nothing more of a conversation goes to a user.
    mutating func drop(_ conversationID: ConversationID, to userID: UserID) {
        for connectionID in self[userID] where ofConversation[conversationID]?.remove(connectionID) != nil {
            sessions[connectionID]?.drop(conversationID)
        }
    }

    /// Whether a conversation goes over links beside those to its recipient.
    func isCarried(_ conversationID: ConversationID) -> Bool { ofConversation[conversationID] != nil }

    /// The links over which a conversation of many goes, ascending.
    func carriers(of conversationID: ConversationID) -> [ConnectionID] {
        ofConversation[conversationID]?.sorted() ?? []
    }

    /// All links, ascending.
    var all: [ConnectionID] { sessions.keys.sorted() }

    /// The links over which a log of this node's own goes, ascending.
    func carriers(of record: LogRecord) -> [ConnectionID] {
        let isDirect = record.conversation.kind == .direct
        return carriers(of: record.description.conversationID, with: isDirect ? record.recipientID : nil)
    }

    /// The links over which a conversation goes, ascending.
    /// - Parameter peerID: the other user of a direct conversation.
    func carriers(of conversationID: ConversationID, with peerID: UserID?) -> [ConnectionID] {
        let shared = ofConversation[conversationID] ?? []
        guard let peerID else { return shared.sorted() }
        return shared.isEmpty ? self[peerID] : Array(shared.union(self[peerID])).sorted()
    }

    /// A log has begun, or goes on: links carry it, unless they do already.
    mutating func openIfNew(_ log: OwnLog) {
        for connectionID in carriers(of: log.record) where sessions[connectionID]?.hasHeads == true {
            sessions[connectionID]?.openIfNew(log)
            pump(connectionID)
        }
    }

    /// Where a link has sent all that came before, new entries may go out as soon as their commit is done.
    /// - Returns: whether some link takes them.
    mutating func offerNew(_ entries: [EntryRecord], of record: LogRecord) -> Bool {
        let bytes = entries.windowBytes
        var isOffered = false
        for connectionID in carriers(of: record)
        where sessions[connectionID]?.offerNew(entries, bytes: bytes, of: record) == true { isOffered = true }
        return isOffered
    }

    /// Whether nothing of a log is taken on a link.
    func isSkipping(_ logID: LogID, on connectionID: ConnectionID) -> Bool {
        sessions[connectionID]?.isSkipping(logID) == true
    }

    /// What is being read of a log must be read again.
    mutating func discardReading(of record: LogRecord) {
        for connectionID in carriers(of: record) { sessions[connectionID]?.discardReading(of: record.logID) }
    }

    // MARK: - Receipts that came first

    /// The links whose peers have said something of a log before it was here, ascending.
    func early(of log: LogID) -> [ConnectionID] {
        sessions.indices.filter { sessions.values[$0].hasEarlyReceipts(for: log) }.map { sessions.keys[$0] }.sorted()
    }

    // MARK: - Room for more

    /// Whether links may have room for more.
    var mayHaveRoom: Bool { !eager.isEmpty }

    mutating func pump(_ connectionID: ConnectionID) { eager.insert(connectionID) }
    mutating func pump(_ record: LogRecord) { eager.formUnion(carriers(of: record)) }
    mutating func pumpAll() { eager.formUnion(sessions.keys) }

    /// The reads to ask of the store, link by link.
    /// - Parameters:
    ///   - mayRead: whether the disk may be used now.
    ///   - isHolding: whether anything is held.
    ///   - isHeld: whether nothing of a conversation goes out now.
    mutating func takeReads(
        mayRead: Bool, logs: Logs, deliveries: Deliveries, isHolding: Bool, isHeld: (ConversationID) -> Bool
    ) -> [EntriesRead] {
        guard !eager.isEmpty else { return [] }
        let links = eager.sorted()
        // What is held is looked at again when it is held no longer.
        if !isHolding { eager = [] }
        guard mayRead else { return [] }
        return links.compactMap { sessions[$0]?.nextRead(logs: logs, deliveries: deliveries, isHeld: isHeld) }
    }
}
