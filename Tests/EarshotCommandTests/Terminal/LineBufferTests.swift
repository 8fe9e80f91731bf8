import EarshotModel
import Testing

@testable import EarshotCommand

@Suite("The line that is typed")
struct LineBufferTests {
    private func line(_ keys: Key...) -> LineBuffer {
        var line = LineBuffer()
        for key in keys { _ = line.press(key) }
        return line
    }

    @Test("a grapheme cluster is one step and one deletion")
    func clusters() {
        let line = line(.text("👩‍💻é好"), .left, .backspace, .left, .delete)
        #expect((line.before, line.after) == ("", "好"))
    }

    @Test("words end where letters do")
    func words() {
        let line = line(.text("one, two  three"), .wordLeft, .deleteWordBefore, .text("and "))
        #expect(line.text == "one, and three")
        #expect(self.line(.text("a b c"), .home, .wordRight, .deleteWordAfter).text == "a c")
    }

    @Test("what was cut last comes back, also after Ctrl-C")
    func cut() {
        #expect(line(.text("abc"), .left, .killBefore, .end, .yank).text == "cab")
        #expect(line(.text("abc"), .interrupt).text == "")
        #expect(line(.text("abc"), .interrupt, .yank).text == "abc")
    }

    @Test("lines that were sent come back, and the one that was being typed waits")
    func recall() {
        var line = line(.text("one"), .enter, .text("two"), .enter, .text("three"))
        let steps: [(Key, String)] = [
            (.up, "two"), (.up, "one"), (.up, "one"), (.down, "two"), (.down, "three"), (.down, "three"),
        ]
        for (key, text) in steps {
            _ = line.press(key)
            #expect(line.text == text)
        }
    }

    @Test("a text over the limit of a message is refused, and the line stays")
    func limit() {
        var line = line(.text("draft"))
        #expect(line.press(.paste(String(repeating: "x", count: Limits.textBytes))) == .refused)
        #expect(line.press(.pasteTooLong) == .refused)
        #expect(line.text == "draft")
        #expect(line.press(.paste(String(repeating: "x", count: Limits.textBytes - 5))) == .edited)
    }

    @Test("Ctrl-T asks for another line, and leaves this one as it is")
    func park() {
        var decoder = KeyDecoder()
        #expect(decoder.read([0x14]) == [.park])
        var line = line(.text("draft"))
        #expect(line.press(.park) == .parked)
        #expect(line.text == "draft")
    }

    @Test("Ctrl-D ends only where nothing is typed")
    func end() {
        var line = line(.text("a"))
        #expect(line.press(.endOfInput) == .edited)
        _ = line.press(.backspace)
        #expect(line.press(.endOfInput) == .ended)
    }

    @Test("long lines show the rows around the cursor, and nothing in them moves the cursor of the terminal")
    func rows() {
        let view = LineView(before: String(repeating: "x", count: 500), after: "\u{1b}[2J", columns: 40, mostRows: 3)
        #expect(view.rows.count == 3)
        #expect(view.rows.allSatisfy { DisplayWidth.of($0) < 40 && !$0.contains("\u{1b}") })
        #expect(view.cursorRow < 3)
        let wide = LineView(before: "好好好好好", after: "", columns: 10)
        #expect(wide.rows == ["> 好好好", "  好好"])
        #expect((wide.cursorRow, wide.cursorColumn) == (1, 6))
    }
}
