/// What a file is called where it is saved. Whoever sends it chooses its name, so a name that does something in a folder becomes one
/// that does nothing: it neither hides nor is an option, starts no shell's settings, leads nowhere, and shows its end. Shares of Windows
/// and macOS can hold it, too. What people are shown stays the sender's name.
///
/// Every way on which a name of others reaches a folder goes through this one.
package struct SavedName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameter name: what its sender calls it.
    package init(_ name: String) {
        var safe = String(String.UnicodeScalarView(name.unicodeScalars.map { Self.isSafe($0) ? $0 : "_" }))
        // Hidden files and options begin so; `.bash_profile` is run by the next shell.
        if let first = safe.unicodeScalars.first, Self.neverFirst.contains(first) { safe = "_" + Self.tail(of: safe) }
        if safe.isEmpty { safe = "file" }
        if Self.isDevice(safe) { safe = "_" + safe }
        description = Self.ended(Self.shortened(safe, by: 0))
    }

    /// Windows leaves dots and spaces at an end out, and then it is another name.
    private static func ended(_ name: String) -> String {
        var (kept, ending) = (name, 0)
        while let last = kept.unicodeScalars.last, neverLast.contains(last) {
            kept.unicodeScalars.removeLast()
            ending += 1
        }
        return kept + String(repeating: "_", count: ending)
    }

    /// The same with a number, for a folder that has one already: `name (2).txt`.
    package func numbered(_ number: Int) -> String {
        guard number > 1 else { return description }
        let mark = " (\(number))"
        let name = Self.shortened(description, by: mark.utf8.count)
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        return Self.ended("\(name[..<dot])\(mark)\(name[dot...])")
    }

    // MARK: - Characters

    private static let neverFirst: Set<Unicode.Scalar> = [".", "-", " ", "~"]
    private static let neverLast: Set<Unicode.Scalar> = [".", " "]

    /// Not what ends or reverses a line, is never seen, or means something in a path of some system.
    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
        default: break
        }
        switch scalar.value {
        // What changes the direction of text (Unicode UAX 9), and tag characters.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xE0000...0xE007F: return false
        default: return !"/\\<>:\"|?*".unicodeScalars.contains(scalar)
        }
    }

    private static func tail(of text: String) -> String { String(text.unicodeScalars.dropFirst()) }

    /// Whether Windows takes it for a device, whatever follows the first dot.
    private static func isDevice(_ name: String) -> Bool {
        var stem = name.prefix { $0 != "." }
        while stem.last == " " { stem.removeLast() }
        let word = stem.uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(word) { return true }
        guard word.hasPrefix("COM") || word.hasPrefix("LPT"), word.count == 4, let digit = word.last else {
            return false
        }
        return "0123456789¹²³".contains(digit)
    }

    /// A name that a file system takes, with its end.
    private static func shortened(_ name: String, by count: Int) -> String {
        let limit = Limits.fileNameBytes - count
        guard name.utf8.count > limit else { return name }
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        var (stem, end) = (name[..<dot], name[dot...])
        // An end of half a name is none.
        if end.utf8.count > limit / 2 { (stem, end) = (name[...], "") }
        while stem.utf8.count + end.utf8.count > limit { stem.unicodeScalars.removeLast() }
        return String(stem) + end
    }
}
