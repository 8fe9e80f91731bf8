import EarshotModel

/// Which parts of which files are asked of whom.
///
/// A part is asked of one peer at a time, and of the next one when the first gives nothing for a while. What comes is proved by
/// the shell, since hashing takes long; a peer that gave something else is not asked for that file again.
struct FileFetching: Sendable {
    typealias Action = FileTransfers.Action

    /// What a link is asked for, of one file.
    fileprivate struct Question: Sendable {
        /// By which conversation it is asked, and so what comes is given on there. A link is asked by one at a time.
        let conversationID: ConversationID
        var lists = false
        var hashes: Set<Int> = []
        var chunks = SequenceSet()
        /// An uptime; if nothing has come by then, the next peer is asked.
        var until: Int64

        var isEmpty: Bool { !lists && hashes.isEmpty && chunks.isEmpty }
    }

    fileprivate enum Standing: Sendable {
        case asked(Question)
        /// It has said that it does not have the file, or it gave nothing: it is not asked before this uptime.
        case absent(until: Int64)
        /// It gave something else.
        case distrusted
    }

    fileprivate struct Fetch: Sendable {
        let shape: FileShape
        /// Where the file was shown.
        var conversations: [ConversationID]
        /// `nil` until the disk has said what is here.
        var inventory: FileInventory?
        /// Parts that have come and are not on the disk.
        var writing: [ConnectionID: Int] = [:]
        var unwritten = SequenceSet()
        /// Hashes among these parts.
        var unwrittenHashes: Set<FilePart> = []
        var standings: [ConnectionID: Standing] = [:]
        var isFinishing = false
    }

    private var fetches: [FileID: Fetch] = [:]
    /// In the order in which they began.
    private var order: [FileID] = []

    var isIdle: Bool { fetches.isEmpty }

    /// Where the files were shown that are fetched.
    var conversations: Set<ConversationID> { fetches.values.reduce(into: []) { $0.formUnion($1.conversations) } }

    /// Whether something that a link was asked for has not come.
    func isAsking(_ connectionID: ConnectionID) -> Bool {
        fetches.values.contains { $0.question(to: connectionID) != nil }
    }

    /// How many files are fetched, and how many chunks the link that has the most is asked for, or has given and are not
    /// written.
    var load: (files: Int, chunks: Int) {
        let links = Set(fetches.values.flatMap { Array($0.standings.keys) + Array($0.writing.keys) })
        return (fetches.count, links.map { asked(of: $0) }.max() ?? 0)
    }

    /// When a peer that gave nothing is to be replaced, or may be asked again.
    var deadline: Int64 {
        fetches.values.reduce(.max) { earliest, fetch in
            fetch.standings.values.reduce(earliest) { earliest, standing in
                switch standing {
                case .asked(let question): min(earliest, question.until)
                case .absent(let until): min(earliest, until)
                case .distrusted: earliest
                }
            }
        }
    }

    // MARK: - What is fetched

    /// Begins to fetch a file, or adds a conversation whose participants may have it.
    mutating func begin(_ fileID: FileID, shape: FileShape, in conversationID: ConversationID) -> [Action] {
        if fetches[fileID] != nil {
            if fetches[fileID]?.conversations.contains(conversationID) == false {
                fetches[fileID]?.conversations.append(conversationID)
            }
            return []
        }
        fetches[fileID] = Fetch(shape: shape, conversations: [conversationID])
        order.append(fileID)
        return [.task(.open(fileID, shape))]
    }

    /// It is not wanted any more: peers that were asked need not send it.
    mutating func stop(_ fileID: FileID) -> [Action] {
        guard let fetch = remove(fileID) else { return [] }
        return fetch.standings.keys.sorted().compactMap { connectionID in
            guard case .asked = fetch.standings[connectionID], let conversationID = fetch.conversations.first else {
                return nil
            }
            let news = FileNews(fileID: fileID, conversationID: conversationID, state: .unwanted)
            return .send(.fileNews(news), connectionID)
        }
    }

    private mutating func remove(_ fileID: FileID) -> Fetch? {
        order.removeAll { $0 == fileID }
        return fetches.removeValue(forKey: fileID)
    }

    /// The disk has said what is here of it.
    mutating func opened(_ fileID: FileID, _ inventory: FileInventory) { fetches[fileID]?.inventory = inventory }

    /// The file is here whole, or cannot be kept.
    mutating func ended(_ fileID: FileID) { _ = remove(fileID) }

    mutating func linkEnded(_ connectionID: ConnectionID) {
        for fileID in order { fetches[fileID]?.standings[connectionID] = nil }
    }

    // MARK: - Asking

