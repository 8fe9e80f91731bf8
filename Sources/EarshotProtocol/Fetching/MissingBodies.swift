import EarshotModel

/// Entries of others that this node holds without their bodies, and whom it asks for these.
///
/// Whoever passes an entry on may have erased its body, or never had it. The hash keeps the entry's place in its log, and
/// proves the body, whoever brings it, at any time. This asks one holder of a conversation after the other, a few hundred
/// entries at once, and takes what fits. What it takes waits here for a commit.
///
/// What another device of this node's user has written and gives to nobody, because it was cancelled or expired before it left, is
/// asked for, too, of devices of that user alone.
struct MissingBodies: Sendable {
    /// Bodies and marks that came, and wait for a commit.
    struct Found: Sendable {
        let logID: LogID
        let conversation: ConversationRecord
        let authorID: UserID
        let entries: ProvedEntries
        /// Why messages have failed of another device of this node's user, as that one says.
        var failures: [UInt64: FailureReason] = [:]
    }

    /// Why a body is asked for.
    private enum Need: CaseIterable {
        /// It is to be had.
        case missing
        /// This node's user may not have it, as far as is known. Whoever passed it on may have stripped what would say otherwise, so
        /// each link is asked once, and no receipt says that it is held.
        case unowed
        /// Another device of this node's user gives it to nobody else.
        case withheld
    }

    private struct Question: Sendable {
        let connectionID: ConnectionID
        let range: ClosedRange<UInt64>
        let need: Need
        /// An uptime; if nothing has come by then, the next holder is asked.
        let until: Int64
        /// Whether the peer may have got more since it was asked.
        var isRenewed = false
        /// What the disk has there, with the entries before and after; empty until it has said so.
        var entries: [EntryRecord] = []
    }

    private struct Branch: Sendable {
        let log: LogDescription
        var missing = SequenceSet()
        var unowed = SequenceSet()
        var withheld = SequenceSet()
        /// What has come and is not on the disk yet.
        var unwritten = SequenceSet()
        var question: Question?

        subscript(need: Need) -> SequenceSet {
            switch need {
            case .missing: missing
            case .unowed: unowed
            case .withheld: withheld
            }
        }

        var isToBeAsked: Bool { !missing.isEmpty || !unowed.isEmpty || !withheld.isEmpty }
    }

    /// By the branch's id on this node.
    private var branches: [LogID: Branch] = [:]
    /// Up to here a link has given of a branch what it has.
    private var tried: [ConnectionID: [Need: [LogID: UInt64]]] = [:]
    /// Branches of which a link was asked in vain: its peer may have had to learn first that this node's user has joined.
    private var unanswered: [ConnectionID: Set<LogID>] = [:]
    private var found: [Found] = []

    var isEmpty: Bool { branches.isEmpty }

    /// The entries of a branch whose bodies are not on the disk.
    func lacking(_ logID: LogID) -> SequenceSet {
        guard let branch = branches[logID] else { return SequenceSet() }
        return branch.missing.union(branch.unwritten)
    }

    /// The same, with those that this node's user may not have.
    func lackingOrUnowed(_ logID: LogID) -> SequenceSet {
        lacking(logID).union(branches[logID]?.unowed ?? SequenceSet())
    }

    /// The entries whose bodies are not on the disk after a commit, by branch, also those that this node's user may not
    /// have.
    func lacking(after next: CommitInFlight) -> [LogID: SequenceSet] {
        var lacking = branches.mapValues { $0.missing.union($0.unwritten).union($0.unowed) }
        for run in next.received {
            let missing = run.missing.union(run.unowed)
            if !missing.isEmpty { lacking[run.logID, default: SequenceSet()].formUnion(missing) }
        }
        for found in next.bodies { lacking[found.logID]?.subtract(found.entries.sequences) }
        return lacking
    }

    /// Whether a branch may get so many more ranges of missing bodies.
    func hasRoom(for more: SequenceSet, in logID: LogID) -> Bool {
        lacking(logID).ranges.count + more.ranges.count <= Limits.missingRanges
    }

    /// How many ranges the branch has that has the most, how many questions the link that is asked the most, and how many
    /// bytes wait for a commit.
    var load: (ranges: Int, questions: Int, bytes: Int) {
        (
            branches.values.reduce(0) { max($0, $1.missing.ranges.count) },
            questions.values.max() ?? 0,
            found.reduce(0) { $0 + $1.entries.windowBytes }
        )
    }

