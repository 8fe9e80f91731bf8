import EarshotModel

extension SequenceSet {
    /// - Parameters:
    ///   - last: the greatest number that may be in it.
    ///   - limit: how many ranges it may have.
    ///   - what: what it is, in an error.
    /// - Throws: `ProtocolError` `malformed` for ranges that do not ascend, touch, or are out of range, and for too many.
    init(_ wire: [Wire.Range], through last: UInt64, limit: Int, _ what: String) throws(ProtocolError) {
        var ranges: [ClosedRange<UInt64>] = []
        for range in wire.prefix(limit) where 1 <= range.first && range.first <= range.last {
            ranges.append(range.first...range.last)
        }
        guard ranges.count == wire.count, ranges.last.map({ $0.upperBound <= last }) ?? true,
            let set = SequenceSet(ranges: ranges)
        else { throw ProtocolError(.malformed, "\(what) are out of range") }
        self = set
    }
}
