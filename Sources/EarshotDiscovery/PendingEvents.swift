import EarshotModel

/// Events that wait for their consumer, at most one for each device and source.
struct PendingEvents {
    /// Reports of unreadable records that wait; further ones are dropped, since anyone can send any number.
    static let malformedLimit = 64

    private enum Subject: Hashable {
        case device(DeviceID)
        case source(String)
        case ownDevice
        case malformed(String)

        var isMalformed: Bool {
            switch self {
            case .malformed: true
            case .device, .source, .ownDevice: false
            }
        }

        /// Whether only the latest event, in its place among the others, says how things are.
        var isSource: Bool {
            switch self {
            case .source: true
            case .device, .ownDevice, .malformed: false
            }
        }
    }

    private var events: [Subject: DiscoveryEvent] = [:]
    /// The subjects of `events`, first come first served, after `head` that were served.
    private var order: [Subject] = []
    private var head = 0
    private var malformedCount = 0

    var count: Int { events.count }

    mutating func push(_ event: DiscoveryEvent) {
        let subject = Self.subject(of: event)
        guard let waiting = events[subject] else { return append(event, for: subject) }
        guard !subject.isSource, let merged = Self.merged(waiting, event) else {
            remove(subject)
            if subject.isSource { append(event, for: subject) }
            return
        }
        events[subject] = merged
    }

    private mutating func remove(_ subject: Subject) {
        guard let index = order[head...].firstIndex(of: subject) else {
            preconditionFailure("an event that waits has its place in the order")
        }
        events[subject] = nil
        order.remove(at: index)
    }

    mutating func pop() -> DiscoveryEvent? {
        guard head < order.count else { return nil }
        let subject = order[head]
        head += 1
        if head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
        if subject.isMalformed { malformedCount -= 1 }
        return events.removeValue(forKey: subject)
    }

    private mutating func append(_ event: DiscoveryEvent, for subject: Subject) {
        if subject.isMalformed {
            guard malformedCount < Self.malformedLimit else { return }
            malformedCount += 1
        }
        events[subject] = event
        order.append(subject)
    }

    private static func subject(of event: DiscoveryEvent) -> Subject {
        switch event {
        case .found(let device), .updated(let device): .device(device.deviceID)
        case .lost(let deviceID): .device(deviceID)
        case .sourceUnavailable(let source, _), .sourceAvailable(let source): .source(source)
        case .ownDeviceElsewhere: .ownDevice
        case .malformed(let instance, _): .malformed(instance)
        }
    }

    /// The one event that says the same as two, or `nil` if together they say nothing.
    private static func merged(_ earlier: DiscoveryEvent, _ later: DiscoveryEvent) -> DiscoveryEvent? {
        switch (earlier, later) {
        case (.found, .lost): nil
        case (.found, .updated(let device)): .found(device)
        // The consumer still believes that the device is there.
        case (.lost, .found(let device)): .updated(device)
        default: later
        }
    }
}
