/// Where a node is in its life. The state only moves forward; `stopped` is the end.
public enum NodeState: Hashable, Sendable {
    /// Its home is open: the history can be read, and messages wait in the outbox. It is not on the network.
    case open
    /// It was told to run, but is not yet on the network.
    case starting
    /// It finds peers and talks to them. Peers connect to this TCP port.
    case running(port: UInt16)
    /// Bots finish what they have begun; then it says goodbye to its peers and writes what waits.
    case stopping
    /// Everything is on the disk, and the home is free for another node.
    case stopped

    /// The state's name, without the port.
    public var name: String {
        switch self {
        case .open: "open"
        case .starting: "starting"
        case .running: "running"
        case .stopping: "stopping"
        case .stopped: "stopped"
        }
    }

    /// The TCP port that peers connect to, while the node runs.
    public var port: UInt16? {
        if case .running(let port) = self { port } else { nil }
    }
}
