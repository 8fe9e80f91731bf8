import EarshotFiles
import EarshotProtocol
import EarshotStore
import Logging
import Synchronization

/// Decides which files a node fetches, and when: those that its user asks for, and those that are small enough and come from
/// somebody whom they have written to. It holds nothing that the disk does not know: what was not decided about is looked at
/// again at the next start.
final class FileKeeper: Sendable {
    fileprivate struct Fetch {
        let byteCount: UInt64
        var receivedBytes: UInt64 = 0
        /// Whether something of it is here, which proves its size.
        var isProved = false
        /// When it began, or something of it last came: an uptime.
        var movedAt: Int64
        /// When its progress was last told: an uptime.
        var toldAt = Int64.min
    }

    fileprivate struct State {
        var fetches: [FileID: Fetch] = [:]
        /// Files that had their turn and gave way, because nobody who has them was there. They come after all others.
        var gaveWay: [FileID] = []
        /// Whether messages were erased or taken back since that was looked at.
        var haveMessagesGone = false
        /// Sizes of files of which nothing came. Messages may say different sizes of one file, and one at most is true.
        var doubted: [FileID: Set<UInt64>] = [:]
    }

    private let state = Mutex(State())
    private let copies = FileCopies()
    private let tidying = FileTidying()
    /// Something came that may have to be fetched, or there is room for it.
    private let signal = CommitSignal()

    /// A message came that brings files along, or what is fetched has changed.
    func look() { signal.signal() }

    /// Copies that are owed are tried again, and not only after a while.
    func retryCopies() {
        copies.retry()
        look()
    }

    /// How many bytes of a file are here; `nil` if it is not fetched now.
    func receivedBytes(of fileID: FileID) -> UInt64? { state.withLock { $0.fetches[fileID]?.receivedBytes } }

    /// Whether a file of this size is fetched now, or the file is proved to have another.
    private func isSettled(_ file: AttachedFile) -> Bool {
        state.withLock { state in
            guard let fetch = state.fetches[file.fileID] else { return false }
            return fetch.isProved || fetch.byteCount == file.byteCount
        }
    }

    // MARK: - Fetching

    /// Messages that bring along what is to be fetched, and are looked at together.
    private static let messagesAtOnce = 1024

    /// A file of which nothing comes for so long gives way to others that wait for their turn.
    private static let patience = Duration.seconds(30)

    /// Fetches what is to be fetched, until the task is cancelled.
    func run(of node: Node) async {
        let (signals, end) = signal.waiter()
        defer { end.finish() }
        async let _: Void = lookNowAndThen()
        await tidyAndFetch(of: node)
        for await _ in signals { await tidyAndFetch(of: node) }
    }

    private func tidyAndFetch(of node: Node) async {
        await tidying.tidyIfDue(of: node, except: state.withLock { Set($0.fetches.keys) })
        await fetchWhatIsDue(of: node)
    }

    private func lookNowAndThen() async {
        while true {
            do { try await Task.sleep(for: Self.patience) } catch { return }
            look()
        }
    }

