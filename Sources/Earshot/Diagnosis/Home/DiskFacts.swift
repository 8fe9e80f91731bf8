import Foundation

/// The disk that a home directory is on.
struct DiskFacts: Hashable, Sendable {
    /// Below this a node may be unable to write at any moment: it needs room for a commit and, before it, the
    /// write-ahead log.
    static let problemBytes: UInt64 = 16 << 20
    static let warningBytes: UInt64 = 256 << 20

    let path: String
    /// The bytes that this user may still write.
    let freeBytes: UInt64
    let isReadOnly: Bool

    /// - Returns: `nil` if the system does not say.
    static func gathered(at path: String) -> DiskFacts? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return DiskFacts(
            path: path, freeBytes: UInt64(status.f_bavail) * UInt64(status.f_frsize),
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }

    var findings: [Finding] {
        if isReadOnly {
            return [
                .problem(
                    .disk, .readOnlyDisk, "the disk of \(path) cannot be written: it is mounted read-only",
                    why: "a message counts only once it is on the disk, so none is accepted", .init(path: path))
            ]
        }
        let free = "\(Wording.bytes(freeBytes)) are free on the disk of \(path)"
        if freeBytes < Self.problemBytes {
            return [
                .problem(
                    .disk, .lowSpace, "the disk is full: \(free)",
                    why: "a message counts only once it is on the disk, so none is accepted",
                    .init(path: path, limit: Int(Self.warningBytes)))
            ]
        }
        if freeBytes < Self.warningBytes {
            return [
                .warning(
                    .disk, .lowSpace, "the disk is nearly full: \(free)",
                    why: "once it is full no message is accepted",
                    .init(path: path, limit: Int(Self.warningBytes)))
            ]
        }
        return [.ok(.disk, free)]
    }
}
