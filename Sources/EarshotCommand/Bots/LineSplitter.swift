/// Splits what a program writes into lines, none of which may be longer than a limit.
struct LineSplitter: Sendable {
    enum Line: Hashable, Sendable {
        case whole([UInt8])
        /// The beginning of a line that is longer than the limit. The rest of it is left out.
        case cut([UInt8])

        var bytes: [UInt8] {
            switch self {
            case .whole(let bytes), .cut(let bytes): bytes
            }
        }
    }

    private let limit: Int
    private var rest: [UInt8] = []
    /// Whether the end of a line that was cut has not come yet.
    private var isSkipping = false

    /// - Parameter limit: the bytes of the longest line.
    init(limit: Int) { self.limit = limit }

    /// - Returns: the lines that are complete, or too long.
    mutating func append(_ bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !isSkipping { lines.append(.whole(rest)) }
                (rest, isSkipping) = ([], false)
            } else if isSkipping {
                continue
            } else if rest.count == limit {
                lines.append(.cut(rest))
                (rest, isSkipping) = ([], true)
            } else {
                rest.append(byte)
            }
        }
        return lines
    }

    /// What stands after the last line break.
    mutating func end() -> Line? {
        defer { rest = [] }
        return rest.isEmpty ? nil : .whole(rest)
    }
}
