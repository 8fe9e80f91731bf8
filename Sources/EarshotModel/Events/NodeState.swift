/// Where a node is in its life. It only ever goes forward; `stopped` is the end.
public enum NodeState: Hashable, Sendable {
    /// Its home is open: the history can be read, and messages wait in the outbox. It is not on the network.
    case open
    /// It was told to run, and is not on the network yet.
    case starting
    /// It finds peers and talks to them, who connect to this TCP port.
    case running(port: UInt16)
    /// It says goodbye to its peers and writes what waits.
    case stopping
    /// All is on the disk, and the home is free for another node.
    case stopped

    /// The word for it, without the port.
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