    /// - Parameter holders: links to those who take part in a conversation, ascending.
    mutating func advance(now: Int64, holders: (ConversationID) -> [ConnectionID]) -> [Action] {
        var actions: [Action] = []
        for fileID in smallestFirst {
            guard var fetch = fetches[fileID], let inventory = fetch.inventory, !fetch.isFinishing else { continue }
            fetch.expire(now: now)
            fetches[fileID] = fetch
            if inventory.isWhole(of: fetch.shape) {
                fetches[fileID]?.isFinishing = true
                actions.append(.task(.finish(fileID)))
                continue
            }
            for conversationID in fetch.conversations {
                for connectionID in holders(conversationID) where fetches[fileID]?.mayAsk(connectionID) == true {
                    for parts in choose(fileID, for: connectionID, in: conversationID, now: now) {
                        let wanted = WantedFile(
                            fileID: fileID, shape: fetch.shape, conversationID: conversationID, parts: parts)
                        actions.append(.send(.wantedFile(wanted), connectionID))
                    }
                }
            }
        }
        return actions
    }

    /// By how much is not here: a small file does not wait for a large one that began before it.
    private var smallestFirst: [FileID] {
        guard order.count > 1 else { return order }
        return order.map { ($0, fetches[$0]?.rest ?? 0) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private func asked(of connectionID: ConnectionID) -> Int {
        fetches.values.reduce(0) { $0 + $1.asked(of: connectionID) }
    }

    /// What a link is asked for next, which is noted.
    private mutating func choose(
        _ fileID: FileID, for connectionID: ConnectionID, in conversationID: ConversationID, now: Int64
    ) -> [WantedFile.Parts] {
        let ofAll = fetches.values.reduce(0) { $0 + $1.askedOfAll }
        var room = min(Limits.askedChunksPerLink - asked(of: connectionID), Limits.askedChunks - ofAll)
        guard var fetch = fetches[fileID], let inventory = fetch.inventory else { return [] }
        // In few large questions: one more is asked when there is room for a whole one.
        let least = min(Limits.chunksAskedAtOnce, fetch.rest)
        var question = fetch.question(to: connectionID) ?? Question(conversationID: conversationID, until: 0)
        guard question.conversationID == conversationID else { return [] }
        var parts: [WantedFile.Parts] = []
        if !inventory.hasLists {
            guard !fetch.isAnybodyAskedForLists else { return [] }
            question.lists = true
            parts.append(.lists)
        } else {
            if let lists = fetch.nextLists(inventory), question.hashes.isEmpty {
                question.hashes.formUnion(lists)
                parts.append(.hashes(ofLists: lists))
                fetch.standings[connectionID] = .asked(question)
            }
            while room >= least, let chunks = fetch.nextChunks(inventory) {
                question.chunks.insert(UInt64(chunks.lowerBound)...UInt64(chunks.upperBound - 1))
                parts.append(.chunks(chunks))
                fetch.standings[connectionID] = .asked(question)
                room -= chunks.count
            }
        }
        guard !parts.isEmpty else { return [] }
        question.until = now + Timing.fetchPatience
        fetch.standings[connectionID] = .asked(question)
        fetches[fileID] = fetch
        return parts
    }

    // MARK: - Answers

    /// A part came.
    mutating func received(
        _ part: FilePart, of fileID: FileID, _ bytes: [UInt8], on connectionID: ConnectionID, now: Int64
    ) -> [Action] {
        guard var fetch = fetches[fileID], var question = fetch.question(to: connectionID), question.take(part) else {
            return [.credit(-1, connectionID)]
        }
        question.until = now + Timing.fetchPatience
        fetch.standings[connectionID] = question.isEmpty ? nil : .asked(question)
        fetch.writing[connectionID, default: 0] += 1
        if case .chunk(let index) = part {
            fetch.unwritten.insert(UInt64(index))
        } else {
            fetch.unwrittenHashes.insert(part)
        }
        fetches[fileID] = fetch
        return [
            .credit(2 + bytes.count / Limits.requestBytes, connectionID),
            .task(.write(fileID, part, bytes, from: connectionID, in: question.conversationID)),
        ]
    }

    /// The shell has proved and kept a part, or not.
    mutating func written(
        _ part: FilePart, of fileID: FileID, from connectionID: ConnectionID, _ result: FileWriteResult
    ) -> [Action] {
        guard var fetch = fetches[fileID] else { return [] }
        fetch.writing[connectionID] = fetch.writing[connectionID].flatMap { $0 > 1 ? $0 - 1 : nil }
        if case .chunk(let index) = part {
            fetch.unwritten.remove(UInt64(index)...UInt64(index))
        } else {
            fetch.unwrittenHashes.remove(part)
        }
        defer { if fetches[fileID] != nil { fetches[fileID] = fetch } }
        switch result {
        case .kept:
            switch part {
            case .lists: fetch.inventory?.hasLists = true
            case .hashes(let list): fetch.inventory?.lists.insert(list)
            case .chunk(let index): fetch.inventory?.chunks.insert(UInt64(index))
            }
            return []
        case .wrong:
            fetch.standings[connectionID] = .distrusted
            return []
        case .failed:
            defer { _ = remove(fileID) }
            return stop(fileID)
        }
    }

    /// A peer says what it has.
    mutating func heard(_ state: FileNews.State, of fileID: FileID, on connectionID: ConnectionID, now: Int64) {
        guard let standing = fetches[fileID]?.standings[connectionID] else {
            if state == .absent { setAbsent(fileID, connectionID, now: now) }
            return
        }
        if case .distrusted = standing { return }
        switch (state, standing) {
        case (.absent, _): setAbsent(fileID, connectionID, now: now)
        case (.held, .absent): fetches[fileID]?.standings[connectionID] = nil
        default: break
        }
    }

    private mutating func setAbsent(_ fileID: FileID, _ connectionID: ConnectionID, now: Int64) {
        fetches[fileID]?.standings[connectionID] = .absent(until: now + Timing.fileAbsence)
    }
}

extension FileFetching.Question {
    /// - Returns: whether it was asked for.
    fileprivate mutating func take(_ part: FilePart) -> Bool {
        switch part {
        case .lists:
            defer { lists = false }
            return lists
        case .hashes(let list): return hashes.remove(list) != nil
        case .chunk(let index):
            guard index >= 0, chunks.contains(UInt64(index)) else { return false }
            chunks.remove(UInt64(index)...UInt64(index))
            return true
        }
    }
}

extension FileFetching.Fetch {
    fileprivate func question(to connectionID: ConnectionID) -> FileFetching.Question? {
        guard case .asked(let question) = standings[connectionID] else { return nil }
        return question
    }

    /// How many chunks are not here.
    fileprivate var rest: Int { shape.chunkCount - (inventory?.chunks.count ?? 0) }

    fileprivate func mayAsk(_ connectionID: ConnectionID) -> Bool {
        switch standings[connectionID] {
        case .asked, nil: true
        case .absent, .distrusted: false
        }
    }

    fileprivate func asked(of connectionID: ConnectionID) -> Int {
        (question(to: connectionID)?.chunks.count ?? 0) + (writing[connectionID] ?? 0)
    }

    fileprivate var askedOfAll: Int {
        questions.reduce(0) { $0 + $1.chunks.count } + writing.values.reduce(0, +)
    }

    private var questions: [FileFetching.Question] {
        standings.values.compactMap { standing in
            guard case .asked(let question) = standing else { return nil }
            return question
        }
    }

    /// Or somebody has given them, and they are not on the disk.
    fileprivate var isAnybodyAskedForLists: Bool {
        unwrittenHashes.contains(.lists) || questions.contains { $0.lists }
    }

    /// Who gave nothing for too long is asked again later.
    fileprivate mutating func expire(now: Int64) {
        for (connectionID, standing) in standings {
            switch standing {
            case .asked(let question) where question.until <= now && writing[connectionID] == nil:
                standings[connectionID] = .absent(until: now + Timing.fileAbsence)
            case .absent(let until) where until <= now: standings[connectionID] = nil
            default: break
            }
        }
    }

    /// Lists whose hashes are next to be asked for: of the first chunk that is missing on.
    fileprivate func nextLists(_ inventory: FileInventory) -> Range<Int>? {
        let asked = questions.reduce(into: Set<Int>()) { $0.formUnion($1.hashes) }
        func isMissing(_ list: Int) -> Bool {
            !inventory.lists.contains(list) && !asked.contains(list)
                && !unwrittenHashes.contains(.hashes(ofList: list))
        }
        guard let first = (0..<shape.listCount).first(where: isMissing) else { return nil }
        let end = (first..<min(first + Limits.listsPerQuestion, shape.listCount)).first { !isMissing($0) }
        return first..<(end ?? min(first + Limits.listsPerQuestion, shape.listCount))
    }

    /// Chunks that are next to be asked for, among those whose hashes are here.
    fileprivate func nextChunks(_ inventory: FileInventory) -> Range<Int>? {
        guard shape.chunkCount > 0 else { return nil }
        var missing = SequenceSet(0...UInt64(shape.chunkCount - 1))
        missing.subtract(inventory.chunks)
        missing.subtract(unwritten)
        for question in questions { missing.subtract(question.chunks) }
        var start: UInt64 = 0
        while let range = missing.first(from: start, limit: UInt64(Limits.chunksAskedAtOnce)) {
            let list = Int(range.lowerBound) / Limits.chunksPerList
            let chunks = shape.chunks(ofList: list)
            if inventory.lists.contains(list) {
                return Int(range.lowerBound)..<min(Int(range.upperBound) + 1, chunks.upperBound)
            }
            start = UInt64(chunks.upperBound)
        }
        return nil
    }
}

extension FileInventory {
    fileprivate func isWhole(of shape: FileShape) -> Bool {
        hasLists && lists.count == shape.listCount && chunks.count == shape.chunkCount
    }
}

extension SequenceSet {
    fileprivate var count: Int { ranges.reduce(0) { $0 + $1.count } }
}
