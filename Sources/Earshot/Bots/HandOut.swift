/// Messages that the inbox has handed to a program, and what the program made of each.
///
/// The inbox has one cursor for each consumer, so messages are acknowledged in the order of arrival: what is done early
/// waits for all before it. If a message fails, none behind it is begun; when all before it are acknowledged, the hand-out
/// is over. What was done behind it is remembered, so that a later hand-out of the same messages does nothing twice.
package struct HandOut<Reply: Sendable>: Sendable {
    package struct Item: Hashable, Sendable {
        package let id: String
        package let sender: String

        package init(id: String, sender: String) {
            self.id = id
            self.sender = sender
        }
    }

    /// Everything up to a message is done.
    package struct Acknowledgement: Sendable {
        /// The place of the last message, and how many there are.
        package let through: Int
        package let count: Int
        /// The answers, each with the place of the message that it answers.
        package let replies: [(index: Int, reply: Reply)]
    }

    private enum State: Sendable {
        case waiting
        case underWay
        case done([Reply])
        case failed(String)
    }

    private var items: [Item] = []
    private var states: [State] = []
    /// So many at the beginning are acknowledged.
    private var acknowledgedCount = 0
    /// What was done and not acknowledged when an earlier hand-out ended.
    private var remembered: [String: [Reply]] = [:]

    package init() {}

    /// The inbox hands out messages, in the order of arrival. What it handed out before is over.
    package mutating func begin(_ items: [Item]) {
        end()
        self.items = items
        states = items.map { remembered[$0.id].map(State.done) ?? .waiting }
    }

    /// The inbox will hand out again what is not acknowledged.
    package mutating func end() {
        if remembered.count > Limits.botMessages { remembered = [:] }
        for (item, state) in zip(items, states).dropFirst(acknowledgedCount) {
            if case .done(let replies) = state { remembered[item.id] = replies }
        }
        (items, states, acknowledgedCount) = ([], [], 0)
    }

    /// Begins with messages: each sender's in their order, one at a time.
    /// - Parameters:
    ///   - limit: how many may be under way at once.
    ///   - last: the place of the last one that may begin.
    /// - Returns: the places of those that begin now.
    package mutating func start(limit: Int, through last: Int? = nil) -> [Int] {
        var free = limit - underWay.count
        var (begun, busy) = ([Int](), Set<String>())
        for index in items.indices.prefix(min(endIndex, last.map { $0 + 1 } ?? endIndex)) where free > 0 {
            switch states[index] {
            case .waiting where busy.insert(items[index].sender).inserted:
                states[index] = .underWay
                begun.append(index)
                free -= 1
            case .underWay: busy.insert(items[index].sender)
            case .waiting, .done, .failed: break
            }
        }
        return begun
    }

    /// The place of a message that is under way.
    package func underWay(_ id: String) -> Int? {
        guard let index = items.firstIndex(where: { $0.id == id }), case .underWay = states[index] else { return nil }
        return index
    }

    package mutating func finish(_ index: Int, _ replies: [Reply]) { states[index] = .done(replies) }
    package mutating func fail(_ index: Int, _ reason: String) { states[index] = .failed(reason) }

    /// Every message that is under way fails.
    package mutating func failAll(_ reason: String) {
        for index in underWay { states[index] = .failed(reason) }
    }

    /// Every message that is under way begins anew.
    /// - Returns: whether the first one does that is not acknowledged.
    package mutating func startOver() -> Bool {
        defer { putBackAll() }
        return underWay.first == acknowledgedCount
    }

    /// The first message that failed: its place, and why.
    package var failure: (index: Int, reason: String)? {
        for (index, state) in states.enumerated() {
            if case .failed(let reason) = state { return (index, reason) }
        }
        return nil
    }

    /// The place of the last message that is under way or done; before the first if there is none.
    package var lastBegun: Int {
        states.lastIndex {
            switch $0 {
            case .underWay, .done: true
            case .waiting, .failed: false
            }
        } ?? -1
    }

    /// The places of all messages that are under way.
    package var underWay: [Int] {
        states.indices.filter { if case .underWay = states[$0] { true } else { false } }
    }

    /// Every message that is under way waits again, because another one failed.
    package mutating func putBackAll() {
        for index in underWay { states[index] = .waiting }
    }

    /// What can be acknowledged now; `nil` if the first message that is not acknowledged is not done.
    /// - Parameter replyLimit: how many answers one commit takes. It has at least one message.
    package func acknowledgement(replyLimit: Int, messageLimit: Int = .max) -> Acknowledgement? {
        var (replies, end) = ([(index: Int, reply: Reply)](), acknowledgedCount)
        while end < states.count, end - acknowledgedCount < messageLimit, case .done(let done) = states[end],
            end == acknowledgedCount || replies.count + done.count <= replyLimit
        {
            replies += done.map { (end, $0) }
            end += 1
        }
        guard end > acknowledgedCount else { return nil }
        return Acknowledgement(through: end - 1, count: end - acknowledgedCount, replies: replies)
    }

    /// It is on the disk.
    package mutating func acknowledged(through index: Int) {
        for item in items[acknowledgedCount...index] { remembered[item.id] = nil }
        acknowledgedCount = index + 1
    }

    /// The place of the first message that failed; without one, the place behind the last message.
    private var endIndex: Int { failure?.index ?? items.count }

    /// Whether nothing is left to do before the next hand-out.
    package var isOver: Bool { underWay.isEmpty && acknowledgedCount == endIndex }
}
