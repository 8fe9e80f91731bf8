/// Rows in columns that line up.
struct Table {
    struct Cell {
        let text: String
        /// Colours it after its width was measured.
        var colour: (String) -> String = { $0 }
    }

    let titles: [String]
    let rows: [[Cell]]

    func lines(_ style: Style) -> [String] {
        let all = [titles.map { Cell(text: $0, colour: style.dim) }] + rows
        let widths = titles.indices.map { column in all.map { DisplayWidth.of($0[column].text) }.max() ?? 0 }
        return all.map { row in
            zip(row, widths).enumerated().map { column, cell in
                // The last cell of a line has no trailing spaces.
                let text = column == row.count - 1 ? cell.0.text : DisplayWidth.pad(cell.0.text, to: cell.1)
                return cell.0.colour(text)
            }.joined(separator: "  ")
        }
    }
}
