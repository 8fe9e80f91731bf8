import EarshotModel
import EarshotProtocol

/// What must hold for pairs with a disk that was replaced by an older copy.
extension Simulation {
    func isRestored(_ a: Int, _ b: Int) -> Bool { nodes[a].isRestored || nodes[b].isRestored }

    func history(of index: Int, with peer: Int) throws -> [HeldMessage] {
        try nodes[index].store.history(of: .direct(nodes[index].local.userID, nodes[peer].local.userID))
    }

    /// Whether both disks hold the same entries of every log of their conversation.
    /// - Parameter disks: what the nodes have on them.
    func haveSameLogs(_ a: Int, _ b: Int, on disks: [Snapshot]) -> Bool {
        let conversationID = ConversationID.direct(nodes[a].local.userID, nodes[b].local.userID)
        return heads(of: conversationID, on: disks[a]) == heads(of: conversationID, on: disks[b])
    }

    /// Where the logs of their conversation end on both disks.
    func ends(_ a: Int, _ b: Int, on disks: [Snapshot]) -> [[String]] {
        let conversationID = ConversationID.direct(nodes[a].local.userID, nodes[b].local.userID)
        return [a, b].map { index in
            disks[index].logs.filter { $0.description.conversationID == conversationID }
                .map { "\($0.description.logID)".prefix(4) + "-\($0.head.sequence) \("\($0.head.chain)".prefix(4))" }
                .sorted()
        }
    }

    /// Each node has names of its own for branches: those that it did not know first.
    private func heads(of conversationID: ConversationID, on disk: Snapshot) -> Set<ChainHash> {
        Set(
            disk.logs.filter { $0.description.conversationID == conversationID && $0.head.sequence > 0 }
                .map(\.head.chain))
    }

    /// Everything that was accepted and is on some disk is in its author's history once, in the order of its log, and
    /// nowhere twice.
    mutating func checkRestored(_ a: Int, _ b: Int, _ histories: [Int: [HeldMessage]]) throws {
        if isAtRest, isOpen(a, b), try !haveSameLogs(a, b, on: nodes.map { try $0.store.snapshot() }) {
            violated("\(name(a)) and \(name(b)) hold different logs")
        }
        for (index, peer) in [(a, b), (b, a)] {
            let history = histories[index, default: []]
            for (text, copies) in Dictionary(grouping: history, by: \.text).sorted(by: { $0.key < $1.key })
            where copies.count > 1 {
                violated("\"\(text.prefix(40))\" is \(copies.count) times in the history of \(name(index))")
            }
            let own = history.filter { $0.log.authorID == nodes[index].local.userID }
            checkOrder(of: own, by: index, for: nodes[peer].local.userID)
            let theirs = histories[peer, default: []].filter { $0.log.authorID == nodes[index].local.userID }
            for (holder, held) in [(index, own), (peer, theirs)] {
                checkPlaces(of: held, by: index, for: nodes[peer].local.userID, at: holder)
            }
        }
    }

    /// A user's messages stand in the order in which they were accepted, whatever clocks said. Only a withheld one may
    /// stand elsewhere: nobody else has it.
    private mutating func checkPlaces(of held: [HeldMessage], by author: Int, for recipientID: UserID, at holder: Int) {
        let shown = held.filter { !$0.isWithheld }
        let places = Dictionary(shown.enumerated().map { ($1.text, $0) }) { first, _ in first }
        var last = -1
        for (text, _, recipient) in nodes[author].accepted where recipient == recipientID && !text.hasSuffix("to all") {
            guard let place = places[text] else { continue }
            if place < last {
                violated("\"\(text.prefix(40))\" of \(name(author)) stands too early in the history of \(name(holder))")
            }
            last = max(last, place)
        }
    }

    /// Ids change where a log was forked, so accepted messages are found by their text.
    private mutating func checkOrder(of own: [HeldMessage], by author: Int, for recipientID: UserID) {
        let held = Dictionary(own.map { ($0.text, $0) }) { first, _ in first }
        var last: [LogID: UInt64] = [:]
        for (text, _, recipient) in nodes[author].accepted where recipient == recipientID && !text.hasSuffix("to all") {
            guard let message = held[text] else {
                violated("\"\(text.prefix(40))\" of \(name(author)) was accepted and is lost")
                continue
            }
            if message.entry.sequence < last[message.log.logID] ?? 0 {
                violated("\"\(text.prefix(40))\" of \(name(author)) is out of order")
            }
            last[message.log.logID] = message.entry.sequence
        }
    }
}
