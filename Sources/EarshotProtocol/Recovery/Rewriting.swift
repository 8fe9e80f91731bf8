import EarshotModel

/// Writes the unsent end of an own log anew, page by page: with new times, in the next epoch of the conversation.
///
/// Entries whose key came back with the log are repeats of messages that were sent before, and go. So that this finds what
/// was written anew once already, when a copy from before that is restored, each entry has a key from then on. It decides
/// what becomes of each entry, and what the next page is. It waits for the disk between the pages.
struct Rewriting: Sendable {
    /// One page, as the next commit writes it.
    struct Page: Sendable {
        let entries: [EntryRecord]
        /// The entries that are in another log already, by their place in the limbo.
        let repeats: [UInt64: MessageID]
    }

    private enum State {
        case idle
        case reading
        /// The disk is asked which of the keys other entries have.
        case lookingUp([EntryRecord])
        case ready(Page)
        case committing
    }

    /// `nil` if nothing is to be written anew but the conversation's log has to end.
    private(set) var limbo: LogRecord?
    /// The log that takes it; `nil` before the first page.
    private(set) var target: LogID?
    /// Where the entries of earlier pages are now.
    private(set) var moved = MovedPlaces()
    private var state = State.idle

    /// - Parameter target: the log that took earlier pages, if there is one.
    init(limbo: LogRecord?, target: LogID? = nil) {
        self.limbo = limbo
        self.target = target
    }

    /// The page for the next commit.
    var page: Page? { if case .ready(let page) = state { page } else { nil } }

    var isReady: Bool { page != nil }

    /// What to read next; `nil` if something else is under way.
    mutating func nextRead() -> EntriesRead? {
        guard case .idle = state else { return nil }
        guard let limbo, limbo.start.sequence < limbo.head.sequence else {
            state = .ready(Page(entries: [], repeats: [:]))
            return nil
        }
        state = .reading
        return EntriesRead(
            connectionID: nil, purpose: .rewriting(limbo.description.conversationID), logID: limbo.logID,
            from: limbo.firstSequence, countLimit: Limits.entriesPerFrame, byteLimit: Limits.frameBytes)
    }

    /// The store's answer.
    /// - Returns: the keys to look up; `nil` if there are none.
    mutating func read(_ entries: [EntryRecord]) -> [EntryKey]? {
        guard case .reading = state else { return nil }
        let keys = entries.compactMap(\.keyWhenRewritten)
        guard !keys.isEmpty else {
            state = .ready(Page(entries: entries, repeats: [:]))
            return nil
        }
        state = .lookingUp(entries)
        return keys
    }

    /// Own entries with these keys, as far as the store has any.
    mutating func found(_ messages: [EntryKey: MessageID]) {
        guard case .lookingUp(let entries) = state else { return }
        var repeats: [UInt64: MessageID] = [:]
        for entry in entries {
            guard let key = entry.keyWhenRewritten, let known = messages[key], known.log != limbo?.logID else {
                continue
            }
            repeats[entry.sequence] = known
        }
        state = .ready(Page(entries: entries, repeats: repeats))
    }

    /// The store could not answer: it is asked again.
    mutating func failed() { state = .idle }

    mutating func beginCommit() { state = .committing }

    /// The page is on the disk.
    /// - Parameters:
    ///   - limbo: what is left; `nil` if that was all.
    ///   - moved: where its entries are now, and those of earlier pages.
    /// - Returns: whether that was all.
    mutating func committed(into target: LogID, _ limbo: LogRecord?, _ moved: MovedPlaces = MovedPlaces()) -> Bool {
        self.moved = moved
        self.target = target
        self.limbo = limbo
        state = .idle
        return limbo == nil
    }
}

extension EntryRecord {
    /// The key that an entry of this device has once it is written anew: its own, or one that follows from what it says.
    /// `nil` for one without content.
    var keyWhenRewritten: EntryKey? {
        guard case .body(let bytes) = content else { return nil }
        // This node wrote it. Nobody can guess the key, because nobody can guess the salt.
        return (try? EntryBody(decoding: bytes))?.key ?? .rewriting(content.hash)
    }
}
