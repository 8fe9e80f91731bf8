import EarshotCrypto
import EarshotModel

@testable import EarshotProtocol

/// Any number of nodes' machines, who dial whom the test says, on disks that obey at once.
struct MachineGroup {
    struct Member {
        let local: LocalDevice
        let address: PeerAddress
        var machine: NodeMachine
        var events: [Event] = []
        var completions: [RequestID: Result<RequestAnswer, ProtocolError>] = [:]
        var commits: [Commit] = []
    }

    private struct End: Hashable {
        let member: Int
        let connectionID: ConnectionID
    }

    private enum Input {
        case connect(ConnectionID, [PeerAddress], member: Int)
        case bytes([UInt8], to: End)
        case disconnected(End)
        case committed(member: Int)
        case read(EntriesRead, member: Int)
        case readChains(ChainsRead, member: Int)
    }

    var members: [Member] = []
    var now = MachinePair.start
    private var others: [End: End] = [:]
    private var inputs: [Input] = []
    /// What members have written to devices that are no members.
    private var unheard: [End: [UInt8]] = [:]
    private var requestCount: UInt64 = 0

    /// - Returns: the number that the group knows the new member by.
    mutating func add(
        _ local: LocalDevice, snapshot: Snapshot = Snapshot(), linkLimit: Int = Limits.links
    ) -> Int {
        let address = PeerAddress(host: "10.0.0.\(members.count + 1)", port: 7)
        let machine = NodeMachine(local: local, snapshot: snapshot, now: now, linkLimit: linkLimit) { .generate() }
        members.append(Member(local: local, address: address, machine: machine))
        return members.count - 1
    }

    mutating func add(_ name: String, seed: UInt64? = nil) -> Int { add(device(name, seed: seed)) }

    func userID(_ member: Int) -> UserID { members[member].local.userID }
    func user(_ other: Int, of member: Int) -> User? { members[member].machine.user(userID(other)) }
    func isLinked(_ a: Int, _ b: Int) -> Bool { user(b, of: a)?.isOnline == true && user(a, of: b)?.isOnline == true }

    /// Lets one dial the other, and everything happen that follows.
    mutating func dial(_ from: Int, _ to: Int) {
        perform(members[from].machine.addStaticPeer(members[to].address, now: now), of: from)
        settle()
    }

    /// It is advertised no more.
    mutating func lose(_ lost: Int, by member: Int) {
        perform(members[member].machine.lost(members[lost].local.deviceID, now: now), of: member)
        settle()
    }

    mutating func admit(_ admission: Admission, by member: Int) {
        perform(members[member].machine.admit(admission, now: now), of: member)
        settle()
    }

    /// One is advertised, and the other sees it.
    mutating func find(_ found: Int, by member: Int) {
        let deviceID = members[found].local.deviceID
        let fingerprint = userID(found).fingerprint.filter { $0 != " " }
        let addresses = [members[found].address]
        let actions = members[member].machine.found(
            deviceID, fingerprint: fingerprint, addresses: addresses, now: now)
        perform(actions, of: member)
        settle()
    }

    /// - Returns: the answer, when everything that follows has happened.
    @discardableResult
    mutating func send(_ text: String, from: Int, to: Int) -> Result<RequestAnswer, ProtocolError>? {
        let recipientID = userID(to)
        return request(from) { machine, requestID, now in
            machine.send([MessageDraft(text)], to: recipientID, requestID: requestID, now: now)
        }
    }

    @discardableResult
    mutating func decide(
        _ decision: TrustDecision, by member: Int, about other: Int, name: UserName? = nil
    ) -> Result<RequestAnswer, ProtocolError>? {
        let otherID = userID(other)
        return request(member) { machine, requestID, now in
            machine.decide(decision, about: otherID, name: name, requestID: requestID, now: now)
        }
    }

    mutating func markRead(_ messageID: MessageID, by member: Int) {
        _ = request(member) { machine, requestID, now in
            machine.markRead(messageID, requestID: requestID, now: now)
        }
    }

    /// - Returns: the answer, when everything that follows has happened.
    @discardableResult
    mutating func request(
        _ member: Int, _ body: (inout NodeMachine, RequestID, Moment) -> [NodeAction]
    ) -> Result<RequestAnswer, ProtocolError>? {
        requestCount += 1
        let requestID = RequestID(requestCount)
        var machine = members[member].machine
        let actions = body(&machine, requestID, now)
        members[member].machine = machine
        perform(actions, of: member)
        settle()
        return members[member].completions[requestID]
    }

    /// Hands a member an input that no other member makes, and lets everything happen that follows.
    /// - Returns: what the member wants done.
    @discardableResult
    mutating func input(to member: Int, _ body: (inout NodeMachine) -> [NodeAction]) -> [NodeAction] {
        let actions = body(&members[member].machine)
        perform(actions, of: member)
        return actions
    }

