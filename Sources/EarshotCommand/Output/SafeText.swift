/// Makes text of others safe to show: nothing in it can move the cursor, change colours or reverse the line.
enum SafeText {
    /// One line: line breaks are escaped, too.
    static func line(_ text: String) -> String { escape(text, keepingLineBreaks: false) }

    /// The lines of a text, at least one.
    static func lines(_ text: String) -> [String] {
        escape(text, keepingLineBreaks: true).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// JSON in which the dangerous characters that JSON leaves alone are escaped; they only occur in its strings.
    static func json(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDangerous) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isDangerous(scalar) {
                for unit in String(scalar).utf16 { result += "\\u" + hexadecimal(UInt32(unit), 4) }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func escape(_ text: String, keepingLineBreaks: Bool) -> String {
        guard text.unicodeScalars.contains(where: isDangerous) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where keepingLineBreaks: result += "\n"
            case "\t": result += "    "
            case _ where isDangerous(scalar): result += "\\u{" + hexadecimal(scalar.value, 2) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Control characters, line separators, and everything that changes the direction of text (Unicode UAX 9). Tag
    /// characters, too: they are invisible, and may hide something in copied text.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xE0000...0xE007F: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    private static func hexadecimal(_ value: UInt32, _ digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
