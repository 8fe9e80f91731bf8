import Foundation

/// A file system of a few megabytes in memory, with a file on it that a test removes to make space.
package final class SmallDisk: Sendable {
    /// Whether this process may mount one.
    package static let isAvailable: Bool = {
        do {
            _ = try SmallDisk()
            return true
        } catch { return false }
    }()

    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - kibibytes: how much it takes.
    ///   - ballast: how much of that can be made free, in bytes.
    package init(kibibytes: Int = 2320, ballast: Int = 1 << 20) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_NOSUID | MS_NODEV), "size=\(kibibytes)k") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
        try Data(count: ballast).write(to: URL(fileURLWithPath: self.ballast))
    }

    deinit {
        _ = umount2(folder.path, Int32(MNT_DETACH))
    }

    package func file(_ name: String) -> String { folder.file(name) }

    package func makeSpace() throws { try FileManager.default.removeItem(atPath: ballast) }

    private var ballast: String { folder.file("ballast") }
}
