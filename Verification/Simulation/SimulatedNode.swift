import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotStore
import Synchronization

/// A node in a simulation: the real machine in a process that can die, on a host with a clock and a disk that can fail.
struct SimulatedNode {
    let index: Int
    let member: Fleet.Member
    /// Its credential is renewed, and survives the process.
    private(set) var local: LocalDevice
    /// The other nodes that discovery reports to it, ascending.
    var contacts: [Int] = []
    var store: SimulatedStore
    /// An older copy of the disk, and whether the disk was ever replaced by one.
    private var copy: SimulatedStore?
    private(set) var isRestored = false
    /// Whether that was since the process last began.
    private(set) var isReplaced = false
    var journal = JournalCheck()
    /// Counts the lives of the process. What belongs to an earlier life is lost.
    private(set) var generation = 0
    private(set) var isUp = false
    private(set) var isStopping = false
    var wakeAt: Int64?
    private var wakes = WakeCount()
    /// The commit that the disk was given and has not confirmed.
    var commit: Commit?
    /// Whether it strips and withholds what it should pass on, until all is well.
    var isHostile = false
    /// The process dies after this many more actions.
    var actionsLeft: Int?

    // The host. Spans of virtual time end at these moments.
    /// How far its wall clock is ahead, in milliseconds.
    var clockOffset: Int64 = 0
    private var uptimeBase: Int64 = 0
    var asleepUntil: Int64 = 0
    var tricklesUntil: Int64 = 0
    var diskFullUntil: Int64 = 0
    var diskSlowUntil: Int64 = 0
    var diskUnreadableUntil: Int64 = 0
    /// Counts its addresses.
    var addressNumber = 0
    /// Nodes that reach each other are in the same group.
    var group = 0

    // What programs on it were told, in all its lives.
    /// Messages whose sending was accepted, in the order of acceptance.
    private(set) var accepted: [(text: String, messageID: MessageID, recipientID: UserID)] = []
    /// Texts whose sending was refused.
    private(set) var refused: Set<String> = []
    /// The last state of each message that an event reported.
    var states: [MessageID: DeliveryState] = [:]
    /// The same of messages to many, for each recipient.
    var groupStates: [Addressed: DeliveryState] = [:]
    /// Messages whose arrival was announced, and the last one of each log.
    var announced: Set<MessageID> = []
    var lastAnnounced: [LogID: UInt64] = [:]
    /// Whom it has found by DNS-SD since it started.
    var found: Set<Int> = []
    /// Since when its user has blocked others, as events said.
    var blockedSince: [UserID: Int64] = [:]

    /// Files on its disk.
    var shelf = FileShelf()

    /// A program on the same host, which may die for itself.
    var programs = SimulatedProgram()

    private var machine: NodeMachine?
    private(set) var requests: [RequestID: [String]] = [:]
    /// What of them decides that somebody is in the private conversation, or out.
    private var decisions: [RequestID: Decided] = [:]
    private var requestCount: UInt64 = 0
    private let keys: KeySource

    init(index: Int, member: Fleet.Member, name: UserName, store: SimulatedStore, seed: UInt64) {
        self.index = index
        self.member = member
        self.store = store
        local = member.local
        if name != local.name { local.link.credential = member.credential(name: name, now: Simulation.epoch) }
        keys = KeySource(seed: seed)
    }

    // MARK: - The process

    /// The process begins, with what is on the disk.
    mutating func start(run: UInt64, uptimeBase: Int64, linkLimit: Int, at time: Int64) throws {
        generation += 1
        isUp = true
        isStopping = false
        isReplaced = false
        wakeAt = nil
        self.uptimeBase = uptimeBase
        local.link.run = run
        machine = NodeMachine(local: local, snapshot: try store.snapshot(), now: now(at: time), linkLimit: linkLimit) {
            [keys] in
            keys.next()
        }
    }

    /// The process is gone: only the disk is left.
    mutating func end() {
        generation += 1
        isUp = false
        machine = nil
        found = []
        (requests, decisions) = ([:], [:])
        programs.nodeEnded()
        shelf.end()
        actionsLeft = nil
        commit = nil
    }

    mutating func beginStop() { isStopping = true }

    /// Whether it has just been woken so often that it must spin.
    mutating func wakesTooOften(at time: Int64) -> Bool { wakes.count(at: time) == WakeCount.limit }

    mutating func input(_ now: Moment, _ body: (inout NodeMachine, Moment) -> [NodeAction]) -> [NodeAction] {
        guard machine != nil else { return [] }
        return body(&machine!, now)
    }

    /// Whether the process dies instead of its next action.
    mutating func diesBeforeAction() -> Bool {
        guard let left = actionsLeft else { return false }
        actionsLeft = left - 1
        return left <= 0
    }

    // MARK: - The host

    func now(at time: Int64) -> Moment {
        Moment(wallClock: Simulation.epoch + time / 1000 + clockOffset, uptime: time / 1000 + uptimeBase)
    }

    // MARK: - The disk

    mutating func copyDisk() throws { copy = try store.copy() }

    /// The host's owner puts an older copy in the place of its disk. What the disk has reported since is forgotten,
    /// too.
    /// - Returns: whether there is a copy.
    mutating func restoreDisk() throws -> Bool {
        guard let copy else { return false }
        store = try copy.copy()
        (isRestored, isReplaced) = (true, true)
        states = [:]
        groupStates = [:]
        lastAnnounced = [:]
        blockedSince = [:]
        announced = try announced.filter { [store] in try store.held($0) != nil }
        return true
    }

