import Glibc
import Synchronization

/// Wakes a thread that waits in `poll`, as often as it is rung: a pipe that holds at most one byte.
final class Bell: Sendable {
    /// Readable from `ring()` to `silence()`.
    let fileDescriptor: CInt
    private let writing: CInt
    private let isRung = Mutex(false)

    /// - Throws: `outOfResources` when the process has no file descriptor left.
    init() throws(DiscoveryError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failedCall("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (fileDescriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(fileDescriptor)
        close(writing)
    }

    func ring() {
        isRung.withLock { isRung in
            guard !isRung else { return }
            var byte: UInt8 = 0
            // The pipe is empty, so that neither end blocks.
            isRung = write(writing, &byte, 1) == 1
        }
    }

    func silence() {
        isRung.withLock { isRung in
            guard isRung else { return }
            var byte: UInt8 = 0
            isRung = read(fileDescriptor, &byte, 1) != 1
        }
    }
}
