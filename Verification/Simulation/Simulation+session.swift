import EarshotModel
import EarshotProtocol
import EarshotStore

/// A session in the open conversation, whose messages come from all nodes.
extension Simulation {
    private static let session = SessionID(EntryKey(high: 0x6d6f, low: 0x7665))

    /// Moves and files outlive all that clocks are set by. A move that expires before it has left is withheld, and is then
    /// no step of the session.
    static let longTimeToLive = Duration.seconds(10 * 365 * 86_400)

    mutating func planMoves() {
        guard configuration.sessionMoves > 0 else { return }
        precondition(configuration.hasGroups, "a session is in a conversation of many")
        for number in 0..<configuration.sessionMoves {
            // In the end all nodes write at once, so that several messages may have the highest counter.
            let isLast = number >= configuration.sessionMoves - nodes.count
            let end = configuration.trouble - 1
            let at = isLast ? end : Int64.random(in: 2_000_000..<end, using: &moveChance)
            queue.push(.move(number: number, attempt: 0), at: at)
        }
    }

    /// A node continues the session as far as it knows it, and tries again unless that is accepted.
    mutating func move(_ number: Int, attempt: Int) throws {
        guard !isAccepted(move: number) else { return }
        let index = number % nodes.count
        queue.push(.move(number: number, attempt: attempt + 1), at: time + 2_000_000)
        guard !nodes[index].isAsked("move \(number)."), nodes[index].isUp, !nodes[index].isStopping,
            nodes[index].openConversation(groupID)?.isJoined == true
        else { return }
        let text = "move \(number).\(attempt) of node \(index) to all"
        let counter = try nodes[index].store.nextStep(of: Self.session, in: groupID)
        var draft = MessageDraft(text, timeToLive: Self.longTimeToLive)
        draft.session = MessageSession(id: Self.session, counter: counter, summary: "move \(number)")
        let requestID = nodes[index].nextRequest(for: [text])
        try perform(index) { [groupID, draft] in $0.send([draft], to: groupID, requestID: requestID, now: $1) }
    }

    /// Whether nobody is to take a message back: then a session would have a gap for good, or a file would be nobody's.
    static func isKept(_ text: String) -> Bool { text.hasPrefix("move ") || text.hasPrefix("file ") }

    private func isAccepted(move number: Int) -> Bool {
        nodes[number % nodes.count].accepted.contains { $0.text.hasPrefix("move \(number).") }
    }

    /// Whether all messages of the session were accepted.
    var isSessionDone: Bool { (0..<configuration.sessionMoves).allSatisfy { isAccepted(move: $0) } }

    /// Everybody has every move and shows the same one, the last; of all others they show the summary.
    ///
    /// What a disk that was replaced has lost may leave a gap in the session, and what follows a gap waits for it.
    mutating func checkSession() throws {
        guard configuration.sessionMoves > 0, isAtRest, !nodes.contains(where: \.isRestored) else { return }
        for component in components {
            var first: [SessionStepOnDisk]?
            for index in component.sorted() {
                let steps = try nodes[index].store.steps(of: Self.session, in: groupID)
                checkStanding(steps, at: index)
                // One whose acceptance nobody heard of, because the process died, is tried again, and is there twice.
                let moves = Set(steps.map(\.summary)).count
                if component.count == nodes.count, moves != configuration.sessionMoves {
                    let withheld = try nodes.reduce(0) { count, node in
                        count + (try node.store.history(of: groupID).count { $0.session != nil && $0.isWithheld })
                    }
                    violated(
                        "\(name(index)) has \(moves) moves of \(configuration.sessionMoves) of a session, and "
                            + "their authors withhold \(withheld)")
                }
                if let first, first != steps { violated("\(name(index)) shows another session than others") }
                first = first ?? steps
            }
        }
    }

    /// The one with the highest counter stands; of several with it, the last in the history.
    private mutating func checkStanding(_ steps: [SessionStepOnDisk], at index: Int) {
        let highest = steps.map(\.counter).max()
        let last = steps.last { $0.counter == highest }
        let standing = steps.filter { !$0.isSuperseded }
        guard standing != (last.map { [$0] } ?? []) else { return }
        violated(
            "of \(steps.count) messages of a session \(standing.count) stand at \(name(index)): "
                + "\(standing.prefix(4).map(\.text)), and it is to be \(last.map { "\"\($0.text)\"" } ?? "none")")
    }
}

/// A message of a session, as a disk has it.
struct SessionStepOnDisk: Hashable {
    let text: String
    let summary: String
    let counter: UInt64
    let isSuperseded: Bool
}

extension SimulatedStore {
    /// The counter that a node gives its next message of a session.
    func nextStep(of id: SessionID, in conversationID: ConversationID) throws -> UInt64 {
        switch self {
        case .real(let store): try store.nextStep(of: id, in: conversationID)
        case .model(let model): model.succession(of: id, in: conversationID).counter + 1
        }
    }

    /// The messages of a session, in the order of the history.
    func steps(of id: SessionID, in conversationID: ConversationID) throws -> [SessionStepOnDisk] {
        switch self {
        case .real(let store):
            let rows = try store.history(of: conversationID, .latest, limit: .max / 2) ?? []
            return rows.compactMap { row in
                let held = HeldMessage(row)
                guard let session = held.session, session.id == id, !held.isWithheld else { return nil }
                return SessionStepOnDisk(
                    text: held.text, summary: session.summary, counter: session.counter,
                    isSuperseded: row.isSuperseded)
            }
        case .model(let model):
            let succession = model.succession(of: id, in: conversationID)
            return model.history(of: conversationID).compactMap { held in
                guard let session = held.session, session.id == id, !held.isWithheld else { return nil }
                return SessionStepOnDisk(
                    text: held.text, summary: session.summary, counter: session.counter,
                    isSuperseded: session.counter <= succession.counter && succession.standing != held.messageID)
            }
        }
    }
}

extension ModelStore {
    fileprivate func succession(of id: SessionID, in conversationID: ConversationID) -> Succession<MessageID> {
        var succession = Succession<MessageID>()
        for held in history(of: conversationID) where !held.isWithheld {
            guard let session = held.session, session.id == id else { continue }
            let place = LogPlace(
                logID: held.log.description.logID, sequence: held.entry.sequence, chain: held.entry.chain)
            succession.note(
                held.messageID, counter: session.counter, at: EntryStamp(timestamp: held.entry.timestamp, place: place))
        }
        return succession
    }
}
