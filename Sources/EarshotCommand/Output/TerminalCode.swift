/// A QR code on a terminal: each line has two rows of squares, dark on light whatever the terminal's colours are.
struct TerminalCode {
    /// Light squares around it, which a camera needs to find it (ISO/IEC 18004, 9.1).
    private static let margin = 4

    /// From above, each from the left; whether a square is dark.
    private let rows: [[Bool]]

    /// - Parameter rows: of `1`, dark, and `0`, light.
    init(_ rows: [String]) { self.rows = rows.map { $0.map { $0 == "1" } } }

    private var height: Int { rows.count + 2 * Self.margin }

    /// Columns of the terminal that it takes.
    var width: Int { (rows.map(\.count).max() ?? 0) + 2 * Self.margin }

    /// Without colours: a sign's ink is dark.
    var lines: [String] {
        stride(from: 0, to: height, by: 2).map { upper in
            String((0..<width).map { Self.sign(isDark(upper, $0), isDark(upper + 1, $0)) })
        }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        let (row, column) = (row - Self.margin, column - Self.margin)
        guard rows.indices.contains(row), rows[row].indices.contains(column) else { return false }
        return rows[row][column]
    }

    private static func sign(_ upper: Bool, _ lower: Bool) -> Character {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
