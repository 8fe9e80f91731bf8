import EarshotModel

extension SequenceSet {
    /// How tables hold it: `3-5 9`; `nil` for none.
    var text: String? {
        guard !isEmpty else { return nil }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: " ")
    }

    /// - Returns: `nil` if no set is written so.
    init?(text: String?) {
        var ranges: [ClosedRange<UInt64>] = []
        for part in (text ?? "").split(separator: " ") {
            let ends = part.split(separator: "-").compactMap { UInt64($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return nil }
            ranges.append(first...last)
        }
        self.init(ranges: ranges)
    }
}

/// What SQL knows of deliveries.
enum DeliveryColumns {
    /// Up to here the recipient has everything. The text of a set begins with its first number, which the cast takes.
    static let complete = "iif(delivery.missing IS NULL, delivery.delivered, CAST(delivery.missing AS INTEGER) - 1)"
}
