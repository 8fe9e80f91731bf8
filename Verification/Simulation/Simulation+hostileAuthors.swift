import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol

/// Users who put every kind of entry into every kind of log, and what must hold for that.
extension Simulation {
    /// What none of the honest ever says.
    private static let canary = "forged"
    /// The text of an author whom the owner has let in, written where they have not joined, or are not known, or are out. It may count:
    /// a later removal names in its cuts all that the owner had, and not everybody has heard of the last one.
    private static let premature = "premature"

    mutating func planHostileAuthors() {
        precondition(
            configuration.hostileAuthors == 0 || configuration.hasPrivateGroup, "they are known by a private group")
        for number in hostile.authors.indices { planIntrusion(by: number) }
    }

    private mutating func planIntrusion(by number: Int) {
        queue.push(.intrude(author: number), at: time + Int64.random(in: 200_000...2_000_000, using: &hostile.chance))
    }

    /// Goes to some node, listens, and writes, again and again.
    mutating func intrude(_ number: Int) throws {
        guard !isHealed else { return }
        planIntrusion(by: number)
        if hostile.authors[number].visit == nil || hostile.chance.oneIn(4) {
            try endVisit(of: number)
            try beginVisit(of: number)
        }
        guard let node = hostile.authors[number].visit?.node else { return }
        try say(asBelongs(number, at: node), number)
        for _ in 0..<Int.random(in: 1...4, using: &hostile.chance) { try say(forgery(by: number, for: node), number) }
    }

    // MARK: - Visits

    private mutating func beginVisit(of number: Int) throws {
        let node = Int.random(in: nodes.indices, using: &hostile.chance)
        guard nodes[node].isUp, !nodes[node].isStopping, nodes[node].asleepUntil <= time else { return }
        let mallory = hostile.authors[number].mallory
        var handshake = try mallory.handshake(.initiator, ephemeralKey: hostile.chance.agreementKey())
        let first = HostileVisit.framed(mallory.hello) + HostileVisit.framed(try handshake.writeMessage(payload: []))
        var accepted: ConnectionID?
        try perform(node) { machine, now in
            let (connectionID, actions) = machine.accepted(from: Self.address(ofAuthor: number), now: now)
            accepted = connectionID
            return actions
        }
        guard let accepted, nodes[node].isUp else { return }
        hostile.authors[number].visit = HostileVisit(to: node, nodes[node].generation, accepted, handshake)
        try write(first, of: number)
        guard let answer = try hostile.authors[number].visit?.answer(mallory.introduction) else { return }
        try write(answer, of: number)
        try say(
            [
                Mallory.heads(),
                Mallory.digests(of: [groupID], name: Self.groupName),
                Mallory.digests(of: [privateID], isPrivate: true, hasJoined: hostile.chance.oneIn(2)),
                Mallory.heads(of: privateID, asks: true),
                Mallory.heads(of: groupID, asks: true),
            ], number)
    }

    private static func address(ofAuthor number: Int) -> PeerAddress {
        PeerAddress(host: "10.255.0.\(number + 1)", port: 40_000)
    }

    /// Whether a link that failed was with one of them.
    func isHostile(_ failure: LinkFailure) -> Bool { failure.address.hasPrefix("10.255.") }

    private mutating func say(_ frames: [[UInt8]], _ number: Int) throws {
        guard !frames.isEmpty, let bytes = try hostile.authors[number].visit?.sealed(frames) else { return }
        try write(bytes, of: number)
    }

    private mutating func write(_ bytes: [UInt8], of number: Int) throws {
        guard let visit = hostile.authors[number].visit, !bytes.isEmpty else { return }
        guard nodes[visit.node].generation == visit.generation else {
            hostile.authors[number].visit = nil
            return
        }
        try perform(visit.node) { $0.received(bytes, on: visit.connectionID, now: $1) }
    }

