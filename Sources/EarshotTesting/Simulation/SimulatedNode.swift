import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotStore
import Synchronization

/// A node in a simulation: the real machine and the real store, in a process that can die.
struct SimulatedNode {
    let index: Int
    private(set) var local: LocalDevice
    private(set) var store: Store
    /// An older copy of the disk, and whether the disk was ever replaced by one.
    private var copy: Store?
    private(set) var isRestored = false
    /// Counts the lives of the process: what belongs to an earlier one is lost.
    private(set) var generation = 0
    private(set) var isUp = false
    var wakeAt: Int64?

    /// Texts whose sending was accepted, in the order of acceptance.
    private(set) var accepted: [(text: String, messageID: MessageID)] = []
    /// The last state that an event told, of each message.
    var states: [MessageID: DeliveryState] = [:]

    /// Messages whose arrival was announced.
    var announced: Set<MessageID> = []

    private var machine: NodeMachine?
    private var requests: [RequestID: String] = [:]
    private var requestCount: UInt64 = 0
    private let keys: KeySource

    init(index: Int, local: LocalDevice, seed: UInt64) throws {
        self.index = index
        self.local = local
        store = try Store.inMemory()
        keys = KeySource(seed: seed)
    }

    /// The process begins, with what is on the disk.
    mutating func start(run: UInt64, now: Moment) throws {
        generation += 1
        isUp = true
        wakeAt = nil
        local.link.run = run
        machine = NodeMachine(local: local, snapshot: try store.snapshot(), now: now) { [keys] in keys.next() }
    }

    /// The process dies: only the disk is left.
    mutating func crash() {
        generation += 1
        isUp = false
        machine = nil
        requests = [:]
    }

    mutating func copyDisk() throws { copy = try store.inMemoryCopy() }

    /// Whoever keeps the machine puts an older copy in the place of its disk. What it has told since is forgotten, too.
    /// - Returns: whether there is a copy.
    mutating func restoreDisk() throws -> Bool {
        guard let copy else { return false }
        store = try copy.inMemoryCopy()
        isRestored = true
        states = [:]
        let held = store
        announced = try announced.filter { try held.row(of: $0) != nil }
        return true
    }

    mutating func forgetAccepted(except isHeld: (String) -> Bool) { accepted.removeAll { !isHeld($0.text) } }

    mutating func input(
        _ now: Moment, _ body: (inout NodeMachine, Moment) -> [NodeAction]
    ) -> [NodeAction] {
        guard machine != nil else { return [] }
        return body(&machine!, now)
    }

    func deadline(_ now: Moment) -> Int64 { machine?.deadline(now: now) ?? .max }

    /// Messages that wait for a receipt, in the whole log and not only among those whose sender heard that they were accepted.
    var undeliveredCount: UInt64 { machine?.undeliveredCount ?? 0 }

    func knows(_ userID: UserID) -> Bool { machine?.user(userID) != nil }

    mutating func nextRequest(for text: String) -> RequestID {
        requestCount += 1
        let requestID = RequestID(requestCount)
        requests[requestID] = text
        return requestID
    }

    /// - Returns: whether this was asked, and not yet answered.
    mutating func answered(_ requestID: RequestID) -> Bool { requests.removeValue(forKey: requestID) != nil }

    mutating func completed(_ requestID: RequestID, _ result: Result<[Message], ProtocolError>) {
        guard let text = requests.removeValue(forKey: requestID) else { return }
        if case .success(let messages) = result {
            for message in messages { accepted.append((text, message.messageID)) }
        }
    }
}

/// Draws the ephemeral keys of one node. The simulation runs on one thread; the lock is for the compiler.
private final class KeySource: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> AgreementKey { generator.withLock { $0.agreementKey() } }
}
