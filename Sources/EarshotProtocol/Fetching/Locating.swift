import DequeModule
import EarshotModel

/// Frames of entries of which only the disk knows where they belong: their log goes on differently than this node holds
/// it, or they are of a branch that it does not know.
///
/// It compares them, frame by frame, with what the disk has in their places. It holds back what comes behind them on the
/// same link, and decides nothing but where each belongs.
struct Locating: Sendable {
    /// Where a run of entries belongs.
    enum Place: Hashable, Sendable {
        /// The disk has all of it.
        case known(LogID)
        /// It goes on behind the end of a branch, which has so many of its entries.
        case continues(LogID, known: Int)
        /// It parts from a branch behind this entry, which is the last that both have of it.
        case parts(LogID, after: LogHead, known: Int)
        /// No branch has the entry before it.
        case nowhere
    }

    private struct Key: Hashable {
        let connectionID: ConnectionID
        let logID: LogID
    }

    private enum State {
        /// It begins among entries that wait for the disk themselves.
        case early
        /// What a branch has in the places of the first frame is being read.
        case comparing(LogID, Comparison, others: ArraySlice<LogID>)
        /// It is known where the first frame belongs, and its turn has not come yet.
        case placed(Place)
    }

    /// How far a run was found to be the same as a branch.
    private struct Comparison {
        /// The last entry that both have; `nil` until the one before the run is compared.
        var common: LogHead?
        /// How many entries of the run are among them.
        var known = 0
    }

    private struct Parked {
        var frames: Deque<EntriesFrame>
        var state: State
        /// Whether the peer passes on what another device has written: that is not in its window.
        let isGiven: Bool

        var bytes: Int { frames.reduce(0) { $0 + $1.windowBytes } }
    }

    private var parked: [Key: Parked] = [:]
    /// The bytes of the frames, by link.
    private var bytes: [ConnectionID: Int] = [:]
    /// The bytes of those that are in the peers' windows.
    private var windows: [ConnectionID: Int] = [:]

    var isEmpty: Bool { parked.isEmpty }

    func isParked(_ log: LogDescription, on connectionID: ConnectionID) -> Bool {
        parked[Key(connectionID: connectionID, logID: log.logID)] != nil
    }

    func isParked(_ conversationID: ConversationID) -> Bool {
        parked.values.contains { $0.frames.first?.log.conversationID == conversationID }
    }

    // MARK: - Frames

    /// - Parameters:
    ///   - branches: those of the log that the disk has.
    ///   - isEarly: whether it begins among entries of the log that are not on the disk yet.
    ///   - isGiven: whether the peer passes on what another device has written.
    /// - Returns: what to read; `nil` if another frame of the log is before it, if it belongs nowhere, or if it is too early.
    /// - Throws: `ProtocolError` `violation` if the peer sends more than its window, `overloaded` if it gives more besides, or all
    ///   peers together send more than a limit.
    mutating func park(
        _ frame: EntriesFrame, on connectionID: ConnectionID, branches: [LogID], isEarly: Bool = false,
        isGiven: Bool = false
    ) throws(ProtocolError) -> EntriesRead? {
        let key = Key(connectionID: connectionID, logID: frame.log.logID)
        guard try begin(frame, key, isEarly ? .early : .placed(.nowhere), isGiven: isGiven), !isEarly else {
            return nil
        }
        return compare(key, with: branches[...])
    }

    /// A frame that parts from one branch goes on in another one that the disk has.
    /// - Parameters:
    ///   - head: the last entry before the first that this branch has for itself.
    ///   - known: how many of the frame's entries are there so far.
    /// - Returns: what to read; `nil` if another frame of the log is before it.
    /// - Throws: like `park`.
    mutating func park(
        _ frame: EntriesFrame, on connectionID: ConnectionID, along branch: LogID, after head: LogHead, known: Int,
        isGiven: Bool
    ) throws(ProtocolError) -> EntriesRead? {
        let key = Key(connectionID: connectionID, logID: frame.log.logID)
        let comparison = Comparison(common: head, known: known)
        guard try begin(frame, key, .comparing(branch, comparison, others: []), isGiven: isGiven) else { return nil }
        return read(branch, from: head.sequence + 1, key)
    }

