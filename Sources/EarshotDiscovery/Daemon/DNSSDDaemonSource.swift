package import EarshotModel

/// DNS-SD through the system's daemon: Avahi.
///
/// Where no daemon answers it reports itself unavailable, and advertises and looks again as soon as one does.
package struct DNSSDDaemonSource: DiscoverySource {
    /// The first wait for a daemon that is not there; each is twice the one before, up to `retryCeiling`.
    static let retryFloor = Duration.milliseconds(500)
    /// A machine without the daemon mostly stays without it, and the stack in this process serves it as well.
    static let retryCeiling = Duration.seconds(10)

    package let name = "dns-sd daemon"
    private let configuration: DiscoveryConfiguration
    private let gauge = OperationGauge()
    private let sought = SoughtDevices()

    package init(configuration: DiscoveryConfiguration = DiscoveryConfiguration()) {
        self.configuration = configuration
    }

    package var operationCount: Int { gauge.count }

    package func seek(_ deviceID: DeviceID) { sought.add(deviceID) }

    /// - Throws: `invalidAnnouncement` for a network tag that cannot be advertised, and `CancellationError` when it is
    ///   cancelled while it waits for a daemon.
    package func run(
        advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void
    ) async throws {
        try await reconnecting(floor: Self.retryFloor, ceiling: Self.retryCeiling, reporting: reporting) {
            // On a thread of its own, since the calls into the daemon's layer block.
            try await BlockingWork.run { wakeUp in
                run(advertising, wakeUp, reporting)
            }
        }
    }

    private func run(
        _ advertising: Advertisement, _ wakeUp: WakeUp, _ reporting: @escaping (SourceReport) -> Void
    ) -> StackEnd {
        var end = StackEnd()
        do {
            let connection = try DaemonConnection(
                advertising: advertising, configuration: configuration, gauge: gauge, sought: sought, wakeUp: wakeUp
            ) { report in
                if report == .available(.daemon) { end.wasAvailable = true }
                reporting(report)
            }
            try connection.run()
        } catch {
            end.failure = error
        }
        return end
    }
}
