import DequeModule
import EarshotModel

/// How far one log of this node's own has gone out on one link.
///
/// Entries go out in order and only after it is committed that they may (`DeliveryProgress.offered`). A receipt frees the
/// window. There are two ways onto a link, because the disk is the slowest part of both:
/// - *read*: the store is asked for what the peer lacks, and a commit then says that it may leave;
/// - *with their commit*: where a link has sent all that came before, the commit that writes new entries says at once that
///   they may leave. This saves a read and a commit for each message between two nodes that are up to date.
///
/// Both end in `offering`, and from there on are the same.
struct OutgoingLog: Sendable {
    private enum Phase {
        /// The next entry to send is `next`.
        case idle
        /// The store is being asked for entries from `next` on.
        case reading
        /// These entries, from `next` on, go out when it is committed that they may.
        case offering([EntryRecord])
    }

    /// Where a frame of entries ended: a receipt for exactly that place needs no look at the disk.
    private struct Boundary {
        let sequence: UInt64
        let chain: ChainHash
        let bytes: Int
    }

    private(set) var next: UInt64
    private var phase: Phase = .idle
    private var unacknowledged: Deque<Boundary> = []
    /// A receipt whose chain hash is being compared with the disk's.
    private var receiptInQuestion: Receipt?
    /// Up to here the peer had the log when it began on this link, and up to here it was sent on it.
    private let held: UInt64
    private var sent: UInt64
    /// The highest that the peer has said on this link.
    private var saidDelivered: UInt64 = 0
    private var saidRead: UInt64 = 0

    init(next: UInt64) {
        self.next = next
        held = next - 1
        sent = held
    }

    // MARK: - Receipts

    /// The peer says something: before it is known whether that is so.
    /// - Parameter known: what any device of the peer's user has acknowledged.
    /// - Returns: whether it is news: more than was said on this link, and about what was sent on this link or what no
    ///   device of the user has acknowledged. Each device acknowledges what it was sent, whichever is the first.
    mutating func hear(_ receipt: Receipt, known: DeliveryProgress) -> Bool {
        let sentHere = held + 1..<sent + 1
        let isDelivery =
            receipt.sequence > saidDelivered
            && (receipt.sequence > known.delivered || sentHere.contains(receipt.sequence))
        let isRead =
            receipt.readSequence > saidRead
            && (receipt.readSequence > known.read || sentHere.contains(receipt.readSequence))
        saidDelivered = max(saidDelivered, receipt.sequence)
        saidRead = max(saidRead, receipt.readSequence)
        return isDelivery || isRead
    }

    /// What the chain was at a place; `nil` if nothing was sent that ends there.
    func chain(at sequence: UInt64) -> ChainHash? {
        unacknowledged.first { $0.sequence == sequence }?.chain
    }

    /// The chain at the place of a receipt is not known here: the disk is asked, for one receipt at a time and last for
    /// the furthest.
    /// - Returns: whether the disk is to be asked now.
    mutating func question(_ receipt: Receipt) -> Bool {
        let earlier = receiptInQuestion
        guard earlier.map({ $0.sequence <= receipt.sequence }) ?? true else { return false }
        receiptInQuestion = receipt
        return earlier == nil
    }

    /// The chain at the place of a receipt is known now.
    mutating func answered(_ receipt: Receipt) {
        if receiptInQuestion == receipt { receiptInQuestion = nil }
    }

    /// A receipt that came while the disk was asked about an earlier one.
    var nextQuestion: Receipt? { receiptInQuestion }

    /// The peer has everything up to here.
    /// - Returns: the window's bytes that are free again.
    mutating func acknowledged(through sequence: UInt64) -> Int {
        var bytes = 0
        while let first = unacknowledged.first, first.sequence <= sequence {
            bytes += first.bytes
            unacknowledged.removeFirst()
        }
        if case .idle = phase { next = max(next, sequence + 1) }
        return bytes
    }

    // MARK: - Entries

    /// Whether nothing was sent on this link, and nothing is about to be.
    var isUntouched: Bool { isIdle && unacknowledged.isEmpty }

    var isIdle: Bool {
        if case .idle = phase { return true }
        return false
    }

    /// Whether the store may be asked for more of it.
    func canRead(through end: UInt64) -> Bool { isIdle && receiptInQuestion == nil && next <= end }

    mutating func beginReading() { phase = .reading }

    /// The store has answered, or what was offered must not leave.
    mutating func becomeIdle() { phase = .idle }

    /// Whether the store was asked for entries from here on.
    func isReading(from sequence: UInt64) -> Bool {
        if case .reading = phase { return sequence == next }
        return false
    }

    /// Whether entries that begin at `sequence` would go out right behind what goes out already.
    func canContinue(at sequence: UInt64) -> Bool {
        switch phase {
        case .idle: sequence == next
        case .reading: false
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
    /// - Parameter committed: up to here the disk says so. It may say so of the first of them only: the commit that says it
    ///   of the rest is yet to come.
    mutating func takeOffered(committed: UInt64) -> [EntryRecord] {
        guard case .offering(let entries) = phase, let last = entries.last, last.sequence <= committed
        else { return [] }
        phase = .idle
        return entries
    }

    /// A frame went out.
    mutating func sent(through sequence: UInt64, chain: ChainHash, bytes: Int) {
        next = sequence + 1
        self.sent = sequence
        unacknowledged.append(Boundary(sequence: sequence, chain: chain, bytes: bytes))
    }
}
