import Glibc

/// Wakes a thread that waits in `poll`, once and for good: a pipe.
final class WakeUp: Sendable {
    /// Readable after `signal()`.
    let fileDescriptor: CInt
    private let writing: CInt

    /// - Throws: `outOfResources` when the process has no file descriptor left.
    init() throws(DiscoveryError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw DiscoveryError(.outOfResources, "pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        fileDescriptor = ends[0]
        writing = ends[1]
    }

    deinit {
        close(fileDescriptor)
        close(writing)
    }

    func signal() {
        var byte: UInt8 = 0
        // One byte always fits: a task is cancelled once.
        _ = write(writing, &byte, 1)
    }
}
