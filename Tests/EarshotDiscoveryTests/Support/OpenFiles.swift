import Foundation

/// The file descriptors of this process.
enum OpenFiles {
    static func count() throws -> Int { try targets().count }
    static func sockets() throws -> Int { try targets().count { $0.hasPrefix("socket:") } }

    private static func targets() throws -> [String] {
        let directory = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: directory).compactMap { name in
            // A descriptor may be closed meanwhile: that of the listing itself always is.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
        }
    }
}
