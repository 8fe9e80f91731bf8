/// A question to a DNS-SD implementation, which stands until it is withdrawn.
enum Lookup: Hashable {
    case instances
    /// The SRV and TXT records of an instance.
    case instance(String)
    /// The A or AAAA records of a host.
    case addresses(host: String, AddressFamily)
}

/// What a DNS-SD implementation answers to a lookup.
enum LookupEvent: Hashable {
    case appeared(instance: String, interface: UInt32)
    case disappeared(instance: String, interface: UInt32)
    case resolved(host: String, port: UInt16, txt: [UInt8])
    case addressAppeared([UInt8], interface: UInt32)
    case addressDisappeared([UInt8], interface: UInt32)
    /// All addresses that were known before this lookup have been told. Not every implementation says so.
    case exhausted
    case failed
}

/// A DNS-SD implementation: the daemon's layer, or the stack in this process.
protocol LookupProvider {
    /// A lookup under way. It ends when it is released.
    associatedtype Operation: AnyObject

    /// - Parameter interface: the only one to look on, or `nil` for all.
    func begin(_ lookup: Lookup, on interface: UInt32?) throws(DiscoveryError) -> Operation
}
