import Foundation

/// The size of the terminal that standard output is.
enum Terminal {
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return (Int(size.ws_col), max(1, Int(size.ws_row)))
        }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { UInt16($0) } ?? 80
        return (max(1, Int(columns)), 24)
    }
}
