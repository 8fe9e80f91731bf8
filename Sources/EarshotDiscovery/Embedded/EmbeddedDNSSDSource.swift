package import EarshotModel

/// DNS-SD by a stack in this process: Avahi's own (libavahi-core), which needs neither a daemon nor D-Bus.
///
/// It can run beside another stack of this host. It advertises a host name of its own.
package struct EmbeddedDNSSDSource: DiscoverySource {
    /// The first wait after the stack failed; each is twice the one before, up to `retryCeiling`.
    static let retryFloor = Duration.milliseconds(500)
    static let retryCeiling = Duration.seconds(8)

    package let name = "embedded DNS-SD stack"
    private let configuration: DiscoveryConfiguration
    private let gauge: OperationGauge
    private let sought = SoughtDevices()

    package init(configuration: DiscoveryConfiguration = DiscoveryConfiguration()) {
        self.init(configuration: configuration, gauge: OperationGauge())
    }

    init(configuration: DiscoveryConfiguration = DiscoveryConfiguration(), gauge: OperationGauge) {
        self.configuration = configuration
        self.gauge = gauge
    }

    package var operationCount: Int { gauge.count }

    package func seek(_ deviceID: DeviceID) { sought.add(deviceID) }

    /// - Throws: `invalidAnnouncement` for a network tag that cannot be advertised, and `CancellationError` when it is
    ///   cancelled while it waits to begin again.
    package func run(
        advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void
    ) async throws {
        try await reconnecting(floor: Self.retryFloor, ceiling: Self.retryCeiling, reporting: reporting) {
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
            let node = try EmbeddedNode(
                advertising: advertising, configuration: configuration, gauge: gauge, sought: sought, wakeUp: wakeUp
            ) { report in
                if report == .available(.embedded) { end.wasAvailable = true }
                reporting(report)
            }
            try node.run()
        } catch {
            end.failure = error
        }
        return end
    }
}
