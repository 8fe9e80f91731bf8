import EarshotModel

/// What the devices of a user have shown to them and does not count by what came later: entries of the user's own conversation
/// say it. So all of them end with the same history, whichever heard first who was removed, or which device was revoked.
struct Showings: Sendable {
    private var statements: OwnStatements<LogPlace>
    private var shown: Set<LogPlace> = []

    /// - Parameter entries: what the disk has of the user's own conversation.
    init(of userID: UserID, _ entries: [RecordedEntries] = []) {
        statements = OwnStatements(of: userID) { entry in
            guard entry.kind == .shown, case .shown(let places) = entry.bodyContent else { return nil }
            return places
        }
        for run in entries where run.log.conversation.isOwn(of: userID) { _ = insert(run) }
    }

    /// Takes entries of the user's own conversation, from whichever device.
    /// - Returns: whether they say something, and whether there is a cut among them, so that less may count than before.
    mutating func insert(_ entries: RecordedEntries) -> (isNews: Bool, hasCut: Bool) {
        let (said, hasCut) = statements.insert(entries)
        if hasCut { shown = [] }
        shown.formUnion(hasCut ? Array(statements.counting) : said)
        return (!said.isEmpty, hasCut)
    }

    /// This device is to say something, and it goes to the disk.
    /// - Returns: what of it no device has said, ascending.
    mutating func note(_ places: Set<LogPlace>) -> [LogPlace] {
        let news = places.subtracting(shown)
        shown.formUnion(news)
        return news.sorted { ($0.logID, $0.sequence, $0.chain) < ($1.logID, $1.sequence, $1.chain) }
    }

    /// Whether an entry is to be shown though it does not count.
    func covers(_ place: LogPlace) -> Bool { shown.contains(place) }
}

extension Replication {
    /// What this device has shown may not count by what it knows now: its user's other devices show it, too.
    mutating func shareShown() {
        guard conversations.silent.hasDue else { return }
        for (conversationID, due) in conversations.silent.takeDue() {
            for log in logs.incoming(of: conversationID)
            where log.description.kind == .messages && log.isOnDisk {
                let known = conversations.fingerprint(
                    of: log.authorID, on: log.description.deviceID, in: conversationID)
                let start = conversations.silent.start(of: log.logID, due, fingerprint: due.isWhole ? known : nil)
                guard let start else { continue }
                let isParted = logs.branches(of: log.description).count > 1
                let shown = conversations.shownUncounted(of: log, from: start, isParted: isParted)
                    .subtracting(fetching.bodies.lackingOrUnowed(log.logID))
                let sequences = Array(shown.ranges.joined())
                for first in stride(from: 0, to: sequences.count, by: Limits.shownPlaces) {
                    let part = sequences[first..<min(sequences.count, first + Limits.shownPlaces)]
                    readChains(.sharing, of: [log.logID], at: Array(part))
                }
            }
        }
    }

    /// The disk's answer: where what this device has shown stands.
    mutating func share(shown chains: [LogID: [UInt64: ChainHash]]) {
        let places = chains.flatMap { branch, chains in
            chains.compactMap { logs.proved(branch)?.description.place(Place(sequence: $0, chain: $1)) }
        }
        let news = conversations.showings.note(Set(places))
        guard !news.isEmpty else { return }
        changes.write(
            PendingSend(requestID: nil, parts: [.init(conversation: author.ownConversation, drafts: [.shown(news)])]))
    }

    /// Other devices of this node's user have shown what does not count here: it counts from this commit on.
    mutating func takeShowings(into next: CommitInFlight) {
        let own = author.ownConversation.conversationID
        var said: [RecordedEntries] = []
        for run in next.received where run.log.conversationID == own {
            said.append(RecordedEntries(log: run.record(in: logs), entries: run.entries))
        }
        for found in next.bodies where found.conversation.conversationID == own {
            guard let log = logs.proved(found.logID) else { continue }
            said.append(RecordedEntries(log: log.record(in: found.conversation), entries: found.entries.records))
        }
        guard !said.isEmpty else { return }
        // What they have erased since is not shown again.
        for entries in said { _ = conversations.erasures.insert(entries) }
        conversations.hearShown(said)
    }
}
