/// How a node finds its peers at one moment.
public enum NodeDiscovery: Hashable, Sendable {
    /// The program has switched discovery off: the node dials only given and remembered addresses.
    case off
    /// Nothing has answered yet.
    case starting
    /// The system's DNS-SD daemon.
    case daemon
    /// The DNS-SD stack in this process.
    case embedded
    /// A source from outside this package.
    case other(String)
    /// Nothing works, with a reason for people.
    case none(reason: String)
}
