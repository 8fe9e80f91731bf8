import EarshotModel

/// How much waits in a machine, so that a simulation can compare it with the limits at any moment.
package struct NodeLoad: Sendable {
    /// Messages that wait for a commit, and their bytes.
    package var sends = 0
    package var sendBytes = 0
    /// How many calls of `send` those bytes come from. A single call may have any size.
    package var sendCalls = 0
    /// Messages that wait because a log is taken back from their recipient: the number for the recipient who has the
    /// most.
    package var held = 0
    /// The held messages of all recipients that do not count as sends, their bytes, and how many calls of `send` they
    /// come from.
    package var allHeld = 0
    package var allHeldBytes = 0
    package var allHeldCalls = 0
    /// Bytes of one peer's log that are proved and not on the disk: those of the log that has the most.
    package var receivedBytes = 0
    /// Events that wait for the users in them to be written, while the disk fails.
    package var userEvents = 0
    package var users = 0
    /// Users who are not pinned, and about whom nothing was decided.
    package var strangers = 0
    package var links = 0
    package var linkLimit = Limits.links
    /// Incoming connections that are not authenticated, and the most of these from one address.
    package var handshakes = 0
    package var handshakesFromOneAddress = 0
    package var dials = 0
    package var dialTargets = 0
    /// Bytes that were sent on one link and not acknowledged: those of the link that has the most.
    package var windowBytes = 0
    /// Bytes of one device, over all of its links, that are proved and not on the disk: those of the device that has
    /// the most.
    package var deviceBytes = 0
    /// The same for all devices together.
    package var allReceivedBytes = 0
    /// Ends of branches that are noted to be asked for, and those that one link is asked for: of the link that has the
    /// most.
    package var wantedBranches = 0
    package var askedBranches = 0
    /// Ranges of missing bodies of one branch, questions for bodies to one link, and bytes of bodies that wait for a
    /// commit: the most of each.
    package var missingRanges = 0
    package var askedBodies = 0
    package var foundBytes = 0
    /// Bytes of entries of which the disk is asked where they belong: of the link that has the most, and of all.
    package var locatedBytes = 0
    package var allLocatedBytes = 0
    /// Branches that are given over one link, and frames of one branch that are under way: the most of each.
    package var givenBranches = 0
    package var givenFrames = 0
    /// Devices without a link that have written nothing: those of the user who has the most.
    package var idleDevices = 0
    package var dialBacks = 0
    package var peerClocks = 0
    package var toldConflicts = 0
    /// Conversations in which this node's user types, and in which the user of another device does: those of the device
    /// that has the most.
    package var typing = 0
    package var typingOfDevice = 0
    /// Chunks of files that one link is asked for, or has given and are not on the disk; frames of one link that ask for parts of files;
    /// and parts that are read for it and have not left: the most of each.
    package var askedChunks = 0
    package var fileQuestions = 0
    package var partsAhead = 0

    package init() {}

    /// Everything that is over its limit; empty for a sound machine.
    package var exceeded: [String] {
        // One entry more than fits may go out, as the protocol allows.
        let window = Limits.windowBytes + Limits.frameBytes
        let bounds: [(what: String, value: Int, limit: Int)] = [
            ("sends", sends, Limits.pendingSends),
            ("bytes of sends", sendCalls > 1 ? sendBytes : 0, Limits.pendingSendBytes),
            // Messages that waited for the disk when the log was claimed go on waiting.
            ("held sends to a user", held, Limits.pendingSends + Limits.heldSends),
            ("held sends", allHeld, Limits.allHeldSends),
            ("bytes of held sends", allHeldCalls > 1 ? allHeldBytes : 0, Limits.allHeldSendBytes),
            ("received bytes of a log", receivedBytes, window),
            ("events of users", userEvents, users + toldConflicts),
            ("strangers", strangers, Limits.strangers + 1),
            ("links", links, linkLimit),
            ("handshakes", handshakes, Limits.pendingHandshakes),
            ("handshakes from one address", handshakesFromOneAddress, Limits.pendingHandshakesPerAddress),
            ("dials", dials, Limits.concurrentDials),
            ("targets of the dialler", dialTargets, Limits.discoveredDevices),
            ("unacknowledged bytes of a link", windowBytes, window),
            ("received bytes of a device", deviceBytes, window),
            ("received bytes", allReceivedBytes, Limits.receivedBytes),
            ("branches to ask for", wantedBranches, Limits.wantedBranches),
            ("branches that a link is asked for", askedBranches, Limits.askedBranchesPerLink),
            ("ranges of missing bodies of a branch", missingRanges, Limits.missingRanges),
            ("questions for bodies to a link", askedBodies, Limits.askedBranchesPerLink),
            ("bytes of bodies that wait", foundBytes, Limits.receivedBytes),
            ("bytes of a link to be located", locatedBytes, window),
            ("bytes to be located", allLocatedBytes, Limits.receivedBytes),
            ("branches given over a link", givenBranches, Limits.askedBranchesPerLink),
            ("frames of a branch under way", givenFrames, Limits.givenFrames),
            ("idle devices of a user", idleDevices, Limits.devicesPerUser + Limits.links + 1),
            ("dial-backs", dialBacks, Limits.concurrentDialBacks),
            ("clocks of peers", peerClocks, Limits.peerClocks),
            ("conflicts", toldConflicts, Limits.strangers),
            ("conversations that are typed in", typing, Limits.typingConversations),
            ("conversations that a peer types in", typingOfDevice, Limits.typingConversations),
            // Hashes are asked for beside the chunks.
            ("chunks that a link is asked for", askedChunks, Limits.askedChunksPerLink + Limits.listsPerQuestion + 1),
            ("questions for files of a link", fileQuestions, Limits.fileQuestionsPerLink),
            ("parts of files ahead of a link", partsAhead, Limits.chunksAheadPerLink),
        ]
        return bounds.filter { $0.value > $0.limit }.map { "\($0.what): \($0.value) of \($0.limit)" }
    }
}

extension NodeMachine {
    package var load: NodeLoad {
        var load = NodeLoad()
        replication.add(to: &load)
        load.idleDevices = idleDevices.values.max() ?? 0
        load.users = trust.directory.users.count
        load.strangers = trust.directory.users.values.count { !$0.isPinned && $0.trust == .unverified }
        load.dialTargets = peers.dialer.count
        load.dialBacks = reachability.attemptCount
        load.peerClocks = clocks.peerCount
        load.toldConflicts = trust.toldConflictCount
        (load.typing, load.typingOfDevice) = typing.load
        files.add(to: &load)
        addLinks(to: &load)
        return load
    }

    private var idleDevices: [UserID: Int] {
        trust.directory.devices.values.reduce(into: [:]) { counts, device in
            guard connection(to: device.deviceID) == nil, !replication.hasLogs(of: device.deviceID) else { return }
            counts[device.userID, default: 0] += 1
        }
    }

    private func addLinks(to load: inout NodeLoad) {
        load.linkLimit = peers.links.limit
        var hosts: [String: Int] = [:]
        for link in peers.links.links.values {
            switch link {
            case .established: load.links += 1
            case .dialling: load.dials += 1
            case .answering(let connection):
                load.handshakes += 1
                hosts[connection.address?.host ?? "", default: 0] += 1
            }
        }
        load.handshakesFromOneAddress = hosts.values.max() ?? 0
    }
}
