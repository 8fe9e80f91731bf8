import Glibc

/// One connection to the DNS-SD daemon, from the first call until the daemon is gone: the shell of a `ServiceBrowser`.
///
/// Everything happens on the thread that calls `run()`: it waits for the daemon and for timers in one `poll`, so
/// there is nothing to lock, and all operations are freed before it returns.
final class DaemonConnection {
    private enum OperationID: Hashable {
        case registration
        case browsing
        case resolving(instance: String)
        case querying(host: String, AddressFamily)
    }

    private let advertisement: Advertisement
    private let configuration: DiscoveryConfiguration
    private let report: (SourceReport) -> Void
    private let wakeUp: WakeUp
    private var browser: ServiceBrowser
    private var operations: [OperationID: DNSServiceOperation] = [:]
    private var timers: [ServiceBrowser.Timer: ContinuousClock.Instant] = [:]

    init(
        advertising advertisement: Advertisement, configuration: DiscoveryConfiguration, wakeUp: WakeUp,
        report: @escaping (SourceReport) -> Void
    ) {
        self.advertisement = advertisement
        self.configuration = configuration
        self.wakeUp = wakeUp
        self.report = report
        browser = ServiceBrowser(ownInstance: advertisement.instanceName)
    }

    /// Returns when it was woken up.
    /// - Throws: why the daemon cannot be used any more, or could not from the beginning.
    func run() throws(DiscoveryError) {
        defer { operations = [:] }
        let txt = try advertisement.txtRecord().encoded
        operations[.registration] = try .register(advertisement, txt: txt)
        operations[.browsing] = try .browse()
        report(.available)
        while let ready = try waitForWork() {
            for (id, operation) in ready where operations[id] === operation {
                for event in operation.process() { try handle(event, of: id) }
            }
            fireTimers()
        }
    }

    /// - Returns: the operations that have something to say, or `nil` when it was woken up to end.
    private func waitForWork() throws(DiscoveryError) -> [(OperationID, DNSServiceOperation)]? {
        let watched = Array(operations)
        let descriptors = [wakeUp.fileDescriptor] + watched.map(\.value.fileDescriptor)
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), millisecondsToNextTimer()) >= 0 || errno == EINTR else {
            throw DiscoveryError(.outOfResources, "poll: \(String(cString: strerror(errno)))")
        }
        guard polled[0].revents == 0 else { return nil }
        return zip(watched, polled.dropFirst()).filter { $1.revents != 0 }.map { ($0.0.key, $0.0.value) }
    }

    private func millisecondsToNextTimer() -> CInt {
        guard let next = timers.values.min() else { return -1 }
        let wait = ContinuousClock.now.duration(to: next)
        guard wait > .zero else { return 0 }
        // Rounded up, so that the timer is due when the wait is over.
        return CInt(clamping: wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000 + 1)
    }

    private func fireTimers() {
        let now = ContinuousClock.now
        for timer in timers.filter({ $0.value <= now }).map(\.key) {
            timers[timer] = nil
            run(browser.elapsed(timer))
        }
    }

    private func handle(_ event: DNSServiceEvent, of id: OperationID) throws(DiscoveryError) {
        switch (id, event) {
        case (.registration, .failed(let code)), (.browsing, .failed(let code)):
            throw DiscoveryError(dnsServiceError: code)
                ?? DiscoveryError(.serviceFailed, "the DNS-SD daemon failed without an error")
        case (.browsing, .appeared(let instance, let interface)):
            let interface = NetworkInterface(index: interface, name: Self.name(ofInterface: interface))
            guard configuration.includes(interface: interface.name) else { return }
            run(browser.appeared(instance, on: interface))
        case (.browsing, .disappeared(let instance, let interface)):
            run(browser.disappeared(instance, on: interface))
        case (.resolving(let instance), .resolved(let host, let port, let txt)):
            run(browser.resolved(instance, host: host, port: port, txt: txt))
        case (.resolving(let instance), .failed):
            // Its time is over, as a rule. If the daemon is gone, browsing fails too and says so.
            run(browser.resolveFailed(instance))
        case (.querying(let host, _), .addressAppeared(let bytes, let interface)):
            run(browser.addressAppeared(bytes, of: host, on: interface))
        case (.querying(let host, _), .addressDisappeared(let bytes, let interface)):
            run(browser.addressDisappeared(bytes, of: host, on: interface))
        case (.querying, .failed):
            operations[id] = nil
        default: break
        }
    }

    private func run(_ actions: [ServiceBrowser.Action]) {
        var actions = actions
        // Not by recursion: what fails at once can have any number of others follow it.
        while !actions.isEmpty {
            actions = actions.flatMap { perform($0) }
        }
    }

    /// - Returns: what follows from an action that failed at once.
    private func perform(_ action: ServiceBrowser.Action) -> [ServiceBrowser.Action] {
        switch action {
        case .resolve(let instance, let interface): return resolve(instance, on: interface)
        case .stopResolving(let instance): operations[.resolving(instance: instance)] = nil
        case .queryAddresses(let host): return queryAddresses(of: host)
        case .stopQuerying(let host):
            for family in AddressFamily.allCases { operations[.querying(host: host, family)] = nil }
        case .wait(let timer, let time):
            if timers[timer] == nil { timers[timer] = .now.advanced(by: time) }
        case .report(let report): self.report(report)
        }
        return []
    }

    private func resolve(_ instance: String, on interface: UInt32) -> [ServiceBrowser.Action] {
        do {
            operations[.resolving(instance: instance)] = try .resolve(instance, interface: interface)
            return []
        } catch {
            let isRefused = error.code == .connectionRefused
            return isRefused ? browser.resolveRefused(instance) : browser.resolveFailed(instance)
        }
    }

    private func queryAddresses(of host: String) -> [ServiceBrowser.Action] {
        do {
            for family in AddressFamily.allCases {
                operations[.querying(host: host, family)] = try .addresses(of: host, family)
            }
            return []
        } catch {
            return browser.addressesRefused(host)
        }
    }

    /// - Returns: an interface that is gone has its number for a name.
    private static func name(ofInterface index: UInt32) -> String {
        var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &buffer) != nil else { return "#\(index)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
