import EarshotModel
import EarshotProtocol

/// What must hold at every moment.
extension Simulation {
    mutating func violated(_ what: String) {
        guard violations.count < 20 else { return }
        violations.append("at \(time) µs: \(what)")
    }

    /// Every event is compared with the truth when it is posted.
    mutating func observe(_ event: Event, at index: Int) throws {
        log("\(name(index)): \(Self.summary(event))")
        observeForged(event, at: index)
        switch event {
        case .messageDelivered(let change):
            // A recipient whose disk was replaced held it when it said so, and must hold it again at the end.
            let recipients = devices(of: change.recipientID)
            if !recipients.contains(where: { nodes[$0].isRestored }),
                try recipients.allSatisfy({ try !isShown(change.messageID, of: index, at: $0) })
            {
                violated("\(change.messageID) is called delivered, and its recipient is not shown it")
            }
            isGroup(change.conversationID) ? advanceInGroup(change, at: index) : advance(change, at: index)
        case .messageSent(let change), .messageHandled(let change), .messageRead(let change),
            .messageFailed(let change):
            isGroup(change.conversationID) ? advanceInGroup(change, at: index) : advance(change, at: index)
        case .messageQueued(let message):
            noteWritten(message.text, in: message.conversationID, at: index)
            if isGroup(message.conversationID) { break }
            if nodes[index].states.updateValue(.queued, forKey: message.messageID) != nil, !nodes[index].isRestored {
                violated("\(message.messageID) is queued twice")
            }
        case .historyRecovered(let recovery):
            for run in recovery.renamed {
                for messageID in (0..<run.count).map({ MessageID(log: run.to.log, sequence: run.to.sequence + $0) }) {
                    guard let held = try nodes[index].store.held(messageID) else { continue }
                    noteWritten(held.text, in: held.log.conversation.conversationID, at: index)
                }
            }
        case .messageReceived(let message):
            checkBlocked(message.senderID, "\(message.messageID)", in: message.conversationID, at: index)
            try observe(message, at: index)
        case .userUpdated(let user, let changes) where changes.contains(.trust):
            nodes[index].blockedSince[user.userID] = user.trust == .blocked ? time : nil
        case .messageUpdated(let update):
            checkBlocked(update.userID, "what changes \(update.messageID)", in: update.conversationID, at: index)
        case .linkFailed(let failure):
            if ["violation", "malformed", "unauthentic"].contains(failure.code), !isHostile(failure) {
                violated("an honest peer of \(name(index)) broke the protocol: \(failure.message)")
            }
        default: break
        }
    }

    private mutating func noteWritten(_ text: String, in conversationID: ConversationID, at index: Int) {
        guard isPrivate(conversationID), let membership = membership(at: index) else { return }
        hostile.wrote(text, membership)
    }

    /// Whoever has blocked a user is told of nothing that they write to others, whoever carries it. What was on its way to the
    /// disk by then may be told.
    private mutating func checkBlocked(
        _ userID: UserID, _ what: String, in conversationID: ConversationID, at index: Int
    ) {
        guard isGroup(conversationID), let since = nodes[index].blockedSince[userID], time - since > 2_000_000,
            nodes[index].user(userID)?.trust == .blocked
        else { return }
        violated("\(name(index)) is told of \(what), whose author it has blocked")
    }

    /// Whether a node has a message with its text on its disk and shows it, or has erased it; also one that has another name
    /// there because the node knew another branch of the log first.
    func isShown(_ messageID: MessageID, of author: Int, at index: Int) throws -> Bool {
        // What branches share stands in the rows of one of them.
        if let held = try nodes[index].store.held(messageID), held.hasBody, held.entry.kind.isShown { return true }
        func entry(_ store: SimulatedStore, _ logID: LogID) throws -> EntryRecord? {
            try store.entries(of: logID, from: messageID.sequence, countLimit: 1, byteLimit: .max / 2)
                .first { $0.sequence == messageID.sequence }
        }
        let own = nodes[author].store
        guard let log = try own.snapshot().logs.first(where: { $0.logID == messageID.log })?.description,
            let chain = try entry(own, messageID.log)?.chain
        else { return false }
        let store = nodes[index].store
        return try store.snapshot().logs.contains {
            guard $0.description == log, let held = try entry(store, $0.logID), held.chain == chain else {
                return false
            }
            if case .body = held.content { return held.kind.isShown }
            return held.isDeleted
        }
    }

    /// The journal says what is posted, in the same order.
    mutating func checkJournal(
        of index: Int, _ check: (inout JournalCheck, SimulatedStore) throws -> String?
    ) throws {
        guard let finding = try check(&nodes[index].journal, nodes[index].store) else { return }
        violated("the journal of \(name(index)) \(finding)")
    }

    private static func summary(_ event: Event) -> String {
        switch event {
        case .linkFailed(let failure): "link to \(failure.address) failed: \(failure.message)"
        case .userUpdated(let user, let changes): "\(user.name) \(user.isOnline ? "online" : "offline") \(changes)"
        case .messageQueued(let message), .messageReceived(let message):
            "\(event.name) \(message.messageID) \(message.text.prefix(40))"
        case .messageSent(let change), .messageDelivered(let change), .messageHandled(let change),
            .messageRead(let change),
            .messageFailed(let change):
            "\(event.name) \(change.messageID) \(change.state) for \("\(change.recipientID)".prefix(4))"
        default: "\(event)"
        }
    }

