import Foundation

/// Keeps a second node off a home directory for as long as this lock exists.
///
/// An advisory lock on the open file (`F_OFD_SETLK`, fcntl(2)). The kernel releases it when the process ends, however
/// it ends, and it can be queried without being taken. The file's text is the pid, for people.
package final class HomeLock: Sendable {
    /// Linux's numbers for `F_OFD_GETLK` and `F_OFD_SETLK`, which Glibc's module does not show.
    static let getLock: Int32 = 36
    static let setLock: Int32 = 37

    private let descriptor: Int32

    /// - Throws: `EarshotError` `homeInUse`, with the pid of the running node.
    package init(_ home: Home) throws(EarshotError) {
        let path = home.lockFile
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw EarshotError(
                .unusableHome, "\(path) cannot be opened: \(String(cString: strerror(errno)))",
                .init(.unwritable, path: path, systemError: errno))
        }
        var range = Self.wholeFile
        guard fcntl(descriptor, Self.setLock, &range) == 0 else {
            close(descriptor)
            let pid = Self.holder(of: home)
            let holder = pid.map { "with pid \($0)" } ?? "with an unknown pid"
            throw EarshotError(
                .homeInUse, "a node \(holder) runs on \(home.path) already",
                .init(path: home.path, processID: pid))
        }
        self.descriptor = descriptor
        Self.write("\(getpid())\n", to: descriptor)
    }

    /// A clean end is noted after the pid, so a pid alone means that the node died.
    deinit {
        Self.write("\(getpid())\(Self.ending)\n", to: descriptor)
        // Closing is not enough: a child process that has not reached its program yet has the descriptor, too.
        var range = Self.wholeFile
        range.l_type = Int16(F_UNLCK)
        _ = fcntl(descriptor, Self.setLock, &range)
        close(descriptor)
    }

    private static var wholeFile: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }

    /// The pid of the node that runs on a home directory, if there is one.
    package static func holder(of home: Home) -> Int32? {
        reading(home) { isHeld($0) ? Int32(line(in: $0).prefix(while: \.isNumber)) : nil }
    }

    /// Whether a process holds the lock of a home directory, even one that has not written its pid.
    package static func isHeld(_ home: Home) -> Bool { reading(home) { isHeld($0) } ?? false }

    /// The pid of the running node, or of a node that did not end cleanly.
    static func writtenPid(of home: Home) -> Int32? { reading(home) { Int32(line(in: $0)) } }

    /// - Returns: `nil` also if there is no file to read.
    private static func reading<Result>(_ home: Home, _ body: (Int32) -> Result?) -> Result? {
        let descriptor = open(home.lockFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return body(descriptor)
    }

    private static func isHeld(_ descriptor: Int32) -> Bool {
        var range = wholeFile
        return fcntl(descriptor, getLock, &range) == 0 && range.l_type != F_UNLCK
    }

    private static let ending = " ended"

    /// The file is never empty while this writes, because somebody may be reading it.
    private static func write(_ line: String, to descriptor: Int32) {
        let text = Array(line.utf8)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        ftruncate(descriptor, off_t(text.count))
    }

    /// The first line of the file.
    private static func line(in descriptor: Int32) -> Substring {
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self).prefix { $0 != "\n" }
    }
}
