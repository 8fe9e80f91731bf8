import EarshotModel

/// Where the logs of revoked devices end, conversation by conversation, as their users' identity keys have said.
///
/// It decides which entries say nothing. Of several cuts of one device the furthest counts. What was shown before a cut
/// came stays.
struct Cuts: Sendable {
    private struct Author: Hashable {
        let userID: UserID
        let deviceID: DeviceID
    }

    private var ends: [ConversationID: [Author: Set<LogPlace>]] = [:]

    /// - Parameter entries: what the disk has of them.
    init(_ entries: [RecordedEntries] = []) {
        for run in entries { _ = insert(run.entries, by: run.log.authorID, in: run.log.description.conversationID) }
    }

    /// Whether something is known of where the logs of a device end.
    func contains(_ deviceID: DeviceID, of userID: UserID, in conversationID: ConversationID) -> Bool {
        ends[conversationID]?[Author(userID: userID, deviceID: deviceID)] != nil
    }

    /// In no order.
    var conversationIDs: some Sequence<ConversationID> { ends.keys }

    /// By device, the last entries of a conversation that count.
    func all(in conversationID: ConversationID) -> [DeviceID: Set<LogPlace>] {
        (ends[conversationID] ?? [:]).reduce(into: [:]) { $0[$1.key.deviceID, default: []].formUnion($1.value) }
    }

    /// Takes entries that are on the disk.
    /// - Returns: the cuts among them.
    mutating func insert(
        _ entries: some Collection<EntryRecord>, by authorID: UserID, in conversationID: ConversationID
    ) -> [DeviceCut] {
        var cuts: [DeviceCut] = []
        for index in entries.indices where entries[index].kind == .cut {
            let entry = entries[index]
            // A cut of somebody else's device would not be signed by their key.
            guard case .cut(let cut) = entry.bodyContent, cut.isAuthentic(in: conversationID, by: authorID) else {
                continue
            }
            ends[conversationID, default: [:]][Author(userID: authorID, deviceID: cut.deviceID), default: []]
                .formUnion(cut.ends)
            cuts.append(cut)
        }
        return cuts
    }

    /// The last entries of one device that count.
    func ends(of deviceID: DeviceID, of userID: UserID, in conversationID: ConversationID) -> Set<LogPlace>? {
        ends[conversationID]?[Author(userID: userID, deviceID: deviceID)]
    }

    /// Whether an entry counts, as far as cuts go.
    func counts(_ place: Place, of log: LogDescription, by authorID: UserID) -> Bool {
        guard let ends = ends[log.conversationID]?[Author(userID: authorID, deviceID: log.deviceID)] else {
            return true
        }
        return ends.contains {
            $0.logID == log.logID
                && (place.sequence < $0.sequence || place.sequence == $0.sequence && place.chain == $0.chain)
        }
    }

    /// The entries of a branch that do not count, as far as cuts go, up to its end.
    /// - Parameter isParted: whether there are other branches, beside which it may stand from the last place on that counts.
    func uncounted(
        of log: LogDescription, by authorID: UserID, through end: UInt64, isParted: Bool
    ) -> SequenceSet {
        guard let ends = ends[log.conversationID]?[Author(userID: authorID, deviceID: log.deviceID)] else {
            return SequenceSet()
        }
        let last = ends.filter { $0.logID == log.logID }.map(\.sequence).max() ?? 0
        let first = isParted ? max(last, 1) : last + 1
        return first <= end ? SequenceSet(first...end) : SequenceSet()
    }

    /// Entries of a branch are proved, or their bodies have come. Those that do not count are kept, so that others are not
    /// held up, and say nothing.
    /// - Parameter showings: what of them another device of this node's user has shown already.
    func judge(_ entries: inout ProvedEntries, of branch: IncomingLog, _ showings: Showings) {
        guard !ends.isEmpty,
            contains(branch.description.deviceID, of: branch.authorID, in: branch.description.conversationID)
        else { return }
        for index in entries.indices where entries.records[index].kind.isCutOff {
            let entry = entries.records[index]
            if counts(entry.place, of: branch.description, by: branch.authorID) { continue }
            if entry.kind.isOfMessages, showings.covers(branch.description.place(entry.place)) { continue }
            entries.silence(index, as: .cutOff)
        }
    }
}

extension EntryKind {
    /// Whether a cut keeps it from saying anything. What control entries and decisions say is looked at where they are
    /// taken together, and what says up to where an author knew others says nothing else.
    fileprivate var isCutOff: Bool {
        switch self {
        case .text, .edit, .retract, .reaction, .join, .leave, .profile: true
        default: false
        }
    }
}