    private var questions: [ConnectionID: Int] {
        branches.values.reduce(into: [:]) { counts, branch in
            if let question = branch.question { counts[question.connectionID, default: 0] += 1 }
        }
    }

    // MARK: - What there is

    /// Entries of a branch are on the disk without their bodies.
    /// - Parameter connectionID: the link over which they came, whose peer does not have the bodies.
    mutating func lacks(
        _ missing: SequenceSet, of log: LogDescription, in logID: LogID, from connectionID: ConnectionID?
    ) {
        guard let last = missing.ranges.last?.upperBound else { return }
        branches[logID, default: Branch(log: log)].missing.formUnion(missing)
        guard let connectionID else { return }
        let known = tried[connectionID]?[.missing]?[logID] ?? 0
        tried[connectionID, default: [:]][.missing, default: [:]][logID] = max(known, last)
    }

    /// Entries of a branch are on the disk that this node's user may not have, as far as is known.
    mutating func lacks(unowed: SequenceSet, of log: LogDescription, in logID: LogID) {
        guard !unowed.isEmpty else { return }
        branches[logID, default: Branch(log: log)].unowed.formUnion(unowed)
    }

    /// Entries of a branch are on the disk that another device of this node's user has written, and gives to nobody else.
    mutating func lacks(withheld: SequenceSet, of log: LogDescription, in logID: LogID) {
        guard !withheld.isEmpty else { return }
        branches[logID, default: Branch(log: log)].withheld.formUnion(withheld)
    }

    /// Entries are on the disk that take back what is lacking: it is shown so, and its body is needed no more.
    /// - Returns: what is asked for no more.
    mutating func giveUp(retractedIn entries: [EntryRecord], by authorID: UserID, _ logs: Logs) -> [MessageID] {
        guard !branches.isEmpty else { return [] }
        return entries.placesOfParts.compactMap { index in
            // Of several branches only the disk knows which one is meant.
            guard case .retraction(let target) = entries[index].relation,
                case let held = logs.branches(of: target.logID), held.count == 1, let branch = held.first,
                logs.incoming(branch)?.authorID == authorID,
                branches[branch]?.missing.contains(target.sequence) == true
            else { return nil }
            branches[branch]?.missing.remove(target.sequence...target.sequence)
            forgetIfWhole(branch)
            return MessageID(log: branch, sequence: target.sequence)
        }
    }

    /// More is known of what this node's user may have of a conversation.
    /// - Parameter unowed: what of some entries of a branch they may not have.
    mutating func reconsider(_ conversationID: ConversationID, unowed: (LogID, SequenceSet) -> SequenceSet) {
        for (logID, branch) in branches where branch.log.conversationID == conversationID {
            let lacking = branch.missing.union(branch.unowed)
            let missing = lacking.subtracting(unowed(logID, lacking))
            guard missing != branch.missing else { continue }
            // Who was asked for them already may have thought so, too.
            let added = missing.subtracting(branch.missing)
            if let first = added.ranges.first?.lowerBound {
                for (connectionID, last) in tried.compactMapValues({ $0[.missing]?[logID] }) where last >= first {
                    tried[connectionID]?[.missing]?[logID] = first - 1
                }
            }
            branches[logID]?.missing = missing
            branches[logID]?.unowed = lacking.subtracting(missing)
        }
    }

    /// A peer may have more of a conversation than when it was last asked.
    mutating func renew(_ conversationID: ConversationID, on connectionID: ConnectionID) {
        for (logID, branch) in branches where branch.log.conversationID == conversationID {
            tried[connectionID]?[.missing]?[logID] = nil
            tried[connectionID]?[.withheld]?[logID] = nil
            if branch.question?.connectionID == connectionID { branches[logID]?.question?.isRenewed = true }
            if unanswered[connectionID]?.remove(logID) != nil { tried[connectionID]?[.unowed]?[logID] = nil }
        }
    }

    /// A peer names the end of a log again: it may have got bodies of it that it lacked, also such as this node's user may have
    /// after all.
    mutating func renew(_ log: LogDescription, on connectionID: ConnectionID) {
        for (logID, branch) in branches where branch.log.logID == log.logID {
            for need in Need.allCases { tried[connectionID]?[need]?[logID] = nil }
            if branch.question?.connectionID == connectionID { branches[logID]?.question?.isRenewed = true }
        }
    }

