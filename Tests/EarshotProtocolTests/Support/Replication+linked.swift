import EarshotModel

@testable import EarshotProtocol

extension Replication {
    /// That of a device whose link to a peer's device has just begun: neither has said anything yet.
    static func linked(
        _ local: LocalDevice, to peer: LocalDevice, on connectionID: ConnectionID, snapshot: Snapshot = Snapshot()
    ) -> Replication {
        var replication = Replication(local: local, snapshot: snapshot)
        replication.linkBegan(
            connectionID, to: LinkPeer(credential: peer.link.credential, run: 1), handshakeHash: Bytes32())
        replication.linkChosen(connectionID)
        _ = replication.takeActions()
        return replication
    }
}
