import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol

/// A private conversation, whose owner invites, removes and hands over while the others write.
extension Simulation {
    var privateOrigin: ConversationOrigin {
        ConversationOrigin(
            creatorID: nodes[0].local.userID, salt: [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: 16))
    }

    var privateID: ConversationID { .private(privateOrigin) }

    func isPrivate(_ conversationID: ConversationID) -> Bool {
        configuration.hasPrivateGroup && conversationID == privateID
    }

    func membership(at index: Int) -> Membership? { nodes[index].membership(privateID) }

    mutating func planPrivateGroup() {
        guard configuration.hasPrivateGroup else { return }
        for index in nodes.indices {
            queue.push(.decideGroup(node: index), at: Int64.random(in: 500_000...3_000_000, using: &programChance))
        }
    }

    /// What a node's user does about the conversation, again and again.
    mutating func decideGroup(_ index: Int) throws {
        let pause = isHealed ? 2_000_000 : Int64.random(in: 500_000...4_000_000, using: &programChance)
        queue.push(.decideGroup(node: index), at: time + pause)
        guard nodes[index].isUp, !nodes[index].isStopping, nodes[index].requests.isEmpty else { return }
        guard let membership = membership(at: index) else {
            if index == 0 { try createPrivateGroup() }
            return
        }
        let userID = nodes[index].local.userID
        guard !membership.isClosed else { return }
        if membership.ownerID == userID, membership.writer == nodes[index].local.deviceID {
            if !isHealed { try govern(index, membership) }
        } else if membership.status(of: userID) == .invited {
            let declines = !isHealed && programChance.oneIn(8)
            try decide(index) { [privateID] in
                declines
                    ? $0.leavePrivate(privateID, requestID: $1, now: $2)
                    : $0.acceptInvitation(to: privateID, requestID: $1, now: $2)
            }
        } else if membership.hasJoined(userID), !isHealed, programChance.oneIn(15) {
            try decide(index) { [privateID] in $0.leavePrivate(privateID, requestID: $1, now: $2) }
        }
    }

    private mutating func decide(
        _ index: Int, _ body: (inout NodeMachine, RequestID, Moment) -> [NodeAction]
    ) throws {
        let requestID = nodes[index].nextRequest(for: [])
        try perform(index) { body(&$0, requestID, $1) }
    }

    private mutating func invite(_ userID: UserID, by index: Int) throws {
        let requestID = nodes[index].nextRequest(for: Decided(userID: userID, isIn: true))
        try perform(index) { [privateID] in $0.invite(userID, to: privateID, requestID: requestID, now: $1) }
    }

    private mutating func remove(_ userID: UserID, by index: Int) throws {
        let requestID = nodes[index].nextRequest(for: Decided(userID: userID, isIn: false))
        try perform(index) { [privateID] in $0.remove(userID, from: privateID, requestID: requestID, now: $1) }
    }

    /// A decision that was taken counts at once where it was taken: it stands in the log that counts last.
    mutating func check(_ decided: Decided, at index: Int) {
        guard let isIn = membership(at: index)?.isIn(decided.userID), isIn != decided.isIn else { return }
        let who = nodes.firstIndex { $0.local.userID == decided.userID }.map { name($0) } ?? "a hostile author"
        violated("\(name(index)) decided that \(who) is \(decided.isIn ? "in" : "out"), and it does not count")
    }

    private mutating func createPrivateGroup() throws {
        // A restored creator has forgotten it, and hears of it from the others.
        guard !nodes[0].isRestored else { return }
        let invited = nodes.indices.dropFirst().filter { _ in programChance.oneIn(2) }.map { nodes[$0].local.userID }
        let draft = ConversationDraft(uniqueName: "ops", givesHistory: !seed.isMultiple(of: 3), invited: invited)
        let proof = PrimaryProof.sign(
            nodes[0].local.deviceID, in: privateID, with: nodes[0].member.identityKey)
        try decide(0) { [privateOrigin] in
            $0.createConversation(draft, salt: privateOrigin.salt, proof: proof, requestID: $1, now: $2)
        }
    }