    /// A link is over.
    mutating func end(_ connectionID: ConnectionID) {
        tried[connectionID] = nil
        unanswered[connectionID] = nil
        for (logID, branch) in branches where branch.question?.connectionID == connectionID {
            branches[logID]?.question = nil
        }
    }

    /// When nothing came for so long that somebody else is to be asked.
    var deadline: Int64 { branches.values.reduce(.max) { min($0, $1.question?.until ?? .max) } }

    // MARK: - Asking

    /// Chooses what to ask for, of whom.
    /// - Parameters:
    ///   - ownLinks: links to other devices of this node's user.
    ///   - holders: links to peers who may have bodies of a log, those first that most likely do.
    /// - Returns: what to read first, so that the answers can be compared with it.
    mutating func advance(
        now: Moment, ownLinks: Set<ConnectionID> = [], holders: (LogDescription) -> [ConnectionID]
    ) -> [EntriesRead] {
        guard !branches.isEmpty else { return [] }
        var busy = questions
        var reads: [EntriesRead] = []
        for logID in branches.keys.sorted() {
            if let question = branches[logID]?.question {
                guard question.until <= now.uptime else { continue }
                busy[question.connectionID, default: 1] -= 1
                unanswered[question.connectionID, default: []].insert(logID)
                finish(question, of: logID, through: question.range.upperBound)
            }
            guard let branch = branches[logID], branch.isToBeAsked else { continue }
            for connectionID in holders(branch.log) where busy[connectionID, default: 0] < Limits.askedBranchesPerLink {
                let needs = Need.allCases.filter { $0 != .withheld || ownLinks.contains(connectionID) }
                guard let (need, range) = question(for: branch, logID, on: connectionID, needs) else { continue }
                branches[logID]?.question = Question(
                    connectionID: connectionID, range: range, need: need, until: now.uptime + Timing.fetchPatience)
                busy[connectionID, default: 0] += 1
                reads.append(
                    EntriesRead(
                        connectionID: connectionID, purpose: .completing, logID: logID,
                        from: max(1, range.lowerBound - 1), countLimit: range.count + 2,
                        byteLimit: Limits.frameBytes))
                break
            }
        }
        return reads
    }

    /// What a link is to be asked first, of what it was not asked.
    private func question(
        for branch: Branch, _ logID: LogID, on connectionID: ConnectionID, _ needs: [Need]
    ) -> (Need, ClosedRange<UInt64>)? {
        needs.lazy.compactMap { need in
            let start = (tried[connectionID]?[need]?[logID] ?? 0) + 1
            return branch[need].first(from: start, limit: UInt64(Limits.bodiesPerQuestion)).map { (need, $0) }
        }.first
    }

    private mutating func finish(_ question: Question, of logID: LogID, through last: UInt64) {
        branches[logID]?.question = nil
        if !question.isRenewed { tried[question.connectionID, default: [:]][question.need, default: [:]][logID] = last }
    }

    /// The disk has said what stands in the places that are to be asked for.
    mutating func read(_ read: EntriesRead, _ entries: [EntryRecord]) -> WantedBodiesFrame? {
        guard let branch = branches[read.logID], var question = branch.question, question.entries.isEmpty,
            question.connectionID == read.connectionID, max(1, question.range.lowerBound - 1) == read.from
        else { return nil }
        guard let first = entries.first(where: { $0.sequence == question.range.lowerBound }) else {
            finish(question, of: read.logID, through: question.range.upperBound)
            return nil
        }
        question.entries = entries
        branches[read.logID]?.question = question
        return WantedBodiesFrame(
            log: branch.log, first: Place(sequence: first.sequence, chain: first.chain),
            last: question.range.upperBound, withWithheld: question.need == .withheld)
    }

    // MARK: - Answers

    /// A peer gives what it has.
    /// - Returns: the branch and what of it is new, which does not wait here yet; `nil` if this was not asked.
    mutating func take(
        _ frame: BodiesFrame, on connectionID: ConnectionID
    ) -> (logID: LogID, entries: ProvedEntries)? {
        let asked = branches.keys.sorted().first { logID in
            guard let branch = branches[logID], let question = branch.question else { return false }
            return branch.log.logID == frame.logID && question.connectionID == connectionID
                && question.entries.contains { $0.sequence == frame.first.sequence && $0.chain == frame.first.chain }
                && question.range.lowerBound == frame.first.sequence
        }
        guard let asked, let branch = branches[asked], let question = branch.question else { return nil }
        let last = frame.first.sequence + UInt64(frame.contents.count)
        finish(
            question, of: asked,
            through: frame.contents.isEmpty ? question.range.upperBound : min(question.range.upperBound, last - 1))
        return (asked, Self.proved(frame, question.entries, in: branch))
    }

