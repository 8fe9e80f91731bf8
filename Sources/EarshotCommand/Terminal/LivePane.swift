/// The lower rows of a terminal, below what was written: a status and the line that is being typed.
///
/// It makes the sequences (ECMA-48) that write rows above them and draw them again, and knows how many rows there are.
struct LivePane {
    struct Size: Hashable {
        let columns: Int
        let rows: Int
    }

    private(set) var size: Size
    private var status = ""
    private let styled: @Sendable (String) -> String
    private var line = LineView(before: "", after: "", columns: 80)
    /// The columns that each row takes as it is drawn now; empty while nothing is.
    private var drawn: [Int] = []
    /// Rows written above, and how many of them can no longer be reached, because the terminal may have wrapped them anew.
    private(set) var rowCount = 0
    private var unreachable = 0

    /// - Parameter styled: colours the status.
    init(size: Size, styled: @escaping @Sendable (String) -> String = { $0 }) {
        self.size = size
        self.styled = styled
    }

    /// The status and the line, where the line is short.
    private static let fewestRows = 2

    /// The rows that messages have, also before anything is drawn.
    var room: Int { max(1, size.rows - max(drawn.count, Self.fewestRows)) }

    /// Writes rows above the pane.
    mutating func write(_ rows: [String]) -> String {
        rowCount += rows.count
        return erased() + rows.map { $0 + "\r\n" }.joined() + redrawn()
    }

    mutating func show(status: String) -> String {
        guard status != self.status else { return "" }
        let erasure = erased()
        self.status = status
        return erasure + redrawn()
    }

    mutating func show(line: LineView) -> String {
        guard line != self.line || drawn.isEmpty else { return "" }
        let erasure = erased()
        self.line = line
        return erasure + redrawn()
    }

    /// - Parameter row: how many rows had been written when it was the last.
    /// - Returns: `nil` if the row is no longer on the screen.
    func replacement(ofRow row: Int, with text: String) -> String? {
        let distance = rowCount - row + 1 + above
        guard row > unreachable, distance < size.rows - below else { return nil }
        return "\u{1b}7\u{1b}[\(distance)A\r\u{1b}[2K\(text)\u{1b}8"
    }

    /// The terminal has another size, and may have wrapped its rows anew.
    mutating func resize(_ size: Size) -> String {
        guard size != self.size else { return "" }
        // What was drawn takes the rows that it has in the new size.
        self.size = size
        let sequence = erased()
        unreachable = rowCount
        return sequence
    }

    /// Draws everything again on an empty screen.
    mutating func redraw() -> String {
        drawn = []
        unreachable = rowCount
        return "\u{1b}[2J\u{1b}[H" + redrawn()
    }

    /// Removes the pane, and leaves the cursor where it was.
    mutating func end() -> String { erased() }

    /// Rows of the pane above the cursor, and below it.
    private var above: Int { drawn.isEmpty ? 0 : physicalRows(drawn.prefix(line.cursorRow + 1)) + cursorWrap }
    private var below: Int { max(0, drawn.count - line.cursorRow - 2) }
    private var cursorWrap: Int { size.columns > 0 ? line.cursorColumn / size.columns : 0 }

    private func physicalRows(_ widths: some Sequence<Int>) -> Int {
        widths.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / max(1, size.columns)) }
    }

    private mutating func erased() -> String {
        guard !drawn.isEmpty else { return "" }
        let up = above
        drawn = []
        return (up > 0 ? "\u{1b}[\(up)A" : "") + "\r\u{1b}[J"
    }

    private mutating func redrawn() -> String {
        let width = max(8, size.columns - 1)
        let head = DisplayWidth.head(of: "── " + status + " ", width: width)
        let shown = head + String(repeating: "─", count: max(0, width - DisplayWidth.of(head)))
        let rows = [styled(shown)] + line.rows
        drawn = ([shown] + line.rows).map { DisplayWidth.of($0) }
        let up = line.rows.count - 1 - line.cursorRow
        return rows.joined(separator: "\r\n") + (up > 0 ? "\u{1b}[\(up)A" : "") + "\r"
            + (line.cursorColumn > 0 ? "\u{1b}[\(line.cursorColumn)C" : "")
    }
}