    /// What the owner does.
    private mutating func govern(_ index: Int, _ membership: Membership) throws {
        if configuration.hostileAuthors > 0, hostile.chance.oneIn(3) { return try governHostile(index, membership) }
        let other = Int.random(in: nodes.indices, using: &programChance)
        guard other != index else { return }
        let userID = nodes[other].local.userID
        switch membership.status(of: userID) {
        case .joined where programChance.oneIn(8):
            try decide(index) { [privateID] in $0.handOver(privateID, to: userID, requestID: $1, now: $2) }
        case .joined, .invited:
            guard programChance.oneIn(3) else { return }
            log("\(name(index)) removes \(name(other))")
            try remove(userID, by: index)
        default:
            // With the history they are given what was written while they were out.
            let devices = devices(of: userID)
            for text in secrets.keys where membership.givesHistory { secrets[text]?.subtract(devices) }
            try invite(userID, by: index)
        }
    }

    /// What the owner does about a hostile author.
    private mutating func governHostile(_ index: Int, _ membership: Membership) throws {
        let number = Int.random(in: hostile.authors.indices, using: &hostile.chance)
        let (userID, role) = (hostile.authors[number].mallory.userID, hostile.authors[number].role)
        switch (role, membership.status(of: userID)) {
        case (.invited, nil), (.participant, nil), (.removed, nil):
            hostile.invited(number, membership)
            try invite(userID, by: index)
        case (.removed, .joined):
            log("\(name(index)) removes \(hostile.authors[number].mallory.name)")
            try remove(userID, by: index)
        default: break
        }
    }

    /// - Returns: whether the node belongs to the conversation, and has been given the messages.
    mutating func sendToPrivateGroup(_ index: Int, _ errand: Errand) throws -> Bool {
        guard nodes[index].isUp, !nodes[index].isStopping, let membership = membership(at: index),
            membership.hasJoined(nodes[index].local.userID), !membership.isClosed
        else { return false }
        let texts = (0..<errand.count).map { "message \(errand.number).\($0) of node \(index) to ops" }
        let outsiders = Set(nodes.indices.filter { !membership.isIn(nodes[$0].local.userID) })
        for text in texts { secrets[text] = outsiders }
        let requestID = nodes[index].nextRequest(for: texts)
        let drafts = texts.map { MessageDraft($0) }
        try perform(index) { [privateID] in $0.send(drafts, to: privateID, requestID: requestID, now: $1) }
        return true
    }

    // MARK: - What must hold

    /// What was written by somebody who knew that a user was out never reaches that user, unless they are in again.
    mutating func observeInPrivateGroup(_ message: Message, at index: Int) throws {
        guard secrets[message.text]?.contains(index) == true else { return }
        let userID = nodes[index].local.userID
        // Devices of one user share all that they hold.
        let isHeldElsewhere = try devices(of: userID).contains {
            try $0 != index && nodes[$0].store.held(message.messageID)?.hasBody == true
        }
        guard !isHeldElsewhere else { return }
        let isInAgain = nodes.indices.contains { $0 != index && membership(at: $0)?.isIn(userID) == true }
        if !isInAgain, nodes.indices.contains(where: { $0 != index && membership(at: $0) != nil }) {
            violated("\"\(message.text)\" was not for \(name(index)), and reached it")
        }
    }

    /// Whether all who belong to it hold the same, and agree on who does.
    func isPrivateGroupQuiet() throws -> Bool {
        guard configuration.hasPrivateGroup else { return true }
        return try privateUnrest().isEmpty
    }

    /// Nodes that belong to it and that a path of such nodes joins, ascending: nobody else carries its messages.
    private var joinedComponents: [[Int]] {
        var rest = Set(nodes.indices.filter { membership(at: $0)?.hasJoined(nodes[$0].local.userID) == true })
        var components: [[Int]] = []
        while let start = rest.min() {
            var component: Set<Int> = []
            var frontier = [start]
            while let index = frontier.popLast() {
                guard component.insert(index).inserted else { continue }
                frontier += nodes[index].contacts.filter { rest.contains($0) && isOpen(index, $0) }
            }
            rest.subtract(component)
            components.append(component.sorted())
        }
        return components
    }

