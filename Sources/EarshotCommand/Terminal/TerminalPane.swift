import Synchronization

/// A terminal on which somebody types while others write: all that a chat shows on it goes through here.
final class TerminalPane: Sendable {
    private let output: Output
    private let pane: Mutex<LivePane>

    init(output: Output) {
        self.output = output
        pane = Mutex(LivePane(size: Self.size, styled: output.style.dim))
    }

    var style: Style { output.style }
    var columns: Int { pane.withLock(\.size.columns) }
    /// How many rows of messages are on the screen at once.
    var room: Int { pane.withLock(\.room) }
    /// How many rows were written.
    var rowCount: Int { pane.withLock(\.rowCount) }

    func write(_ rows: [String]) { draw { $0.write(rows) } }

    func notice(_ text: String) { write(noticeRows(text)) }

    func noticeRows(_ text: String) -> [String] {
        DisplayWidth.wrap("— \(text)", width: max(8, columns - 1)).map { output.style.dim($0) }
    }

    func show(status: String) { draw { $0.show(status: status) } }

    func show(_ line: LineBuffer) {
        draw { pane in
            let mostRows = max(1, min(LineView.mostRows, pane.size.rows - 3))
            return pane.show(
                line: LineView(
                    before: line.before, after: line.after, columns: pane.size.columns, mostRows: mostRows))
        }
    }

    /// - Returns: whether the row was still on the screen.
    func replace(row: Int, with text: String) -> Bool {
        pane.withLock { pane in
            guard let sequence = pane.replacement(ofRow: row, with: text) else { return false }
            output.control(sequence)
            return true
        }
    }

    /// Looks whether the terminal has another size.
    /// - Returns: whether it has; then the line is to be shown anew.
    func resize() -> Bool {
        pane.withLock { pane in
            let size = Self.size
            guard pane.size != size else { return false }
            output.control(pane.resize(size))
            return true
        }
    }

    func redraw() { draw { $0.redraw() } }
    func end() { draw { $0.end() } }

    private func draw(_ body: (inout LivePane) -> String) {
        // Written under the lock: two that write must not come between each other.
        pane.withLock { pane in
            let resize = pane.resize(Self.size)
            output.control(resize + body(&pane))
        }
    }

    private static var size: LivePane.Size {
        let size = Terminal.size
        return LivePane.Size(columns: size.columns, rows: size.rows)
    }
}
