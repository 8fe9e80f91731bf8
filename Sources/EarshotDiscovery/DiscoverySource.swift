package import EarshotModel

/// One way to find peers: the system's DNS-SD daemon, or a DNS-SD stack in this process.
package protocol DiscoverySource: Sendable {
    /// Distinguishes the sources of one `Discovery`.
    var name: String { get }

    /// How many operations and objects of the underlying stack are open right now. A source that does not count them
    /// says 0.
    var operationCount: Int { get }

    /// A device is not where it was found, or does not answer there: it is looked up again soon. A source that reports
    /// every change by itself need not do so.
    ///
    /// Called from any thread; it does not block for long.
    func seek(_ deviceID: DeviceID)

    /// Advertises this node and reports the others, until the task is cancelled.
    ///
    /// A source that can come back (such as a daemon that restarts) does so itself, and reports `unavailable` in the
    /// meantime.
    /// - Parameter reporting: may be called from any thread; it does not block for long.
    /// - Throws: the error that makes the source useless for good. `Discovery` goes on with its other sources.
    func run(advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void) async throws
}

extension DiscoverySource {
    package var operationCount: Int { 0 }
    package func seek(_ deviceID: DeviceID) {}
}

/// The stack below a source.
package enum DiscoveryStack: Sendable, Hashable, CustomStringConvertible {
    /// The system's DNS-SD daemon.
    case daemon
    /// A DNS-SD stack in this process.
    case embedded
    /// The stack of a source outside this module.
    case other(String)

    package var description: String {
        switch self {
        case .daemon: "dns-sd daemon"
        case .embedded: "embedded DNS-SD stack"
        case .other(let name): name
        }
    }
}

/// A report of a source.
package enum SourceReport: Sendable, Hashable {
    /// The source works: this node is advertised, and others are found. Another stack than before takes over the
    /// records.
    case available(DiscoveryStack)
    /// The source stopped working. All its records are void.
    case unavailable(reason: String)
    /// A record is new, or replaces the one with the same key.
    case appeared(ServiceRecord)
    /// A record is gone.
    case disappeared(ServiceRecord.Key)
    /// Someone advertises what cannot be read.
    case malformed(instance: String, reason: String)
}

/// One instance of the service as it is seen on one interface in one address family.
package struct ServiceRecord: Sendable, Hashable {
    /// Identifies a record of a source.
    package struct Key: Sendable, Hashable {
        /// The DNS-SD instance name.
        package let instance: String
        /// The name of the network interface.
        package let interface: String
        package let family: AddressFamily

        package init(instance: String, interface: String, family: AddressFamily) {
            self.instance = instance
            self.interface = interface
            self.family = family
        }
    }

    package let key: Key
    package let announcement: Announcement
    package let addresses: [PeerAddress]

    package init(key: Key, announcement: Announcement, addresses: [PeerAddress]) {
        self.key = key
        self.announcement = announcement
        self.addresses = addresses
    }
}
