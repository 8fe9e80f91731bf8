import EarshotModel
import EarshotProtocol

/// An open conversation that all nodes join, each in its own time.
extension Simulation {
    static let groupName = "general"

    /// The conversation, as any of the nodes names it.
    var groupID: ConversationID {
        .open(Self.groupName, networkTag: nodes[0].local.link.networkTag)
    }

    mutating func planGroups() {
        guard configuration.hasGroups else { return }
        for index in nodes.indices {
            nodes[index].isHostile = carrierChance.oneIn(3)
            let at = Int64.random(in: 1_000_000..<configuration.trouble / 3, using: &generator)
            queue.push(.join(node: index), at: at)
        }
    }

    /// Joins, and tries again until that is on the disk.
    mutating func join(_ index: Int) throws {
        let isJoined = nodes[index].openConversation(groupID)?.isJoined == true
        guard !isJoined else { return }
        queue.push(.join(node: index), at: time + 1_000_000)
        guard nodes[index].isUp, !nodes[index].isStopping else { return }
        let requestID = nodes[index].nextRequest(for: [])
        try perform(index) { $0.join(Self.groupName, isAdvertised: true, requestID: requestID, now: $1) }
    }

    /// - Returns: whether the node belongs to the conversation, and has been given the messages.
    mutating func sendToGroup(_ index: Int, _ errand: Errand) throws -> Bool {
        guard nodes[index].isUp, !nodes[index].isStopping, nodes[index].openConversation(groupID)?.isJoined == true
        else { return false }
        let texts = (0..<errand.count).map { "message \(errand.number).\($0) of node \(index) to all" }
        let requestID = nodes[index].nextRequest(for: texts)
        let drafts = texts.map { MessageDraft($0) }
        try perform(index) { [groupID] in $0.send(drafts, to: groupID, requestID: requestID, now: $1) }
        return true
    }

    func isGroup(_ conversationID: ConversationID) -> Bool {
        configuration.hasGroups && conversationID == groupID || isPrivate(conversationID)
    }

    // MARK: - Hostile carriers

    /// What a node's disk gives for a peer, as the node passes it on.
    /// - Returns: `nil` if it keeps all of it to itself.
    mutating func passOn(_ entries: [EntryRecord], _ read: EntriesRead, by index: Int) throws -> [EntryRecord]? {
        guard nodes[index].isHostile, !isHealed, read.isPassedOn(by: nodes[index].local.deviceID),
            try isElsewhere(read.logID, than: index)
        else { return entries }
        if carrierChance.oneIn(8) { return nil }
        guard carrierChance.oneIn(2) else { return entries }
        let stripsAll = carrierChance.oneIn(4)
        return entries.map { stripsAll || carrierChance.oneIn(3) ? $0.stripped : $0 }
    }

    /// Whether others than its author and a node may hold a log. What nobody else has, a liar can lose.
    private mutating func isElsewhere(_ logID: LogID, than index: Int) throws -> Bool {
        guard configuration.devicesPerUser == 1 else { return true }
        if sharedLogs.contains(logID) { return true }
        let isShared = try nodes[index].store.snapshot().logs.contains {
            $0.logID == logID && $0.conversation.kind != .direct
        }
        if isShared { sharedLogs.insert(logID) }
        return isShared
    }

    // MARK: - What must hold

    /// A state for one recipient never goes back.
    mutating func advanceInGroup(_ change: MessageStateChange, at index: Int) {
        let key = Addressed(messageID: change.messageID, recipientID: change.recipientID)
        let old = nodes[index].groupStates[key]
        if let old, !Self.isForward(from: old, to: change.state), !nodes[index].isRestored {
            violated("\(change.messageID) went from \(old) to \(change.state) for \(change.recipientID)")
        }
        nodes[index].groupStates[key] = change.state
    }

    /// Nodes that a path of contacts joins, none of whom keeps the next one out.
    var components: [Set<Int>] { components(among: Set(nodes.indices)) }