    /// - Returns: whether no other frame of the log is before it.
    private mutating func begin(
        _ frame: EntriesFrame, _ key: Key, _ state: State, isGiven: Bool
    ) throws(ProtocolError) -> Bool {
        try charge(frame.windowBytes, to: key.connectionID, isGiven: isGiven)
        guard parked[key] == nil else {
            parked[key]?.frames.append(frame)
            return false
        }
        parked[key] = Parked(frames: [frame], state: state, isGiven: isGiven)
        return true
    }

    private mutating func charge(
        _ more: Int, to connectionID: ConnectionID, isGiven: Bool
    ) throws(ProtocolError) {
        let limit = Limits.windowBytes + Limits.frameBytes
        let window = windows[connectionID, default: 0] + (isGiven ? 0 : more)
        guard isGiven || window <= limit else {
            throw ProtocolError(.violation, "the peer sends more than its window of \(Limits.windowBytes) bytes")
        }
        let used = bytes[connectionID, default: 0] + more
        guard used <= limit, load.all + more <= Limits.receivedBytes else {
            throw ProtocolError(
                .overloaded, "more comes than the disk compares in time; it is sent again",
                closeReason: .storageFailure)
        }
        bytes[connectionID] = used
        if !isGiven { windows[connectionID] = window }
    }

    private mutating func release(_ key: Key) {
        guard let waiting = parked.removeValue(forKey: key) else { return }
        let left = bytes[key.connectionID, default: 0] - waiting.bytes
        bytes[key.connectionID] = left > 0 ? left : nil
        guard !waiting.isGiven else { return }
        let window = windows[key.connectionID, default: 0] - waiting.bytes
        windows[key.connectionID] = window > 0 ? window : nil
    }

    /// The bytes of the link that has the most, and of all.
    var load: (link: Int, all: Int) { (bytes.values.max() ?? 0, bytes.values.reduce(0, +)) }

    /// Where frames part from branches, whose turn has not come yet.
    var partings: [(connectionID: ConnectionID, frame: EntriesFrame, branch: LogID, after: LogHead)] {
        let partings = parked.compactMap { key, waiting -> (ConnectionID, EntriesFrame, LogID, LogHead)? in
            guard case .placed(.parts(let branch, let head, _)) = waiting.state, let frame = waiting.frames.first
            else { return nil }
            return (key.connectionID, frame, branch, head)
        }
        // What parts first decides what gives way.
        return partings.sorted { ($0.3.sequence, $0.0) < ($1.3.sequence, $1.0) }
    }

    private var sorted: [(key: Key, value: Parked)] {
        parked.sorted { ($0.key.connectionID, $0.key.logID) < ($1.key.connectionID, $1.key.logID) }
    }

    /// Frames that began among entries that were not on the disk, and now are; with those that wait behind each.
    /// - Parameter isReady: whether the disk has what it is going to have of the log.
    mutating func takeEarly(
        where isReady: (LogDescription) -> Bool
    ) -> [(connectionID: ConnectionID, frames: [EntriesFrame])] {
        var taken: [(connectionID: ConnectionID, frames: [EntriesFrame])] = []
        for (key, waiting) in sorted {
            guard case .early = waiting.state, let first = waiting.frames.first, isReady(first.log) else { continue }
            release(key)
            taken.append((key.connectionID, Array(waiting.frames)))
        }
        return taken
    }

    /// Frames whose place is known, each with those that wait behind it.
    /// - Parameter isReady: whether its turn has come.
    mutating func takePlaced(
        where isReady: (EntriesFrame, Place) -> Bool
    ) -> [(connectionID: ConnectionID, frame: EntriesFrame, place: Place, rest: [EntriesFrame])] {
        var taken: [(connectionID: ConnectionID, frame: EntriesFrame, place: Place, rest: [EntriesFrame])] = []
        for (key, waiting) in sorted {
            guard case .placed(let place) = waiting.state, let first = waiting.frames.first, isReady(first, place)
            else { continue }
            release(key)
            taken.append((key.connectionID, first, place, Array(waiting.frames.dropFirst())))
        }
        return taken
    }

