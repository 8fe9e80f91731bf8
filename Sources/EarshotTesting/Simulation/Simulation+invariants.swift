import EarshotModel
import EarshotProtocol
import EarshotStore

extension Simulation {
    mutating func violated(_ what: String) {
        guard violations.count < 20 else { return }
        violations.append("at \(time) µs: \(what)")
    }

    /// Every event is held against the truth when it is posted.
    mutating func observe(_ event: Event, at index: Int) throws {
        switch event {
        case .messageDelivered(let change):
            let held = try nodes[1 - index].store.row(of: change.messageID)
            // A recipient whose disk was replaced meanwhile held it when it said so, and must hold it again at the end.
            if held == nil, !nodes[1 - index].isRestored {
                violated("\(change.messageID) is called delivered, and its recipient does not hold it")
            }
            advance(change, at: index)
        case .messageSent(let change), .messageRead(let change), .messageFailed(let change):
            advance(change, at: index)
        case .messageReceived(let message):
            if try nodes[index].store.row(of: message.messageID) == nil {
                violated("\(message.messageID) is announced and not on the disk")
            }
            if !nodes[index].announced.insert(message.messageID).inserted {
                violated("\(message.messageID) is announced twice")
            }
            guard generator.oneIn(3) else { return }
            queue.push(.markRead(node: index, message.messageID), at: time + configuration.latency.upperBound)
        case .historyRecovered(let recovery):
            recovered += recovery.count
            renamed += recovery.renamed.reduce(0) { $0 + Int($1.count) }
        case .linkFailed(let failure):
            if ["violation", "malformed", "unauthentic"].contains(failure.code) {
                violated("an honest peer broke the protocol: \(failure.message)")
            }
        default: break
        }
    }

    /// Every check is answered once, and speaks of the other node alone.
    mutating func observe(_ answers: [Reachability], to requestID: RequestID, at index: Int) {
        if !nodes[index].answered(requestID) { violated("a check of reachability is answered twice") }
        if answers.contains(where: { $0.userID != nodes[1 - index].local.userID }) || answers.count > 1 {
            violated("a check of reachability speaks of somebody else")
        }
    }

    /// A state never goes back, and none is told twice.
    private mutating func advance(_ change: MessageStateChange, at index: Int) {
        let old = nodes[index].states[change.messageID]
        let isForward =
            switch (old, change.state) {
            case (nil, _): true
            case (.queued?, _): true
            case (.sent?, .delivered), (.sent?, .read), (.sent?, .failed): true
            case (.delivered?, .read): true
            // The step between may have been lost with a process that died before it could tell.
            case (.failed(.expired)?, .delivered), (.failed(.expired)?, .read): true
            // It failed after an older copy was restored in which it had not left yet.
            case (.failed?, .delivered), (.failed?, .read): nodes[index].isRestored
            default: false
            }
        if !isForward {
            violated("\(change.messageID) went from \(old?.name ?? "nothing") to \(change.state.name)")
        }
        nodes[index].states[change.messageID] = change.state
    }

    /// Whether nothing is left to do: everything accepted is delivered or failed, on both sides.
    func isQuiet() throws -> Bool {
        for index in nodes.indices {
            guard nodes[index].isUp else { return false }
            guard nodes[index].undeliveredCount == 0 else { return false }
        }
        return try !nodes.contains(where: \.isRestored) || haveSameLogs()
    }

    private func state(of row: HistoryRow) -> DeliveryState {
        (row.progress[row.log.peerID] ?? DeliveryProgress()).state(of: row.entry.sequence, failure: row.failure)
    }

    /// What must hold when everything has healed.
    mutating func checkEnd() throws {
        let conversation = ConversationID.direct(nodes[0].local.userID, nodes[1].local.userID)
        var histories: [[HistoryRow]] = []
        for index in nodes.indices {
            histories.append(try nodes[index].store.history(of: conversation, .latest, limit: 100_000) ?? [])
        }
        for index in nodes.indices { try checkAccepted(index, histories) }
        if nodes.contains(where: \.isRestored) { try checkRestored(histories) }
        let mine = histories[0].filter(isShared).map(\.entry.chain)
        let theirs = histories[1].filter(isShared).map(\.entry.chain)
        if mine != theirs {
            violated("the histories differ: \(mine.count) and \(theirs.count) messages")
        }
        for index in nodes.indices where nodes[index].undeliveredCount > 0 {
            violated("\(nodes[index].local.name) still waits for \(nodes[index].undeliveredCount) receipts")
        }
    }

    /// A message that its author withheld is in the author's history alone.
    private func isShared(_ row: HistoryRow) -> Bool { row.failure?.isWithheld != true }

    private mutating func checkAccepted(_ index: Int, _ histories: [[HistoryRow]]) throws {
        let author = nodes[index].local
        let own = histories[index].filter { $0.log.authorID == author.userID }
        let other = histories[1 - index].filter { $0.log.authorID == author.userID }
        let known = Set(other.map { MessageID(log: $0.log.logID, sequence: $0.entry.sequence) })
        if known.count != other.count { violated("the other side holds a message of \(author.name) twice") }
        for row in own {
            let messageID = MessageID(log: row.log.logID, sequence: row.entry.sequence)
            let state = state(of: row)
            if state.isDelivered != known.contains(messageID),
                !(state == .failed(.expired) && known.contains(messageID))
            {
                violated(
                    "\(messageID) is \(state.name), and the other side \(known.contains(messageID) ? "has" : "lacks") it"
                )
            }
        }
        // Names change where a log parted: what was accepted is found by its text.
        guard !nodes[index].isRestored else { return }
        // What was accepted is there, and in the order in which it was accepted.
        let ids = own.map { MessageID(log: $0.log.logID, sequence: $0.entry.sequence) }
        let places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        var last = -1
        for (text, messageID) in nodes[index].accepted {
            guard let place = places[messageID] else {
                violated("\"\(text)\" was accepted and is lost")
                continue
            }
            if place < last { violated("\"\(text)\" is out of order") }
            last = place
        }
    }
}
