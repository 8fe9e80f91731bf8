import Glibc
import Synchronization

/// Wakes a thread that waits in `poll`, once and for good: a pipe.
final class WakeUp: Sendable {
    /// Readable after `signal()`. Nobody may wait by it after `close()`.
    let fileDescriptor: CInt
    /// `nil` once it is closed.
    private let writing: Mutex<CInt?>

    /// - Throws: `outOfResources` when the process has no file descriptor left.
    init() throws(DiscoveryError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failedCall("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        fileDescriptor = ends[0]
        writing = Mutex(ends[1])
    }

    deinit { close() }

    func signal() {
        writing.withLock { writing in
            guard let writing else { return }
            var byte: UInt8 = 0
            // One byte always fits: a task is cancelled once.
            _ = write(writing, &byte, 1)
        }
    }

    /// Gives both descriptors back. `signal()` does nothing from then on.
    func close() {
        writing.withLock { writing in
            guard let end = writing.take() else { return }
            Glibc.close(fileDescriptor)
            Glibc.close(end)
        }
    }
}
