import CAvahi
import Glibc

/// Avahi's loop, with what ends a turn of it. Confined to one thread.
final class AvahiLoop {
    let inbox: AvahiInbox
    /// For what is to run in the loop. It has to end before the loop does.
    let api: UnsafePointer<AvahiPoll>
    let poll: OpaquePointer
    private var watches: [OpaquePointer] = []
    // They stay open as long as they are watched.
    private let bell: Bell?
    private let network: NetlinkSocket?

    /// - Parameters:
    ///   - wakeUp: ends a turn of the loop, as `wokenUp`. It outlives the loop.
    ///   - bell: ends a turn of the loop, as `rung`.
    ///   - network: ends a turn of the loop, as `networkChanged`, until it is drained.
    /// - Throws: `outOfResources`.
    init(
        inbox: AvahiInbox, wakeUp: WakeUp, bell: Bell?, network: NetlinkSocket? = nil
    ) throws(DiscoveryError) {
        guard let poll = avahi_simple_poll_new(), let api = avahi_simple_poll_get(poll) else {
            throw DiscoveryError(.outOfResources, "Avahi gets no loop")
        }
        (self.inbox, self.poll, self.api) = (inbox, poll, api)
        (self.bell, self.network) = (bell, network)
        try watch(wakeUp.fileDescriptor) { _, _, _, context in AvahiInbox.deliver(.wokenUp, to: context) }
        if let bell {
            try watch(bell.fileDescriptor) { _, _, _, context in AvahiInbox.deliver(.rung, to: context) }
        }
        if let network {
            try watch(network.fileDescriptor) { _, _, _, context in AvahiInbox.deliver(.networkChanged, to: context) }
        }
    }

    deinit {
        for watch in watches { api.pointee.watch_free(watch) }
        avahi_simple_poll_free(poll)
    }

    /// Waits for something to happen, and lets the library handle it.
    /// - Parameter milliseconds: how long to wait at most; -1 for as long as it takes.
    /// - Returns: what it said since the last turn.
    func turn(milliseconds: CInt) throws(DiscoveryError) -> [AvahiInbox.Event] {
        guard avahi_simple_poll_iterate(poll, inbox.events.isEmpty ? milliseconds : 0) >= 0 else {
            throw DiscoveryError(.outOfResources, "poll: \(String(cString: strerror(errno)))")
        }
        defer { inbox.events = [] }
        return inbox.events
    }

    private func watch(_ descriptor: CInt, _ callback: @escaping AvahiWatchCallback) throws(DiscoveryError) {
        // Unretained: the watches are freed in `deinit`, before the inbox.
        let context = Unmanaged.passUnretained(inbox).toOpaque()
        guard let watch = api.pointee.watch_new(api, descriptor, AVAHI_WATCH_IN, callback, context) else {
            throw DiscoveryError(.outOfResources, "Avahi's loop cannot be woken up")
        }
        watches.append(watch)
    }
}
