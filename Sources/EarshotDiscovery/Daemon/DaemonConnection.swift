import EarshotModel

/// One connection to the DNS-SD daemon, from the first call until the daemon is gone.
///
/// Everything happens on the thread that calls `run()`, so there is nothing to lock, and everything that the daemon holds
/// is freed before it returns.
final class DaemonConnection {
    private let advertisement: Advertisement
    private let sought: SoughtDevices
    private let bell: Bell
    private let report: (SourceReport) -> Void
    private let client: DaemonClient
    private let lookups: LookupRunner<DaemonClient>
    private let txt: [UInt8]
    private var instance: String
    private var registration: AvahiObject?

    /// - Throws: `daemonUnavailable`, `outOfResources`, and `invalidAnnouncement` for a network tag that cannot be advertised.
    init(
        advertising advertisement: Advertisement, configuration: DiscoveryConfiguration, gauge: OperationGauge,
        sought: SoughtDevices, wakeUp: WakeUp, report: @escaping (SourceReport) -> Void
    ) throws(DiscoveryError) {
        self.advertisement = advertisement
        self.sought = sought
        self.report = report
        bell = try Bell()
        txt = try advertisement.txtRecord().encoded
        instance = advertisement.instanceName
        client = try DaemonClient(gauge: gauge, wakeUp: wakeUp, bell: bell)
        lookups = LookupRunner(
            provider: client,
            browser: ServiceBrowser(ownInstance: instance, ownDevice: advertisement.deviceID, bounds: .daemon),
            configuration: configuration, report: report)
    }

    /// Returns when it was woken up.
    /// - Throws: why the daemon can no longer be used.
    func run() throws(DiscoveryError) {
        sought.announce(by: bell)
        defer {
            sought.announce(by: nil)
            lookups.stop()
            registration = nil
        }
        try lookups.start()
        report(.available(.daemon))
        while try handle(client.turn(milliseconds: lookups.millisecondsToNextTimer)) { lookups.fireTimers() }
    }

    /// - Returns: whether to go on.
    private func handle(_ events: [AvahiInbox.Event]) throws(DiscoveryError) -> Bool {
        for event in events {
            switch event {
            case .lookup(let lookup, let serial, let event):
                if lookups.operations[lookup]?.serial == serial { try lookups.handle(event, of: lookup) }
            case .daemonRunning: try advertise()
            case .daemonNotRunning: registration = nil
            case .registered: lookups.registered(as: instance)
            case .instanceNameTaken:
                registration = nil
                instance = AvahiStrings.alternative(to: instance)
                try advertise()
            case .failed: throw DiscoveryError(.daemonUnavailable, "no DNS-SD daemon answers")
            case .wokenUp: return false
            case .rung: lookups.seek(sought.take())
            case .hostNameTaken, .networkChanged: continue
            }
        }
        return true
    }

    private func advertise() throws(DiscoveryError) {
        guard advertisement.port != 0, registration == nil else { return }
        registration = try client.advertise(instance, port: advertisement.port, txt: txt)
    }
}
