/// What was sent and accepted, what each reader has seen of it, and what is wrong with it.
///
/// Only messages that the local API accepted are recorded as accepted. A message whose answer was lost with the node is
/// in doubt: it may be seen once or not at all, until somebody looks at the disk.
struct Ledger<Message: LaneMessage, Owner: Hashable & Sendable>: Sendable {
    typealias Lane = Message.Lane

    /// Reads messages one after another, and must see each at most once and each lane in order.
    enum Reader: Hashable, Sendable {
        /// The rows of a node's database in the order of their arrival, read on from where the last look ended.
        case disk(Owner)
        /// The event stream of a node. It may miss some.
        case events(Owner)
        /// The pages of the conversation, from the local API.
        case history(Owner)
    }

    private var issued: [Lane: Int] = [:]
    private var acceptedNumbers: [Lane: Int] = [:]
    private var readings: [Reader: [Lane: Reading]] = [:]
    private(set) var faults = Faults.none

    /// How many messages were accepted.
    var accepted: Int { acceptedNumbers.values.reduce(0, +) }

    /// What a lane sends next: a message that was refused or never arrived at the node, else a new number.
    mutating func next(on lane: Lane) -> Message {
        let message = Message(lane: lane, number: acceptedNumbers[lane, default: 0] + 1)
        issued[lane] = message.number
        return message
    }

    /// The node said that it has the message, or its disk did.
    mutating func accept(_ message: Message) {
        precondition(message.number == acceptedNumbers[message.lane, default: 0] + 1, "a lane sends one at a time")
        acceptedNumbers[message.lane] = message.number
    }

    /// A reader sees a message.
    mutating func see(_ message: Message, by reader: Reader) {
        guard message.number <= issued[message.lane, default: 0] else {
            faults.invented += 1
            return
        }
        switch readings[reader, default: [:]][message.lane, default: Reading()].see(message.number) {
        case .first: break
        case .again: faults.doubled += 1
        case .late: faults.reordered += 1
        }
    }

    /// A reader sees a text that no lane writes.
    mutating func seeForeign() { faults.invented += 1 }

    func hasSeen(_ message: Message, by reader: Reader) -> Bool {
        readings[reader]?[message.lane]?.hasSeen(message.number) ?? false
    }

    /// How many messages of some lanes were accepted.
    func accepted(on isCounted: (Lane) -> Bool) -> Int {
        acceptedNumbers.reduce(0) { $0 + (isCounted($1.key) ? $1.value : 0) }
    }

    /// How many messages of some lanes a reader has seen.
    func seen(on isCounted: (Lane) -> Bool, by reader: Reader) -> Int {
        (readings[reader] ?? [:]).reduce(0) { $0 + (isCounted($1.key) ? $1.value.count : 0) }
    }

    /// The accepted messages of some lanes that a reader has not seen.
    func missing(on isCounted: (Lane) -> Bool, by reader: Reader) -> Int {
        acceptedNumbers.reduce(0) { sum, item in
            guard isCounted(item.key) else { return sum }
            return sum + (readings[reader]?[item.key]?.missing(through: item.value) ?? item.value)
        }
    }

    /// A reader begins again: at the first row of a disk that was put back.
    mutating func restart(_ reader: Reader) { readings[reader] = nil }
}

/// The ledger of two sides.
typealias PairLedger = Ledger<Numbered, Side>

extension PairLedger {
    func accepted(by author: Side) -> Int { accepted(on: { $0.author == author }) }
    func seen(of author: Side, by reader: Reader) -> Int { seen(on: { $0.author == author }, by: reader) }
    func missing(of author: Side, by reader: Reader) -> Int { missing(on: { $0.author == author }, by: reader) }
}

/// Which numbers of one lane a reader has seen.
private struct Reading: Sendable {
    enum Sighting { case first, again, late }

    private var isSeen: [Bool] = []
    private(set) var count = 0

    mutating func see(_ number: Int) -> Sighting {
        let isLate = number < isSeen.count
        if number > isSeen.count {
            isSeen.append(contentsOf: repeatElement(false, count: number - isSeen.count))
        }
        guard !isSeen[number - 1] else { return .again }
        isSeen[number - 1] = true
        count += 1
        return isLate ? .late : .first
    }

    func hasSeen(_ number: Int) -> Bool { number <= isSeen.count && isSeen[number - 1] }

    func missing(through last: Int) -> Int { last - isSeen.prefix(last).count { $0 } }
}
