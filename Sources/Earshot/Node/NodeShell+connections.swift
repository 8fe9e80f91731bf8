import EarshotModel
import EarshotProtocol
import Logging

/// Connections to peers, as the machine wants them.
extension NodeShell {
    /// A peer that does not read what it makes this node write loses its link before the memory is used up.
    func write(_ bytes: [UInt8], to connectionID: ConnectionID) {
        guard let connection = network.connections[connectionID] else { return }
        connection.write(bytes)
        guard connection.unwrittenBytes > Limits.unwrittenBytes else { return }
        logger.warning("a peer does not read", metadata: ["connection": "\(connectionID)"])
        connection.close()
    }

    func connect(_ connectionID: ConnectionID, _ addresses: [PeerAddress]) {
        let handler = ConnectionHandler(node: self, connectionID: connectionID)
        let transport = network.transport
        transport.connect(to: addresses, handler: handler) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let connection):
                    shell.network.connections[connectionID] = connection
                    let address = Self.address(of: connection, among: addresses)
                    shell.perform { $0.connected(connectionID, to: address, now: $1) }
                case .failure(let error):
                    shell.telemetry.dialFailed()
                    shell.logger.debug("dial failed", metadata: ["addresses": "\(addresses)", "error": "\(error)"])
                    shell.perform { $0.connectFailed(connectionID, reason: "\(error)", now: $1) }
                }
            }
        }
    }

    /// Connects only to see whether it succeeds.
    func probe(_ probeID: ProbeID, _ address: PeerAddress) {
        let transport = network.transport
        transport.probe(address) { [self] result in
            assumeIsolated { shell in
                var isReachable = true
                if case .failure(let error) = result {
                    shell.logger.debug("dial-back failed", metadata: ["address": "\(address)", "error": "\(error)"])
                    isReachable = false
                }
                shell.perform { $0.probed(probeID, isReachable: isReachable, now: $1) }
            }
        }
    }

    /// The address that answered, as it was given, with its scope.
    private static func address(
        of connection: any TransportConnection, among addresses: [PeerAddress]
    ) -> PeerAddress {
        let remote = connection.remoteAddress
        let match = addresses.first { address in
            guard let remote, remote.port == address.port else { return false }
            return address.host.prefix { $0 != "%" } == remote.host.prefix { $0 != "%" }
        }
        return match ?? remote ?? addresses[0]
    }

    /// Closes once everything that was written is out, or after a moment if the peer does not take it.
    func disconnect(_ connectionID: ConnectionID) { network.connections.removeValue(forKey: connectionID)?.finish() }
}
