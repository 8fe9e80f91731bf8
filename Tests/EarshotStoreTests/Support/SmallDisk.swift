import Foundation
import TestSupport

/// A file system of a few megabytes in memory, with a file on it that a test removes to make space.
final class SmallDisk: Sendable {
    /// Whether this process may mount one.
    static let isAvailable: Bool = {
        do {
            _ = try SmallDisk()
            return true
        } catch { return false }
    }()

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_NOSUID | MS_NODEV), "size=2240k") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: ballast))
    }

    deinit {
        _ = umount2(folder.path, Int32(MNT_DETACH))
    }

    func file(_ name: String) -> String { folder.file(name) }

    func makeSpace() throws { try FileManager.default.removeItem(atPath: ballast) }

    private var ballast: String { folder.file("ballast") }
}
