package import EarshotModel
import EarshotProtocol

/// The way from one node to others. All calls are made on the node's event loop, and all answers come there.
package protocol Transport: Sendable {
    /// - Parameters:
    ///   - port: 0 for whichever is free.
    ///   - accept: is given each connection that comes in.
    /// - Throws: `EarshotError` `portInUse` or `networkUnavailable`.
    func listen(
        port: UInt16, accept: @escaping @Sendable (any TransportConnection) -> Void
    ) async throws(EarshotError) -> any TransportListener

    /// Connects to whichever of the addresses answers first.
    func connect(
        to addresses: [PeerAddress], handler: ConnectionHandler,
        completion: @escaping @Sendable (Result<any TransportConnection, any Error>) -> Void)

    /// Connects to one address and closes at once, for a peer that asks whether it can be reached there.
    func probe(_ address: PeerAddress, completion: @escaping @Sendable (Result<Void, any Error>) -> Void)
}

/// Where a node takes connections.
package protocol TransportListener: Sendable {
    var port: UInt16 { get }
    func close()
}

/// A stream of bytes to another node and back.
package protocol TransportConnection: AnyObject, Sendable {
    /// Where the other end is.
    var remoteAddress: PeerAddress? { get }
    /// Bytes that were written here and that the other end has not taken.
    var unwrittenBytes: Int { get }

    /// Hands what comes to this handler from now on. Only for a connection that was accepted.
    func deliver(to handler: ConnectionHandler)
    func write(_ bytes: [UInt8])
    /// Closes once all that was written is out, or after a moment where the other end does not take it.
    func finish()
    /// Closes at once.
    func close()
}

/// Takes what comes on one connection to its node. It is called on the node's event loop.
package struct ConnectionHandler: Sendable {
    private let node: NodeShell
    private let connectionID: ConnectionID

    init(node: NodeShell, connectionID: ConnectionID) {
        self.node = node
        self.connectionID = connectionID
    }

    package func received(_ bytes: [UInt8]) { node.assumeIsolated { $0.received(bytes, on: connectionID) } }

    /// The connection has ended, whoever ended it.
    package func disconnected() { node.assumeIsolated { $0.disconnected(connectionID) } }
}
