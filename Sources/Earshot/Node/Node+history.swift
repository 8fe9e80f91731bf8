import Dispatch
import EarshotProtocol
import EarshotStore
import Synchronization

extension Node {
    /// Reads the store on a thread that may wait for the disk.
    func readStore<T: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> T
    ) async throws(EarshotError) -> T {
        let result = await withCheckedContinuation { continuation in
            historyQueue.async { continuation.resume(returning: Result { () throws(StoreError) in try body() }) }
        }
        return try result.mapError { EarshotError($0) }.get()
    }

    /// Does something that may take long, on a thread that nobody else waits for.
    func onOwnThread<T: Sendable>(
        _ body: @escaping @Sendable () throws(EarshotError) -> T
    ) async throws(EarshotError) -> T {
        try await LongWork.run(body)
    }

    /// Like `onOwnThread`, for work that writes to the home. The home stays this node's until the work is done.
    /// - Throws: `EarshotError` `stopped` when the node has stopped, or what `body` throws.
    func writingHome<T: Sendable>(
        _ body: @escaping @Sendable () throws(EarshotError) -> T
    ) async throws(EarshotError) -> T {
        guard let lock = await shell.lock else { throw await shell.stoppedError }
        let held = HeldLock(lock)
        return try await LongWork.run { () throws(EarshotError) in
            // Before anybody hears that the work is done: who then stops the node may open the home at once.
            defer { held.release() }
            return try body()
        }
    }
}

/// A home's lock that work holds, and lets go of before it has ended.
private final class HeldLock: Sendable {
    private let lock: Mutex<HomeLock?>

    init(_ lock: HomeLock) { self.lock = Mutex(lock) }

    func release() { lock.withLock { $0 = nil } }
}

/// Runs work that may take long, on a thread of its own that nobody else waits for.
enum LongWork {
    static func run<T: Sendable>(
        _ body: @escaping @Sendable () throws(EarshotError) -> T
    ) async throws(EarshotError) -> T {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "earshot.long").async {
                continuation.resume(returning: Result { () throws(EarshotError) in try body() })
            }
        }
        return try result.get()
    }
}

extension Message {
    /// - Parameter ownID: this node's user.
    /// - Returns: `nil` for an entry that is no text message.
    init?(_ row: HistoryRow, for ownID: UserID) { self.init(row, isOwn: row.log.authorID == ownID) }

    /// - Parameters:
    ///   - isOwn: whether this node's user has written it.
    ///   - state: its state for every recipient when an event told of it; `nil` for what they are now, and since when.
    init?(_ row: HistoryRow, isOwn: Bool, asItWas state: DeliveryState? = nil) {
        var content = MessageContent("")
        if !row.entry.isDeleted, !row.isRetracted {
            guard case .body(let bytes) = row.entry.content, let body = try? EntryBody(decoding: bytes),
                case .text(let written) = body.content
            else { return nil }
            content = written
        }
        if let edit = row.edit { content.text = edit.text }
        if row.isSuperseded { content.session?.isSuperseded = true }
        let recipientIDs = row.recipientIDs
        self.init(
            content, messageID: MessageID(log: row.log.logID, sequence: row.entry.sequence),
            conversationID: row.log.description.conversationID, senderID: row.log.authorID,
            recipientIDs: recipientIDs, timestamp: row.entry.timestamp, expiry: row.entry.expiry,
            states: Dictionary(uniqueKeysWithValues: recipientIDs.map { ($0, state ?? row.state(for: $0)) }),
            notes: LocalNotes(
                state == nil ? Dictionary(uniqueKeysWithValues: recipientIDs.map { ($0, row.times(for: $0)) }) : [:],
                index: row.cursor, isOwn: isOwn),
            isDeleted: row.entry.isDeleted, isEdited: row.edit != nil, isRetracted: row.isRetracted,
            reactions: row.reactions)
    }
}

extension EntryRecord {
    /// The text that an edit gives a message; empty if it was erased.
    fileprivate var text: String {
        guard case .body(let bytes) = content, let body = try? EntryBody(decoding: bytes),
            case .amendment(let amendment) = body.content, case .edit(let text, _) = amendment.content
        else { return "" }
        return text
    }
}
