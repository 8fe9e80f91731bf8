import EarshotDiscovery
import EarshotProtocol

/// What a node has noticed since it started, as far as its diagnosis needs it: a bounded, pure value.
struct NodeObservations: Sendable {
    /// How many failed links are remembered: the last one of a user, or of a host if the user is not known.
    static let failureLimit = 32
    /// How many of these may be at one host. So somebody who makes many keys there hides nobody else's failures.
    static let hostFailureLimit = 4
    /// How long a failure is reported, in milliseconds. What still fails is tried again sooner than that.
    static let failureAge: Int64 = 600 * 1000

    private let networkTag: String
    private(set) var discovery: NodeDiscovery
    private var devices: Set<DeviceID> = []
    private(set) var ownDeviceElsewhere: [PeerAddress] = []
    private(set) var storageFailure: String?
    /// The most recent first.
    private var failed: [(failure: LinkFailure, time: Int64)] = []

    /// - Parameter isDiscovering: whether there is any discovery source.
    init(networkTag: String, isDiscovering: Bool) {
        self.networkTag = networkTag
        discovery = isDiscovering ? .starting : .off
    }

    /// Devices that are now advertised in the node's own network.
    var deviceCount: Int { devices.count }

    /// The links that failed lately, the most recent first.
    /// - Parameter now: the uptime, in milliseconds.
    func failures(now: Int64) -> [LinkFailure] {
        failed.filter { now - $0.time < Self.failureAge }.map(\.failure)
    }

    /// Hosts where a node of another network answered lately.
    func otherNetworkHosts(now: Int64) -> Set<String> {
        Set(failures(now: now).filter { $0.code == ProtocolError.Code.otherNetwork.description }.map(\.host))
    }

    mutating func note(_ event: DiscoveryEvent) {
        switch event {
        case .found(let device), .updated(let device):
            if (device.networkTag ?? "") != networkTag {
                devices.remove(device.deviceID)
            } else if devices.count < Limits.discoveredDevices {
                devices.insert(device.deviceID)
            }
        case .lost(let deviceID): devices.remove(deviceID)
        case .sourceUnavailable(_, let reason): discovery = .none(reason: reason)
        case .sourceAvailable(let source): discovery = Self.discovery(source)
        case .ownDeviceElsewhere(let addresses): ownDeviceElsewhere = addresses
        case .malformed: break
        }
    }

    /// - Parameter now: the uptime, in milliseconds.
    mutating func note(_ event: Event, now: Int64) {
        switch event {
        case .linkFailed(let failure): note(failure, now: now)
        case .userDiscovered(let user), .userUpdated(let user, _):
            if user.isOnline { failed.removeAll { $0.failure.userID == user.userID } }
        case .storageFailed(let reason): storageFailure = reason
        case .storageRecovered: storageFailure = nil
        default: break
        }
    }

    private mutating func note(_ failure: LinkFailure, now: Int64) {
        failed.removeAll { $0.failure.isOfSamePeer(as: failure) || now - $0.time >= Self.failureAge }
        failed.insert((failure, now), at: 0)
        let ofHost = failed.indices.filter { failed[$0].failure.host == failure.host }
        if ofHost.count > Self.hostFailureLimit, let oldest = ofHost.last { failed.remove(at: oldest) }
        if failed.count > Self.failureLimit { failed.removeLast() }
    }

    /// There are links to these hosts now, so failures of unknown users there are over.
    mutating func linked(hosts: Set<String>) {
        failed.removeAll { $0.failure.userID == nil && hosts.contains($0.failure.host) }
    }

    private static func discovery(_ stack: String) -> NodeDiscovery {
        switch stack {
        case DiscoveryStack.daemon.description: .daemon
        case DiscoveryStack.embedded.description: .embedded
        default: .other(stack)
        }
    }
}

extension LinkFailure {
    /// The peer's host, without the port, which differs for each dial.
    var host: String { PeerAddress(address)?.host ?? address }

    fileprivate func isOfSamePeer(as other: LinkFailure) -> Bool {
        userID == other.userID && (userID != nil || host == other.host)
    }
}
