import Testing

@testable import EarshotCommand

@Suite("The rows below a chat")
struct LivePaneTests {
    private static let size = LivePane.Size(columns: 40, rows: 10)

    private func pane() -> LivePane {
        var pane = LivePane(size: Self.size)
        _ = pane.show(status: "bob")
        _ = pane.show(line: LineView(before: "draft", after: "", columns: 40))
        return pane
    }

    @Test("messages have the rows that are left for them, also before anything is drawn")
    func room() {
        var pane = LivePane(size: .init(columns: 20, rows: 10))
        #expect(pane.room == 8)
        _ = pane.show(line: LineView(before: "", after: "", columns: 20))
        #expect(pane.room == 8)
        _ = pane.show(line: LineView(before: String(repeating: "x", count: 40), after: "", columns: 20))
        #expect(pane.room == 6)
    }

    @Test("rows are written above them, where they were, and they are drawn again")
    func write() {
        var pane = pane()
        let written = pane.write(["hello"])
        #expect(written.hasPrefix("\u{1b}[1A\r\u{1b}[Jhello\r\n── bob ─"))
        #expect(written.hasSuffix("> draft\r\u{1b}[7C"))
        #expect(pane.rowCount == 1)
    }

    @Test("a row changes in place as long as it is on the screen")
    func replacement() {
        var pane = pane()
        _ = pane.write(["first", "second"])
        #expect(pane.replacement(ofRow: 2, with: "2") == "\u{1b}7\u{1b}[2A\r\u{1b}[2K2\u{1b}8")
        _ = pane.write((1...6).map(String.init))
        #expect(pane.replacement(ofRow: 2, with: "2") != nil)
        _ = pane.write((1...2).map(String.init))
        #expect(pane.replacement(ofRow: 2, with: "2") == nil)
    }

    @Test("in a narrower window the rows are erased that they take there, and earlier ones are not touched")
    func resize() {
        var pane = pane()
        _ = pane.write(["first"])
        #expect(pane.resize(.init(columns: 20, rows: 10)) == "\u{1b}[2A\r\u{1b}[J")
        _ = pane.show(status: "alice")
        #expect(pane.replacement(ofRow: 1, with: "1") == nil)
        #expect(pane.resize(.init(columns: 20, rows: 10)) == "")
    }

    @Test("what is there already is not drawn again")
    func unchanged() {
        var pane = pane()
        #expect(pane.show(status: "bob") == "")
        #expect(pane.show(line: LineView(before: "draft", after: "", columns: 40)) == "")
    }
}
