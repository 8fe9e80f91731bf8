/// Owns one object of Avahi's client or stack, counted as long as it lives. Confined to the thread of that.
final class AvahiObject {
    /// Tells answers to this object from those to an earlier one for the same lookup.
    let serial: Int
    /// Keeps the client or stack, which has to outlive all its objects.
    private let owner: AnyObject
    private let gauge: OperationGauge
    /// The context of the object's callbacks, if it has one of its own.
    private let context: LookupContext?
    private let free: () -> Void

    init(of owner: AnyObject, counting gauge: OperationGauge, context: LookupContext?, free: @escaping () -> Void) {
        serial = context?.serial ?? 0
        self.owner = owner
        self.gauge = gauge
        self.context = context
        self.free = free
        gauge.opened()
    }

    deinit {
        free()
        gauge.closed()
    }
}

/// Takes what a lookup's callbacks say to the inbox.
final class LookupContext {
    let lookup: Lookup
    let serial: Int
    private let inbox: AvahiInbox

    init(_ lookup: Lookup, serial: Int, inbox: AvahiInbox) {
        self.lookup = lookup
        self.serial = serial
        self.inbox = inbox
    }

    /// Called by a callback.
    static func deliver(_ event: LookupEvent, to context: UnsafeMutableRawPointer?) {
        guard let context else { preconditionFailure("every lookup is begun with a context") }
        let target = Unmanaged<LookupContext>.fromOpaque(context).takeUnretainedValue()
        target.inbox.events.append(.lookup(target.lookup, serial: target.serial, event))
    }
}

/// The callbacks' events that nobody has acted on yet: while the library calls back, nothing may be made or freed.
///
/// It is emptied after every turn of the stack's loop. One turn says no more than a packet, or the cache, holds.
final class AvahiInbox {
    enum Event {
        case lookup(Lookup, serial: Int, LookupEvent)
        /// The name of the host is taken.
        case hostNameTaken
        /// The name of the service is taken.
        case instanceNameTaken
        case failed
        /// The daemon is ready to advertise a service.
        case daemonRunning
        /// The daemon has no name for this host, and what was advertised is void.
        case daemonNotRunning
        /// The service is advertised.
        case registered
        case wokenUp
        /// The bell was rung.
        case rung
        /// The kernel tells of a change of the network.
        case networkChanged
    }

    var events: [Event] = []

    /// Called by a callback.
    static func deliver(_ event: Event, to context: UnsafeMutableRawPointer?) {
        guard let context else { preconditionFailure("every callback has a context") }
        Unmanaged<AvahiInbox>.fromOpaque(context).takeUnretainedValue().events.append(event)
    }
}
