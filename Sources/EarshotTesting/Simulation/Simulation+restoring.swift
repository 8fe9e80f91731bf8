import EarshotModel
import EarshotProtocol
import EarshotStore

/// Disks that are replaced by older copies of themselves, and what must hold all the same.
extension Simulation {
    mutating func copyDisk(of index: Int) throws {
        guard configuration.restoreOdds > 0, generator.oneIn(2) else { return }
        try nodes[index].copyDisk()
    }

    mutating func restoreDisk(of index: Int) throws {
        guard configuration.restoreOdds > 0, !isHealed, generator.oneIn(configuration.restoreOdds),
            try nodes[index].restoreDisk()
        else { return }
        // What no disk holds any more nobody can give back.
        var held: Set<String> = []
        for node in nodes.indices { held.formUnion(try history(of: node).map(text)) }
        for node in nodes.indices { nodes[node].forgetAccepted { held.contains($0) } }
    }

    private func history(of index: Int) throws -> [HistoryRow] {
        let conversation = ConversationID.direct(nodes[0].local.userID, nodes[1].local.userID)
        return try nodes[index].store.history(of: conversation, .latest, limit: 100_000) ?? []
    }

    private func text(of row: HistoryRow) throws -> String {
        guard case .body(let bytes) = row.entry.content,
            case .text(let text, _) = try EntryBody(decoding: bytes).content
        else { return "" }
        return text
    }

    /// Whether both disks hold the same entries of every log.
    func haveSameLogs() throws -> Bool {
        let logs = try nodes.map { node in
            try node.store.snapshot().logs.reduce(into: [:]) { $0[$1.logID] = $1.head.chain }
        }
        return logs[0] == logs[1]
    }

    /// All that was accepted and is on some disk is in its author's history once, in the order of its log, and nowhere
    /// twice.
    mutating func checkRestored(_ histories: [[HistoryRow]]) throws {
        if try !haveSameLogs() { violated("the two hold different logs") }
        for index in nodes.indices {
            let texts = try histories[index].map(text)
            for (text, count) in Dictionary(grouping: texts, by: \.self).mapValues(\.count) where count > 1 {
                violated("\"\(text)\" is \(count) times in the history of \(nodes[index].local.name)")
            }
            let author = nodes[index].local.userID
            let own = try histories[index].filter { $0.log.authorID == author }.map { (try text(of: $0), $0) }
            checkOrder(of: own, at: index)
        }
    }

    private mutating func checkOrder(of own: [(text: String, row: HistoryRow)], at index: Int) {
        let rows = Dictionary(own, uniquingKeysWith: { first, _ in first })
        var last: [LogID: UInt64] = [:]
        for (text, _) in nodes[index].accepted {
            guard let row = rows[text] else {
                violated("\"\(text)\" was accepted and is lost")
                continue
            }
            if row.entry.sequence < last[row.log.logID] ?? 0 { violated("\"\(text)\" is out of order") }
            last[row.log.logID] = row.entry.sequence
        }
    }
}
