import CAvahiCore
import CDNSSD
import CLinuxNetwork
import Glibc

/// poll(2). Several C modules bring its declarations along, so only this file calls it.
enum Polling {
    /// Waits until one of the descriptors can be read or has failed, at most so many milliseconds; -1 waits without end.
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
}
