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
    /// How long after there was news of an instance one that is known is looked at once more: the addresses of a host do
    /// not all appear at the same time, and just after a restart a cache may still have what was true before. While there
    /// is no news, each wait is twice as long, until every instance has its turn once in `reviewPeriod`, or one has it
    /// every `reviewCeiling`. So what a node does not hear of is found out, though late.
    static let reviewTime = Duration.seconds(2)
    static let reviewPeriod = Duration.seconds(900)
    static let reviewCeiling = Duration.seconds(5)
    /// How long the first search of an instance may take if it is to ask nobody (`LookupSchedule.Bounds.canGlance`).
    static let glanceTime = Duration.milliseconds(50)
    /// How long after a glance in vain others are asked. A host makes its service known before the records of it, which
    /// follow by themselves: it probes for those first, for 750 ms (RFC 6762 section 8.1).
    static let patience = Duration.seconds(1)
    /// How long a search may take after a goodbye of its instance was heard.
    static let goodbyeTime = Duration.milliseconds(1500)
    /// How long a lookup stays open after its answer if the instance was not where it was found.
    static let watchTime = Duration.seconds(10)
    /// How long until the next instance is looked at again whose search failed. While none is found, each wait is twice
    /// as long, up to `rotationCeiling`.
    static let rotationTime = Duration.seconds(2)
    static let rotationCeiling = Duration.seconds(16)
    /// How long until the next instance is looked at again that is not where it was found: being advertised at a false
    /// address costs nothing, and so each search is bounded that follows from it.
    static let seekingTime = Duration.milliseconds(250)
    /// Instances of one device that are looked at again. No honest device has more.
    static let soughtInstances = 4
    /// How long nothing is asked after the daemon refused a connection.
    static let pauseTime = Duration.milliseconds(200)

    /// How long a failed lookup may still mean that the whole stack has ended. Avahi reports both alike, and each
    /// lookup separately.
    static let failureTime = Duration.milliseconds(250)

    enum Timer: Hashable {
        case failure(instance: String, attempt: Int)
        case settle(instance: String, attempt: Int)
        case glance(instance: String, attempt: Int)
        case deadline(instance: String, attempt: Int)
        case watch(instance: String, attempt: Int)
        case again(instance: String, attempt: Int)
        case rotation
        case review
        case seeking
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
        /// The families of which all that was known before has been told.
        var exhausted: Set<AddressFamily> = []
        /// Whether there were addresses among that: nobody need be asked.
        var wasKnown = false
    }

    private var ownInstance: String
    private let ownDevice: DeviceID?
    private let capacity: Int
    /// Where devices are found; addresses elsewhere are left out.
    private let neighbourhood: Neighbourhood
    private let canGlance: Bool
    private var schedule: LookupSchedule
    private var instances: [String: BrowsedInstance] = [:]
    private var hosts: [String: Host] = [:]
    private var instancesOfDevice: [DeviceID: Set<String>] = [:]
    /// Searches so far. An instance that goes and comes back has other timers than before.
    private(set) var attemptCount = 0
    private var rotation = Turns(after: Self.rotationTime)
    private var review = Turns(after: Self.reviewTime)
    private var seeking = Turns(after: Self.seekingTime)
    private var pause = Turns(after: Self.pauseTime)

    /// - Parameters:
    ///   - ownInstance: this node's own instance name, which is not looked up.
    ///   - ownDevice: this node's device. Another instance that claims to be it is looked at again and again, so that it
    ///     is known when it is gone.
    ///   - bounds: how many lookups are open at once.
    ///   - capacity: instances that are kept track of at once; further ones are not seen.
    ///   - neighbourhood: where devices are found.
    init(
        ownInstance: String, ownDevice: DeviceID? = nil, bounds: LookupSchedule.Bounds = .daemon,
        capacity: Int = Limits.discoveredDevices, neighbourhood: Neighbourhood = Neighbourhood()
    ) {
        self.neighbourhood = neighbourhood
        self.ownInstance = ownInstance
        self.ownDevice = ownDevice
        self.capacity = capacity
        canGlance = bounds.canGlance
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
            claim(nil, by: instance)
            instances[instance] = nil
            return actions
        }
        var actions = retract(instance) { !known.isSeen(onInterfaceNamed: $0.interface) }
        if !schedule.isOpen(instance), instance != ownInstance {
            // It may be gone, though not every goodbye was heard. The rest of what it has withdrawn is forgotten soon.
            instances[instance]?.hadGlance = true
            instances[instance]?.hasSaidGoodbye = true
            actions.append(.wait(.again(instance: instance, attempt: known.attempt), Self.patience))
        } else if !known.isSeen(on: interface), known.lookupInterface == interface {
            actions += run(schedule.reopened(instance))
        }
        return actions
    }

    mutating func resolved(_ instance: String, host: String, port: UInt16, txt: [UInt8]) -> [Action] {
        guard schedule.isOpen(instance) else { return [] }
        do {
            let announcement = try Announcement(TXTRecord(parsing: txt))
            instances[instance]?.resolution = Resolution(host: host, port: port, announcement: announcement)
            instances[instance]?.complaint = nil
            claim(announcement.deviceID, by: instance)
            return move(instance, to: host) + refresh(instance)
        } catch {
            return complain(of: instance, "\(error)")
        }
    }

    /// The device is not where it was found, or does not answer there: it is looked up again.
    mutating func sought(_ deviceID: DeviceID) -> [Action] {
        for instance in (instancesOfDevice[deviceID] ?? []).sorted().prefix(Self.soughtInstances) {
            instances[instance]?.isSought = true
            schedule.isSought(instance)
        }
        return seek()
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

    /// All addresses of one family that were known before have been told.
    mutating func exhausted(_ host: String, _ family: AddressFamily) -> [Action] {
        hosts[host]?.exhausted.insert(family)
        guard let known = hosts[host], known.exhausted.count == AddressFamily.allCases.count,
            !known.addresses.isEmpty
        else { return [] }
        hosts[host]?.wasKnown = true
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
        case .glance(let instance, let attempt):
            guard instances[instance]?.attempt == attempt, schedule.isSearching(instance) else { return [] }
            instances[instance]?.hadGlance = true
            return run(schedule.postponed(instance))
                + [.wait(.again(instance: instance, attempt: attempt), Self.patience)]
        case .deadline(let instance, let attempt):
            guard instances[instance]?.attempt == attempt, schedule.isSearching(instance) else { return [] }
            return giveUp(instance)
        case .watch(let instance, let attempt):
            guard instances[instance]?.attempt == attempt, schedule.isWatching(instance) else { return [] }
            return stopWatching(instance)
        case .again(let instance, let attempt):
            guard instances[instance]?.attempt == attempt, !schedule.isOpen(instance) else { return [] }
            return run(schedule.wanted(instance))
        case .rotation:
            rotation.elapsed(longest: Self.rotationCeiling)
            return run(schedule.rotate())
        case .review:
            review.elapsed(longest: max(Self.reviewCeiling, Self.reviewPeriod / max(1, schedule.knownCount)))
            return run(schedule.review())
        case .seeking:
            seeking.elapsed(longest: Self.seekingTime)
            return seek()
        case .pause:
            pause.elapsed(longest: Self.pauseTime)
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
        if schedule.hasResting, let wait = rotation.begin() { actions.append(.wait(.rotation, wait)) }
        if schedule.knownCount > 0, let wait = review.begin() { actions.append(.wait(.review, wait)) }
        if schedule.isPaused, let wait = pause.begin() { actions.append(.wait(.pause, wait)) }
        return actions
    }

    /// Looks again for one instance that is sought, and for the next one a while later.
    private mutating func seek() -> [Action] {
        guard schedule.hasSought, let wait = seeking.begin() else { return [] }
        return run(schedule.seek()) + [.wait(.seeking, wait)]
    }

    private mutating func giveUp(_ instance: String) -> [Action] {
        // The first failure of an instance that was there.
        if instances[instance]?.reported.isEmpty == false { rotation.restart() }
        return run(schedule.failed(instance)) + retract(instance) { _ in true }
    }

    private mutating func stopWatching(_ instance: String) -> [Action] {
        guard instances[instance]?.isSought == true, let attempt = instances[instance]?.attempt else {
            return run(schedule.watched(instance))
        }
        instances[instance]?.isSought = false
        return [.wait(.watch(instance: instance, attempt: attempt), Self.watchTime)]
    }

    /// Notes which device an instance is of.
    private mutating func claim(_ deviceID: DeviceID?, by instance: String) {
        guard let known = instances[instance], known.deviceID != deviceID else { return }
        if let old = known.deviceID {
            instancesOfDevice[old]?.remove(instance)
            if instancesOfDevice[old]?.isEmpty == true { instancesOfDevice[old] = nil }
        }
        instances[instance]?.deviceID = deviceID
        if let deviceID { instancesOfDevice[deviceID, default: []].insert(instance) }
    }

    private mutating func open(_ instance: String) -> [Action] {
        guard let known = instances[instance], let interface = known.bestInterface else {
            preconditionFailure("only what is seen on an interface is looked up")
        }
        attemptCount += 1
        let attempt = attemptCount
        instances[instance]?.attempt = attempt
        instances[instance]?.lookupInterface = interface
        instances[instance]?.hasSaidGoodbye = false
        let isGlance = canGlance && !known.hadGlance && !known.isSought
        let searchTime = known.hasSaidGoodbye ? Self.goodbyeTime : Self.searchTime
        return [
            isGlance
                ? .wait(.glance(instance: instance, attempt: attempt), Self.glanceTime)
                : .wait(.deadline(instance: instance, attempt: attempt), searchTime),
            .resolve(instance: instance, interface: interface),
        ]
    }

    private mutating func close(_ instance: String) -> [Action] {
        instances[instance]?.lookupInterface = nil
        instances[instance]?.resolution = nil
        instances[instance]?.isSought = false
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
        guard let known = instances[instance], schedule.isSearching(instance) else { return refresh(instance) }
        // What claims to be this node, and what cannot be read, is looked at again when it has its turn.
        let isFinal = known.complaint == nil && (known.deviceID == nil || known.deviceID != ownDevice)
        if isFinal { rotation.restart() }
        let steps = schedule.settled(instance, isWatched: known.isSought, isFinal: isFinal)
        instances[instance]?.isSought = false
        let watch = Timer.watch(instance: instance, attempt: known.attempt)
        return refresh(instance) + run(steps) + (known.isSought ? [.wait(watch, Self.watchTime)] : [])
    }

    /// Reports what has changed about an instance. During a search nothing is withdrawn: the rest may be on its way.
    private mutating func refresh(_ instance: String) -> [Action] {
        guard let known = instances[instance], let host = known.host, let addresses = hosts[host]?.addresses.keys
        else { return [] }
        let records = known.records(named: instance, at: addresses, in: neighbourhood)
        let changed = records.filter { known.reported[$0.key] != $0 }
        for record in changed { instances[instance]?.reported[record.key] = record }
        var actions = changed.map { Action.report(.appeared($0)) }
        if !changed.isEmpty { actions.append(.wait(.review, review.beginAnew())) }
        let current = Set(records.map(\.key))
        guard schedule.isSearching(instance) else { return actions + retract(instance) { !current.contains($0) } }
        guard !records.isEmpty else { return actions }
        if hosts[host]?.wasKnown == true, current.isSuperset(of: known.reported.keys) {
            return actions + settle(instance)
        }
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
        claim(nil, by: instance)
        instances[instance]?.complaint = complaint
        instances[instance]?.resolution = nil
        let report = Action.report(.malformed(instance: instance, reason: complaint))
        return (isNews ? [report] : []) + retract(instance) { _ in true } + move(instance, to: nil) + settle(instance)
    }
}
