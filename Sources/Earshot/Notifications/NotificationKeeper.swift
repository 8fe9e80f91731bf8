import EarshotModel
import EarshotStore
import Synchronization

/// Where a node's user is notified, and of which conversations. It holds no messages: a target's cursor on the disk says
/// what it was notified of.
final class NotificationKeeper: Sendable {
    private struct State {
        var targets: [String: NotificationTargetRecord]
        var levels: [ConversationID: NotificationLevel]
        /// What ends those who notify a target.
        var ends: [String: AsyncStream<Never>.Continuation] = [:]
        var isRunning = false
        /// Whether a test is under way, so that a flood of registrations starts no flood of programs.
        var isTesting = false
    }

    private let state: Mutex<State>
    private let registered: AsyncStream<NotificationTargetRecord>
    private let registration: AsyncStream<NotificationTargetRecord>.Continuation

    /// - Throws: `StoreError`.
    init(store: Store) throws(StoreError) {
        let targets = try store.notificationTargets()
        state = Mutex(
            State(
                targets: Dictionary(targets.map { ($0.name, $0) }) { first, _ in first },
                levels: try store.notificationLevels()))
        (registered, registration) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Limits.notificationTargets))
    }

    var targets: [NotificationTargetRecord] { state.withLock { $0.targets.values.sorted { $0.name < $1.name } } }

    func level(of conversationID: ConversationID) -> NotificationLevel {
        state.withLock { $0.levels[conversationID] } ?? .standard
    }

    func set(_ level: NotificationLevel, of conversationID: ConversationID) {
        state.withLock { $0.levels[conversationID] = level == .standard ? nil : level }
    }

    func add(_ record: NotificationTargetRecord) {
        let isRunning = state.withLock { state in
            state.targets[record.name] = record
            return state.isRunning
        }
        if isRunning { registration.yield(record) }
    }

    func remove(_ name: String) {
        let end = state.withLock { state in
            state.targets[name] = nil
            return state.ends.removeValue(forKey: name)
        }
        end?.finish()
    }

    func note(_ progress: NotificationProgress, of record: NotificationTargetRecord) {
        state.withLock { state in
            guard state.targets[record.name]?.createdAt == record.createdAt else { return }
            state.targets[record.name]?.progress = progress
        }
    }

    /// - Returns: whether no other test is under way. Then `endTest` is to be called.
    func beginTest() -> Bool {
        state.withLock { state in
            defer { state.isTesting = true }
            return !state.isTesting
        }
    }

    func endTest() { state.withLock { $0.isTesting = false } }

    // MARK: - Running

    /// Notifies all targets, each at its own pace, until the task is cancelled.
    func run(of node: Node) async {
        await withDiscardingTaskGroup { group in
            let first = state.withLock { state in
                state.isRunning = true
                return Array(state.targets.values)
            }
            for record in first { group.addTask { await self.follow(record, of: node) } }
            for await record in registered { group.addTask { await self.follow(record, of: node) } }
        }
    }

    /// Notifies one target until it is removed.
    private func follow(_ record: NotificationTargetRecord, of node: Node) async {
        let (ended, end) = AsyncStream<Never>.makeStream()
        let isThere = state.withLock { state in
            guard state.targets[record.name]?.createdAt == record.createdAt else { return false }
            state.ends[record.name] = end
            return true
        }
        guard isThere else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.look(for: record, of: node) }
            group.addTask { for await _ in ended {} }
            // What is under way for a target that was removed ends, too.
            await group.next()
            group.cancelAll()
        }
    }

    private func look(for record: NotificationTargetRecord, of node: Node) async {
        let (arrivals, wake) = node.events.arrivals.waiter()
        defer { wake.finish() }
        // Messages may have come while the node did not run.
        wake.yield()
        let clock = node.environment.clock
        var (rounds, timer) = (NotificationRounds(record: record, keeper: self, node: node), (any NodeTimer)?.none)
        defer { timer?.cancel() }
        for await _ in arrivals {
            await rounds.look()
            timer?.cancel()
            timer = rounds.pace.dueTime.map { clock.schedule(at: $0, on: node.shell.loop) { wake.yield() } }
        }
    }
}