    /// An own log is shorter now: frames of it are compared once more.
    /// - Returns: what to read.
    mutating func relocate(_ log: LogDescription, branches: [LogID]) -> [EntriesRead] {
        parked.keys.filter { $0.logID == log.logID }.sorted { $0.connectionID < $1.connectionID }
            .compactMap { compare($0, with: branches[...]) }
    }

    mutating func end(_ connectionID: ConnectionID) {
        for key in parked.keys where key.connectionID == connectionID { release(key) }
    }

    // MARK: - The disk

    private mutating func compare(_ key: Key, with branches: ArraySlice<LogID>) -> EntriesRead? {
        guard let branch = branches.first, let frame = parked[key]?.frames.first else {
            parked[key]?.state = .placed(.nowhere)
            return nil
        }
        var comparison = Comparison()
        if frame.firstSequence == 1 {
            let origin = LogHead.origin(of: frame.log.logID)
            guard frame.previousChain == origin.chain else {
                parked[key]?.state = .placed(.nowhere)
                return nil
            }
            comparison.common = origin
        }
        parked[key]?.state = .comparing(branch, comparison, others: branches.dropFirst())
        return read(branch, from: max(1, frame.firstSequence - 1), key)
    }

    private func read(_ branch: LogID, from sequence: UInt64, _ key: Key) -> EntriesRead {
        EntriesRead(
            connectionID: key.connectionID, purpose: .locating(key.logID), logID: branch, from: sequence,
            countLimit: Limits.entriesPerFrame, byteLimit: Limits.frameBytes)
    }

    /// The store's answer to a read for a log.
    /// - Returns: what to read next; `nil` if it is known now where the frame belongs.
    mutating func read(_ read: EntriesRead, of logID: LogID, _ entries: [EntryRecord]) -> EntriesRead? {
        guard let connectionID = read.connectionID else { return nil }
        let key = Key(connectionID: connectionID, logID: logID)
        guard case .comparing(let branch, var comparison, let others) = parked[key]?.state, branch == read.logID,
            let frame = parked[key]?.frames.first
        else { return nil }
        var entries = entries[...]
        if comparison.common == nil {
            guard let before = entries.popFirst(), before.sequence == frame.firstSequence - 1,
                before.chain == frame.previousChain
            else { return compare(key, with: others) }
            comparison.common = before.head
            if entries.isEmpty { return goOn(key, branch, comparison, others) }
        }
        guard var common = comparison.common else { return nil }
        guard !entries.isEmpty else {
            parked[key]?.state = .placed(.continues(branch, known: comparison.known))
            return nil
        }
        for entry in entries {
            guard comparison.known < frame.contents.count else { break }
            guard entry.chain == common.chain.appending(frame.contents[comparison.known].hash) else {
                parked[key]?.state = .placed(.parts(branch, after: common, known: comparison.known))
                return nil
            }
            common = entry.head
            comparison.known += 1
        }
        comparison.common = common
        return goOn(key, branch, comparison, others)
    }

    private mutating func goOn(
        _ key: Key, _ branch: LogID, _ comparison: Comparison, _ others: ArraySlice<LogID>
    ) -> EntriesRead? {
        guard let frame = parked[key]?.frames.first, let common = comparison.common,
            comparison.known < frame.contents.count
        else {
            parked[key]?.state = .placed(.known(branch))
            return nil
        }
        parked[key]?.state = .comparing(branch, comparison, others: others)
        return read(branch, from: common.sequence + 1, key)
    }
}

extension EntryRecord {
    /// The end of a log whose last entry it is.
    var head: LogHead { LogHead(sequence: sequence, chain: chain, timestamp: timestamp) }
}

extension EntriesFrame {
    /// The place of one of its entries; of none, that of the entry before the first.
    func place(after count: Int) -> Place {
        contents.prefix(count).reduce(Place(sequence: firstSequence &- 1, chain: previousChain)) {
            Place(sequence: $0.sequence + 1, chain: $0.chain.appending($1.hash))
        }
    }

    /// What its entries count in a window.
    var windowBytes: Int { contents.windowBytes }
}
