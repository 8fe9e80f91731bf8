import EarshotModel

/// Consecutive entries of a branch that are proved, on their way to the disk.
struct ProvedEntries: Sendable {
    private(set) var records: [EntryRecord] = []
    /// What each of them says; `nil` for one that came without its body, or says nothing though it came with one.
    private(set) var bodies: [EntryBody?] = []

    var isEmpty: Bool { records.isEmpty }
    var count: Int { records.count }
    var indices: Range<Int> { records.indices }

    /// What they count in a window.
    var windowBytes: Int { records.windowBytes }

    /// When those that came with a body were written.
    var timestamps: [HybridTimestamp] {
        let bodies = bodies.span
        return bodies.indices.compactMap { bodies[$0]?.timestamp }
    }

    /// Those that came with a body, whether or not they say anything: their times are their author's.
    var timed: [EntryRecord] { records.filter(\.hasBody) }

    /// Their numbers.
    var sequences: SequenceSet { indices.reduce(into: SequenceSet()) { $0.insert(records[$1].sequence) } }

    /// Those whose bodies are missing.
    var missing: SequenceSet {
        indices.reduce(into: SequenceSet()) { missing, index in
            guard case .withheld = records[index].content, records[index].isMissing else { return }
            missing.insert(records[index].sequence)
        }
    }

    /// Those that have none by their author's word.
    var withheld: SequenceSet {
        records.placesOfParts.reduce(into: SequenceSet()) { withheld, index in
            guard case .withheld = records[index].content, records[index].mark != nil else { return }
            withheld.insert(records[index].sequence)
        }
    }

    /// The records of entries that have come back to the device that wrote them, which finds them by their keys.
    var ownRecords: [EntryRecord] { zip(records, bodies).map { $0.withKey($1?.key) } }

    mutating func reserveCapacity(_ count: Int) {
        records.reserveCapacity(count)
        bodies.reserveCapacity(count)
    }

    mutating func append(_ record: consuming EntryRecord, _ body: consuming EntryBody?) {
        records.append(record)
        bodies.append(body)
    }

    /// The last of them has no content, by its author's signed word.
    mutating func markLast(_ mark: Signature) { records[records.count - 1].mark = mark }

    /// Its author has signed the log up to the last of them.
    mutating func close(with checkpoint: Signature) { records[records.count - 1].checkpoint = checkpoint }

    /// One of them is kept, so that others are not held up, and says nothing.
    mutating func silence(_ index: Int, as kind: EntryKind) {
        records[index] = records[index].silent(as: kind)
        bodies[index] = nil
    }
}
