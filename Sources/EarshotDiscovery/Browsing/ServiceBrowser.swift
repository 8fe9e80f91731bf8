import EarshotModel

/// Turns the answers of a DNS-SD implementation into reports, and decides what to ask it: a pure state machine.
///
/// Its inputs are timers and the answers of the daemon or the embedded stack. Each returns the actions to run, in
/// order.
struct ServiceBrowser {
    /// Addresses of one host. No honest host has more.
    static let addressesPerHost = 64
    /// How long a search goes on after its first address, so that the others arrive too.
    static let settleTime = Duration.milliseconds(200)
    /// How long a search may take. Avahi's own resolver gives up after 5 s.
    static let searchTime = Duration.milliseconds(5500)
    /// How long until the next instance without open lookup is looked at again.
    static let rotationTime = Duration.seconds(2)
    /// How long nothing is asked after the daemon refused a connection.
    static let pauseTime = Duration.milliseconds(200)

    /// How long a failed lookup may still mean that the whole stack has ended. Avahi reports both alike, and each
    /// lookup separately.
    static let failureTime = Duration.milliseconds(250)

    enum Timer: Hashable {
        case failure(instance: String, attempt: Int)
        case settle(instance: String, attempt: Int)
        case deadline(instance: String, attempt: Int)
        case rotation
        case pause
    }

    enum Action: Hashable {
        case resolve(instance: String, interface: UInt32)
        case stopResolving(instance: String)
        case queryAddresses(host: String)
        case stopQuerying(host: String)
        case wait(Timer, Duration)
        case report(SourceReport)
    }

    private struct Host {
        var instances: Set<String> = []
        /// How often each was reported: the daemon reports it once for each address family in which it was heard.
        var addresses: [HostAddress: Int] = [:]
    }

    private var ownInstance: String
    private let capacity: Int
    private var schedule: LookupSchedule
    private var instances: [String: BrowsedInstance] = [:]
    private var hosts: [String: Host] = [:]
    private var isRotating = false
    private var isPausing = false

    /// - Parameters:
    ///   - ownInstance: this node's own instance name, which is not looked up.
    ///   - bounds: how many lookups are open at once.
    ///   - capacity: instances that are kept track of at once; further ones are not seen.
    init(
        ownInstance: String, bounds: LookupSchedule.Bounds = .daemon, capacity: Int = Limits.discoveredDevices
    ) {
        self.ownInstance = ownInstance
        self.capacity = capacity
        schedule = LookupSchedule(bounds: bounds)
    }

    /// This node's name was taken, and it is advertised under another one. The owner of the old name is looked up.
    mutating func registered(as instance: String) -> [Action] {
        guard instance != ownInstance else { return [] }
        let other = ownInstance
        ownInstance = instance
        let actions = run(schedule.removed(instance)) + retract(instance) { _ in true }
        return actions + (instances[other]?.isSeen == true ? run(schedule.wanted(other)) : [])
    }

    // MARK: What is answered

    mutating func appeared(_ instance: String, on interface: NetworkInterface) -> [Action] {
        guard instances[instance] != nil || instances.count < capacity else { return [] }
        guard instances[instance, default: BrowsedInstance()].seen(on: interface), instance != ownInstance
        else { return [] }
        guard schedule.isOpen(instance) else { return run(schedule.wanted(instance)) }
        return refresh(instance)
    }

    mutating func disappeared(_ instance: String, on interface: UInt32) -> [Action] {
        guard var known = instances[instance] else { return [] }
        known.unseen(on: interface)
        instances[instance] = known
        guard known.isSeen else {
            let actions = run(schedule.removed(instance)) + retract(instance) { _ in true }
            instances[instance] = nil
            return actions
        }
        guard !known.isSeen(on: interface) else { return [] }
        let retracted = retract(instance) { !known.isSeen(onInterfaceNamed: $0.interface) }
        return retracted + (known.lookupInterface == interface ? run(schedule.reopened(instance)) : [])
    }

    mutating func resolved(_ instance: String, host: String, port: UInt16, txt: [UInt8]) -> [Action] {
        guard schedule.isOpen(instance) else { return [] }
        do {
            let announcement = try Announcement(TXTRecord(parsing: txt))
            instances[instance]?.resolution = Resolution(host: host, port: port, announcement: announcement)
            instances[instance]?.complaint = nil
            return move(instance, to: host) + refresh(instance)
        } catch {
            return complain(of: instance, "\(error)")
        }
    }

    /// A lookup ended without an answer, or the answer it gave was withdrawn. Only if the stack goes on working is the
    /// instance taken for gone.
    mutating func resolveFailed(_ instance: String) -> [Action] {
        guard schedule.isOpen(instance), let attempt = instances[instance]?.attempt else { return [] }
        return [
            .stopResolving(instance: instance), .wait(.failure(instance: instance, attempt: attempt), Self.failureTime),
        ]
    }

    /// A lookup could not even be started. What is known of the instance stays valid.
    mutating func resolveRefused(_ instance: String) -> [Action] { run(schedule.refused([instance])) }

    /// The addresses of a host could not be asked for.
    mutating func addressesRefused(_ host: String) -> [Action] {
        run(schedule.refused(hosts[host]?.instances.sorted() ?? []))
    }

