import EarshotProtocol

extension NodeShell {
    /// Sets the metrics that change constantly to their current values.
    /// - Parameter waitingInGroups: how many messages wait there.
    func measure(waitingInGroups: UInt64) {
        let undelivered = machine.undelivered.values.reduce(waitingInGroups, +)
        telemetry.measure(
            NodeLevels(
                load: machine.load, undelivered: undelivered, devices: observations.deviceCount,
                eventsLost: events.lostCount))
    }

    /// What went wrong lately.
    var recentTrouble: RecentTrouble.Counts {
        telemetry.recentTrouble(eventsLost: events.lostCount, now: clock.now.uptime)
    }
}

extension Node {
    /// The node's metrics in Prometheus' text format; `nil` if its program has given it metrics of another kind.
    public func metricsText() async -> String? {
        guard let metrics = configuration.metrics as? PrometheusMetrics else { return nil }
        await shell.measure(waitingInGroups: await waitingInGroups().values.reduce(0, +))
        return metrics.text()
    }
}
