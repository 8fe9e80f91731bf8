import DequeModule
import EarshotModel

/// How far one of this node's own logs has gone out on one link.
///
/// Entries go out in order, and only after a commit says that they may (`DeliveryProgress.offered`). A receipt frees
/// the window. There are two ways onto a link, because the disk is the slowest part of both:
/// - *read*: the store is asked for what the peer lacks, and a commit then says that it may leave;
/// - *with their commit*: if a link has sent everything before, the commit that writes new entries also says that they
///   may leave. This saves a read and a commit for each message between two nodes that are up to date.
///
/// Both end in `offering`, and are the same from there on.
struct OutgoingLog: Sendable {
    private enum Phase {
        /// The next entry to send is `next`.
        case idle
        /// The store is being asked for entries from `next` on.
        case reading
        /// The store's answer is no longer wanted: the entries get new times.
        case discarding
        /// These entries, from `next` on, go out when a commit says that they may.
        case offering([EntryRecord])
    }

    /// The end of a frame of entries: a receipt for exactly that place needs no look at the disk.
    private struct Boundary {
        let sequence: UInt64
        let chain: ChainHash
        let bytes: Int
    }

    /// The last entry that the peer has, or that was sent to it.
    private(set) var before: Place
    private var phase: Phase = .idle
    private var unacknowledged: Deque<Boundary> = []
    /// The peer had the log up to `held` when it began on this link, and it was sent up to `sent`.
    private let held: UInt64
    private var sent: UInt64
    /// The highest numbers that the peer has reported on this link.
    private var saidDelivered: UInt64 = 0
    private var saidRead: UInt64 = 0
    private var saidHandled: UInt64 = 0

    /// - Parameter place: the peer has the log up to here.
    init(after place: Place) {
        before = place
        held = place.sequence
        sent = held
    }

    /// The next entry to send.
    var next: UInt64 { before.sequence + 1 }

    // MARK: - Receipts

    /// The peer reports something, which is not yet checked.
    /// - Parameter known: what any device of the peer's user has acknowledged.
    /// - Returns: whether it is news: more than was reported on this link, and about entries that were sent on this
    ///   link or that no device of the user has acknowledged. Each device acknowledges what it was sent, whichever is
    ///   first.
    mutating func hear(_ receipt: Receipt, known: DeliveryProgress) -> Bool {
        let sentHere = held + 1..<sent + 1
        let isDelivery =
            receipt.sequence > saidDelivered
            && (receipt.sequence > known.delivered || sentHere.contains(receipt.sequence))
        let isRead =
            receipt.readSequence > saidRead
            && (receipt.readSequence > known.read || sentHere.contains(receipt.readSequence))
        let isHandled =
            receipt.handledSequence > saidHandled
            && (receipt.handledSequence > known.handled || sentHere.contains(receipt.handledSequence))
        saidDelivered = max(saidDelivered, receipt.sequence)
        saidRead = max(saidRead, receipt.readSequence)
        saidHandled = max(saidHandled, receipt.handledSequence)
        return isDelivery || isRead || isHandled || receipt.fills(known.missing)
    }

    /// The chain hash at a place; `nil` if no frame that was sent ends there.
    func chain(at sequence: UInt64) -> ChainHash? {
        unacknowledged.first { $0.sequence == sequence }?.chain
    }

    /// The peer has everything up to here.
    /// - Returns: the window's bytes that are free again.
    mutating func acknowledged(through place: Place) -> Int {
        var bytes = 0
        while let first = unacknowledged.first, first.sequence <= place.sequence {
            bytes += first.bytes
            unacknowledged.removeFirst()
        }
        if case .idle = phase, place.sequence > before.sequence { before = place }
        return bytes
    }

    var unacknowledgedBytes: Int { unacknowledged.reduce(0) { $0 + $1.bytes } }

    // MARK: - Entries

    var isIdle: Bool {
        if case .idle = phase { return true }
        return false
    }

    /// Whether the store may be asked for more of the log.
    func canRead(through end: UInt64) -> Bool { isIdle && next <= end }

    mutating func beginReading() { phase = .reading }

    /// What is being read is to be read again.
    mutating func discardReading() {
        if case .reading = phase { phase = .discarding }
    }

    /// The store has answered, or what was offered must not leave.
    mutating func becomeIdle() { phase = .idle }

    /// Whether the store was asked for entries from here on.
    func isReading(from sequence: UInt64) -> Bool {
        if case .reading = phase { return sequence == next }
        return false
    }

    /// Whether entries that begin at `sequence` would directly follow what goes out already.
    func canContinue(at sequence: UInt64) -> Bool {
        switch phase {
        case .idle: sequence == next
        case .reading, .discarding: false
        case .offering(let entries): sequence == next + UInt64(entries.count)
        }
    }

    mutating func offer(_ entries: [EntryRecord]) {
        if case .offering(let earlier) = phase {
            phase = .offering(earlier + entries)
        } else {
            phase = .offering(entries)
        }
    }

    mutating func takeBackOffer() {
        if case .offering = phase { phase = .idle }
    }

    /// Entries that may leave now.
    /// - Parameter committed: up to here the disk says so. If it says so only of the first entries, the commit for the
    ///   rest is still to come.
    mutating func takeOffered(committed: UInt64) -> [EntryRecord] {
        guard case .offering(let entries) = phase, let last = entries.last, last.sequence <= committed
        else { return [] }
        phase = .idle
        return entries
    }

    /// A frame went out.
    mutating func sent(through sequence: UInt64, chain: ChainHash, bytes: Int) {
        before = Place(sequence: sequence, chain: chain)
        self.sent = sequence
        unacknowledged.append(Boundary(sequence: sequence, chain: chain, bytes: bytes))
    }
}
