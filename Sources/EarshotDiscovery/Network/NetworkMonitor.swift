// `poll.h` is part of it, too, as Swift sees it.

import CLinuxNetwork
import Glibc

/// Reports when this machine's network or clocks change, so that a node looks for its peers at once.
package struct NetworkMonitor: Sendable {
    /// The first wait after it failed, as where no file descriptor is left; each is twice the one before, up to
    /// `retryCeiling`.
    static let retryFloor = Duration.milliseconds(500)
    static let retryCeiling = Duration.seconds(30)

    private let includes: @Sendable (String) -> Bool

    /// - Parameter includes: whether an interface counts, by its name. That containers come and go need not be news.
    package init(including includes: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.includes = includes
    }

    /// Reports changes until the task is cancelled, and returns then. The initial state is not a change.
    /// - Parameters:
    ///   - failing: is told when the operating system does not say what changes. The monitor tries again, and when it
    ///     can see again, reports a change: what was so meanwhile nobody knows.
    ///   - reporting: is called on the monitor's own thread; it does not block for long.
    package func run(
        failing: (DiscoveryError) -> Void = { _ in }, reporting: @escaping @Sendable (NetworkChange) -> Void
    ) async {
        var delay = Self.retryFloor
        var isBlind = false
        while !Task.isCancelled {
            let began = ContinuousClock.now
            do {
                try await watch(isBlind: isBlind, reporting: reporting)
                return
            } catch {
                failing(error)
            }
            isBlind = true
            if began.duration(to: .now) > Self.retryCeiling { delay = Self.retryFloor }
            // Throws only when the task is cancelled.
            do { try await Task.sleep(for: delay) } catch { return }
            delay = min(delay * 2, Self.retryCeiling)
        }
    }

    private func watch(
        isBlind: Bool, reporting: @escaping @Sendable (NetworkChange) -> Void
    ) async throws(DiscoveryError) {
        try await BlockingWork.run { [includes] wakeUp throws(DiscoveryError) in
            let watch = try NetworkWatch(including: includes, wakeUp: wakeUp, report: reporting)
            if isBlind { reporting(.networkChanged) }
            try watch.run()
        }
    }
}

/// The shell of `NetworkChangeFilter` and `ClockWatch`: waits for the kernel in one `poll`, on the thread of `run()`.
final class NetworkWatch {
    private let includes: (String) -> Bool
    private let wakeUp: WakeUp
    private let report: (NetworkChange) -> Void
    private let messages: NetlinkSocket
    private let questions: NetlinkSocket
    private let timer: ClockSetTimer
    private var filter: NetworkChangeFilter
    private var clocks: ClockWatch

    /// Later changes are compared with the state when this returns.
    init(
        including includes: @escaping (String) -> Bool, wakeUp: WakeUp, report: @escaping (NetworkChange) -> Void
    ) throws(DiscoveryError) {
        self.includes = includes
        self.wakeUp = wakeUp
        self.report = report
        messages = try NetlinkSocket(.allChanges)
        questions = try NetlinkSocket()
        timer = try ClockSetTimer()
        filter = NetworkChangeFilter(try .taken(from: questions, of: includes))
        clocks = ClockWatch(.now())
    }

    /// Returns when it was woken up.
    func run() throws(DiscoveryError) {
        while try waitForNews() {
            for change in clocks.read(.now()) { report(change) }
            guard let deadline = filter.deadline, deadline <= .now else { continue }
            if filter.closed(with: snapshot()) { report(.networkChanged) }
        }
    }

    /// - Returns: `nil` where the kernel gives no answer now, as when it is short of memory.
    private func snapshot() -> NetworkSnapshot? {
        do { return try .taken(from: questions, of: includes) } catch { return nil }
    }

    /// - Returns: `false` when it was woken up to end.
    private func waitForNews() throws(DiscoveryError) -> Bool {
        // While a window is open, the kernel's messages need not be read.
        let news = filter.deadline == nil ? messages.fileDescriptor : -1
        let isReadable = try Polling.readable(
            [wakeUp.fileDescriptor, timer.fileDescriptor, news],
            milliseconds: Polling.milliseconds(until: filter.deadline))
        if isReadable[1] { timer.acknowledge() }
        if isReadable[2] || filter.deadline.map({ $0 <= .now }) == true {
            filter.heard(isOverrun: messages.drain(), at: .now)
        }
        return !isReadable[0]
    }
}

/// Readable when the wall clock was set and when the machine resumed: timerfd_create(2), `TFD_TIMER_CANCEL_ON_SET`.
final class ClockSetTimer {
    let fileDescriptor: CInt

    init() throws(DiscoveryError) {
        fileDescriptor = clinuxnetwork_clock_set_timer()
        guard fileDescriptor >= 0 else { throw .failedCall("timerfd") }
    }

    deinit { close(fileDescriptor) }

    /// Makes it wait for the next time. The read itself fails, with ECANCELED: that is the news.
    func acknowledge() {
        var expirations: UInt64 = 0
        _ = read(fileDescriptor, &expirations, MemoryLayout<UInt64>.size)
    }
}
