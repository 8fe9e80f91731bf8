/// Decides which instances are looked up now, and which lookups stay open: a pure state machine.
///
/// An open lookup reports every change at once, but costs something all the time. So the number of searches is bounded,
/// the latest few results stay open ("watched"), and the others rest until it is their turn to be searched again.
struct LookupSchedule {
    /// How many lookups are open.
    struct Bounds: Hashable {
        /// At once that have no answer yet.
        let search: Int
        /// That stay open after their answer.
        let watch: Int

        /// Each lookup costs threads and connections to the D-Bus daemon, which allows a user 256.
        static let daemon = Bounds(search: 8, watch: 8)
        /// Each lookup costs some memory, and queries on the network as often as its records age: every 96 s
        /// (RFC 6762 sections 5.2 and 10).
        static let embedded = Bounds(search: 32, watch: 64)
    }

    /// What to do, in this order.
    enum Step: Hashable {
        case open(String)
        case close(String)
    }

    private enum Stage {
        case waiting, searching, watching, resting
    }

    private var stages: [String: Stage] = [:]
    private var waiting: [String] = []
    private var searchCount = 0
    private var watching: [String] = []
    private var resting: [String] = []
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
    func isSearching(_ instance: String) -> Bool { stages[instance] == .searching }
    func isOpen(_ instance: String) -> Bool { stages[instance] == .searching || stages[instance] == .watching }

    /// An instance that is new, or one at rest that has news.
    mutating func wanted(_ instance: String) -> [Step] {
        guard stages[instance] == nil || stages[instance] == .resting else { return [] }
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
    mutating func settled(_ instance: String) -> [Step] {
        guard isSearching(instance) else { return [] }
        leaveStage(of: instance)
        stages[instance] = .watching
        watching.append(instance)
        searchLimit = min(bounds.search, searchLimit + 1)
        return trimWatching() + openNext()
    }

    /// An open lookup came to nothing.
    mutating func failed(_ instance: String) -> [Step] {
        guard isOpen(instance) else { return [] }
        leaveStage(of: instance)
        rest(instance)
        return [.close(instance)] + openNext()
    }

    /// Lookups could not be opened, because there are too many connections. They wait for `resumed()`. From now on
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
            let oldest = watching.removeFirst()
            rest(oldest)
            steps.append(.close(oldest))
        }
        return steps
    }

    private mutating func rest(_ instance: String) {
        stages[instance] = .resting
        resting.append(instance)
    }

    private mutating func leaveStage(of instance: String) {
        switch stages.removeValue(forKey: instance) {
        case .waiting: waiting.removeAll { $0 == instance }
        case .searching: searchCount -= 1
        case .watching: watching.removeAll { $0 == instance }
        case .resting: resting.removeAll { $0 == instance }
        case nil: break
        }
    }
}
