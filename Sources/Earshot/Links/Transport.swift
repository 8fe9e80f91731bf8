package import EarshotModel
import EarshotProtocol

/// Connects one node to others. All calls are made on the node's event loop, and all answers come there.
package protocol Transport: Sendable {
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - accept: is called with each incoming connection.
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

/// Accepts a node's incoming connections.
package protocol TransportListener: Sendable {
    var port: UInt16 { get }
    func close()
}

/// A stream of bytes between two nodes.
package protocol TransportConnection: AnyObject, Sendable {
    /// Where the other end is.
    var remoteAddress: PeerAddress? { get }
    /// Bytes that were written here and that the other end has not yet taken.
    var unwrittenBytes: Int { get }

    /// Hands incoming bytes to this handler from now on. Only for a connection that was accepted.
    func deliver(to handler: ConnectionHandler)
    func write(_ bytes: [UInt8])
    /// Calls, on the node's event loop, once everything is out that was written so far; never if the connection ends first.
    func whenWritten(_ body: @escaping @Sendable () -> Void)
    /// Closes once everything that was written is out, or after a moment if the other end does not take it.
    func finish()
    /// Closes at once.
    func close()
}

/// Hands what comes on one connection to its node. It is called on the node's event loop.
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