    private mutating func observe(_ message: Message, at index: Int) throws {
        let messageID = message.messageID
        if try nodes[index].store.held(messageID) == nil { violated("\(messageID) is announced and not on the disk") }
        if !nodes[index].announced.insert(messageID).inserted { violated("\(messageID) is announced twice") }
        let last = nodes[index].lastAnnounced[messageID.log, default: 0]
        // Where carriers strip, a body may come after those behind it.
        let mayBeStripped = configuration.hasGroups && configuration.devicesPerUser > 1
        if last > messageID.sequence, !isGroup(message.conversationID), !mayBeStripped {
            violated("\(messageID) is announced out of order")
        }
        nodes[index].lastAnnounced[messageID.log] = max(last, messageID.sequence)
        if isPrivate(message.conversationID) { try observeInPrivateGroup(message, at: index) }
        if configuration.hasPrograms { queue.push(.program(node: index), at: time + 1) }
        if generator.oneIn(3) {
            queue.push(.markRead(node: index, messageID), at: time + configuration.latency.upperBound)
        }
        // In a crowd fewer answer, or each answer would have several.
        let crowd = isGroup(message.conversationID) ? nodes.count : 2
        guard !isHealed, generator.oneIn(max(6, 2 * crowd - 4)), let sender = indices[message.senderID] else { return }
        answers += 1
        if isGroup(message.conversationID) {
            let answer = Errand(
                peer: sender, number: 1_000_000 + answers, isToAll: true, isPrivate: isPrivate(message.conversationID))
            queue.push(.send(node: index, answer), at: time + Int64.random(in: 1_000...500_000, using: &generator))
            return
        }
        let answer = Errand(peer: sender, number: 1_000_000 + answers)
        queue.push(.send(node: index, answer), at: time + Int64.random(in: 1_000...500_000, using: &generator))
    }

    /// Every check is answered once, and speaks of peers that were linked.
    mutating func observe(_ answers: [Reachability], to requestID: RequestID, at index: Int) {
        if !nodes[index].answered(requestID) { violated("a check of reachability is answered twice") }
        let users = Set(answers.map(\.userID))
        if users.count < answers.count || answers.count > Limits.reachabilityPeers
            || !users.allSatisfy({
                hostile.author($0) != nil
                    || indices[$0] != nil && (indices[$0] != index || configuration.devicesPerUser > 1)
            })
        {
            violated("a check of reachability of \(name(index)) speaks of somebody else")
        }
    }

    // MARK: - States

    /// A state never goes back, and none is reported twice.
    private mutating func advance(_ change: MessageStateChange, at index: Int) {
        let old = nodes[index].states[change.messageID]
        // Ids change where a log was forked, and another message may have the old one.
        if let old, !Self.isForward(from: old, to: change.state), !nodes[index].isRestored {
            violated("\(change.messageID) went from \(old) to \(change.state)")
        }
        nodes[index].states[change.messageID] = change.state
    }

    /// Steps between may have been lost with a process that died before it could tell.
    static func isForward(from old: DeliveryState, to new: DeliveryState) -> Bool {
        switch (old, new) {
        case (.queued, .sent), (.queued, .delivered), (.queued, .read), (.queued, .failed): true
        case (.sent, .delivered), (.sent, .read), (.sent, .failed): true
        case (.delivered, .read): true
        // A receipt is proof for everything that was not withheld, and cancelled messages always are.
        case (.failed(let reason), .delivered), (.failed(let reason), .read): reason != .cancelled
        default: false
        }
    }

    /// What the disk says about a node's messages is not behind what was reported.
    mutating func checkStates(of index: Int) throws {
        guard !nodes[index].isRestored else { return }
        for (messageID, told) in nodes[index].states.sorted(by: { $0.key < $1.key }) {
            guard let held = try nodes[index].store.held(messageID) else {
                violated("\(messageID) was told of, and \(name(index)) has lost it")
                continue
            }
            let state = held.state
            guard state != told, !Self.isForward(from: told, to: state) else { continue }
            violated("\(messageID) was told to be \(told), and is \(state) on the disk of \(name(index))")
        }
    }

    // MARK: - Memory and rest

    mutating func checkLoad(of index: Int) {
        let exceeded = nodes[index].load.exceeded
        if !exceeded.isEmpty { violated("\(name(index)) holds too much: \(exceeded.joined(separator: ", "))") }
    }

    /// Whether neither of two nodes keeps the other out.
    func isOpen(_ a: Int, _ b: Int) -> Bool {
        !nodes[a].bars(nodes[b].local.userID) && !nodes[b].bars(nodes[a].local.userID)
    }

    /// Whether two nodes find each other, and neither keeps the other out.
    func isExpected(_ a: Int, _ b: Int) -> Bool { nodes[a].contacts.contains(b) && isOpen(a, b) }

    /// Whether nothing is left to do: everything that can be delivered is, every question is answered, and both ends of
    /// a conversation hold the same. The last does not follow from the first: nobody waits for the receipt of a message
    /// that expired on its way, and yet it arrives.
    func isQuiet() throws -> Bool {
        for index in nodes.indices {
            guard nodes[index].isUp, nodes[index].requests.isEmpty, nodes[index].journal.isPosted,
                try isProgramDone(on: index)
            else { return false }
            for userID in nodes[index].undelivered.keys {
                guard let peer = indices[userID], isExpected(index, peer) else { continue }
                return false
            }
        }
        let disks = try nodes.map { try $0.store.snapshot() }
        for index in nodes.indices {
            for peer in nodes[index].contacts where index < peer && isOpen(index, peer) {
                guard haveSameLogs(index, peer, on: disks) else { return false }
            }
        }
        return try isSessionDone && isGroupQuiet(on: disks) && isPrivateGroupQuiet() && areUsersQuiet()
            && areFilesQuiet()
    }
}
