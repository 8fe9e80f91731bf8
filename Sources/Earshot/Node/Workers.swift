import NIOCore
import Synchronization

/// What handles messages in this process, and finishes before its node says goodbye: bots that run, and loops over the
/// inbox.
///
/// When the node is to end, everybody who works hears so, begins nothing more, and leaves when what they have begun is
/// on the disk. The node waits for them, but no longer than its configuration says (`NodeConfiguration.endingLimit`).
final class Workers: Sendable {
    private enum Phase {
        case working
        case ending
        /// The node waits for nobody any more.
        case over
    }

    private struct State {
        var phase = Phase.working
        var workers: [UInt64: Worker] = [:]
        var nextNumber: UInt64 = 0
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// - Returns: who waits until nobody works any more, if that is so now.
        mutating func released() -> [CheckedContinuation<Void, Never>] {
            guard workers.isEmpty || phase == .over else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Mutex(State())
    let limit: Duration
    private let clock: any NodeClock
    private let loop: any EventLoop

    init(limit: Duration, clock: any NodeClock, loop: any EventLoop) {
        self.limit = limit
        self.clock = clock
        self.loop = loop
    }

    /// Whether nothing more is to be handed out.
    var areEnding: Bool { state.withLock { $0.phase != .working } }

    /// Somebody begins to work.
    /// - Returns: `nil` if the node is to end.
    func enter() -> Worker? {
        state.withLock { state in
            guard case .working = state.phase else { return nil }
            state.nextNumber += 1
            let worker = Worker(state.nextNumber, of: self)
            state.workers[state.nextNumber] = worker
            return worker
        }
    }

    fileprivate func leave(_ number: UInt64) {
        let released = state.withLock { state in
            state.workers[number] = nil
            return state.released()
        }
        for waiting in released { waiting.resume() }
    }

    /// Tells everybody to finish.
    func beginEnding() {
        let told = state.withLock { state in
            guard case .working = state.phase else { return [Worker]() }
            state.phase = .ending
            return Array(state.workers.values)
        }
        for worker in told { worker.finish() }
    }

    /// Returns when everybody has finished, or when their time is up; also in a task that is cancelled.
    func end() async {
        beginEnding()
        let timer = schedule { self.giveUp() }
        await withCheckedContinuation { continuation in
            let released = state.withLock { state in
                state.waiting.append(continuation)
                return state.released()
            }
            for waiting in released { waiting.resume() }
        }
        timer.cancel()
    }

    /// Waits for nobody any more: time is up, or the process counts as dead.
    func giveUp() {
        let (released, left) = state.withLock { state in
            state.phase = .over
            return (state.released(), Array(state.workers.values))
        }
        for worker in left { worker.giveUp() }
        for waiting in released { waiting.resume() }
    }

    /// Calls when the time for finishing is up, or another time from now.
    fileprivate func schedule(after duration: Duration? = nil, _ body: @escaping @Sendable () -> Void) -> any NodeTimer
    {
        clock.schedule(at: clock.uptime(after: duration ?? limit), on: loop, body)
    }
}

/// Somebody who handles messages of a node in this process.
final class Worker: Sendable {
    enum Phase: Sendable {
        case working
        /// Nothing more begins; what has begun goes on until the time is up.
        case finishing
        /// What still goes on is broken off.
        case over
    }

    private struct State {
        var phase = Phase.working
        var timer: (any NodeTimer)?
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var nextNumber: UInt64 = 0
    }

    private let number: UInt64
    private let workers: Workers
    private let state = Mutex(State())

    fileprivate init(_ number: UInt64, of workers: Workers) {
        self.number = number
        self.workers = workers
    }

    var phase: Phase { state.withLock(\.phase) }

    /// Calls at each change of the phase from now on, and at once if it is to finish already.
    /// - Returns: what `stopObserving` takes.
    func observe(_ body: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isWorking) = state.withLock { state in
            state.nextNumber += 1
            state.observers[state.nextNumber] = body
            return (state.nextNumber, state.phase == .working)
        }
        if !isWorking { body() }
        return number
    }

    func stopObserving(_ number: UInt64) { _ = state.withLock { $0.observers.removeValue(forKey: number) } }

    /// Does something that is cancelled when the worker is to finish, or the caller's task is cancelled.
    func whileWorking<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(EarshotError) -> Value
    ) async throws(EarshotError) -> Value {
        let task = Task { () -> Result<Value, EarshotError> in
            do throws(EarshotError) { return .success(try await body()) } catch { return .failure(error) }
        }
        let observation = observe { task.cancel() }
        defer { stopObserving(observation) }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Waits by the node's clock, no longer than the worker works and the caller's task is not cancelled.
    /// - Parameter alsoFinishing: whether it goes on while the worker finishes.
    func pause(_ duration: Duration, alsoFinishing: Bool = false) async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let timer = workers.schedule(after: duration) { continuation.finish() }
        let observation = observe {
            if !alsoFinishing || self.phase == .over { continuation.finish() }
        }
        for await _ in stream {}
        stopObserving(observation)
        timer.cancel()
    }

    /// It is to finish within the node's limit.
    func finish() {
        let timer = workers.schedule { [weak self] in self?.giveUp() }
        let observers = state.withLock { state -> [@Sendable () -> Void]? in
            guard case .working = state.phase else { return nil }
            state.phase = .finishing
            state.timer = timer
            return Array(state.observers.values)
        }
        guard let observers else { return timer.cancel() }
        for observer in observers { observer() }
    }

    /// Its time is up.
    func giveUp() {
        let observers = state.withLock { state in
            state.phase = .over
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// It has finished. The node need not wait for it.
    func leave() {
        let timer = state.withLock { state in
            state.observers = [:]
            return state.timer
        }
        timer?.cancel()
        workers.leave(number)
    }
}

/// A handler of a bot that runs. Whoever is called by it cannot wait for it.
final class Handling: Sendable {
    @TaskLocal static var current: Handling?

    private let workers: Workers
    private let isOver = Atomic(false)

    init(among workers: Workers) { self.workers = workers }

    /// Whether workers cannot all have finished before the current task goes on.
    static func holdsUp(_ workers: Workers) -> Bool {
        guard let current else { return false }
        return current.workers === workers && !current.isOver.load(ordering: .acquiring)
    }

    /// The handler has returned; tasks that it has started may go on.
    func end() { isOver.store(true, ordering: .releasing) }
}