    private mutating func endVisit(of number: Int) throws {
        guard let visit = hostile.authors[number].visit else { return }
        hostile.authors[number].visit = nil
        guard nodes[visit.node].generation == visit.generation else { return }
        try perform(visit.node) { $0.disconnected(visit.connectionID, now: $1) }
    }

    mutating func endVisits() throws {
        for number in hostile.authors.indices { try endVisit(of: number) }
    }

    private func author(at node: Int, _ connectionID: ConnectionID) -> Int? {
        hostile.authors.firstIndex {
            $0.visit?.node == node && $0.visit?.connectionID == connectionID
                && $0.visit?.generation == nodes[node].generation
        }
    }

    /// A node writes to an author. They may hear nothing that was not for them.
    /// - Returns: whether there is one.
    mutating func tellHostile(_ bytes: [UInt8], from node: Int, _ connectionID: ConnectionID) -> Bool {
        guard let number = author(at: node, connectionID) else { return false }
        let userID = hostile.authors[number].mallory.userID
        // With the history they are given what was written while they were out.
        let isIn = nodes.indices.contains { index in
            membership(at: index).map { $0.givesHistory && $0.isIn(userID) } ?? false
        }
        for text in hostile.authors[number].visit?.hear(bytes) ?? []
        where hostile.isSecret(text, from: number, isIn: isIn) {
            violated("\(name(node)) tells \(hostile.authors[number].mallory.name) \"\(text)\"")
        }
        return true
    }

    mutating func hangUpOnHostile(_ node: Int, _ connectionID: ConnectionID) {
        if let number = author(at: node, connectionID) { hostile.authors[number].visit = nil }
    }

    // MARK: - What they write

    private var clock: Int64 { Self.epoch + time / 1000 }

    /// What an author writes as they may: they join where they are invited, and write where they are in.
    private mutating func asBelongs(_ number: Int, at node: Int) throws -> [[UInt8]] {
        let author = hostile.authors[number]
        guard author.role == .participant || author.role == .removed, let membership = membership(at: node),
            !membership.isClosed, let end = membership.ends.first
        else { return [] }
        switch membership.status(of: author.mallory.userID) {
        case .invited:
            guard author.log == nil, let addition = membership.addition(of: author.mallory.userID) else { return [] }
            var log = ForgedLog(author.mallory, author.mallory.log(in: privateID), at: clock)
            _ = log.append(.version(end), .join(answering: addition), at: clock)
            hostile.authors[number].log = log
        case .joined:
            guard hostile.chance.oneIn(3) else { break }
            let text = "message 0.\(hostile.authors[number].log?.place.sequence ?? 0) of \(author.mallory.name) to ops"
            let now = clock
            _ = hostile.authors[number].log?.append(.version(end), .text(text, headers: [:]), at: now)
        case .left, .removed, .closed, nil: return []
        }
        return (hostile.authors[number].log?.whole()).map { [$0] } ?? []
    }

    /// Some kind of entry in some kind of log, where it counts for nothing.
    private mutating func forgery(by number: Int, for node: Int) throws -> [[UInt8]] {
        let author = hostile.authors[number].mallory
        let isIn = membership(at: node)?.isIn(author.userID) == true
        let status = membership(at: node)?.status(of: author.userID)
        let others = [node, (node + 1) % nodes.count].map { nodes[$0].local.userID }
        // Elsewhere than in a log of messages of a conversation to which they belong, or of their own with the node's user.
        var places: [(ConversationID, LogKind)] = [
            (privateID, .control), (groupID, .control), (.direct(author.userID, others[0]), .control),
            (.direct(others[0], others[1]), .control), (.direct(others[0], others[1]), .messages),
            (groupID, .messages),
        ]
        if !isIn || status == .invited { places.append((privateID, .messages)) }
        let (conversationID, kind) = places[Int.random(in: places.indices, using: &hostile.chance)]
        let target = try target(of: node) ?? LogPlace(logID: LogID(Bytes32()), sequence: 1, chain: ChainHash(Bytes32()))
        let end = membership(at: node)?.ends.first ?? target
        var log = hostile.log(of: number, in: conversationID, kind, for: node, at: clock)
        var frames: [[UInt8]] = []
        if hostile.chance.oneIn(2) { frames.append(log.append(beginning(by: author, kind, behind: end), at: clock)) }
        for number in 0..<Int.random(in: 1...3, using: &hostile.chance) {
            let contents = contents(about: target, behind: end, by: author, in: conversationID, kind, number)
            let content = contents[Int.random(in: contents.indices, using: &hostile.chance)]
            frames.append(log.append(content, isCarried: hostile.chance.oneIn(2), at: clock))
        }
        return frames
    }

