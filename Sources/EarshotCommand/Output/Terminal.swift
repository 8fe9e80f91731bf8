import Foundation

/// The terminal that standard output is.
enum Terminal {
    /// Whether it shows UTF-8, as the locale says (locale(7)).
    static func takesUTF8(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return ["utf-8", "utf8"].contains {
            locale.lowercased().hasSuffix(".\($0)") || locale.lowercased().contains(".\($0)@")
        }
    }

    /// Its columns and rows.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return (Int(size.ws_col), max(1, Int(size.ws_row)))
        }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { UInt16($0) } ?? 80
        return (max(1, Int(columns)), 24)
    }
}
