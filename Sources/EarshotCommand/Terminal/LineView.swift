/// The rows in which the typed line is shown, and where the cursor is in them.
struct LineView: Hashable {
    static let prompt = "> "
    /// A longer line shows the rows around the cursor.
    static let mostRows = 6

    private(set) var rows: [String] = []
    private(set) var cursorRow = 0
    private(set) var cursorColumn = 0

    init(before: String, after: String, columns: Int, mostRows: Int = mostRows) {
        // One column stays free, for the cursor behind a full row.
        let width = max(8, columns) - 1
        var row = Self.prompt
        var column = DisplayWidth.of(Self.prompt)
        func breakRow(_ rows: inout [String]) {
            rows.append(row)
            (row, column) = ("  ", 2)
        }
        func add(_ text: String, to rows: inout [String]) {
            for character in text {
                guard character != "\n" else {
                    breakRow(&rows)
                    continue
                }
                let shown = SafeText.line(String(character))
                let taken = DisplayWidth.of(shown)
                if column + taken > width { breakRow(&rows) }
                row += shown
                column += taken
            }
        }
        var all: [String] = []
        add(before, to: &all)
        (cursorRow, cursorColumn) = (all.count, column)
        add(after, to: &all)
        all.append(row)
        let first = max(0, min(cursorRow - mostRows + 1, all.count - mostRows))
        rows = Array(all[first...].prefix(mostRows))
        cursorRow -= first
    }
}