    /// What a member has written since then to a device that is no member.
    mutating func takeWritten(by member: Int, on connectionID: ConnectionID) -> [UInt8] {
        unheard.removeValue(forKey: End(member: member, connectionID: connectionID)) ?? []
    }

    /// The connections of one member are cut.
    mutating func cut(_ member: Int) {
        for end in others.keys.filter({ $0.member == member }).sorted(by: { $0.connectionID < $1.connectionID }) {
            disconnect(end, isTold: true)
        }
        settle()
    }

    /// Time passes, in steps that let everybody do what is due.
    mutating func pass(_ milliseconds: Int64) {
        let end = now.uptime + milliseconds
        while now.uptime < end {
            let step = min(250, end - now.uptime)
            now.uptime += step
            now.wallClock += step
            settle()
        }
    }

    /// Lets everything happen until nothing is left to do at this time.
    mutating func settle() {
        for _ in 0..<10_000 {
            if inputs.isEmpty {
                now.uptime += Timing.lazyCommit
                for member in members.indices { perform(members[member].machine.tick(now: now), of: member) }
                if inputs.isEmpty { return }
            }
            take(inputs.removeFirst())
        }
        preconditionFailure("the group never comes to rest")
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .connect(let connectionID, let addresses, let member): connect(connectionID, addresses, member)
        case .bytes(let bytes, let end):
            guard others[end] != nil else { return }
            let actions = members[end.member].machine.received(bytes, on: end.connectionID, now: now)
            perform(actions, of: end.member)
        case .disconnected(let end):
            perform(members[end.member].machine.disconnected(end.connectionID, now: now), of: end.member)
        case .read(let read, let member):
            let entries = storedEntries(read, of: member)
            perform(members[member].machine.entriesRead(read, entries: entries, now: now), of: member)
        case .readChains(let read, let member):
            let chains = storedChains(read, of: member)
            perform(members[member].machine.chainsRead(read, chains: chains, now: now), of: member)
        case .committed(let member): perform(members[member].machine.committed(now: now), of: member)
        }
    }

    private mutating func connect(_ connectionID: ConnectionID, _ addresses: [PeerAddress], _ member: Int) {
        guard let address = addresses.first, let other = members.firstIndex(where: { $0.address == address }) else {
            let actions = members[member].machine.connectFailed(connectionID, reason: "nobody is there", now: now)
            perform(actions, of: member)
            return
        }
        let (accepted, actions) = members[other].machine.accepted(from: members[member].address, now: now)
        let (near, far) = (
            End(member: member, connectionID: connectionID), End(member: other, connectionID: accepted)
        )
        others[near] = far
        others[far] = near
        perform(actions, of: other)
        perform(members[member].machine.connected(connectionID, to: address, now: now), of: member)
    }

    private mutating func perform(_ actions: [NodeAction], of member: Int) {
        for action in actions {
            switch action {
            case .connect(let connectionID, let addresses):
                inputs.append(.connect(connectionID, addresses, member: member))
            case .write(let connectionID, let bytes):
                let end = End(member: member, connectionID: connectionID)
                guard let other = others[end] else {
                    unheard[end, default: []] += bytes
                    continue
                }
                inputs.append(.bytes(bytes, to: other))
            case .disconnect(let connectionID):
                disconnect(End(member: member, connectionID: connectionID), isTold: false)
            case .commit(let commit):
                members[member].commits.append(commit)
                inputs.append(.committed(member: member))
            case .read(let read):
                inputs.append(.read(read, member: member))
            case .readChains(let read):
                inputs.append(.readChains(read, member: member))
            case .complete(let requestID, let result): members[member].completions[requestID] = result
            case .accepted(let calls):
                for call in calls { members[member].completions[call.requestID] = .success(call.answer) }
            case .post(let event): members[member].events.append(event)
            case .postRun(let run): members[member].events += run.events
            default: continue
            }
        }
    }

    /// What was written before still arrives.
    private mutating func disconnect(_ end: End, isTold: Bool) {
        guard let other = others[end] else { return }
        inputs.append(.disconnected(other))
        guard isTold else { return }
        inputs.append(.disconnected(end))
    }

    private func storedChains(_ read: ChainsRead, of member: Int) -> [LogID: [UInt64: ChainHash]] {
        let runs = members[member].commits.flatMap(\.entries)
        return read.logIDs.reduce(into: [:]) { chains, logID in
            for entry in runs.filter({ $0.logID == logID }).flatMap(\.entries)
            where read.sequences.contains(entry.sequence) { chains[logID, default: [:]][entry.sequence] = entry.chain }
        }
    }

    private func storedEntries(_ read: EntriesRead, of member: Int) -> [EntryRecord] {
        let all = members[member].commits.flatMap(\.entries).filter { $0.logID == read.logID }.flatMap(\.entries)
        return Array(all.filter { $0.sequence >= read.from }.prefix(read.countLimit))
    }
}