    private func fetchWhatIsDue(of node: Node) async {
        do throws(EarshotError) {
            try await stopUnnamed(of: node)
            try await copies.putThoseThatAreDue(of: node)
            try await beginFetches(of: node)
        } catch {
            node.configuration.logger.warning(
                "files that are to be fetched cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    private func beginFetches(of node: Node) async throws(EarshotError) {
        let rules = try await node.files.rulesInForce()
        node.shell.storage.fileDisk.fetched.setQuota(rules.rules.quotaBytes)
        var due: [(file: AttachedFile, shape: FileShape)] = []
        var place: FilePlace?
        var here: Set<FileID> = []
        repeat {
            let files = try await filesToFetch(by: rules, after: place, of: node)
            for (file, isWanted, _) in files where !isSettled(file) {
                guard let shape = FileShape(byteCount: file.byteCount) else { continue }
                // Before anything is looked for on the disk: what waits is met at every look.
                if !isWanted {
                    guard case .fetch = await node.files.decision(on: file, by: rules) else { continue }
                }
                guard let isTaken = try await isHere(file, node) else { continue }
                if isTaken {
                    if here.insert(file.fileID).inserted { try await copies.put(file.fileID, by: rules, of: node) }
                    continue
                }
                due.append((file, shape))
            }
            place = files.count < Self.messagesAtOnce ? nil : files.last?.place
            // What waits for somebody's decision must not keep others from being fetched.
        } while place != nil && due.count < Limits.concurrentFetches * 2
        let now = node.environment.clock.now.uptime
        let (stopped, begun) = state.withLock {
            $0.takeTurns(due.map(\.file), now: now, patience: Self.patience.milliseconds)
        }
        for fileID in stopped { await node.shell.stopFetching(fileID, isKept: true) }
        for (file, shape) in due where begun[file.fileID] == file.byteCount {
            // It may have lost its turn to the quota, as another message brought it along.
            guard receivedBytes(of: file.fileID) != nil, try await hasRoom(for: file, by: rules.rules, node) else {
                continue
            }
            // Before anything of it is here: whatever happens then, its copies are owed.
            try await copies.owe(file.fileID, by: rules, of: node)
            await node.shell.fetch(file.fileID, shape, in: file.conversationID)
        }
    }

    private func filesToFetch(
        by rules: FileRulesInForce, after place: FilePlace?, of node: Node
    ) async throws(EarshotError) -> [(file: AttachedFile, isWanted: Bool, place: FilePlace)] {
        let store = node.store
        let largest = rules.rules.largestFetched(smallBytes: node.configuration.fetchedFileBytes)
        return try await node.readStore { () throws(StoreError) in
            try store.filesToFetch(
                unaskedUpTo: largest, by: node.userID, after: place, limit: Self.messagesAtOnce)
        }
    }

    // MARK: - Quota

    /// Notes that a file is not fetched, if it does not fit beside what lies on the disk. What others claim to be large takes
    /// nothing from it.
    private func hasRoom(for file: AttachedFile, by rules: FileRules, _ node: Node) async throws(EarshotError) -> Bool {
        guard let quota = rules.quotaBytes else { return true }
        let (files, fileID) = (node.shell.storage.fileDisk.files, file.fileID)
        let here = try await node.files.usage().byteCount
        let came = try await node.onOwnThread { () throws(EarshotError) in
            do throws(FilesError) { return try files.unfinishedBytes(of: fileID) } catch { throw EarshotError(error) }
        }
        guard here + file.byteCount - min(file.byteCount, came) > quota else { return true }
        try await leaveOut(
            file,
            "the files here have \(here) bytes, and the quota is \(quota): raise it, or remove some, and fetch this "
                + "one again", node)
        return false
    }

    /// Whether a file is here already.
    /// - Returns: `nil` for one that lies damaged on the disk: it is left out, and holds up no other.
    private func isHere(_ file: AttachedFile, _ node: Node) async throws(EarshotError) -> Bool? {
        do throws(EarshotError) { return try await node.files.take(file.fileID, byteCount: file.byteCount) } catch {
            guard error.code == .unusableFile else { throw error }
            node.configuration.logger.warning(
                "a file that is here cannot be read", metadata: ["file": "\(file.fileID)", "error": "\(error)"])
            try await leaveOut(
                file, "what is here of it cannot be read: \(error.message): remove it, and fetch it again", node)
            return nil
        }
    }

    /// It is not fetched, and that is said.
    private func leaveOut(_ file: AttachedFile, _ reason: String, _ node: Node) async throws(EarshotError) {
        let store = node.store
        let record = FileRecord(
            file.fileID, byteCount: file.byteCount, .failed(reason: reason),
            changedAt: node.environment.clock.now.wallClock)
        // Before it has lost its turn: else it would be looked at again.
        try await node.writingHome { () throws(EarshotError) in
            do throws(StoreError) { try store.note(record) } catch { throw EarshotError(error) }
        }
        _ = ended(file.fileID)
        await node.shell.post(
            .fileUpdated(FileUpdate(file.fileID, byteCount: file.byteCount, .failed(reason: reason))))
    }

    // MARK: - Messages that are gone

    /// Messages were erased or taken back: what nothing else brings along is neither fetched nor given any more.
    func messagesWent() {
        state.withLock { $0.haveMessagesGone = true }
        look()
    }

    private func stopUnnamed(of node: Node) async throws(EarshotError) {
        let fetched: [FileID]? = state.withLock { state in
            defer { state.haveMessagesGone = false }
            return state.haveMessagesGone ? state.fetches.keys.sorted() : nil
        }
        guard let fetched else { return }
        node.shell.storage.fileDisk.given.forget()
        let store = node.store
        for fileID in fetched {
            guard try await node.readStore({ () throws(StoreError) in try store.messages(with: fileID) }).isEmpty,
                let byteCount = ended(fileID)
            else { continue }
            await node.shell.stopFetching(fileID, isKept: false)
            await node.shell.post(.fileUpdated(FileUpdate(fileID, byteCount: byteCount, .declined)))
        }
    }

    // MARK: - What comes of it

    /// How often the progress of a file is told, in milliseconds.
    private static let progressInterval: Int64 = 250

    /// More of a file is here.
    /// - Returns: what observers are told, now and then.
    func progressed(_ fileID: FileID, receivedBytes: UInt64, now: Int64) -> FileUpdate? {
        state.withLock { state in
            guard var fetch = state.fetches[fileID] else { return nil }
            defer { state.fetches[fileID] = fetch }
            fetch.receivedBytes = receivedBytes
            fetch.isProved = true
            fetch.movedAt = now
            guard fetch.toldAt == .min || now - fetch.toldAt >= Self.progressInterval else { return nil }
            fetch.toldAt = now
            return FileUpdate(fileID, byteCount: fetch.byteCount, .fetching(receivedBytes: receivedBytes))
        }
    }

    /// Something of a file was here already when it began.
    func proved(_ fileID: FileID) { state.withLock { $0.fetches[fileID]?.isProved = true } }

    /// A file is here that was fetched.
    /// - Returns: its size; `nil` if it was not fetched.
    func arrived(_ fileID: FileID) -> UInt64? {
        copies.arrived(fileID)
        return ended(fileID)
    }

    /// A file is fetched no longer, whatever became of it.
    /// - Returns: its size; `nil` if it was not fetched.
    func ended(_ fileID: FileID) -> UInt64? {
        defer { look() }
        return state.withLock { state in
            state.gaveWay.removeAll { $0 == fileID }
            state.doubted[fileID] = nil
            return state.fetches.removeValue(forKey: fileID)?.byteCount
        }
    }

    func finish() { signal.finish() }
}

extension FileKeeper.State {
    /// Chooses which files have their turn now.
    /// - Parameters:
    ///   - due: files that are to be fetched and are not, at least not with this size, in the order of their messages.
    ///   - patience: in milliseconds.
    /// - Returns: files that give way, and the sizes of files that begin.
    fileprivate mutating func takeTurns(
        _ due: [AttachedFile], now: Int64, patience: Int64
    ) -> (stopped: [FileID], begun: [FileID: UInt64]) {
        // A file that several messages bring along is fetched once.
        var byteCounts: [FileID: [UInt64]] = [:]
        for file in due where byteCounts[file.fileID]?.contains(file.byteCount) != true {
            byteCounts[file.fileID, default: []].append(file.byteCount)
        }
        var stopped: [FileID] = []
        let stalled = fetches.filter { now - $0.value.movedAt >= patience }.keys.sorted()
        for fileID in stalled where byteCounts[fileID] != nil {
            guard let fetch = fetches.removeValue(forKey: fileID) else { continue }
            doubted[fileID, default: []].insert(fetch.byteCount)
            stopped.append(fileID)
        }
        for fileID in fetches.keys { byteCounts[fileID] = nil }
        let passed = Set(gaveWay)
        var seen: Set<FileID> = []
        let waiting = due.map(\.fileID).filter { byteCounts[$0] != nil && seen.insert($0).inserted }
        let fresh = waiting.filter { !passed.contains($0) }
        let again = gaveWay.filter { byteCounts[$0] != nil }
        gaveWay = again
        var free = Limits.concurrentFetches - fetches.count
        for fileID in stalled.filter({ fetches[$0] != nil }).prefix(max(0, byteCounts.count - free)) {
            fetches[fileID] = nil
            gaveWay.append(fileID)
            stopped.append(fileID)
            free += 1
        }
        var begun: [FileID: UInt64] = [:]
        for fileID in fresh + again where begun.count < free {
            guard let byteCount = chosen(among: byteCounts[fileID] ?? [], of: fileID) else { continue }
            fetches[fileID] = FileKeeper.Fetch(byteCount: byteCount, movedAt: now)
            gaveWay.removeAll { $0 == fileID }
            begun[fileID] = byteCount
        }
        return (stopped, begun)
    }

    /// The first size that is not in doubt; once all are, they are tried again.
    private mutating func chosen(among byteCounts: [UInt64], of fileID: FileID) -> UInt64? {
        let doubts = doubted[fileID] ?? []
        if let byteCount = byteCounts.first(where: { !doubts.contains($0) }) { return byteCount }
        doubted[fileID] = nil
        return byteCounts.first
    }
}
