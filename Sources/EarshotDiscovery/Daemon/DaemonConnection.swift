import EarshotModel
import Glibc

/// One connection to the DNS-SD daemon, from the first call until the daemon is gone.
///
/// Everything happens on the thread that calls `run()`: it waits for the daemon and for timers in one `poll`, so
/// there is nothing to lock, and all operations are freed before it returns.
final class DaemonConnection {
    private let advertisement: Advertisement
    private let gauge: OperationGauge
    private let sought: SoughtDevices
    private let wakeUp: WakeUp
    private let report: (SourceReport) -> Void
    private let lookups: LookupRunner<DNSServiceCalls>

    init(
        advertising advertisement: Advertisement, configuration: DiscoveryConfiguration, gauge: OperationGauge,
        sought: SoughtDevices, wakeUp: WakeUp, report: @escaping (SourceReport) -> Void
    ) {
        self.advertisement = advertisement
        self.gauge = gauge
        self.sought = sought
        self.wakeUp = wakeUp
        self.report = report
        lookups = LookupRunner(
            provider: DNSServiceCalls(gauge: gauge),
            browser: ServiceBrowser(
                ownInstance: advertisement.instanceName, ownDevice: advertisement.deviceID, bounds: .daemon),
            configuration: configuration, report: report)
    }

    /// Returns when it was woken up.
    /// - Throws: why the daemon can no longer be used, or could not be used from the beginning.
    func run() throws(DiscoveryError) {
        let bell = try Bell()
        sought.announce(by: bell)
        defer {
            sought.announce(by: nil)
            lookups.stop()
        }
        let txt = try advertisement.txtRecord().encoded
        let registration =
            advertisement.port == 0 ? nil : try DNSServiceCalls(gauge: gauge).register(advertisement, txt: txt)
        try lookups.start()
        report(.available(.daemon))
        while let ready = try waitForWork(with: registration, bell) {
            lookups.seek(sought.take())
            for (lookup, operation) in ready { try process(operation, of: lookup) }
            lookups.fireTimers()
        }
    }

    /// - Parameter lookup: `nil` for the registration.
    private func process(_ operation: DNSServiceOperation, of lookup: Lookup?) throws(DiscoveryError) {
        if let lookup, lookups.operations[lookup] !== operation { return }
        for event in operation.process() {
            switch (event, lookup) {
            case (.lookup(let event), let lookup?): try lookups.handle(event, of: lookup)
            case (.registered(let name), _): lookups.registered(as: name)
            case (.failed(let error), nil), (.failed(let error), .instances?): throw error
            case (.failed, let lookup?): try lookups.handle(.failed, of: lookup)
            case (.lookup, nil): break
            }
        }
    }

    /// - Returns: the operations that have something to say, or `nil` when it was woken up to end.
    private func waitForWork(
        with registration: DNSServiceOperation?, _ bell: Bell
    ) throws(DiscoveryError) -> [(Lookup?, DNSServiceOperation)]? {
        let registrations: [(Lookup?, DNSServiceOperation)] = registration.map { [(nil, $0)] } ?? []
        let watched = registrations + lookups.operations.map { ($0, $1) }
        let descriptors = [wakeUp.fileDescriptor, bell.fileDescriptor] + watched.map(\.1.fileDescriptor)
        let isReadable = try Polling.readable(descriptors, milliseconds: lookups.millisecondsToNextTimer)
        guard !isReadable[0] else { return nil }
        return zip(watched, isReadable.dropFirst(2)).filter(\.1).map(\.0)
    }
}
