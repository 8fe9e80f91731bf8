import EarshotModel

/// Decides which of two DNS-SD stacks is used, and how discovery moves from one to the other without losing anyone who
/// is still there: a pure state machine.
///
/// The daemon is preferred; the stack in this process runs while no daemon answers. When the daemon appears, both run
/// until it has had time to find everyone. When it goes, its records stay valid until the other stack has had that
/// time.
struct StackSelection {
    /// How long the daemon has for its first answer.
    static let patience = Duration.seconds(2)
    /// How long a stack has to find what the other one had found. It begins again as long as this goes on …
    static let grace = Duration.seconds(5)
    /// … but not more often than this: devices that are not found by then are gone.
    static let maximumGraces = 12

    enum Input {
        case started
        case daemon(SourceReport)
        case embedded(run: Int, SourceReport)
        case elapsed(Timer)
    }

    enum Timer: Hashable {
        case patience
        case grace(Int)
    }

    enum Action: Hashable {
        case startEmbedded(run: Int)
        case stopEmbedded
        case wait(Timer, Duration)
        case report(SourceReport)
    }

    private enum State: Hashable {
        case unknown
        case available
        case unavailable(reason: String)
    }

    private var daemon = State.unknown
    private var embedded = State.unknown
    /// The number of the run of the embedded stack that is under way.
    private var run: Int?
    private var lastRun = 0
    private var records = StackRecords()
    private var announced: SourceReport?
    /// The grace under way.
    private var grace: Int?
    private var lastGrace = 0
    private var gracesInARow = 0
    /// Whether one stack has found something of the other's since the grace began.
    private var hasFound = false

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .started: [.wait(.patience, Self.patience)]
        case .daemon(let report): daemonSaid(report)
        case .embedded(let run, let report): run == self.run ? embeddedSaid(report) : []
        case .elapsed(.patience): daemon == .unknown ? startEmbedded() : []
        case .elapsed(.grace(let number)): number == grace ? graceElapsed() : []
        }
    }

    // MARK: Reports

    private mutating func daemonSaid(_ report: SourceReport) -> [Action] {
        switch report {
        case .available:
            let isNew = daemon != .available
            daemon = .available
            return announce() + (isNew && run != nil ? beginGrace() : [])
        case .unavailable(let reason):
            let wasAvailable = daemon == .available
            daemon = .unavailable(reason: reason)
            let started = startEmbedded()
            return (wasAvailable ? leave(.daemon) : []) + started + announce()
        case .appeared, .disappeared, .malformed: return passOn(report, from: .daemon)
        }
    }

    private mutating func embeddedSaid(_ report: SourceReport) -> [Action] {
        switch report {
        case .available:
            embedded = .available
            return announce()
        case .unavailable(let reason):
            let wasAvailable = embedded == .available
            embedded = .unavailable(reason: reason)
            return (wasAvailable ? leave(.embedded) : []) + announce()
        case .appeared, .disappeared, .malformed: return passOn(report, from: .embedded)
        }
    }

    private mutating func passOn(_ report: SourceReport, from side: StackRecords.Side) -> [Action] {
        switch report {
        case .appeared(let record):
            if records.isConfirmed(by: record, on: side) { hasFound = true }
            return reports(records.appeared(record, on: side))
        case .disappeared(let key): return reports(records.disappeared(key, on: side))
        case .malformed: return [.report(report)]
        case .available, .unavailable: return []
        }
    }

    private func reports(_ reports: [SourceReport]) -> [Action] { reports.map { .report($0) } }

    /// Says how things are, if that has changed.
    private mutating func announce() -> [Action] {
        guard let report = state, report != announced else { return [] }
        announced = report
        return [.report(report)]
    }

    /// `nil` while it is undecided: a stack has not answered yet, or the records of one are still valid.
    private var state: SourceReport? {
        switch (daemon, embedded) {
        case (.available, _): .available(.daemon)
        case (_, .available): .available(.embedded)
        case (.unavailable(let first), .unavailable(let second)):
            records.hasStale ? nil : .unavailable(reason: "\(first); \(second)")
        case (.unknown, _), (_, .unknown): nil
        }
    }

    // MARK: Moving

    private mutating func startEmbedded() -> [Action] {
        guard run == nil else { return [] }
        lastRun += 1
        run = lastRun
        embedded = .unknown
        return [.startEmbedded(run: lastRun)]
    }

    private mutating func leave(_ side: StackRecords.Side) -> [Action] {
        records.expire(side)
        return beginGrace()
    }

    private mutating func beginGrace() -> [Action] {
        gracesInARow = 0
        return waitForGrace()
    }

    private mutating func waitForGrace() -> [Action] {
        lastGrace += 1
        grace = lastGrace
        gracesInARow += 1
        hasFound = false
        return [.wait(.grace(lastGrace), Self.grace)]
    }

    private mutating func graceElapsed() -> [Action] {
        if hasFound, gracesInARow < Self.maximumGraces { return waitForGrace() }
        grace = nil
        var actions: [Action] = []
        if daemon == .available, run != nil {
            run = nil
            embedded = .unknown
            records.expire(.embedded)
            actions = [.stopEmbedded]
        }
        return actions + reports(records.removeStale()) + announce()
    }
}
