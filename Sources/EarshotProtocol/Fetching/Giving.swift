import DequeModule
import EarshotModel

/// Gives peers what they ask for of logs that this node holds: their own, if their databases are older than what they
/// have sent, and others'.
///
/// It decides from where a branch is given, when a peer may have more, and which entries a frame holds. A few frames are
/// under way at once; for each that the peer has on its disk, the next one goes out.
struct Giving: Sendable {
    /// A branch on its way to a peer.
    private struct Gift {
        let log: LogDescription
        let branch: LogID
        /// The last entry that the peer has, or that is on its way.
        var given: Place
        let end: UInt64
        /// The ends of frames that the peer has not confirmed, oldest first.
        var unconfirmed: Deque<Place> = []
        var isReading = false
        /// The uptime at which the peer last wanted or confirmed something of it.
        var movedAt: Int64

        /// Whether some of it has not gone out.
        var isToBeGiven: Bool { given.sequence < end }
    }

    private var gifts: [ConnectionID: [Gift]] = [:]
    private var budgets = ReturnBudgets()
    /// Bodies that peers want, and get as soon as their users may have more.
    private var postponedBodies: [ConnectionID: [WantedBodiesFrame]] = [:]

    /// What the entries of the largest frame may count: so many that the end of the frame in which they came is among
    /// them, and with it a checkpoint of their author.
    private static let longestFrame = Limits.frameBytes + Limits.entriesPerFrame * Limits.entryOverheadBytes

    /// Links whose peers wait for more, ascending.
    var connections: [ConnectionID] {
        gifts.isEmpty && postponedBodies.isEmpty ? [] : Set(gifts.keys).union(postponedBodies.keys).sorted()
    }

    func isGiving(on connectionID: ConnectionID) -> Bool { gifts[connectionID]?.isEmpty == false }

    // MARK: - Asked

    /// A peer wants a branch.
    /// - Parameter branches: those of the log, with what the disk has at the places that the peer names.
    /// - Returns: `nil` if none of the places is in the branch, and the peer is to name others.
    /// - Throws: `ProtocolError` `violation` if this node does not hold the branch.
    mutating func begin(
        _ wanted: WantedFrame, on connectionID: ConnectionID, branches: [LogID: [UInt64: ChainHash]], now: Moment
    ) throws(ProtocolError) -> Place? {
        let holding = branches.keys.sorted().first { branches[$0]?[wanted.end.sequence] == wanted.end.chain }
        guard let branch = holding, let chains = branches[branch] else {
            throw ProtocolError(.violation, "the peer wants entries that this node does not hold")
        }
        // Who asks for a log once more wants nothing of what was asked for before.
        gifts[connectionID]?.removeAll { $0.log == wanted.log }
        let origin = LogHead.origin(of: wanted.log.logID).place
        let start = wanted.known.filter {
            $0 == origin || $0.sequence <= wanted.end.sequence && chains[$0.sequence] == $0.chain
        }.max { $0.sequence < $1.sequence }
        guard let start else { return nil }
        makeRoom(on: connectionID)
        gifts[connectionID, default: []].append(
            Gift(
                log: wanted.log, branch: branch, given: start, end: wanted.end.sequence, movedAt: now.uptime))
        return start
    }

    /// A peer that wants more waits no longer for something that it asked for before, and does not say for what: it came
    /// from somebody else, or could not be taken. What is under way to its end has gone out already; of the rest, what moved
    /// least lately is what the peer gave up.
    private mutating func makeRoom(on connectionID: ConnectionID) {
        guard let all = gifts[connectionID], all.count >= Limits.askedBranchesPerLink else { return }
        let given = all.indices.min {
            (all[$0].isToBeGiven ? 1 : 0, all[$0].movedAt) < (all[$1].isToBeGiven ? 1 : 0, all[$1].movedAt)
        }
        if let given { gifts[connectionID]?.remove(at: given) }
    }

