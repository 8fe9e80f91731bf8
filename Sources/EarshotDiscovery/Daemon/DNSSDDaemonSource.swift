import Dispatch

/// DNS-SD through the system's daemon: Avahi, by its `dns_sd.h` layer.
///
/// Where no daemon answers it reports itself unavailable, and advertises and looks again as soon as one does.
public struct DNSSDDaemonSource: DiscoverySource {
    /// The first wait for a daemon that is not there; each is twice the one before, up to `retryCeiling`.
    static let retryFloor = Duration.milliseconds(500)
    static let retryCeiling = Duration.seconds(2)

    public let name = "dns-sd daemon"
    private let configuration: DiscoveryConfiguration

    public init(configuration: DiscoveryConfiguration = DiscoveryConfiguration()) {
        self.configuration = configuration
    }

    /// - Throws: `invalidAnnouncement` for a network tag that cannot be advertised, `outOfResources`, and
    ///   `CancellationError` when it is cancelled while it waits for a daemon.
    public func run(
        advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void
    ) async throws {
        var delay = Self.retryFloor
        while !Task.isCancelled {
            let end = try await connect(advertising, reporting)
            guard let failure = end.failure else { return }
            guard failure.code != .invalidAnnouncement else { throw failure }
            reporting(.unavailable(reason: failure.message))
            if end.wasAvailable { delay = Self.retryFloor }
            try await Task.sleep(for: delay)
            delay = min(delay * 2, Self.retryCeiling)
        }
    }

    /// How a connection ended: with a failure, or because the task was cancelled.
    private struct End: Sendable {
        var wasAvailable = false
        var failure: DiscoveryError?
    }

    /// Runs one connection on a thread of its own, since the calls into the daemon's layer block.
    private func connect(
        _ advertising: Advertisement, _ reporting: @escaping @Sendable (SourceReport) -> Void
    ) async throws(DiscoveryError) -> End {
        let wakeUp = try WakeUp()
        let queue = DispatchQueue(label: "earshot.discovery.dns-sd")
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(returning: run(advertising, wakeUp, reporting))
                }
            }
        } onCancel: {
            wakeUp.signal()
        }
    }

    private func run(
        _ advertising: Advertisement, _ wakeUp: WakeUp, _ reporting: @escaping (SourceReport) -> Void
    ) -> End {
        var end = End()
        let connection = DaemonConnection(advertising: advertising, configuration: configuration, wakeUp: wakeUp) {
            report in
            if report == .available { end.wasAvailable = true }
            reporting(report)
        }
        do {
            try connection.run()
        } catch {
            end.failure = error
        }
        return end
    }
}
