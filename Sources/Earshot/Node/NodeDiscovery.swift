/// By what a node finds its peers at one moment.
public enum NodeDiscovery: Hashable, Sendable {
    /// By choice of the program nobody is looked for: only given and remembered addresses are dialled.
    case off
    /// Nothing has answered yet.
    case starting
    /// The system's DNS-SD daemon.
    case daemon
    /// The DNS-SD stack in this process.
    case embedded
    /// A source that is no part of this package.
    case other(String)
    /// Nothing works, with a reason for people.
    case none(reason: String)
}