    /// What of an answer stands in this node's places, and has its author's times.
    private static func proved(
        _ frame: BodiesFrame, _ entries: [EntryRecord], in branch: Branch
    ) -> ProvedEntries {
        var proved = ProvedEntries()
        var earlier = HybridTimestamp(rawValue: 0)
        for (index, here) in entries.enumerated() {
            let place = here.sequence >= frame.first.sequence ? Int(here.sequence - frame.first.sequence) : -1
            guard frame.contents.indices.contains(place), case .withheld = here.content,
                Need.allCases.contains(where: { branch[$0].contains(here.sequence) }),
                frame.contents[place].hash == here.content.hash
            else {
                earlier = max(earlier, here.timestamp)
                continue
            }
            let later = entries[(index + 1)...].first { if case .body = $0.content { true } else { false } }?.timestamp
            if let (record, body) = here.completed(
                by: frame.contents[place], mark: frame.marks[here.sequence], of: branch.log, after: earlier,
                before: later ?? .maximum)
            {
                proved.append(record, body)
                earlier = max(earlier, record.timestamp)
            }
        }
        return proved
    }

    // MARK: - To the disk

    /// What came waits for a commit.
    mutating func add(_ found: Found) {
        branches[found.logID]?.missing.subtract(found.entries.sequences)
        branches[found.logID]?.unowed.subtract(found.entries.sequences)
        branches[found.logID]?.withheld.subtract(found.entries.sequences)
        branches[found.logID]?.unwritten.formUnion(found.entries.sequences)
        self.found.append(found)
    }

    var hasFound: Bool { !found.isEmpty }

    /// What has come of a conversation, and waits for a commit.
    func found(in conversationID: ConversationID) -> [Found] {
        found.filter { $0.conversation.conversationID == conversationID }
    }

    /// What may be written now.
    /// - Parameter isWaiting: whether entries of the branch wait for a later commit: they have been given times already.
    mutating func takeFound(where isWaiting: (LogID) -> Bool) -> [Found] {
        let taken = found.filter { !isWaiting($0.logID) }
        found.removeAll { !isWaiting($0.logID) }
        return taken
    }

    mutating func written(_ found: Found) {
        branches[found.logID]?.unwritten.subtract(found.entries.sequences)
        forgetIfWhole(found.logID)
    }

    private mutating func forgetIfWhole(_ logID: LogID) {
        guard let branch = branches[logID], !branch.isToBeAsked, branch.unwritten.isEmpty else { return }
        branches[logID] = nil
        for connectionID in tried.keys {
            for need in Need.allCases { tried[connectionID]?[need]?[logID] = nil }
        }
        for connectionID in unanswered.keys { unanswered[connectionID]?.remove(logID) }
    }

    /// The disk did not take it.
    mutating func writeAgain(_ failed: [Found]) { found = failed + found }
}

extension EntryRecord {
    /// The same entry with its body, or with its author's word that there is none to come.
    fileprivate func completed(
        by content: EntryContent, mark: Signature?, of log: LogDescription, after earlier: HybridTimestamp,
        before later: HybridTimestamp
    ) -> (record: EntryRecord, body: EntryBody?)? {
        switch content {
        case .body(let bytes):
            let decoded: EntryBody
            do { decoded = try EntryBody(decoding: bytes) } catch { return nil }
            guard earlier < decoded.timestamp, decoded.timestamp < later else { return nil }
            var record = EntryRecord(
                sequence: sequence, timestamp: decoded.timestamp, expiry: decoded.expiry, kind: decoded.kind,
                content: content, chain: chain, checkpoint: checkpoint, relation: decoded.content.relation,
                attachments: decoded.content.attachments)
            // With its author's word it stays withheld from all others.
            record.mark = self.mark
            return (record, decoded)
        case .withheld(let hash):
            guard self.mark == nil, let mark,
                WithheldMark.isValid(mark, logID: log.logID, sequence: sequence, hash: hash, by: log.deviceID)
            else { return nil }
            var record = self
            record.mark = mark
            return (record, nil)
        }
    }
}
