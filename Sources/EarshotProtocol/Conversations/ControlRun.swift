import EarshotModel

/// Consecutive entries of a branch of a control log that are on the disk and not folded yet: the entry before them is
/// not folded, or the body of the first of them is not here.
///
/// Whoever carries an entry can leave its body out. What comes behind it waits for the body, so that everybody who holds
/// the same bodies folds the same entries, whatever the order was in which they came.
struct ControlRun: Sendable {
    let log: LogDescription
    let authorID: UserID
    /// The last entry before them.
    private(set) var before: Place
    private var entries: [EntryRecord] = []

    init(of log: LogDescription, by authorID: UserID, after before: Place) {
        self.log = log
        self.authorID = authorID
        self.before = before
    }

    private var end: Place { entries.last?.place ?? before }

    /// Whether it waits for a body.
    var lacksBody: Bool { entries.first?.isMissing == true }

    /// Entries that do not follow the last one are behind one that counts for nothing, and so do they.
    mutating func append(_ more: some Collection<EntryRecord>, after place: Place) {
        guard place == end else { return }
        entries += more.prefix(max(0, Limits.controlEntries - entries.count))
    }

    /// Bodies have come.
    mutating func complete(with found: some Collection<EntryRecord>) {
        for entry in found {
            guard let index = entries.firstIndex(where: { $0.place == entry.place }) else { continue }
            entries[index] = entry
        }
    }

    /// What can be folded: the entries up to the first whose body is not here.
    ///
    /// Behind an entry that this version does not know nothing counts: it may have changed anything.
    var records: [ControlRecord] {
        var records: [ControlRecord] = []
        for entry in entries {
            guard case .control(let control) = entry.bodyContent, control.isBy(authorID) else { break }
            records.append(
                ControlRecord(
                    place: LogPlace(logID: log.logID, sequence: entry.sequence, chain: entry.chain),
                    timestamp: entry.timestamp, entry: control.entry))
        }
        return records
    }

    /// Whether the first entry proves that its device holds the identity key.
    var isPrimary: Bool {
        guard let first = entries.first, first.sequence == 1, case .control(let control) = first.bodyContent,
            let proof = control.proof
        else { return false }
        return PrimaryProof.isValid(proof, of: log, by: authorID)
    }

    /// The first entries are folded.
    mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        before = entries[count - 1].place
        entries.removeFirst(count)
    }
}

extension ControlBody {
    /// Nobody founds a conversation in the name of another.
    fileprivate func isBy(_ authorID: UserID) -> Bool { origin.map { $0.creatorID == authorID } ?? true }
}