    private func privateUnrest() throws -> [String] {
        var unrest: [String] = []
        for joined in joinedComponents {
            guard let first = joined.first, let agreed = membership(at: first) else { continue }
            let heads = try privateHeads(of: first)
            for index in joined.dropFirst() {
                if let everybody = membership(at: index)?.everybody, everybody != agreed.everybody {
                    let different = [everybody, agreed.everybody].map { all in
                        all.filter { !everybody.contains($0) || !agreed.everybody.contains($0) }
                    }
                    unrest.append("\(name(index)) and \(name(first)) disagree about who is in: \(different)")
                }
                if try privateHeads(of: index) != heads {
                    unrest.append("\(name(index)) and \(name(first)) hold different entries of the conversation")
                }
            }
            unrest += try waits(amongst: joined)
            for index in joined {
                guard let messageID = try lackedBody(index, amongst: joined) else { continue }
                unrest.append("\(name(index)) lacks the body of \(messageID), which one whom it meets holds")
            }
            // Whoever meets somebody who is in hears what became of them.
            for index in nodes.indices {
                let userID = nodes[index].local.userID
                guard nodes[index].contacts.contains(where: { joined.contains($0) && isOpen(index, $0) }),
                    let status = agreed.status(of: userID)
                else { continue }
                if agreed.isIn(userID), !joined.contains(index), status != .left {
                    unrest.append("\(name(index)) has not joined the private conversation: \(status)")
                } else if membership(at: index)?.isIn(userID) != agreed.isIn(userID) {
                    unrest.append("\(name(index)) does not know that it is \(status)")
                }
            }
        }
        return unrest
    }

    /// Messages that a node shows, and of which their author does not know that.
    private func waits(amongst joined: [Int]) throws -> [String] {
        guard !nodes.contains(where: \.isRestored) else { return [] }
        var waits: [String] = []
        for author in joined {
            let deliveries = try nodes[author].store.snapshot().deliveries
            for (text, messageID, _) in nodes[author].accepted where text.hasSuffix("to ops") {
                guard let own = try nodes[author].store.held(messageID), !own.isWithheld, !own.isRetracted else {
                    continue
                }
                for index in joined where nodes[index].local.userID != nodes[author].local.userID {
                    guard try nodes[index].store.held(messageID)?.hasBody == true else { continue }
                    let progress = deliveries.first {
                        $0.logID == messageID.log && $0.recipientID == nodes[index].local.userID
                    }?.progress
                    if progress?.state(of: messageID.sequence, failure: nil).isDelivered != true {
                        waits.append("\(name(index)) shows \"\(text)\", for which \(name(author)) waits")
                    }
                }
            }
        }
        return waits
    }

    /// A body that a node is to have and lacks, and that another has whom it meets. What only those have who are out, or
    /// who strip what they carry, nobody can give; nor do those pass it on who are not to have it.
    private func lackedBody(_ index: Int, amongst joined: [Int]) throws -> MessageID? {
        for (logID, lacking) in missingBodies(on: try nodes[index].store.snapshot(), where: isPrivate) {
            for other in nodes[index].contacts.sorted() where joined.contains(other) && isOpen(index, other) {
                let disk = try nodes[other].store.snapshot()
                guard let log = disk.logs.first(where: { $0.logID == logID }),
                    let author = nodes.firstIndex(where: { $0.local.deviceID == log.description.deviceID })
                else { continue }
                let held = lacking.subtracting(missingBodies(on: disk, where: isPrivate)[logID] ?? SequenceSet())
                let bodies = held.ranges.joined().lazy.map { MessageID(log: logID, sequence: $0) }
                if let messageID = bodies.first(where: { isOwed($0, by: author, to: index) }) { return messageID }
            }
        }
        return nil
    }

    /// The ends of what counts. Nodes keep some of what hostile authors have told them, each its own.
    private func privateHeads(of index: Int) throws -> Set<ChainHash> {
        let logs = try nodes[index].store.snapshot().logs.filter {
            $0.description.conversationID == privateID && $0.head.sequence > 0
        }
        return Set(logs.filter { hostile.told[$0.description.logID] == nil }.map(\.head.chain))
    }

    mutating func reportPrivateUnrest() throws {
        guard configuration.hasPrivateGroup else { return }
        let unrest = try privateUnrest()
        for line in unrest { violated(line) }
        for index in unrest.isEmpty ? [] : Array(nodes.indices) { violated(try privateView(of: index)) }
    }

    /// Whether a node that belongs to it is to have a message: of those from before it came only if there is history.
    private func isOwed(_ messageID: MessageID, by author: Int, to index: Int) -> Bool {
        guard index != author, membership(at: index)?.givesHistory == false else { return true }
        let users = nodes[index].recipients(of: messageID, by: nodes[author].local.userID, in: privateID)
        return users?.contains(nodes[index].local.userID) == true
    }

    /// Whether a way leads to a node for a message: where there is no history, those who came later carry none.
    private func canBeGiven(_ messageID: MessageID, to index: Int, amongst joined: [Int]) throws -> Bool {
        guard membership(at: index)?.givesHistory == false else { return true }
        return try nodes[index].contacts.contains { other in
            guard joined.contains(other), isOpen(index, other) else { return false }
            return try nodes[other].store.held(messageID)?.isWithheld == false
        }
    }

