import EarshotDiscovery
import EarshotProtocol

/// What a node has noticed since it started, as far as its diagnosis needs it: bounded, a pure value.
struct NodeJournal: Sendable {
    /// Failed links that are remembered, the last one of a user or of an address.
    static let failureLimit = 32
    /// How long a failed link is news. A peer that is there is tried more often.
    static let failureLifetime = Duration.seconds(600)

    private let networkTag: String
    private(set) var discovery: NodeDiscovery
    private var devices: Set<DeviceID> = []
    private(set) var ownDeviceElsewhere: [PeerAddress] = []
    private(set) var storageFailure: String?
    /// The last first.
    private var noted: [(failure: LinkFailure, at: ContinuousClock.Instant)] = []

    /// - Parameter isDiscovering: whether there is any source.
    init(networkTag: String, isDiscovering: Bool) {
        self.networkTag = networkTag
        discovery = isDiscovering ? .starting : .off
    }

    /// Devices that are advertised in the node's own network now.
    var deviceCount: Int { devices.count }

    /// Links that failed lately, the last first.
    func failures(at now: ContinuousClock.Instant) -> [LinkFailure] {
        noted.filter { $0.at.duration(to: now) < Self.failureLifetime }.map(\.failure)
    }

    /// Hosts where a node of another network answered lately.
    func otherNetworkHosts(at now: ContinuousClock.Instant) -> Set<String> {
        Set(failures(at: now).filter { $0.code == ProtocolError.Code.otherNetwork.description }.map(\.host))
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

    mutating func note(_ event: Event, at now: ContinuousClock.Instant) {
        switch event {
        case .linkFailed(let failure):
            noted.removeAll { $0.failure.isSuperseded(by: failure) }
            noted.insert((failure, now), at: 0)
            if noted.count > Self.failureLimit { noted.removeLast() }
        case .storageFailed(let reason): storageFailure = reason
        case .storageRecovered: storageFailure = nil
        default: break
        }
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
    /// A user who dials has another port each time.
    fileprivate func isSuperseded(by later: LinkFailure) -> Bool {
        address == later.address || (userID != nil && userID == later.userID)
    }

    /// Where the peer was, without a port.
    fileprivate var host: String { PeerAddress(address)?.host ?? address }
}