    /// The peer has something on its disk.
    mutating func taken(_ logID: LogID, through place: Place, on connectionID: ConnectionID, now: Moment) {
        guard let index = gifts[connectionID]?.firstIndex(where: { $0.log.logID == logID }) else { return }
        gifts[connectionID]?[index].movedAt = now.uptime
        while let first = gifts[connectionID]?[index].unconfirmed.first, first.sequence <= place.sequence {
            gifts[connectionID]?[index].unconfirmed.removeFirst()
        }
        removeFinished(connectionID)
    }

    private mutating func removeFinished(_ connectionID: ConnectionID) {
        gifts[connectionID]?.removeAll { !$0.isToBeGiven && $0.unconfirmed.isEmpty && !$0.isReading }
        if gifts[connectionID]?.isEmpty == true { gifts[connectionID] = nil }
    }

    /// How many branches go to the link that is given the most, and how many frames of a branch are under way.
    var load: (branches: Int, frames: Int) {
        (
            gifts.values.map(\.count).max() ?? 0,
            gifts.values.joined().map(\.unconfirmed.count).max() ?? 0
        )
    }

    mutating func end(on connectionID: ConnectionID) {
        gifts[connectionID] = nil
        postponedBodies[connectionID] = nil
    }

    // MARK: - Bodies

    /// A peer wants bodies of entries that it holds. Of too many questions the oldest are let go: the peer has given them
    /// up by now.
    mutating func begin(_ wanted: WantedBodiesFrame, on connectionID: ConnectionID) {
        if postponedBodies[connectionID, default: []].count >= Limits.askedBranchesPerLink {
            postponedBodies[connectionID]?.removeFirst()
        }
        postponedBodies[connectionID, default: []].append(wanted)
    }

    /// The questions to answer now.
    mutating func takeWantedBodies(
        on connectionID: ConnectionID, to userID: UserID, now: Moment
    ) -> [WantedBodiesFrame] {
        guard !budgets.isExceeded(by: userID, now: now.uptime) else { return [] }
        return postponedBodies.removeValue(forKey: connectionID) ?? []
    }

    /// The answer to such a question.
    /// - Parameter content: what leaves of an entry, with its author's mark if its content is withheld.
    mutating func answer(
        _ wanted: WantedBodiesFrame, with entries: [EntryRecord], to userID: UserID, now: Moment,
        content: (EntryRecord) -> (EntryContent, Signature?)
    ) -> BodiesFrame {
        var contents: [EntryContent] = []
        var marks: [UInt64: Signature] = [:]
        for entry in entries.prefix(while: { $0.sequence <= wanted.last }) {
            let (content, mark) = content(entry)
            contents.append(content)
            marks[entry.sequence] = mark
        }
        budgets.charge(bytes: contents.reduce(0) { $0 + $1.windowBytes }, to: userID, now: now.uptime)
        return BodiesFrame(logID: wanted.log.logID, first: wanted.first, contents: contents, marks: marks)
    }

    /// Of a conversation only some logs may go on to a peer.
    mutating func keep(
        in conversationID: ConversationID, on connectionID: ConnectionID, _ mayGive: (LogDescription) -> Bool
    ) {
        gifts[connectionID]?.removeAll { $0.log.conversationID == conversationID && !mayGive($0.log) }
        if gifts[connectionID]?.isEmpty == true { gifts[connectionID] = nil }
    }

    // MARK: - Given

    /// What the store is to be asked for, as soon as a user may have more.
    mutating func takeReads(on connectionID: ConnectionID, to userID: UserID, now: Moment) -> [EntriesRead] {
        guard !budgets.isExceeded(by: userID, now: now.uptime) else { return [] }
        var reads: [EntriesRead] = []
        for index in gifts[connectionID, default: []].indices {
            guard let gift = gifts[connectionID]?[index], !gift.isReading, gift.isToBeGiven,
                gift.unconfirmed.count < Limits.givenFrames
            else { continue }
            gifts[connectionID]?[index].isReading = true
            reads.append(
                EntriesRead(
                    connectionID: connectionID, purpose: .giving, logID: gift.branch, from: gift.given.sequence + 1,
                    countLimit: Limits.entriesPerFrame, byteLimit: Self.longestFrame))
        }
        return reads
    }

