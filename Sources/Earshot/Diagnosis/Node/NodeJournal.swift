import EarshotDiscovery
import EarshotProtocol

/// What a node has noticed since it started, as far as its diagnosis needs it: bounded, a pure value.
struct NodeJournal: Sendable {
    /// Failed links that are remembered, the last one of an address.
    static let failureLimit = 32

    private let networkTag: String
    private(set) var discovery: NodeDiscovery
    private var devices: Set<DeviceID> = []
    private(set) var ownDeviceElsewhere: [PeerAddress] = []
    private(set) var storageFailure: String?
    /// The last first.
    private(set) var failures: [LinkFailure] = []

    /// - Parameter isDiscovering: whether there is any source.
    init(networkTag: String, isDiscovering: Bool) {
        self.networkTag = networkTag
        discovery = isDiscovering ? .starting : .off
    }

    /// Devices that are advertised in the node's own network now.
    var deviceCount: Int { devices.count }

    /// Hosts where a node of another network answered lately.
    var otherNetworkHosts: Set<String> {
        Set(failures.filter { $0.code == ProtocolError.Code.otherNetwork.description }.map(\.host))
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

    mutating func note(_ event: Event) {
        switch event {
        case .linkFailed(let failure):
            failures.removeAll { $0.address == failure.address }
            failures.insert(failure, at: 0)
            if failures.count > Self.failureLimit { failures.removeLast() }
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
    /// Where the peer was, without a port.
    fileprivate var host: String { PeerAddress(address)?.host ?? address }
}