    mutating func addressAppeared(_ bytes: [UInt8], of host: String, on interface: UInt32) -> [Action] {
        guard let address = IPAddress(bytes), let known = hosts[host] else { return [] }
        let place = HostAddress(interface: interface, address: address)
        guard known.addresses[place] != nil || known.addresses.count < Self.addressesPerHost else { return [] }
        hosts[host]?.addresses[place, default: 0] += 1
        return known.instances.sorted().flatMap { refresh($0) }
    }

    mutating func addressDisappeared(_ bytes: [UInt8], of host: String, on interface: UInt32) -> [Action] {
        guard let address = IPAddress(bytes), let known = hosts[host] else { return [] }
        let place = HostAddress(interface: interface, address: address)
        guard let count = known.addresses[place] else { return [] }
        hosts[host]?.addresses[place] = count > 1 ? count - 1 : nil
        return known.instances.sorted().flatMap { refresh($0) }
    }

    mutating func elapsed(_ timer: Timer) -> [Action] {
        switch timer {
        case .failure(let instance, let attempt):
            guard instances[instance]?.attempt == attempt, schedule.isOpen(instance) else { return [] }
            return giveUp(instance)
        case .settle(let instance, let attempt):
            guard instances[instance]?.attempt == attempt, schedule.isSearching(instance) else { return [] }
            return settle(instance)
        case .deadline(let instance, let attempt):
            guard instances[instance]?.attempt == attempt, schedule.isSearching(instance) else { return [] }
            return giveUp(instance)
        case .rotation:
            isRotating = false
            return run(schedule.rotate())
        case .pause:
            isPausing = false
            return run(schedule.resumed())
        }
    }

    // MARK: What follows

    private mutating func run(_ steps: [LookupSchedule.Step]) -> [Action] {
        var actions = steps.flatMap { step in
            switch step {
            case .open(let instance): open(instance)
            case .close(let instance): close(instance)
            }
        }
        if schedule.hasResting, !isRotating {
            isRotating = true
            actions.append(.wait(.rotation, Self.rotationTime))
        }
        if schedule.isPaused, !isPausing {
            isPausing = true
            actions.append(.wait(.pause, Self.pauseTime))
        }
        return actions
    }

    private mutating func giveUp(_ instance: String) -> [Action] {
        run(schedule.failed(instance)) + retract(instance) { _ in true }
    }

    private mutating func open(_ instance: String) -> [Action] {
        guard let interface = instances[instance]?.bestInterface, let attempt = instances[instance]?.attempt else {
            preconditionFailure("only what is seen on an interface is looked up")
        }
        instances[instance]?.attempt = attempt + 1
        instances[instance]?.lookupInterface = interface
        return [
            .wait(.deadline(instance: instance, attempt: attempt + 1), Self.searchTime),
            .resolve(instance: instance, interface: interface),
        ]
    }

    private mutating func close(_ instance: String) -> [Action] {
        instances[instance]?.lookupInterface = nil
        instances[instance]?.resolution = nil
        return [.stopResolving(instance: instance)] + move(instance, to: nil)
    }

    /// Lets go of the host that the instance was at, and asks for the addresses of the new one.
    private mutating func move(_ instance: String, to host: String?) -> [Action] {
        guard let known = instances[instance], known.host != host else { return [] }
        let old = known.host
        instances[instance]?.host = host
        var actions: [Action] = []
        if let old {
            hosts[old]?.instances.remove(instance)
            if hosts[old]?.instances.isEmpty == true {
                hosts[old] = nil
                actions.append(.stopQuerying(host: old))
            }
        }
        if let host {
            if hosts[host] == nil { actions.append(.queryAddresses(host: host)) }
            hosts[host, default: Host()].instances.insert(instance)
        }
        return actions
    }

    /// Ends the search of an instance, and reports what it found.
    private mutating func settle(_ instance: String) -> [Action] {
        let steps = schedule.settled(instance)
        return refresh(instance) + run(steps)
    }

    /// Reports what has changed about an instance. During a search nothing is withdrawn: the rest may be on its way.
    private mutating func refresh(_ instance: String) -> [Action] {
        guard let known = instances[instance], let host = known.host, let addresses = hosts[host]?.addresses.keys
        else { return [] }
        let records = known.records(named: instance, at: addresses)
        let changed = records.filter { known.reported[$0.key] != $0 }
        for record in changed { instances[instance]?.reported[record.key] = record }
        let actions = changed.map { Action.report(.appeared($0)) }
        guard schedule.isSearching(instance) else {
            let current = Set(records.map(\.key))
            return actions + retract(instance) { !current.contains($0) }
        }
        guard !records.isEmpty else { return actions }
        return actions + [.wait(.settle(instance: instance, attempt: known.attempt), Self.settleTime)]
    }

    private mutating func retract(_ instance: String, where isVoid: (ServiceRecord.Key) -> Bool) -> [Action] {
        let keys = instances[instance]?.reported.keys.filter(isVoid) ?? []
        return keys.map { key in
            instances[instance]?.reported[key] = nil
            return .report(.disappeared(key))
        }
    }

    private mutating func complain(of instance: String, _ complaint: String) -> [Action] {
        let isNews = instances[instance]?.complaint != complaint
        instances[instance]?.complaint = complaint
        instances[instance]?.resolution = nil
        let report = Action.report(.malformed(instance: instance, reason: complaint))
        return (isNews ? [report] : []) + retract(instance) { _ in true } + move(instance, to: nil) + settle(instance)
    }
}
