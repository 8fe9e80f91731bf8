/// The place of an event in a node's journal: `GENERATION.ROW.INDEX`.
///
/// Ids of one generation rise in the order of the events. A node begins a new generation when its home is restored from
/// a backup, and when its database turns out to be an older copy; then the ids of earlier generations name nothing.
public struct EventID: Hashable, Sendable {
    /// Drawn at random.
    package let generation: UInt64
    /// The row, counted from 1, and the place in it, counted from 0. Some places name no event.
    package let row: Int64
    package let index: UInt64

    package init(generation: UInt64, row: Int64, index: UInt64) {
        self.generation = generation
        self.row = row
        self.index = index
    }

    /// Whether the event came after another one of the same generation.
    package func follows(_ other: EventID) -> Bool {
        generation == other.generation && (row, index) > (other.row, other.index)
    }

    /// - Returns: `nil` unless the text is 16 lowercase hexadecimal digits and two decimal numbers, separated by periods.
    package init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 16, let generation = UInt64(parts[0], radix: 16),
            let row = Int64(parts[1]), row >= 0, let index = UInt64(parts[2])
        else { return nil }
        self.init(generation: generation, row: row, index: index)
        guard self.description == description else { return nil }
    }

    public var description: String {
        let digits = String(generation, radix: 16)
        return "\(String(repeating: "0", count: 16 - digits.count))\(digits).\(row).\(index)"
    }
}