    /// Whether something waits only until a user may have more.
    func isPostponed(on connectionID: ConnectionID, to userID: UserID, now: Moment) -> Bool {
        budgets.isExceeded(by: userID, now: now.uptime)
            && (postponedBodies[connectionID] != nil
                || gifts[connectionID, default: []].contains { !$0.isReading && $0.isToBeGiven })
    }

    /// The store's answer.
    /// - Parameter owes: whether the user may have the content of an entry.
    /// - Returns: `nil` if the peer wants it no longer.
    /// - Throws: `ProtocolError` `storage` where no checkpoint proves it.
    mutating func frame(
        of entries: [EntryRecord], _ read: EntriesRead, to userID: UserID, now: Moment,
        owes: (UInt64, EntryKind) -> Bool = { _, _ in true }
    ) throws(ProtocolError) -> EntriesFrame? {
        guard let connectionID = read.connectionID,
            let index = gifts[connectionID]?.firstIndex(where: {
                $0.branch == read.logID && $0.isReading && $0.given.sequence + 1 == read.from
            }),
            let gift = gifts[connectionID]?[index]
        else { return nil }
        let wanted = entries.prefix { $0.sequence <= gift.end }.prefix(gift.log.kind.entriesPerFrame)
        guard let end = Self.provableEnd(of: wanted), let checkpoint = wanted[end].checkpoint else {
            throw ProtocolError(.storage, "no checkpoint proves the entries from \(read.from) on")
        }
        budgets.charge(bytes: Self.cost(of: wanted, given: end), to: userID, now: now.uptime)
        let given = wanted[...end]
        gifts[connectionID]?[index].isReading = false
        gifts[connectionID]?[index].given = wanted[end].head.place
        gifts[connectionID]?[index].unconfirmed.append(wanted[end].head.place)
        return EntriesFrame(
            log: gift.log, firstSequence: read.from, previousChain: gift.given.chain,
            contents: given.map {
                owes($0.sequence, $0.kind) && $0.mark == nil ? $0.content : .withheld($0.content.hash)
            },
            checkpoint: checkpoint, marks: given.reduce(into: [:]) { $0[$1.sequence] = $1.mark },
            deleted: given.reduce(into: [:]) { if $1.isDeleted { $0[$1.sequence] = $1.timestamp } })
    }

    /// What is read is four times what an ordinary frame takes: a peer whose checkpoints stand so that little of it can be
    /// given pays for a quarter all the same.
    private static func cost(of entries: ArraySlice<EntryRecord>, given end: Int) -> Int {
        let given = entries[...end].reduce(0) { $0 + $1.windowBytes }
        return max(given, entries.reduce(0) { $0 + $1.windowBytes } / 4)
    }

    /// The last entry with a checkpoint that a frame of ordinary size has room for, or the first one at all.
    private static func provableEnd(of entries: ArraySlice<EntryRecord>) -> Int? {
        var end: Int?
        var bytes = 0
        for (index, entry) in zip(entries.indices, entries) {
            bytes += entry.windowBytes
            if bytes > Limits.entriesFrameBytes, end != nil { break }
            if entry.checkpoint != nil { end = index }
        }
        return end
    }
}

extension LogKind {
    /// How many entries a frame holds at most. A control entry goes with its own checkpoint, so that whoever carries it can
    /// give the log up to each of them.
    var entriesPerFrame: Int {
        switch self {
        case .messages: Limits.entriesPerFrame
        case .control: 1
        }
    }
}
