import EarshotModel

/// This node as the embedded stack advertises it, from the first packet until it is woken up.
///
/// Everything happens on the thread that calls `run()`, and everything that the stack holds is freed before it returns.
final class EmbeddedNode {
    /// How long after the kernel has told of a change the interfaces are looked at: one change is told in several messages.
    static let settling = Duration.milliseconds(100)
    /// How often they are looked at if the kernel tells nothing.
    static let interfaceCheckTime = Duration.seconds(60)

    private let advertisement: Advertisement
    private let configuration: DiscoveryConfiguration
    private let report: (SourceReport) -> Void
    private let sought: SoughtDevices
    private let bell: Bell
    /// Tells of changes, also of those that came while the interfaces were looked at.
    private let network: NetlinkSocket
    private let stack: AvahiStack
    private let lookups: LookupRunner<AvahiStack>
    private let txt: [UInt8]
    private var instance: String
    /// What is advertised on each interface, by its index. Nothing ever is on a skipped interface, even if it comes up
    /// later.
    private var advertised: [UInt32: InterfaceAdvertisement] = [:]
    private var nextInterfaceCheck = ContinuousClock.now

    private struct InterfaceAdvertisement {
        let isLoopback: Bool
        let service: AvahiObject
        var host: AvahiObject?
        var addresses: Set<IPAddress>
    }

    /// - Throws: `stackFailed`, `outOfResources`, and `invalidAnnouncement` for a network tag that cannot be advertised.
    init(
        advertising advertisement: Advertisement, configuration: DiscoveryConfiguration, gauge: OperationGauge,
        sought: SoughtDevices, wakeUp: WakeUp, report: @escaping (SourceReport) -> Void
    ) throws(DiscoveryError) {
        self.advertisement = advertisement
        self.configuration = configuration
        self.report = report
        self.sought = sought
        bell = try Bell()
        network = try NetlinkSocket(.allChanges)
        txt = try advertisement.txtRecord().encoded
        instance = advertisement.instanceName
        // The interfaces of now: the library takes no other list while it runs. On a skipped interface that appears
        // later it listens and asks, but advertises nothing, and what it hears there is ignored. Starting anew for each
        // one would forget everybody whenever a container starts.
        let denied = NetworkInterface.present().map(\.name).filter { !configuration.includes(interface: $0) }
        stack = try AvahiStack(
            hostName: advertisement.embeddedHostName, denied: denied,
            allowsPointToPoint: !configuration.includedInterfaces.isEmpty, gauge: gauge, wakeUp: wakeUp, bell: bell,
            network: network)
        stack.advertisesOnly(instance)
        lookups = LookupRunner(
            provider: stack,
            browser: ServiceBrowser(
                ownInstance: instance, ownDevice: advertisement.deviceID, bounds: .embedded),
            configuration: configuration, report: report)
    }

    /// Returns when it was woken up.
    /// - Throws: why the stack can no longer be used.
    func run() throws(DiscoveryError) {
        sought.announce(by: bell)
        defer {
            sought.announce(by: nil)
            lookups.stop()
            withdraw()
        }
        try lookups.start()
        try checkInterfaces()
        report(.available(.embedded))
        while try handle(stack.turn(milliseconds: waitTime)) {
            lookups.fireTimers()
            if nextInterfaceCheck <= .now { try checkInterfaces() }
        }
    }

    /// Says goodbye on the cable. The library says it for a service on one interface alone, the last that has it.
    private func withdraw() {
        advertised = advertised.filter { !$0.value.isLoopback }
        advertised = [:]
    }

    private var waitTime: CInt {
        let untilCheck = ContinuousClock.now.duration(to: nextInterfaceCheck).pollTimeout
        let untilTimer = lookups.millisecondsToNextTimer
        return untilTimer < 0 ? untilCheck : min(untilCheck, untilTimer)
    }

    /// - Returns: whether to go on.
    private func handle(_ events: [AvahiInbox.Event]) throws(DiscoveryError) -> Bool {
        var isHostNameTaken = false
        var isInstanceNameTaken = false
        var isNetworkChanged = false
        for event in events {
            switch event {
            case .lookup(let lookup, let serial, let event):
                if lookups.operations[lookup]?.serial == serial { try lookups.handle(event, of: lookup) }
            case .hostNameTaken: isHostNameTaken = true
            case .instanceNameTaken: isInstanceNameTaken = true
            case .failed: throw DiscoveryError(.stackFailed, "the embedded DNS-SD stack failed")
            case .wokenUp: return false
            case .rung: lookups.seek(sought.take())
            case .networkChanged: isNetworkChanged = true
            case .daemonRunning, .daemonNotRunning, .registered: continue
            }
        }
        if isNetworkChanged {
            _ = network.drain()
            nextInterfaceCheck = min(nextInterfaceCheck, .now.advanced(by: Self.settling))
        }
        // Once, even if several interfaces reported it.
        if isHostNameTaken || isInstanceNameTaken { try rename(host: isHostNameTaken, instance: isInstanceNameTaken) }
        return true
    }

    private func rename(host isHostNameTaken: Bool, instance isInstanceNameTaken: Bool) throws(DiscoveryError) {
        withdraw()
        if isHostNameTaken { try stack.renameHost() }
        if isInstanceNameTaken {
            instance = AvahiStrings.alternative(to: instance)
            lookups.registered(as: instance)
        }
        stack.advertisesOnly(instance)
        try checkInterfaces()
    }

    /// Advertises on each interface on which peers are looked for, and stops on those that are gone.
    private func checkInterfaces() throws(DiscoveryError) {
        nextInterfaceCheck = .now.advanced(by: Self.interfaceCheckTime)
        guard advertisement.port != 0 else { return }
        let interfaces = NetworkInterface.present().filter { configuration.includes(interface: $0.name) }
        let indexes = Set(interfaces.map(\.index))
        for index in advertised.keys where !indexes.contains(index) { advertised[index] = nil }
        let addresses = HostAddresses.byInterface()
        for interface in interfaces { try advertise(addresses[interface.name] ?? [], on: interface) }
    }

    /// An interface without an address is of no use yet.
    private func advertise(_ addresses: Set<IPAddress>, on interface: NetworkInterface) throws(DiscoveryError) {
        let index = interface.index
        guard advertised[index]?.addresses != addresses else { return }
        guard !addresses.isEmpty else {
            advertised[index] = nil
            return
        }
        if advertised[index] != nil {
            // The old ones go first: the stack does not take the same record twice.
            advertised[index]?.host = nil
            advertised[index]?.host = try stack.advertise(addresses, on: index)
            advertised[index]?.addresses = addresses
        } else {
            advertised[index] = InterfaceAdvertisement(
                isLoopback: interface.name == NetworkInterface.loopbackName,
                service: try stack.advertise(instance, port: advertisement.port, txt: txt, on: index),
                host: try stack.advertise(addresses, on: index), addresses: addresses)
        }
    }
}
