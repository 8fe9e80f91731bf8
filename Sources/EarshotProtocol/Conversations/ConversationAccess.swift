import EarshotModel

/// What of a conversation may go to a user.
struct ConversationAccess: Hashable, Sendable {
    enum Extent: Hashable, Sendable {
        /// The user has joined.
        case everything
        /// The user is invited: who belongs to it, and nothing that was written.
        case control
        /// This node's user has not joined, or no longer: who belongs to it, and what this device itself has written.
        case controlAndLogs(of: DeviceID)
        /// Logs up to a place, `nil` for a whole log, and no other logs. Of a private conversation whoever was removed, or has
        /// left, is given what says so, and what came before. Of an open one, whoever is not known to be in is given where this
        /// node's user joins.
        case through([LogID: LogPlace?])
    }

    let extent: Extent
    /// Control logs of which nothing can count, as far as is known here: nobody is given them.
    var unconnected: Set<LogID> = []

    static let everything = Self(extent: .everything)
    static let control = Self(extent: .control)
    static func controlAndLogs(of deviceID: DeviceID) -> Self { Self(extent: .controlAndLogs(of: deviceID)) }
    static func through(_ ends: [LogID: LogPlace?]) -> Self { Self(extent: .through(ends)) }

    /// How much of a log may go to the user; `nil` for nothing.
    func end(of log: LogDescription) -> UInt64? {
        guard !unconnected.contains(log.logID) else { return nil }
        return switch extent {
        case .everything: .max
        case .control: log.kind == .control ? .max : nil
        case .controlAndLogs(let deviceID): log.kind == .control || log.deviceID == deviceID ? .max : nil
        case .through(let ends): ends[log.logID].map { $0?.sequence ?? .max }
        }
    }

    /// The heads of logs that may go to the user.
    func heads(among heads: [BranchHead]) -> [BranchHead] {
        let heads = heads.filter { end(of: $0.log) != nil }
        guard case .through(let ends) = extent else { return heads }
        // Several branches end in one place where they are cut before they part.
        var named: Set<BranchHead> = []
        return heads.map { head in
            guard let end = ends[head.log.logID] ?? nil, end.sequence < head.place.sequence else { return head }
            return BranchHead(log: head.log, place: Place(sequence: end.sequence, chain: end.chain))
        }.filter { named.insert($0).inserted }
    }
}