    /// What makes a log of a private conversation look as if it counted.
    private mutating func beginning(by author: Mallory, _ kind: LogKind, behind end: LogPlace) -> EntryBody.Content {
        guard kind == .control else { return .version(end) }
        let restated = RestatedConversation(
            uniqueName: Self.canary, attributes: ConversationAttributes(friendlyName: Self.canary), members: [])
        let causes: [ControlBegin.Cause] = [.pass, .handOver, .full, .takeover(restated)]
        let cause = causes[Int.random(in: causes.indices, using: &hostile.chance)]
        let term = UInt64.random(in: 2...4, using: &hostile.chance)
        let proof = PrimaryProof.sign(author.deviceID, in: privateID, with: author.identity)
        return .control(ControlBody(.begin(ControlBegin(term: term, follows: end, cause: cause)), proof: proof))
    }

    private func contents(
        about target: LogPlace, behind end: LogPlace, by author: Mallory, in conversationID: ConversationID,
        _ kind: LogKind, _ number: Int
    ) -> [EntryBody.Content] {
        let amendments: [Amendment.Content] = [
            .edit(text: Self.canary, counter: 1), .retract,
            .reaction(emoji: Self.canary, counter: 1, isRemoved: false),
        ]
        let attributes = ConversationAttributes(friendlyName: Self.canary)
        let creation = Creation(
            conversationID: conversationID, uniqueName: Self.canary, attributes: attributes, givesHistory: true)
        let control: [ControlEntry] = [
            .created(creation), .add(author.userID), .remove(nodes[0].local.userID), .update(attributes),
            .pass(to: author.deviceID), .handOver(to: author.userID), .closed,
        ]
        let isOfMessages = conversationID == privateID && kind == .messages
        let isPremature =
            isOfMessages && hostile.author(author.userID)?.role != .stranger && mayCount(author.userID)
        let contents: [EntryBody.Content] =
            [.text(isPremature ? "\(Self.premature) \(hostile.told.count).\(number)" : Self.canary, headers: [:])]
            + [.leave(), .leave(answering: target), .version(end), .branches([]), .erasure([]), .shown([]), .unknown]
            + [.join(answering: target)]
            + [.profile(ProfileEntry(Profile(friendlyName: Self.canary), counter: 1))]
            + (isPremature ? [] : amendments.map { .amendment(Amendment(target: target, $0)) })
            + control.map { .control(ControlBody($0, origin: privateOrigin)) }
        // A join in a log of messages of an open conversation is how one joins.
        return conversationID == groupID && kind == .messages
            ? contents.filter { if case .join = $0 { false } else { true } } : contents
    }

    /// A message of somebody honest.
    private mutating func target(of node: Int) throws -> LogPlace? {
        let accepted = nodes[node].accepted.suffix(20)
        guard let (_, messageID, _) = accepted.randomElement(using: &hostile.chance) else { return nil }
        let held = try nodes[node].store.entries(
            of: messageID.log, from: messageID.sequence, countLimit: 1, byteLimit: .max / 2)
        return held.first.map { LogPlace(logID: messageID.log, sequence: messageID.sequence, chain: $0.chain) }
    }

    // MARK: - What must hold

