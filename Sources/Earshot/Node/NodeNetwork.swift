import EarshotDiscovery
import EarshotProtocol

/// What a node has of the network: its connections, where it listens, and who looks for others.
struct NodeNetwork {
    /// It may call back at once, and change the connections: copy it before you call it.
    let transport: any Transport
    var connections: [ConnectionID: any TransportConnection] = [:]
    var listener: (any TransportListener)?
    /// From the moment when the node looks for others.
    var discovery: Discovery?

    init(_ transport: any Transport) { self.transport = transport }

    /// The port on which the node listens.
    var port: UInt16? { listener?.port }

    /// The caller closes it.
    mutating func takeListener() -> (any TransportListener)? {
        defer { listener = nil }
        return listener
    }
}
