import CAvahi
import CLinuxNetwork
import Glibc

/// Stands between the sockets of libavahi-core and the library. Some packets crash the library, and this process with
/// it; so datagrams that `DNSMessageCheck` finds unfit are taken off a socket before the library reads from it. So are
/// queries that need no answer, of which many nodes make many.
///
/// The library reads one datagram each time it is told of a socket, so only the first in the queue is checked. Confined
/// to the stack's thread, which alone reads from these sockets.
final class MulticastGuard {
    /// How many datagrams are taken off one socket before other work has its turn.
    static let removalLimit = 64

    /// The only instance that the stack advertises, where it is certain that there is no other.
    var onlyInstance: String?

    /// One byte more than allowed, to recognize datagrams that are too long.
    private var buffer = [UInt8](repeating: 0, count: DNSMessageCheck.maximumBytes + 1)

    /// Has the library's loop wait by this guard, which has to outlive it.
    func install(in loop: OpaquePointer) {
        avahi_simple_poll_set_func(
            loop,
            { descriptors, count, milliseconds, context in
                guard let context else { preconditionFailure("the guard is the context") }
                let multicastGuard = Unmanaged<MulticastGuard>.fromOpaque(context).takeUnretainedValue()
                let polled = UnsafeMutableBufferPointer(start: descriptors, count: Int(count))
                return multicastGuard.wait(for: polled, milliseconds)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// poll(2), but a socket whose first datagram is of no use has nothing to read.
    private func wait(for descriptors: UnsafeMutableBufferPointer<pollfd>, _ milliseconds: CInt) -> CInt {
        let result = poll(descriptors.baseAddress, nfds_t(descriptors.count), milliseconds)
        guard result > 0 else { return result }
        for index in descriptors.indices where descriptors[index].revents != 0 {
            let descriptor = descriptors[index].fd
            if DatagramSocket.isOne(descriptor), !hasFitDatagram(descriptor) { descriptors[index].revents = 0 }
        }
        return CInt(descriptors.count { $0.revents != 0 })
    }

    /// Takes datagrams off the socket that the library must or need not see, up to `removalLimit`.
    /// - Returns: whether the one that is first now is for the library. Without, there is none, or the rest has to wait.
    func hasFitDatagram(_ socket: CInt) -> Bool {
        for _ in 0..<Self.removalLimit {
            let count = DatagramSocket.peek(socket, into: &buffer)
            guard count >= 0 else { return false }
            if isOfUse(buffer.prefix(count)) { return true }
            DatagramSocket.remove(from: socket)
        }
        return false
    }

    private func isOfUse(_ datagram: ArraySlice<UInt8>) -> Bool {
        guard DNSMessageCheck.fault(in: datagram) == nil else { return false }
        return onlyInstance.map { !DNSMessageCheck.needsNoAnswer(datagram, of: $0) } ?? true
    }
}
