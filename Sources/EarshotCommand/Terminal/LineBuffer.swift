import EarshotModel

/// The line that is being typed, and the lines typed before it.
struct LineBuffer {
    /// How many lines are remembered: in memory, for as long as the chat runs, since they are messages.
    static let rememberedLines = 200

    enum Outcome: Hashable {
        case edited
        case submitted(String)
        case suspended
        case ended
        /// Ctrl-C on an empty line.
        case interrupted
        /// The text would pass the limit of a message. The line is as it was.
        case refused
        case redraw
        /// The line is to wait while another one is typed.
        case parked
        /// The word before the cursor is to be completed.
        case completion
        case earlier
        case later
    }

    /// The text before the cursor, and after it.
    private(set) var before = ""
    private(set) var after = ""
    private var killed = ""
    private var lines: [String] = []
    /// Which of the remembered lines is shown; `nil` for the one that is being typed, which is kept meanwhile.
    private var recalled: (index: Int, draft: String)?

    var text: String { before + after }

    mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .text(let text), .paste(let text): return insert(text)
        case .lineBreak: return insert("\n")
        case .pasteTooLong: return .refused
        case .enter: return submit()
        case .interrupt: return interrupt()
        case .endOfInput:
            guard text.isEmpty else { return edit(.delete) }
            return .ended
        case .suspend: return .suspended
        case .redraw: return .redraw
        case .park: return .parked
        case .complete: return .completion
        case .pageUp: return .earlier
        case .pageDown: return .later
        case .up: recall(-1)
        case .down: recall(1)
        default: return edit(key)
        }
        return .edited
    }

    /// Puts a text in place of the line, with the cursor behind it.
    mutating func replace(with text: String) { (before, after) = (text, "") }

    /// Puts a text in place of what is before the cursor.
    mutating func replaceBefore(with text: String) {
        if text.utf8.count + after.utf8.count <= Limits.textBytes { before = text }
    }

    /// Ctrl-C empties the line, as in a shell; Ctrl-Y brings it back.
    private mutating func interrupt() -> Outcome {
        guard !text.isEmpty else { return .interrupted }
        killed = text
        replace(with: "")
        recalled = nil
        return .edited
    }

    private mutating func edit(_ key: Key) -> Outcome {
        switch key {
        case .left: if let character = before.popLast() { after.insert(character, at: after.startIndex) }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .home: (before, after) = ("", text)
        case .end: (before, after) = (text, "")
        case .wordLeft: move(to: wordStart)
        case .wordRight: moveForward(to: wordEnd)
        case .backspace: _ = before.popLast()
        case .delete: if !after.isEmpty { after.removeFirst() }
        case .deleteWordBefore:
            let start = wordStart
            killed = String(before[start...])
            before = String(before[..<start])
        case .deleteWordAfter:
            let end = wordEnd
            killed = String(after[..<end])
            after = String(after[end...])
        case .killBefore: (killed, before) = (before, "")
        case .killAfter: (killed, after) = (after, "")
        case .yank: return insert(killed)
        default: break
        }
        return .edited
    }

    private mutating func insert(_ new: String) -> Outcome {
        guard before.utf8.count + after.utf8.count + new.utf8.count <= Limits.textBytes else { return .refused }
        before += new
        return .edited
    }

    private mutating func submit() -> Outcome {
        let line = text
        replace(with: "")
        recalled = nil
        if !line.isEmpty, lines.last != line { lines.append(line) }
        lines.removeFirst(max(0, lines.count - Self.rememberedLines))
        return .submitted(line)
    }

    private mutating func recall(_ step: Int) {
        let index = (recalled?.index ?? lines.count) + step
        guard index >= 0, index <= lines.count, !lines.isEmpty else { return }
        let draft = recalled?.draft ?? text
        recalled = index == lines.count ? nil : (index, draft)
        replace(with: index == lines.count ? draft : lines[index])
    }

    // MARK: - Words

    private var wordStart: String.Index {
        var index = before.endIndex
        for isInside in [false, true] {
            while index > before.startIndex, Self.isOfWord(before[before.index(before: index)]) == isInside {
                index = before.index(before: index)
            }
        }
        return index
    }

    private var wordEnd: String.Index {
        let start = after.firstIndex(where: Self.isOfWord) ?? after.endIndex
        return after[start...].firstIndex { !Self.isOfWord($0) } ?? after.endIndex
    }

    private static func isOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    private mutating func move(to index: String.Index) {
        after = before[index...] + after
        before = String(before[..<index])
    }

    private mutating func moveForward(to index: String.Index) {
        before += after[..<index]
        after = String(after[index...])
    }
}
