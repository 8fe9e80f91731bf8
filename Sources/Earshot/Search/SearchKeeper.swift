import EarshotModel
import EarshotStore
import Logging

/// Keeps the search index behind the history, and searches in it.
///
/// The index costs commits nothing: it follows them when there are none for a moment. Whoever searches has it catch up
/// first. It holds nothing of its own, so a damaged one is made anew.
actor SearchKeeper {
    /// Entries, or changes of contents, that one transaction of the index follows.
    static let step = 1000
    /// Content that one step reads into memory, in bytes.
    static let stepBytes = 1024 * 1024
    /// How long there are no commits before the index follows those that there were.
    static let quiet = Duration.milliseconds(500)
    /// It follows after this long even if the commits do not end.
    static let patience = Duration.seconds(30)
    /// How long it rests between two steps while there are commits.
    static let pause = Duration.milliseconds(100)

    private let store: Store
    private let path: String
    private let logger: Logger
    private var opened: SearchIndex?
    private let executor = ThreadExecutor("earshot.search")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(store: Store, path: String, logger: Logger) {
        self.store = store
        self.path = path
        self.logger = logger
    }

    /// - Parameter ownID: this node's user.
    /// - Returns: the messages, those that arrived last first.
    nonisolated func find(
        _ criteria: SearchCriteria, before cursor: Int64, limit: Int, for ownID: UserID
    ) async throws(EarshotError) -> [Message] {
        try await catchUp()
        var (messages, bound): ([Message], Int64) = ([], cursor)
        // What was taken back meanwhile is not shown, so a step may bring less than it found.
        while messages.count < limit {
            let wanted = limit - messages.count
            let (found, places) = try await look(criteria, before: bound, limit: wanted, for: ownID)
            messages += found
            guard places.count == wanted, let last = places.last else { break }
            bound = last
        }
        return messages
    }

    /// Follows everything that is on the disk now, or until the task is cancelled.
    /// - Returns: whether it did follow everything.
    @discardableResult
    nonisolated func catchUp() async throws(EarshotError) -> Bool {
        while try await followStep() { guard !Task.isCancelled else { return false } }
        return true
    }

    /// Erases from the index what was erased from the history.
    /// - Returns: whether none of it is left. It is not if the disk failed: then the next start of the node erases it.
    nonisolated func eraseGone() async -> Bool {
        do { return try await catchUp() } catch {
            logger.warning("what was erased is still in the search index", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Follows one step of the history.
    /// - Returns: whether there may be more.
    func followStep() throws(EarshotError) -> Bool {
        try mending { index throws(StoreError) in
            let next = try store.searchFeed(
                after: index.position, limit: Self.step, byteLimit: Self.stepBytes)
            guard let feed = next else {
                // It belongs to another history, such as that before the return of a backup.
                logger.info("the search index is made anew", metadata: ["reason": "it belongs to another history"])
                try replace()
                return true
            }
            let messages = feed.rows.compactMap(SearchedMessage.init)
            if feed.position != index.position || !messages.isEmpty || !feed.gone.isEmpty {
                try index.fill(messages, gone: feed.gone, position: feed.position)
            }
            guard feed.isComplete else { return true }
            try index.eraseGone()
            try store.forgetChanges(through: index.position.change)
            return false
        }
    }

    private func look(
        _ criteria: SearchCriteria, before cursor: Int64, limit: Int, for ownID: UserID
    ) throws(EarshotError) -> (messages: [Message], places: [Int64]) {
        try mending { index throws(StoreError) in
            let places = try index.search(criteria, before: cursor, limit: limit)
            return (try store.shown(at: places).compactMap { Message($0, for: ownID) }, places)
        }
    }

    /// Does something with the index, once more with a new one if the index is damaged.
    private func mending<T>(_ body: (SearchIndex) throws(StoreError) -> T) throws(EarshotError) -> T {
        do throws(StoreError) {
            do throws(StoreError) { return try body(try index()) } catch {
                guard error.code == .damaged else { throw error }
                logger.warning("the search index is made anew", metadata: ["reason": "\(error)"])
                try replace()
                return try body(try index())
            }
        } catch { throw EarshotError(error) }
    }

    private func index() throws(StoreError) -> SearchIndex {
        if let opened { return opened }
        let index = try SearchIndex(path: path)
        opened = index
        return index
    }

    private func replace() throws(StoreError) {
        let old = opened
        opened = nil
        do throws(StoreError) { try old?.close() } catch {
            logger.debug("a search index did not close", metadata: ["error": "\(error)"])
        }
        try SearchIndex.remove(path)
    }

    nonisolated func tell(_ error: EarshotError) {
        logger.warning("the search index could not follow the messages", metadata: ["error": "\(error)"])
    }

    func releaseMemory() { opened?.releaseMemory() }

    /// Ends the use of the file.
    func close() {
        do throws(StoreError) { try opened?.close() } catch {
            logger.warning("the search index did not close", metadata: ["error": "\(error)"])
        }
        opened = nil
    }
}

extension SearchedMessage {
    /// - Returns: `nil` for what shows no text.
    fileprivate init?(_ row: HistoryRow) {
        guard let message = Message(row, isOwn: false) else { return nil }
        let text = ([message.text, message.session?.summary].compactMap(\.self) + (message.layout?.texts ?? []))
            .joined(separator: "\n")
        self.init(
            cursor: row.cursor, text: SearchText.words(of: text), conversationID: message.conversationID,
            authorID: message.senderID,
            timestamp: row.entry.timestamp)
    }
}
