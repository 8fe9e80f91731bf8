/// What can go wrong in a simulation.
///
/// A new fault needs a case here, a weight, and a branch in `Simulation.cause(_:at:)`.
package enum Fault: String, Sendable, CaseIterable {
    /// One node's connections break, and both ends notice.
    case connectionsBreak
    /// Everybody's connections break at once; if there are many nodes, those of a tenth.
    case everyConnectionBreaks
    /// One node's connections break, and only one end notices.
    case halfOpen
    /// The nodes fall into groups that cannot reach each other for a time.
    case partition
    /// A process dies, and the system closes its connections.
    case crash
    /// A process dies between two actions that its machine returned.
    case crashBetweenActions
    /// A whole host dies: nobody is told that its connections are gone.
    case powerCut
    /// A node stops cleanly.
    case stop
    /// A host sleeps for a while.
    case sleep
    /// Commits fail for a while.
    case fullDisk
    /// Commits take long for a while.
    case slowDisk
    /// The store cannot be read for a while.
    case unreadableDisk
    /// Bytes to a node trickle for a while.
    case slowPeer
    /// A host gets another address, and its connections are dead without a word.
    case move
    case networkChange
    case wakeUp
    /// A clock is set by seconds to years.
    case clockJump
    /// A user is blocked, unblocked, accepted or verified.
    case trust
    /// A node renews its credential, by its own clock.
    case renewal
    /// A node asks whether it can be reached.
    case reachability

    /// A host dies, and comes back with an older copy of its disk. What no disk holds then is lost, so this fault is
    /// chosen separately.
    case restoredDisk

    /// All faults in which nothing may be lost.
    package static let usual = allCases.filter { $0 != .restoredDisk }

    /// How often it happens, compared with the others.
    var weight: Int {
        switch self {
        case .connectionsBreak, .crashBetweenActions: 4
        case .halfOpen, .clockJump: 3
        case .crash, .partition, .trust, .everyConnectionBreaks, .slowPeer, .fullDisk,
            .restoredDisk:
            2
        case .powerCut, .stop, .sleep, .slowDisk, .unreadableDisk, .move, .networkChange, .wakeUp, .renewal,
            .reachability:
            1
        }
    }
}
