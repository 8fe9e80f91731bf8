/// Decides which instances are looked up now, and when their lookups end: a pure state machine.
///
/// An open lookup reports every change at once, but costs something all the time. So the number of searches is bounded,
/// and each ends when it is answered, and begins again only when there is a reason. The latest few stay open for a while
/// after their answer ("watched") if that may be out of date. Those that failed, or whose answer will not do, rest until
/// it is their turn to be searched again. Those that are known have a turn too, which comes far less often.
struct LookupSchedule {
    /// How many lookups are open.
    struct Bounds: Hashable {
        /// At once that have no answer yet.
        let search: Int
        /// That stay open for a while after their answer.
        let watch: Int
        /// Whether a lookup that ends soon asks nobody, and is answered from what is known.
        let canGlance: Bool

        /// Each lookup costs the daemon up to three objects, of which it allows a client 1024.
        static let daemon = Bounds(search: 16, watch: 4, canGlance: false)
        /// Each lookup costs some memory, and queries on the network: after 1 s, 2 s, 4 s, and so on, and whenever its
        /// records age (RFC 6762 section 5.2).
        static let embedded = Bounds(search: 32, watch: 16, canGlance: true)
    }

    /// Instances that are sought and wait. One that finds no room is sought again when the next dial fails.
    static let soughtLimit = 256

    /// What to do, in this order.
    enum Step: Hashable {
        case open(String)
        case close(String)
    }

    private enum Stage {
        case waiting, searching
        /// Answered not long ago.
        case watching(isFinal: Bool)
        /// Failed, or its answer will not do.
        case resting
        /// Answered. Nothing is asked until its turn.
        case known
    }

    private var stages: [String: Stage] = [:]
    private var waiting: [String] = []
    private var searchCount = 0
    private var watching: [String] = []
    private var resting: [String] = []
    /// Those that were looked at longest ago first.
    private var known: [String] = []
    /// Those that are known or rest, and are to be searched again because they are not where they were found.
    private var sought: [String] = []
    private let bounds: Bounds
    private var searchLimit: Int
    private var watchLimit: Int

    init(bounds: Bounds = .daemon) {
        self.bounds = bounds
        searchLimit = bounds.search
        watchLimit = bounds.watch
    }

    /// Nothing is opened until `resumed()`.
    private(set) var isPaused = false
    var hasResting: Bool { !resting.isEmpty }
    var hasSought: Bool { !sought.isEmpty }
    var knownCount: Int { known.count }

    func isSearching(_ instance: String) -> Bool {
        if case .searching = stages[instance] { true } else { false }
    }

    func isWatching(_ instance: String) -> Bool {
        if case .watching = stages[instance] { true } else { false }
    }

    func isOpen(_ instance: String) -> Bool { isSearching(instance) || isWatching(instance) }

    /// An instance that is new, or one without an open lookup that has news.
    mutating func wanted(_ instance: String) -> [Step] {
        switch stages[instance] {
        case .resting, .known, nil: break
        case .waiting, .searching, .watching: return []
        }
        leaveStage(of: instance)
        stages[instance] = .waiting
        waiting.append(instance)
        return openNext()
    }

    mutating func removed(_ instance: String) -> [Step] {
        let wasOpen = isOpen(instance)
        leaveStage(of: instance)
        return (wasOpen ? [.close(instance)] : []) + openNext()
    }

    /// An open lookup has to begin anew.
    mutating func reopened(_ instance: String) -> [Step] {
        guard isOpen(instance) else { return [] }
        leaveStage(of: instance)
        stages[instance] = .searching
        searchCount += 1
        return [.close(instance), .open(instance)]
    }