    /// Of what was forged nothing is shown.
    mutating func observeForged(_ event: Event, at index: Int) {
        guard configuration.hostileAuthors > 0 else { return }
        switch event {
        case .messageReceived(let message):
            guard isForged(message.text) else { return }
            violated("\(name(index)) shows \"\(message.text)\" of \(role(of: message.senderID, at: index))")
        case .messageUpdated(let update):
            guard hostile.author(update.userID) != nil else { return }
            violated("\(name(index)) shows a change of \(update.messageID) by \(update.userID)")
        case .conversationUpdated(let update):
            let isTheirs = update.ownerID.map { hostile.author($0) != nil } ?? false
            if isTheirs || update.uniqueName.contains(Self.canary) { violated("\(name(index)) shows \(update)") }
        default: break
        }
    }

    /// Whether what a user writes now may count somewhere: some node takes them to be in, or may when it starts or its disk is
    /// replaced. A text that is shown before its reader hears of the removal stays shown.
    private func mayCount(_ userID: UserID) -> Bool {
        let views = nodes.indices.map(membership)
        if views.contains(where: { $0?.isIn(userID) == true }) { return true }
        if nodes.allSatisfy(\.isUp), !configuration.faults.contains(.restoredDisk) { return false }
        let isOwnerUp = nodes.indices.contains { views[$0]?.ownerID == nodes[$0].local.userID }
        return !isOwnerUp || views.contains { $0?.status(of: userID) != nil }
    }

    private func role(of userID: UserID, at index: Int) -> String {
        let role = hostile.author(userID).map { "\($0.role)" } ?? "nobody"
        return "\(role), \(membership(at: index)?.status(of: userID).map { "\($0)" } ?? "never added")"
    }

    private func isForged(_ text: String) -> Bool { text.contains(Self.canary) }

    /// Of what was forged nothing is handed to a program.
    mutating func observeHandedOut(_ message: HeldMessage, at index: Int) {
        guard isForged(message.text) else { return }
        violated("\(name(index)) hands \"\(message.text)\" of \(message.log.authorID) to a program")
    }

    /// Of what was forged nothing is passed on: a node holds at most what was told to itself.
    mutating func checkForged(_ commit: Commit, of index: Int) {
        for run in commit.entries {
            guard let told = hostile.told[run.logID], told.node != index, !isKept(told) else { continue }
            violated("\(name(index)) holds \(run.entries.count) entries that only \(told) was told")
        }
    }

    /// Messages of somebody who was ever added are kept and passed on, so that nobody is held up, and say nothing where they do
    /// not count.
    private func isKept(_ told: HostileAuthors.Told) -> Bool {
        told.kind == .messages && told.conversationID == privateID
            && hostile.authors[told.author].role != .stranger
    }

    /// In the end no history has any of it, and nobody's conversation is what they said.
    mutating func checkHostileAuthors() throws {
        for index in configuration.hostileAuthors > 0 ? nodes.indices : 0..<0 {
            for conversationID in try Set(nodes[index].store.snapshot().logs.map(\.description.conversationID)) {
                for held in try nodes[index].store.history(of: conversationID)
                where isForged(held.text) {
                    violated("the history of \(name(index)) has \"\(held.text)\" of \(held.log.authorID)")
                }
            }
            for (userID, participant) in nodes[index].openConversation(groupID)?.participants ?? [:]
            where hostile.author(userID) != nil {
                violated(
                    "the open conversation of \(name(index)) has \(hostile.author(userID)?.mallory.name ?? ""): \(participant.status)"
                )
            }
            guard let membership = membership(at: index) else { continue }
            if membership.attributes.friendlyName == Self.canary || membership.isClosed {
                violated("the private conversation of \(name(index)) is what others than its owner have said")
            }
            if hostile.author(membership.ownerID) != nil {
                violated("the private conversation of \(name(index)) is owned by \(membership.ownerID)")
            }
        }
    }
}