    /// Nodes among some that a path of these joins.
    func components(among some: Set<Int>) -> [Set<Int>] {
        var rest = some
        var components: [Set<Int>] = []
        while let start = rest.min() {
            var component: Set<Int> = []
            var frontier = [start]
            while let index = frontier.popLast() {
                guard component.insert(index).inserted else { continue }
                frontier += nodes[index].contacts.filter { some.contains($0) && isOpen(index, $0) }
            }
            rest.subtract(component)
            components.append(component)
        }
        return components
    }

    /// Whether all who can hear of each other hold the same.
    func isGroupQuiet(on disks: [Snapshot]) throws -> Bool {
        guard configuration.hasGroups else { return true }
        for component in components {
            for index in component {
                guard lackedBodies(of: index, on: disks).isEmpty else { return false }
            }
            let heads = component.sorted().map { groupHeads(on: disks[$0]) }
            guard let first = heads.first, heads.allSatisfy({ $0 == first }) else { return false }
            guard component.allSatisfy({ nodes[$0].openConversation(groupID)?.isJoined == true }) else { return false }
            for index in component {
                let users = Set(component.map { nodes[$0].local.userID }).count
                // A device need not write anything where another one of its user has joined.
                if configuration.devicesPerUser > 1, ownGroupLogs(of: index, on: disks[index]).isEmpty { continue }
                guard try groupDeliveries(of: index, on: disks[index]) == users - 1 else { return false }
            }
        }
        return true
    }

    /// By the log's id, the entries of some conversations whose bodies a disk lacks.
    func missingBodies(on disk: Snapshot, where isMeant: (ConversationID) -> Bool) -> [LogID: SequenceSet] {
        let logs = Set(disk.logs.filter { isMeant($0.description.conversationID) }.map(\.logID))
        return disk.missing.filter { logs.contains($0.key) }
    }

    /// The bodies that a node lacks outside of the private group. What a liar passed on without its body, and then lost with its
    /// disk, nobody can give any more.
    private func lackedBodies(of index: Int, on disks: [Snapshot]) -> [LogID: SequenceSet] {
        let lacked = missingBodies(on: disks[index]) { !isPrivate($0) }
        guard nodes.contains(where: { $0.isHostile && $0.isRestored }) else { return lacked }
        return lacked.filter { logID, sequences in
            disks.contains { disk in
                let end = disk.logs.first { $0.logID == logID }?.head.sequence ?? 0
                let held = sequences.subtracting(disk.missing[logID] ?? SequenceSet())
                return held.ranges.contains { $0.lowerBound <= end }
            }
        }
    }

    private func groupHeads(on disk: Snapshot) -> Set<ChainHash> {
        Set(
            disk.logs.filter { $0.description.conversationID == groupID && $0.head.sequence > 0 }.map(\.head.chain))
    }

    /// How many users have everything that a node wrote, but for what it took back before they came.
    private func groupDeliveries(of index: Int, on disk: Snapshot) throws -> Int {
        let own = ownGroupLogs(of: index, on: disk)
        guard let first = own.first else { return 0 }
        return try own.reduce(Int.max) { least, log in
            try min(
                least,
                disk.deliveries.count {
                    try $0.logID == log.logID && $0.recipientID != first.authorID
                        && $0.progress.delivered == log.head.sequence
                        && $0.progress.missing.ranges.joined().allSatisfy { sequence in
                            let messageID = MessageID(log: log.logID, sequence: sequence)
                            return try nodes[index].store.held(messageID)?.isRetracted == true
                        }
                })
        }
    }

    /// How far each user has what a node wrote, as it knows, by log.
    private func ownGroupProgress(of index: Int, on disk: Snapshot) -> [String] {
        ownGroupLogs(of: index, on: disk).map { log in
            let others = disk.deliveries.filter { $0.logID == log.logID && $0.recipientID != log.authorID }
            let users = others.map {
                "\($0.recipientID)".prefix(4) + " \($0.progress.delivered) without \($0.progress.missing.ranges)"
            }
            return "\("\(log.logID)".prefix(4)) of \(log.head.sequence): \(users.sorted())"
        }
    }

