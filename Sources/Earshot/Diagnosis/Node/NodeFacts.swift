/// The facts that only a running node knows about why messages flow or not.
struct NodeFacts: Hashable, Sendable {
    struct PeerLink: Hashable, Sendable {
        let userID: UserID
        let name: String
        /// Where the other end is.
        let address: PeerAddress?
        let isOutbound: Bool
    }

    /// What this machine's clock has done.
    struct OwnClock: Hashable, Sendable {
        /// How far it was set within the last day, forward or back; `nil` if it was not.
        var setBy: Int64?
        /// How far the last timestamp of messages is ahead of it.
        var stampsAhead: Int64 = 0
    }

    /// A peer's clock, compared over a link.
    struct PeerClock: Hashable, Sendable {
        let name: String
        /// How far it is ahead of this machine's, in milliseconds.
        let ahead: Int64
    }

    /// A peer's answer when it was asked to connect back.
    struct DialBack: Hashable, Sendable {
        let name: String
        let isReached: Bool
    }

    let name: String
    let userID: UserID
    /// Where peers connect to, while the node listens.
    var port: UInt16?
    var discovery = NodeDiscovery.starting
    /// Devices that are advertised in this node's network.
    var deviceCount = 0
    /// Devices that are advertised in other networks, or that turned out to belong to one when they were dialled.
    var otherNetworkCount = 0
    var hasNetworkKey = false
    /// Where others advertise this node's own device.
    var ownDeviceElsewhere: [PeerAddress] = []
    /// How many addresses the program gave.
    var givenPeerCount = 0
    var users: [User] = []
    var links: [PeerLink] = []
    var clocks: [PeerClock] = []
    var ownClock = OwnClock()
    var dialBacks: [DialBack] = []
    /// Why the disk takes no writes now; `nil` while it does.
    var storageFailure: String?
    /// Copies of files that folders did not take.
    var owedCopies: [OwedCopy] = []
    var credential: CredentialFacts?
    /// The devices of the node's own user.
    var devices: [UserDevice] = []
    /// Links that failed lately, the most recent first.
    var failures: [LinkFailure] = []
    /// The node's counts of what went wrong lately.
    var trouble = RecentTrouble.Counts()

    /// - Parameter now: the wall clock, in milliseconds since 1970.
    func findings(now: Int64) -> [Finding] {
        discoveryFindings + peerFindings + networkKeyFindings + copyFindings + portFindings + clockFindings
            + nameFindings + linkFindings + storageFindings + troubleFindings + deviceFindings
            + (credential?.findings(now: now) ?? [])
    }

    var storageFindings: [Finding] { failureFindings + owedFindings }

    /// One for each folder.
    private var owedFindings: [Finding] {
        let folders = Dictionary(grouping: owedCopies.filter { $0.reason != nil }, by: \.folder)
        return folders.sorted { $0.key < $1.key }.map { folder, copies in
            .warning(
                .disk, .copiesOwed,
                "\(Wording.count(copies.count, "copy", "copies")) for \(folder) could not be put there: "
                    + (copies.last?.reason ?? ""),
                why: "a rule puts copies of files there; the files are here, and the copies are tried again",
                .init(path: folder))
        }
    }

    private var failureFindings: [Finding] {
        guard let storageFailure else { return [] }
        return [
            .problem(
                .disk, .storageFailing, "the node cannot write to its disk: \(storageFailure)",
                why: "a message counts only once it is on the disk, so none is accepted")
        ]
    }
}
