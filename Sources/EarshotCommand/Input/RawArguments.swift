import Foundation

/// The arguments as the system gave them.
enum RawArguments {
    /// Whether all of them are UTF-8.
    static var areUTF8: Bool {
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/cmdline") else { return true }
        return String(validating: bytes, as: UTF8.self) != nil
    }
}