    /// A search has its answer.
    /// - Parameters:
    ///   - isWatched: whether its lookup stays open for a while.
    ///   - isFinal: whether nothing more is asked when its lookup ends. Else it rests, and has its turn again.
    mutating func settled(_ instance: String, isWatched: Bool = false, isFinal: Bool = true) -> [Step] {
        guard isSearching(instance) else { return [] }
        leaveStage(of: instance)
        searchLimit = min(bounds.search, searchLimit + 1)
        stages[instance] = .watching(isFinal: isFinal)
        watching.append(instance)
        return (isWatched ? trimWatching() : watched(instance)) + openNext()
    }

    /// A search ends for now without its answer. Its instance waits until it is wanted again.
    mutating func postponed(_ instance: String) -> [Step] {
        guard isSearching(instance) else { return [] }
        leaveStage(of: instance)
        know(instance)
        return [.close(instance)] + openNext()
    }

    /// Nothing more has come for long enough after the answer.
    mutating func watched(_ instance: String) -> [Step] {
        guard isWatching(instance) else { return [] }
        end(instance)
        return [.close(instance)]
    }

    /// It is not where it was found. It waits for `seek()`.
    mutating func isSought(_ instance: String) {
        switch stages[instance] {
        case .resting, .known:
            guard sought.count < Self.soughtLimit, !sought.contains(instance) else { return }
            sought.append(instance)
        case .waiting, .searching, .watching, nil: return
        }
    }

    /// It is time to look again for the one that was sought first.
    mutating func seek() -> [Step] { sought.first.map { wanted($0) } ?? [] }

    /// It is time to look again at the one that is known and was looked at longest ago.
    mutating func review() -> [Step] { known.first.map { wanted($0) } ?? [] }

    /// An open lookup came to nothing.
    mutating func failed(_ instance: String) -> [Step] {
        guard isOpen(instance) else { return [] }
        leaveStage(of: instance)
        rest(instance)
        return [.close(instance)] + openNext()
    }

    /// Lookups could not be opened, because there are too many. They wait for `resumed()`. From now on
    /// fewer stay open, and fewer are tried at once.
    mutating func refused(_ instances: [String]) -> [Step] {
        let open = instances.filter { isOpen($0) }
        for instance in open {
            leaveStage(of: instance)
            stages[instance] = .waiting
        }
        waiting.insert(contentsOf: open, at: 0)
        isPaused = true
        searchLimit = max(1, searchLimit / 2)
        watchLimit /= 2
        return open.map { .close($0) } + trimWatching()
    }

    /// Enough time has passed since a refusal.
    mutating func resumed() -> [Step] {
        isPaused = false
        return openNext()
    }

    /// It is time to look again at the one that rested longest.
    mutating func rotate() -> [Step] { resting.first.map { wanted($0) } ?? [] }

    private mutating func openNext() -> [Step] {
        var steps: [Step] = []
        while !isPaused, searchCount < searchLimit, !waiting.isEmpty {
            let instance = waiting.removeFirst()
            stages[instance] = .searching
            searchCount += 1
            steps.append(.open(instance))
        }
        return steps
    }

    private mutating func trimWatching() -> [Step] {
        var steps: [Step] = []
        while watching.count > watchLimit {
            let oldest = watching[0]
            end(oldest)
            steps.append(.close(oldest))
        }
        return steps
    }

    /// Ends what is watched.
    private mutating func end(_ instance: String) {
        guard case .watching(let isFinal) = stages[instance] else { return }
        leaveStage(of: instance)
        if isFinal { know(instance) } else { rest(instance) }
    }

    private mutating func know(_ instance: String) {
        stages[instance] = .known
        known.append(instance)
    }

    private mutating func rest(_ instance: String) {
        stages[instance] = .resting
        resting.append(instance)
    }

    private mutating func leaveStage(of instance: String) {
        if !sought.isEmpty { sought.removeAll { $0 == instance } }
        switch stages.removeValue(forKey: instance) {
        case .waiting: waiting.removeAll { $0 == instance }
        case .searching: searchCount -= 1
        case .watching: watching.removeAll { $0 == instance }
        case .resting: resting.removeAll { $0 == instance }
        case .known: known.removeAll { $0 == instance }
        case nil: break
        }
    }
}
