import Dispatch
import Foundation
import Synchronization

/// This end of a pipe to another program, read or written on a thread that may wait. It is closed with the object.
package final class PipeEnd: Sendable {
    private static let pieceBytes = 64 * 1024

    private let descriptor: Int32
    private let isClosed = Mutex(false)
    /// Closing the second one ends all waiting.
    private let wakeUp: (reading: Int32, writing: Int32)
    private let isStopped = Mutex(false)
    /// Whether it was read once more after that.
    private let isDrained = Atomic(false)
    private let pendingBytes = Mutex(0)
    private let queue = DispatchQueue(label: "earshot.pipe")

    /// - Throws: `EarshotError` `programUnusable`. Then the descriptor is closed, too.
    package init(_ descriptor: Int32) throws(EarshotError) {
        self.descriptor = descriptor
        do throws(EarshotError) { wakeUp = try ChildProgram.pipe() } catch {
            close(descriptor)
            throw error
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        stop()
        closeOnce()
        close(wakeUp.reading)
    }

    /// Ends all waiting. What was not written is lost.
    package func stop() {
        isStopped.withLock { isStopped in
            if !isStopped { close(wakeUp.writing) }
            isStopped = true
        }
    }

    /// The next bytes; `nil` at the end. Once it is stopped, what is in the pipe then, and no more.
    package func read() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: readNow()) }
        }
    }

    private func readNow() -> [UInt8]? {
        // A pipe holds no more, so one read empties it.
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            let isLast = isStopped.withLock { $0 }
            guard !isLast || !isDrained.exchange(true, ordering: .relaxed) else { return nil }
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count > 0 { return Array(piece.prefix(count)) }
            guard count < 0, !isLast, canGoOn(POLLIN) || isStopped.withLock({ $0 }) else { return nil }
        }
    }

    /// Writes in the background, behind everything that was written before.
    /// - Returns: whether no more than `limit` bytes wait for the reader.
    package func write(_ bytes: [UInt8], limit: Int) -> Bool {
        let pending = pendingBytes.withLock { pending in
            pending += bytes.count
            return pending
        }
        queue.async { [self] in
            writeNow(bytes)
            pendingBytes.withLock { $0 -= bytes.count }
        }
        return pending <= limit
    }

    /// Closes it behind everything that was written, so that the reader sees the end.
    package func finish() {
        queue.async { self.closeOnce() }
    }

    private func closeOnce() {
        isClosed.withLock { isClosed in
            if !isClosed { close(descriptor) }
            isClosed = true
        }
    }

    private func writeNow(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = BrokenPipe.ignored {
                rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if !canGoOn(POLLOUT) {
                // Nobody will read it.
                return
            }
        }
    }

    /// Waits after a call that could do nothing.
    private func canGoOn(_ event: Int32) -> Bool {
        guard errno == EAGAIN || errno == EINTR else { return false }
        var watched = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, nfds_t(watched.count), -1) < 0, errno == EINTR {}
        return watched[1].revents == 0
    }
}

/// Keeps the signal of a pipe that nobody reads from ending a process that does not ignore it: the error says it, too.
private enum BrokenPipe {
    /// - Parameter body: writes to a pipe on this thread.
    static func ignored(_ body: () -> Int) -> Int {
        var (signals, before) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        let count = body()
        let error = errno
        if count < 0, error == EPIPE {
            var (pending, signal) = (sigset_t(), Int32(0))
            sigpending(&pending)
            if sigismember(&pending, SIGPIPE) == 1 { sigwait(&signals, &signal) }
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = error
        return count
    }
}