    private func ownGroupLogs(of index: Int, on disk: Snapshot) -> [LogRecord] {
        disk.logs.filter {
            $0.description.conversationID == groupID && $0.description.deviceID == nodes[index].local.deviceID
                && !$0.isLimbo && $0.head.sequence > 0
        }
    }

    mutating func reportGroupUnrest() throws {
        guard configuration.hasGroups else { return }
        let disks = try nodes.map { try $0.store.snapshot() }
        for component in components {
            for index in component.sorted() {
                let disk = disks[index]
                let heads = groupHeads(on: disk)
                let missing = lackedBodies(of: index, on: disks)
                    .map { "\($0.key)".prefix(4) + " \($0.value.ranges)" }.sorted()
                if !missing.isEmpty { violated("\(name(index)) lacks bodies: \(missing)") }
                let complete = try groupDeliveries(of: index, on: disk)
                violated(
                    "\(name(index)) holds \(heads.count) logs of the group (\(heads.map { String("\($0)".prefix(4)) }.sorted())), "
                        + "and \(complete) users have all that it wrote: "
                        + "\(ownGroupProgress(of: index, on: disk))")
            }
        }
    }

    /// Everybody has the same history, and in it what was accepted, once and in its order.
    mutating func checkGroup() throws {
        guard configuration.hasGroups else { return }
        let anyRestored = nodes.contains { $0.isRestored }
        // An author whose disk was replaced may withhold what has left them: whoever has it keeps it.
        let withheldAfterAll = try Set(
            nodes.filter(\.isRestored).flatMap { try $0.store.history(of: groupID) }.filter(\.isWithheld)
                .map(\.entry.chain))
        for component in components {
            var first: [HeldMessage]?
            for index in component.sorted() {
                let history = try nodes[index].store.history(of: groupID)
                    .filter { !$0.isWithheld && !withheldAfterAll.contains($0.entry.chain) }
                // A node that never had the text of a message does not know when it was written.
                let texts = history.filter { !$0.isRetracted }
                if isAtRest, let first, let difference = Self.difference(of: texts, from: first) {
                    violated("\(name(index)) has another history of the group: \(difference)")
                }
                first = first ?? texts
                for (text, copies) in Dictionary(grouping: texts, by: \.text).sorted(by: { $0.key < $1.key })
                where copies.count > 1 {
                    violated("\"\(text.prefix(40))\" is \(copies.count) times in the group at \(name(index))")
                }
                let places = Dictionary(texts.enumerated().map { ($1.text, (index: $0, logID: $1.messageID.log)) }) {
                    first, _ in first
                }
                for author in component.sorted() {
                    let withheld = try nodes[author].store.history(of: groupID)
                        .filter { $0.isWithheld || $0.isRetracted }.map(\.messageID)
                    checkAccepted(
                        by: author, at: index, places, withheld: Set(withheld), isEverythingHeld: !anyRestored)
                }
            }
        }
    }

    private mutating func checkAccepted(
        by author: Int, at index: Int, _ places: [String: (index: Int, logID: LogID)], withheld: Set<MessageID>,
        isEverythingHeld: Bool
    ) {
        // An author whose disk was replaced does not know what it wrote in another branch of its log.
        var last: [LogID: Int] = [:]
        for (text, messageID, _) in nodes[author].accepted where text.hasSuffix("to all") {
            guard let place = places[text] else {
                if isAtRest, isEverythingHeld, !withheld.contains(messageID) {
                    violated("\"\(text.prefix(40))\" was accepted, and \(name(index)) has not got it")
                }
                continue
            }
            if place.index < last[place.logID, default: -1] {
                violated("\"\(text.prefix(40))\" is out of order at \(name(index))")
            }
            last[place.logID] = max(last[place.logID, default: -1], place.index)
        }
    }
}

extension EntryRecord {
    /// The same entry without its body.
    fileprivate var stripped: EntryRecord {
        guard case .body = content else { return self }
        return EntryRecord(
            sequence: sequence, timestamp: timestamp, expiry: .max, kind: .unknown, content: .withheld(content.hash),
            chain: chain, checkpoint: checkpoint)
    }
}
