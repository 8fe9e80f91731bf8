package import EarshotModel
import Synchronization

/// DNS-SD by the system's daemon if one answers, and otherwise by a stack in this process.
///
/// It moves from one to the other as the daemon comes and goes, and loses nobody on the way. It is unavailable only if
/// neither works.
package struct DNSSDSource: DiscoverySource {
    package let name = "dns-sd"
    private let daemon: any DiscoverySource
    private let embedded: any DiscoverySource

    package init(configuration: DiscoveryConfiguration = DiscoveryConfiguration()) {
        self.init(
            daemon: DNSSDDaemonSource(configuration: configuration),
            embedded: EmbeddedDNSSDSource(configuration: configuration))
    }

    init(daemon: any DiscoverySource, embedded: any DiscoverySource) {
        self.daemon = daemon
        self.embedded = embedded
    }

    package var operationCount: Int { daemon.operationCount + embedded.operationCount }

    package func seek(_ deviceID: DeviceID) {
        daemon.seek(deviceID)
        embedded.seek(deviceID)
    }

    package func run(
        advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void
    ) async throws {
        let runner = SelectionRunner(reporting: reporting)
        await withDiscardingTaskGroup { group in
            group.addTask { await runner.runEmbedded(embedded, advertising: advertising) }
            group.addTask { await runner.runDaemon(daemon, advertising: advertising) }
            runner.handle(.started)
            for await (timer, time) in runner.timers {
                group.addTask { await runner.wait(for: timer, time) }
            }
        }
        try Task.checkCancellation()
    }
}

/// The shell of a `StackSelection`.
private final class SelectionRunner: Sendable {
    /// Timers that are asked for and not yet begun. There is one when the source starts and one when a stack comes or
    /// goes, which takes the daemon's source half a second at least.
    static let timerLimit = 64

    let timers: AsyncStream<(StackSelection.Timer, Duration)>
    private let newTimers: AsyncStream<(StackSelection.Timer, Duration)>.Continuation
    /// The run of the embedded stack that is wanted now: only the latest matters.
    private let wantedRuns: AsyncStream<Int?>
    private let newWantedRuns: AsyncStream<Int?>.Continuation
    private let reporting: @Sendable (SourceReport) -> Void
    private let selection = Mutex(StackSelection())

    init(reporting: @escaping @Sendable (SourceReport) -> Void) {
        self.reporting = reporting
        (timers, newTimers) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.timerLimit))
        (wantedRuns, newWantedRuns) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func handle(_ input: StackSelection.Input) {
        // Run under the lock, so that the reports of two stacks stay in the order of the selection's states.
        selection.withLock { selection in
            for action in selection.handle(input) { run(action) }
        }
    }

    private func run(_ action: StackSelection.Action) {
        switch action {
        case .startEmbedded(let run): newWantedRuns.yield(run)
        case .stopEmbedded: newWantedRuns.yield(nil)
        case .wait(let timer, let time): newTimers.yield((timer, time))
        case .report(let report): reporting(report)
        }
    }

    func wait(for timer: StackSelection.Timer, _ time: Duration) async {
        do { try await Task.sleep(for: time) } catch { return }
        handle(.elapsed(timer))
    }

    func runDaemon(_ source: any DiscoverySource, advertising: Advertisement) async {
        let failure = await Self.run(source, advertising) { self.handle(.daemon($0)) }
        if let failure { handle(.daemon(.unavailable(reason: failure))) }
    }

    /// Starts and stops the embedded stack as it is wanted, one run at a time.
    func runEmbedded(_ source: any DiscoverySource, advertising: Advertisement) async {
        var wanted = wantedRuns.makeAsyncIterator()
        var next = await wanted.next()
        while let wish = next {
            guard let run = wish else {
                next = await wanted.next()
                continue
            }
            next = await withDiscardingTaskGroup { group in
                group.addTask {
                    let failure = await Self.run(source, advertising) { self.handle(.embedded(run: run, $0)) }
                    if let failure { self.handle(.embedded(run: run, .unavailable(reason: failure))) }
                }
                let next = await wanted.next()
                group.cancelAll()
                return next
            }
        }
    }

    /// - Returns: why it ended, unless it was told to.
    private static func run(
        _ source: any DiscoverySource, _ advertising: Advertisement,
        _ reporting: @escaping @Sendable (SourceReport) -> Void
    ) async -> String? {
        var reason = "it ended"
        do {
            try await source.run(advertising: advertising, reporting: reporting)
        } catch {
            reason = "\(error)"
        }
        return Task.isCancelled ? nil : "\(source.name): \(reason)"
    }
}
