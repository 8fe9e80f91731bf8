import EarshotModel
import EarshotProtocol

/// Users with several devices, which share all that they hold.
extension Simulation {
    /// Whether two nodes are devices of one user.
    func isSameUser(_ a: Int, _ b: Int) -> Bool { a / configuration.devicesPerUser == b / configuration.devicesPerUser }

    var hasSeveralDevices: Bool { configuration.devicesPerUser > 1 }

    /// Whether a node is a user's device with the identity's key.
    func isPrimary(_ index: Int) -> Bool { index.isMultiple(of: configuration.devicesPerUser) }

    func devices(of userID: UserID) -> [Int] {
        guard let first = indices[userID] else { return [] }
        return Array(first..<min(nodes.count, first + configuration.devicesPerUser))
    }

    /// What a host does for a node's devices.
    mutating func perform(_ task: DeviceTask, of index: Int) throws {
        switch task {
        case .issue(let request, _):
            let grant = CredentialGrant.issue(request, identityKey: nodes[index].member.identityKey)
            try perform(index) { $0.issued(request, grant, now: $1) }
        case .adopt(let credential):
            nodes[index].adopt(credential)
            try perform(index) { $0.renew(credential, now: $1) }
        case .pairingChanged: break
        }
    }

    /// The texts of the conversation of two users that some device of theirs holds.
    func textsHeld(between a: Int, _ b: Int) throws -> Set<String> {
        var texts: Set<String> = []
        for (index, peer) in [(a, b), (b, a)] {
            for device in devices(of: nodes[index].local.userID) {
                texts.formUnion(try history(of: device, with: peer).map(\.text))
            }
        }
        return texts
    }

    // MARK: - What must hold

    /// All devices of two users who write to each other have the same history, in which everything is once; and what is
    /// called delivered is on a device of its recipient.
    mutating func checkUsers() throws {
        guard configuration.devicesPerUser > 1 else { return }
        let users = Set(nodes.map(\.local.userID)).sorted()
        for user in users {
            checkDecisions(devices(of: user))
            try checkPrivateHistories(devices(of: user))
        }
        for (place, user) in users.enumerated() {
            for other in users.dropFirst(place + 1) { try checkPair(devices(of: user), devices(of: other)) }
        }
    }

    /// Whether devices of one user would agree if this were the end. News may take a way over several of them, with a
    /// comparison at each step.
    func areUsersQuiet() throws -> Bool { try disagreements().isEmpty }

    /// What would be wrong between the devices of users if this were the end.
    func disagreements() throws -> [String] {
        guard configuration.devicesPerUser > 1 else { return [] }
        var end = self
        (end.isAtRest, end.violations) = (true, [])
        try end.checkUsers()
        return end.violations
    }

    /// Devices of one user agree on who is blocked, and on whom the identity's key has verified.
    private mutating func checkDecisions(_ devices: [Int]) {
        guard isAtRest, let primary = devices.first(where: isPrimary) else { return }
        for device in devices where device != primary {
            for other in Set(nodes.map(\.local.userID)).sorted() where other != nodes[device].local.userID {
                let (mine, theirs) = (nodes[device].user(other)?.trust, nodes[primary].user(other)?.trust)
                let agrees = (mine == .blocked) == (theirs == .blocked) && (theirs != .verified || mine == .verified)
                guard !agrees else { continue }
                violated(
                    "\(name(device)) holds user \(other) as \(String(describing: mine)), not \(String(describing: theirs))"
                )
            }
        }
    }

    /// Devices of one user show the same messages that were never sent, because they were cancelled or expired before that.
    private mutating func checkWithheld(_ devices: [Int], _ histories: [Int: [HeldMessage]]) {
        guard components(among: Set(devices)).count == 1 else { return }
        var first: Set<ChainHash>?
        for device in devices {
            let kept = histories[device, default: []].filter {
                $0.isWithheld && $0.hasBody && $0.log.authorID == nodes[device].local.userID
            }
            let chains = Set(kept.map(\.entry.chain))
            if let first, chains != first {
                violated("\(name(device)) shows other messages that were never sent than its user's first device")
            }
            first = first ?? chains
        }
    }

