import EarshotModel

/// What of a private conversation may go to a user.
enum ConversationAccess: Hashable, Sendable {
    /// The user has joined.
    case everything
    /// The user is invited: who belongs to it, and nothing that was written.
    case control
    /// This node's user has not joined, or no longer: who belongs to it, and what this device itself has written.
    case controlAndLogs(of: DeviceID)
    /// The user was removed, or has left: what says so, and what came before; `nil` for a whole log. Logs that it does not
    /// name are not given.
    case controlThrough([LogID: LogPlace?])

    /// How much of a log may go to the user; `nil` for nothing.
    func end(of log: LogDescription) -> UInt64? {
        switch self {
        case .everything: .max
        case .control: log.kind == .control ? .max : nil
        case .controlAndLogs(let deviceID): log.kind == .control || log.deviceID == deviceID ? .max : nil
        case .controlThrough(let ends): ends[log.logID].map { $0?.sequence ?? .max }
        }
    }

    /// The heads of logs that may go to the user.
    func heads(among heads: [BranchHead]) -> [BranchHead] {
        guard case .controlThrough(let ends) = self else { return heads.filter { end(of: $0.log) != nil } }
        // Several branches end in one place where they are cut before they part.
        var named: Set<BranchHead> = []
        return heads.compactMap { head in
            guard let end = ends[head.log.logID] else { return nil }
            guard let end, end.sequence < head.place.sequence else { return head }
            return BranchHead(log: head.log, place: Place(sequence: end.sequence, chain: end.chain))
        }.filter { named.insert($0).inserted }
    }
}