    /// Nobody holds what was accepted for this user, except these texts.
    mutating func forgetAccepted(for userID: UserID, except held: Set<String>) {
        accepted.removeAll { $0.recipientID == userID && !held.contains($0.text) }
    }

    /// When the machine wants to be called, in virtual time.
    func deadline(at time: Int64) -> Int64? {
        guard let deadline = machine?.deadline(now: now(at: time)), deadline != .max else { return nil }
        return (deadline - uptimeBase) * 1000
    }

    var address: PeerAddress {
        PeerAddress(host: "10.\(addressNumber).\(index / 250).\(index % 250 + 1)", port: 7000)
    }

    /// The node gets another credential, which every later life of it shows, too.
    mutating func renew(now: Int64) -> Credential {
        local.link.credential = member.credential(name: local.name, now: now)
        return local.link.credential
    }

    /// A primary device has given it another credential.
    mutating func adopt(_ credential: Credential) { local.link.credential = credential }

    // MARK: - What can be seen of it

    /// Messages that wait for a receipt of one user, including those whose sender never heard that they were accepted.
    func undelivered(to userID: UserID) -> UInt64 { machine?.undelivered[userID] ?? 0 }
    var undelivered: [UserID: UInt64] { machine?.undelivered ?? [:] }
    var load: NodeLoad { machine?.load ?? NodeLoad() }
    var isSettled: Bool { machine?.isSettled ?? true }

    func openConversation(_ conversationID: ConversationID) -> OpenConversationRecord? {
        machine?.openConversation(conversationID)
    }

    func membership(_ conversationID: ConversationID) -> Membership? { machine?.membership(conversationID) }

    func recipients(
        of messageID: MessageID, by authorID: UserID, in conversationID: ConversationID
    ) -> Set<UserID>? {
        machine?.recipients(of: messageID, by: authorID, in: conversationID)
    }

    func user(_ userID: UserID) -> User? { machine?.user(userID) }
    var consumers: [ConsumerRecord] { machine?.consumers ?? [] }
    var scheduled: [ScheduledMessage] { machine?.scheduled ?? [] }
    var drafts: [Draft] { machine?.drafts ?? [] }

    func isLinked(to userID: UserID) -> Bool {
        machine?.establishedLinks.contains { $0.peer.userID == userID } ?? false
    }

    func isLinked(to deviceID: DeviceID) -> Bool {
        machine?.establishedLinks.contains { $0.peer.deviceID == deviceID } ?? false
    }

    /// Whether this node keeps a user out.
    func bars(_ userID: UserID) -> Bool {
        guard let user = user(userID) else { return false }
        return user.trust == .blocked || user.conflictingID != nil
    }

    // MARK: - Requests

    /// Whether a text that begins like this is to be sent, and that is not answered yet.
    func isAsked(_ start: String) -> Bool { requests.values.contains { $0.contains { $0.hasPrefix(start) } } }

    mutating func nextRequest(for texts: [String]) -> RequestID {
        let requestID = nextRequest()
        requests[requestID] = texts
        return requestID
    }

    mutating func nextRequest(for decided: Decided) -> RequestID {
        let requestID = nextRequest(for: [])
        decisions[requestID] = decided
        return requestID
    }

    /// What a request that is answered has decided.
    mutating func takeDecided(by requestID: RequestID) -> Decided? { decisions.removeValue(forKey: requestID) }

    mutating func nextRequest() -> RequestID {
        requestCount += 1
        return RequestID(requestCount)
    }

    /// - Returns: whether this request was made and is not yet answered.
    mutating func answered(_ requestID: RequestID) -> Bool { requests.removeValue(forKey: requestID) != nil }

    /// - Returns: `false` for an answer to nothing.
    mutating func completed(_ requestID: RequestID, _ result: Result<RequestAnswer, ProtocolError>) -> Bool {
        guard let texts = requests.removeValue(forKey: requestID) else { return false }
        switch result {
        case .success(let answer):
            guard case .accepted(let messages) = answer else { return texts.isEmpty }
            for message in messages {
                // What goes to many is nobody's in particular.
                let other = message.recipientIDs.first ?? message.senderID
                let isDirect = message.conversationID == .direct(message.senderID, other)
                let recipientID = isDirect ? other : message.senderID
                accepted.append((message.text, message.messageID, recipientID))
            }
            return messages.map(\.text) == texts
        case .failure:
            refused.formUnion(texts)
            return true
        }
    }
}

/// Who is to be in the private conversation, or out of it.
struct Decided {
    let userID: UserID
    let isIn: Bool
}

/// Draws the ephemeral keys of one node. The simulation runs on one thread; the lock is for the compiler.
private final class KeySource: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> AgreementKey { generator.withLock { $0.agreementKey() } }
}

/// How often a node was woken in the current second.
private struct WakeCount {
    /// A node that is busy is woken a few hundred times.
    static let limit = 20_000

    private var second: Int64 = 0
    private var count = 0

    mutating func count(at time: Int64) -> Int {
        let second = time / 1_000_000
        if second != self.second { (self.second, count) = (second, 0) }
        count += 1
        return count
    }
}
