import EarshotModel

/// The shell of a `ServiceBrowser`: holds the open lookups and the timers. Confined to one thread.
final class LookupRunner<Provider: LookupProvider> {
    private let provider: Provider
    private let configuration: DiscoveryConfiguration
    private let report: (SourceReport) -> Void
    private var browser: ServiceBrowser
    private var timers: [ServiceBrowser.Timer: ContinuousClock.Instant] = [:]
    /// The first of them.
    private var nextTimer: ContinuousClock.Instant?
    private(set) var operations: [Lookup: Provider.Operation] = [:]

    init(
        provider: Provider, browser: ServiceBrowser, configuration: DiscoveryConfiguration,
        report: @escaping (SourceReport) -> Void
    ) {
        self.provider = provider
        self.browser = browser
        self.configuration = configuration
        self.report = report
    }

    func start() throws(DiscoveryError) {
        operations[.instances] = try provider.begin(.instances, on: nil)
    }

    /// Ends every lookup.
    func stop() { operations = [:] }

    /// This node is advertised under this name, and not under the one it had before.
    func registered(as instance: String) { run(browser.registered(as: instance)) }

    /// Devices are not where they were found.
    func seek(_ devices: [DeviceID]) {
        for deviceID in devices { run(browser.sought(deviceID)) }
    }

    /// - Throws: `serviceFailed` if it can no longer look for instances.
    func handle(_ event: LookupEvent, of lookup: Lookup) throws(DiscoveryError) {
        switch (lookup, event) {
        case (.instances, .failed): throw DiscoveryError(.serviceFailed, "the DNS-SD stack stopped browsing")
        case (.instances, .appeared(let instance, let index)):
            let interface = NetworkInterface(index: index)
            guard configuration.includes(interface: interface.name) else { return }
            run(browser.appeared(instance, on: interface))
        case (.instances, .disappeared(let instance, let interface)):
            run(browser.disappeared(instance, on: interface))
        case (.instance(let instance), .resolved(let host, let port, let txt)):
            run(browser.resolved(instance, host: host, port: port, txt: txt))
        case (.instance(let instance), .failed):
            // As a rule it timed out. If the daemon is gone, browsing fails too, and says so.
            run(browser.resolveFailed(instance))
        case (.addresses(let host, _), .addressAppeared(let bytes, let interface)):
            run(browser.addressAppeared(bytes, of: host, on: interface))
        case (.addresses(let host, _), .addressDisappeared(let bytes, let interface)):
            run(browser.addressDisappeared(bytes, of: host, on: interface))
        case (.addresses(let host, let family), .exhausted): run(browser.exhausted(host, family))
        case (.addresses(let host, _), .failed):
            // Both families anew, after a pause, and all that is at that host with them.
            run(browser.addressesRefused(host))
        default: break
        }
    }

    // MARK: Time

    /// For `poll`: -1 where there is nothing to wait for.
    var millisecondsToNextTimer: CInt { Polling.milliseconds(until: nextTimer) }

    func fireTimers(at now: ContinuousClock.Instant = .now) {
        guard let nextTimer, nextTimer <= now else { return }
        for timer in timers.filter({ $0.value <= now }).map(\.key) {
            timers[timer] = nil
            run(browser.elapsed(timer))
        }
        self.nextTimer = timers.values.min()
    }

    // MARK: Actions

    private func run(_ actions: [ServiceBrowser.Action]) {
        var actions = actions
        // A loop, not recursion: an action that fails at once may be followed by any number of others.
        while !actions.isEmpty {
            actions = actions.flatMap { perform($0) }
        }
    }

    /// - Returns: what follows from an action that failed at once.
    private func perform(_ action: ServiceBrowser.Action) -> [ServiceBrowser.Action] {
        switch action {
        case .resolve(let instance, let interface): return resolve(instance, on: interface)
        case .stopResolving(let instance): operations[.instance(instance)] = nil
        case .queryAddresses(let host): return queryAddresses(of: host)
        case .stopQuerying(let host):
            for family in AddressFamily.allCases { operations[.addresses(host: host, family)] = nil }
        case .wait(let timer, let time):
            let end = ContinuousClock.now.advanced(by: time)
            timers[timer] = min(timers[timer] ?? end, end)
            nextTimer = min(nextTimer ?? end, end)
        case .report(let report): self.report(report)
        }
        return []
    }

    private func resolve(_ instance: String, on interface: UInt32) -> [ServiceBrowser.Action] {
        do {
            operations[.instance(instance)] = try provider.begin(.instance(instance), on: interface)
            return []
        } catch {
            let isRefused = error.code == .connectionRefused
            return isRefused ? browser.resolveRefused(instance) : browser.resolveFailed(instance)
        }
    }

    private func queryAddresses(of host: String) -> [ServiceBrowser.Action] {
        do {
            for family in AddressFamily.allCases {
                let lookup = Lookup.addresses(host: host, family)
                operations[lookup] = try provider.begin(lookup, on: nil)
            }
            return []
        } catch {
            return browser.addressesRefused(host)
        }
    }
}
