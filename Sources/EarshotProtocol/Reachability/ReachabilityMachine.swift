import EarshotModel

/// Decides whom to ask whether this node's port can be reached, combines their answers, and decides for whom this node
/// tries a port itself. `docs/PROTOCOL.md`, section 2.12.
///
/// It tries only addresses that the asker is known to be at, and believes only answers to its own questions.
struct ReachabilityMachine: Sendable {
    enum Action: Hashable, Sendable {
        case send(Frame, ConnectionID)
        case probe(ProbeID, PeerAddress)
        case answer(RequestID, [Reachability])
    }

    /// A peer that was asked, and its answer.
    private struct Question: Sendable {
        let userID: UserID
        let nonce: UInt64
        /// The link that it was asked on, until it has answered or the link is gone.
        var connectionID: ConnectionID?
        var isReachable: Bool?
    }

    private struct Check: Sendable {
        var requestIDs: [RequestID] = []
        let deadline: Int64
        var questions: [Question] = []

        var isAnswered: Bool { questions.allSatisfy { $0.connectionID == nil } }
    }

    /// A connection that is being tried for a peer.
    private struct Attempt: Sendable {
        let connectionID: ConnectionID
        let nonce: UInt64
    }

    /// There is one check at a time: everybody who asks meanwhile gets the same answer.
    private var check: Check?
    private var attempts: [ProbeID: Attempt] = [:]
    /// The uptime at which a connection was last tried for a device; forgotten when it no longer matters.
    private var triedAt: [DeviceID: Int64] = [:]
    private var count: UInt64 = 0

    /// When `tick` ends a check.
    var deadline: Int64 { check?.deadline ?? .max }

    /// How many connections are being tried for peers.
    var attemptCount: Int { attempts.count }

    private mutating func nextNumber() -> UInt64 {
        count += 1
        return count
    }

    // MARK: - Asking

    /// Asks the first `Limits.reachabilityPeers` of these users, one link each.
    mutating func check(
        port: UInt16, requestID: RequestID, among peers: [(userID: UserID, connectionID: ConnectionID)], now: Int64
    ) -> [Action] {
        var questions: [Action] = []
        if check == nil {
            var check = Check(deadline: now + Timing.reachabilityCheck)
            for (userID, connectionID) in peers.prefix(Limits.reachabilityPeers) {
                let nonce = nextNumber()
                check.questions.append(Question(userID: userID, nonce: nonce, connectionID: connectionID))
                questions.append(.send(.dialBack(port: port, nonce: nonce), connectionID))
            }
            self.check = check
        }
        check?.requestIDs.append(requestID)
        return questions + tick(now: now)
    }

    /// A peer answers. An answer without a question is skipped.
    mutating func answered(nonce: UInt64, isReachable: Bool, on connectionID: ConnectionID) -> [Action] {
        let asked = check?.questions.firstIndex { $0.nonce == nonce && $0.connectionID == connectionID }
        guard let asked else { return [] }
        check?.questions[asked].isReachable = isReachable
        check?.questions[asked].connectionID = nil
        return completeIfAnswered()
    }

    /// A link is gone, and will answer nothing more.
    mutating func ended(_ connectionID: ConnectionID) -> [Action] {
        guard let questions = check?.questions else { return [] }
        for index in questions.indices where questions[index].connectionID == connectionID {
            check?.questions[index].connectionID = nil
        }
        return completeIfAnswered()
    }

    /// Ends a check whose time is over.
    mutating func tick(now: Int64) -> [Action] {
        guard let check, check.isAnswered || check.deadline <= now else { return [] }
        return complete(check)
    }

    private mutating func completeIfAnswered() -> [Action] {
        guard let check, check.isAnswered else { return [] }
        return complete(check)
    }

    private mutating func complete(_ check: Check) -> [Action] {
        self.check = nil
        let answers = check.questions.map { Reachability(userID: $0.userID, isReachable: $0.isReachable) }
        return check.requestIDs.map { .answer($0, answers) }
    }

    // MARK: - Answering

    /// A peer asks whether its port can be reached. This node tries only the peer's own end of the link, so nobody can
    /// make it try other addresses. A peer that asks too often gets no answer.
    mutating func asked(
        _ peer: DeviceID, at host: String, port: UInt16, nonce: UInt64, on connectionID: ConnectionID, now: Int64
    ) -> [Action] {
        guard admits(peer, on: connectionID, now: now) else { return [] }
        let probeID = ProbeID(nextNumber())
        attempts[probeID] = Attempt(connectionID: connectionID, nonce: nonce)
        return [.probe(probeID, PeerAddress(host: host, port: port))]
    }

    /// Whether to try a connection for this device now; notes that it is tried.
    private mutating func admits(_ deviceID: DeviceID, on connectionID: ConnectionID, now: Int64) -> Bool {
        triedAt = triedAt.filter { now - $0.value < Timing.dialBackInterval }
        guard triedAt[deviceID] == nil, triedAt.count < Limits.links, attempts.count < Limits.concurrentDialBacks,
            !attempts.values.contains(where: { $0.connectionID == connectionID })
        else { return false }
        triedAt[deviceID] = now
        return true
    }

    /// A probe has ended.
    mutating func probed(_ probeID: ProbeID, isReachable: Bool) -> [Action] {
        guard let attempt = attempts.removeValue(forKey: probeID) else { return [] }
        return [.send(.dialBackResult(nonce: attempt.nonce, isReachable: isReachable), attempt.connectionID)]
    }
}
