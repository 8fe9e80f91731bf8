import CAvahi
import CLinuxNetwork
import Glibc

/// Waiting for descriptors. Several C modules bring the declarations along, so only this file and
/// `MulticastGuard` use them.
enum Polling {
    /// poll(2): waits until one of the descriptors can be read or has failed, at most so many milliseconds; -1 waits without end.
    /// - Parameter descriptors: a negative one is passed over.
    /// - Returns: which of them, in their order. None where the time was over, or a signal came.
    /// - Throws: `outOfResources`.
    static func readable(_ descriptors: [CInt], milliseconds: CInt) throws(DiscoveryError) -> [Bool] {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), milliseconds) >= 0 else {
            guard errno == EINTR else { throw .failedCall("poll") }
            return descriptors.map { _ in false }
        }
        return polled.map { $0.revents != 0 }
    }

    /// How long `poll` may wait for a deadline; without one, for ever.
    static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
        deadline.map { ContinuousClock.now.duration(to: $0).pollTimeout } ?? -1
    }

    /// Bounds how long a call that receives waits.
    static func limitWait(of socket: CInt, seconds: Int) {
        _ = setOption(socket, SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
    }
}

extension Duration {
    /// In milliseconds, rounded up, so that the deadline has passed when `poll` returns.
    var pollTimeout: CInt {
        guard self > .zero else { return 0 }
        return CInt(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 + 1)
    }
}