    /// What a node holds of the conversation, and whom it meets.
    private func privateView(of index: Int) throws -> String {
        let met = nodes[index].contacts.filter { isOpen(index, $0) }.sorted()
        let heads = try nodes[index].store.snapshot().logs
            .filter { $0.description.conversationID == privateID && $0.head.sequence > 0 }
            .map { log in
                let author = nodes.firstIndex { $0.local.deviceID == log.description.deviceID } ?? -1
                return
                    "\(log.description.kind) of \(author) through \(log.head.sequence) \("\(log.head.chain)".prefix(4))"
            }
            .sorted()
        let participants = nodes.indices.map { other in
            "\(membership(at: index)?.status(of: nodes[other].local.userID).map { "\($0)" } ?? "-")"
        }
        return "\(name(index)) meets \(met), says \(participants), holds \(heads)"
    }

    /// Devices of one user show the same of what others have written, whichever heard first who was removed.
    private mutating func checkPrivateHistories() throws {
        guard configuration.devicesPerUser > 1 else { return }
        for joined in joinedComponents {
            var first: [UserID: [HeldMessage]] = [:]
            for index in joined {
                let userID = nodes[index].local.userID
                let shown = try nodes[index].store.history(of: privateID)
                    .filter { $0.log.authorID != userID && !$0.isWithheld && $0.hasBody }
                if let other = first[userID], let difference = Self.difference(of: shown, from: other) {
                    violated("\(name(index)) shows other messages of ops than its user's first device: \(difference)")
                }
                first[userID] = first[userID] ?? shown
            }
        }
    }

    /// What an author is told to be delivered, one of the recipient's devices shows, whoever was out in between.
    private mutating func checkPrivateDeliveries() throws {
        for author in nodes.indices {
            let disk = try nodes[author].store.snapshot()
            let own = Set(
                disk.logs.filter {
                    $0.description.conversationID == privateID && $0.description.kind == .messages
                        && $0.description.deviceID == nodes[author].local.deviceID
                }.map(\.logID))
            for delivery in disk.deliveries where delivery.progress.delivered > 0 {
                guard own.contains(delivery.logID), let reader = indices[delivery.recipientID], reader != author else {
                    continue
                }
                let devices = devices(of: delivery.recipientID)
                let entries = try nodes[author].store.entries(
                    of: delivery.logID, from: 1, countLimit: .max / 2, byteLimit: .max / 2)
                for entry in entries where entry.kind.isShown {
                    let messageID = MessageID(log: delivery.logID, sequence: entry.sequence)
                    guard delivery.progress.state(of: entry.sequence, failure: nil).isDelivered,
                        let held = try nodes[author].store.held(messageID), !held.isWithheld, !held.isRetracted
                    else { continue }
                    if try devices.allSatisfy({ try !isShown(messageID, of: author, at: $0) }) {
                        violated("\(messageID) is delivered for \(name(author)), and not shown to \(name(reader))")
                    }
                }
            }
        }
    }

    /// Whoever belongs to it has every message of everybody who always did, once and in order.
    mutating func checkPrivateGroup() throws {
        guard configuration.hasPrivateGroup, isAtRest, !nodes.contains(where: \.isRestored) else { return }
        try checkPrivateDeliveries()
        try checkPrivateHistories()
        for joined in joinedComponents {
            for index in joined {
                let history = try nodes[index].store.history(of: privateID).filter { !$0.isWithheld }
                for (text, copies) in Dictionary(grouping: history, by: \.text).sorted(by: { $0.key < $1.key })
                where copies.count > 1 {
                    violated("\"\(text)\" is \(copies.count) times in the private conversation at \(name(index))")
                }
                let places = Dictionary(history.enumerated().map { ($1.text, $0) }) { first, _ in first }
                for author in joined where membership(at: index)?.wasEverOut(nodes[author].local.userID) == false {
                    var last = -1
                    for (text, messageID, _) in nodes[author].accepted where text.hasSuffix("to ops") {
                        guard let place = places[text] else {
                            guard isOwed(messageID, by: author, to: index),
                                try canBeGiven(messageID, to: index, amongst: joined)
                            else { continue }
                            if try nodes[author].store.held(messageID)?.isWithheld != true {
                                violated("\"\(text)\" was accepted, and \(name(index)) has not got it")
                            }
                            continue
                        }
                        if place < last { violated("\"\(text)\" is out of order at \(name(index))") }
                        last = max(last, place)
                    }
                }
            }
        }
    }
}