    /// Devices of one user show the same of the private conversation, with what does not count any more; and the same has failed.
    private mutating func checkPrivateHistories(_ devices: [Int]) throws {
        guard isAtRest, configuration.hasPrivateGroup, components(among: Set(devices)).count == 1,
            !devices.contains(where: { nodes[$0].isRestored })
        else { return }
        var first: [ChainHash: String]?
        for device in devices {
            let shown = try nodes[device].store.history(of: privateID).filter(\.hasBody).map { message in
                let isOwn = message.log.authorID == nodes[device].local.userID
                // Why a message never left, only the device knows that wrote it.
                let reason = message.failure.map { $0.isWithheld ? " (never sent)" : " (\($0.reason))" } ?? ""
                return (message.entry.chain, String(message.text.prefix(40)) + (isOwn ? reason : ""))
            }
            let texts = Dictionary(shown) { $1 }
            if let first, first != texts {
                let (here, there) = (
                    Set(texts.values).subtracting(first.values), Set(first.values).subtracting(texts.values)
                )
                violated(
                    "\(name(device)) shows \(here.sorted().prefix(3)) of the private conversation, where its user's first device "
                        + "shows \(there.sorted().prefix(3))")
            }
            first = first ?? texts
        }
    }

    private mutating func checkPair(_ mine: [Int], _ theirs: [Int]) throws {
        // What two write to each other goes over no device but their own.
        let isOpen =
            mine.allSatisfy { a in theirs.allSatisfy { self.isOpen(a, $0) } }
            && components(among: Set(mine + theirs)).count == 1
        let isRestored = (mine + theirs).contains { nodes[$0].isRestored }
        var histories: [Int: [HeldMessage]] = [:]
        for device in mine { histories[device] = try history(of: device, with: theirs[0]) }
        for device in theirs { histories[device] = try history(of: device, with: mine[0]) }
        var first: [HeldMessage]?
        for (device, history) in histories.sorted(by: { $0.key < $1.key }) {
            let shown = history.filter { !$0.isWithheld && $0.hasBody }
            for (text, copies) in Dictionary(grouping: shown, by: \.text).sorted(by: { $0.key < $1.key })
            where copies.count > 1 {
                violated("\"\(text.prefix(40))\" is \(copies.count) times in the history of \(name(device))")
            }
            if isAtRest, isOpen, let first, let difference = Self.difference(of: shown, from: first) {
                violated("\(name(device)) has another history than the others: \(difference)")
            }
            first = first ?? shown
        }
        if isAtRest, !isRestored { for devices in [mine, theirs] { checkWithheld(devices, histories) } }
        for (authors, readers) in [(mine, theirs), (theirs, mine)] {
            for author in authors {
                checkStates(of: author, authors, readers, histories, isOpen: isOpen)
                if !isRestored { checkAccepted(by: author, for: nodes[readers[0]].local.userID, histories) }
            }
        }
    }

    /// - Returns: `nil` if two histories are the same.
    static func difference(of history: [HeldMessage], from other: [HeldMessage]) -> String? {
        guard history.map(\.entry.chain) != other.map(\.entry.chain) else { return nil }
        func names(of held: [HeldMessage], besides other: [HeldMessage]) -> [String] {
            let known = Set(other.map(\.entry.chain))
            return held.filter { !known.contains($0.entry.chain) }.prefix(3).map { "\"\($0.text.prefix(40))\"" }
        }
        return "\(history.count), not \(other.count); only here: \(names(of: history, besides: other)), only there: "
            + "\(names(of: other, besides: history))"
    }

    /// Each device knows the states of what its user has written, on whichever of their devices.
    private mutating func checkStates(
        of device: Int, _ authors: [Int], _ readers: [Int], _ histories: [Int: [HeldMessage]], isOpen: Bool
    ) {
        let theirs = readers.flatMap { histories[$0, default: []] }
        // Whoever knew another branch of the log first has other names for the same entries.
        let held = Set(theirs.filter(\.hasBody).map(\.entry.chain))
        let isRestored = (authors + readers).contains { nodes[$0].isRestored }
        let userID = nodes[device].local.userID
        for message in histories[device, default: []] where message.log.authorID == userID && message.hasBody {
            let isHeld = held.contains(message.entry.chain)
            if message.state.isDelivered, !isHeld {
                violated("\(message.messageID) is \(message.state) at \(name(device)), and its recipient lacks it")
            }
            if isHeld, !message.state.isDelivered, isOpen, isAtRest, !isRestored, !message.isWithheld {
                violated("\(message.messageID) is \(message.state) at \(name(device)), and its recipient has it")
            }
        }
    }

    /// What a device accepted is in its own history, in that order.
    private mutating func checkAccepted(by author: Int, for recipientID: UserID, _ histories: [Int: [HeldMessage]]) {
        let history = histories[author, default: []]
        let places = Dictionary(history.enumerated().map { ($1.messageID, $0) }) { first, _ in first }
        var last = -1
        for (text, messageID, recipient) in nodes[author].accepted
        where recipient == recipientID && !text.hasSuffix("to all") {
            guard let place = places[messageID] else {
                violated("\"\(text.prefix(40))\" of \(name(author)) was accepted and is lost")
                continue
            }
            if place < last { violated("\"\(text.prefix(40))\" of \(name(author)) is out of order") }
            last = place
        }
    }
}
