package import EarshotDiscovery
package import EarshotStore
package import NIOCore

/// What a node stands on: clock, disk, transport and host. A node in a test is the same node on other ground.
///
/// Each part is an existential. None of them is asked more often than once for a piece of what comes or goes, beside which
/// one indirect call is nothing, and a connection was one before (`any Channel`).
package struct NodeEnvironment: Sendable {
    /// Tells the time, and calls when a time has come.
    package var clock: any NodeClock
    /// Makes the way to other nodes, for a node on this event loop.
    package var transport: @Sendable (any EventLoop) -> any Transport
    /// Makes the way to the disk, for a node on this event loop.
    package var disk: @Sendable (Store, any EventLoop) -> any Disk
    /// Reports changes of the host's network and clocks, until the task is cancelled; may be called from any thread.
    package var watchHost: HostWatch

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
