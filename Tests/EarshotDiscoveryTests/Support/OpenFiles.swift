import Foundation

/// The sockets and pipes of this process, by the numbers that the kernel gives them, which no other ever has.
///
/// Suites run side by side, so a test asks whether those are gone that it saw being opened, and does not count all.
enum OpenFiles {
    static func current() throws -> Set<String> {
        let directory = "/proc/self/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        let targets = names.compactMap { name in
            // A descriptor may be closed meanwhile: that of the listing itself always is.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
        }
        return Set(targets.filter { $0.hasPrefix("socket:") || $0.hasPrefix("pipe:") })
    }
}
