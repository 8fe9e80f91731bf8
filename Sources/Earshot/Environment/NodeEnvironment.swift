package import EarshotDiscovery
package import EarshotStore
package import NIOCore

/// What a node runs on: clock, disk, transport and host. A node in a test is the same node in another environment.
///
/// Each part is an existential. Each is called at most once for a piece of data that comes or goes, which costs far
/// more than one indirect call; and a connection was one before (`any Channel`).
package struct NodeEnvironment: Sendable {
    /// Tells the time, and makes scheduled calls.
    package var clock: any NodeClock
    /// Makes the transport of a node on this event loop.
    package var transport: @Sendable (any EventLoop) -> any Transport
    /// Makes the disk of a node on this event loop.
    package var disk: @Sendable (Store, any EventLoop) -> any Disk
    /// Reports changes of the host's network and clocks, until the task is cancelled; may be called from any thread.
    package var watchHost: HostWatch
    /// Notifies targets of messages.
    package var notifier: any Notifier = HostNotifier()
    /// What goes wrong between programs and the inbox, in tests.
    package var inboxFaults: (any InboxFaults)?

    package typealias HostWatch =
        @Sendable (
            DiscoveryConfiguration, _ failing: @escaping @Sendable (DiscoveryError) -> Void,
            _ reporting: @escaping @Sendable (NetworkChange) -> Void
        ) async -> Void

    package init(
        clock: any NodeClock, transport: @escaping @Sendable (any EventLoop) -> any Transport,
        disk: @escaping @Sendable (Store, any EventLoop) -> any Disk, watchHost: @escaping HostWatch
    ) {
        self.clock = clock
        self.transport = transport
        self.disk = disk
        self.watchHost = watchHost
    }

    /// This host's.
    package static let host = NodeEnvironment(
        clock: HostClock(), transport: { TCPTransport(loop: $0) }, disk: { StoreDisk($0, loop: $1) }
    ) { interfaces, failing, reporting in
        let monitor = NetworkMonitor { interfaces.includes(interface: $0) }
        await monitor.run(failing: failing, reporting: reporting)
    }
}

/// Faults between a program and the inbox of its node. If a function throws, the consumer gets the error, and nothing is
/// done.
package protocol InboxFaults: Sendable {
    /// A consumer asks for messages.
    func willReceive(_ consumer: String) async throws(EarshotError)
    /// A consumer acknowledges.
    func willAcknowledge(_ consumer: String) async throws(EarshotError)
}
