import EarshotModel

/// A place in the order in which messages reached this node's disk.
///
/// It is good for one home. After the home was restored, or has turned out to be an older copy, places of before mean
/// nothing any more, and are refused as `gone`.
public struct InboxCursor: Hashable, Sendable, TextReadable {
    package let generation: UInt64
    package let number: Int64

    package init(generation: Int64, number: Int64) {
        self.generation = UInt64(bitPattern: generation)
        self.number = number
    }

    /// - Returns: `nil` unless the text is 16 hexadecimal digits in lower case, a dot and a number.
    package init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, let generation = UInt64(parts[0], radix: 16),
            let number = Int64(parts[1]), number >= 0
        else { return nil }
        self.init(generation: Int64(bitPattern: generation), number: number)
        guard self.description == description else { return nil }
    }

    public var description: String {
        let digits = String(generation, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ".\(number)"
    }

    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}
