import CAvahi
import CLinuxNetwork
import Glibc

/// Stands between the sockets of libavahi-core and the library. Some packets crash the library, and this process with
/// it; so datagrams that `DNSMessageCheck` finds unfit are taken off a socket before the library reads from it. So are
/// queries that it need not see, of which many nodes make many (`QueryFilter`).
///
/// The library reads one datagram each time it is told of a socket, so only the first in the queue is checked. Confined
/// to the stack's thread, which alone reads from these sockets.
final class MulticastGuard {
    /// How many datagrams are taken off one socket before other work has its turn.
    static let removalLimit = 64
    /// RFC 6762 section 5.
    private static let port: UInt16 = 5353

    private struct Datagram: Equatable {
        let arrival: DatagramSocket.Arrival
        let bytes: ArraySlice<UInt8>
    }

    /// The names of all that the stack advertises, where it is certain that there are no others.
    var advertisedNames: AdvertisedNames? {
        didSet { (queryFilter, shown) = (QueryFilter(), [:]) }
    }
    private var queryFilter = QueryFilter()
    /// Those of multicast DNS.
    private var sockets: Set<CInt> = []
    /// What the library was last let see of each.
    private var shown: [CInt: Datagram] = [:]
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
        let now = ContinuousClock.now
        for index in descriptors.indices where descriptors[index].revents != 0 {
            let descriptor = descriptors[index].fd
            if isDatagramSocket(descriptor), !hasUsefulDatagram(descriptor, now: now) {
                descriptors[index].revents = 0
            }
        }
        return CInt(descriptors.count { $0.revents != 0 })
    }

    /// The library keeps its sockets of multicast DNS for as long as it runs.
    private func isDatagramSocket(_ descriptor: CInt) -> Bool {
        if sockets.contains(descriptor) { return true }
        guard DatagramSocket.isOne(descriptor) else { return false }
        DatagramSocket.makeRoom(in: descriptor)
        sockets.insert(descriptor)
        return true
    }

    /// Takes datagrams off the socket that the library must or need not see, up to `removalLimit`.
    /// - Returns: whether the one that is first now is for the library. Without, there is none, or the rest has to wait.
    func hasUsefulDatagram(_ socket: CInt, now: ContinuousClock.Instant) -> Bool {
        for _ in 0..<Self.removalLimit {
            guard let arrival = DatagramSocket.peek(socket, into: &buffer) else { return false }
            let datagram = Datagram(arrival: arrival, bytes: buffer.prefix(arrival.byteCount))
            // The library's loop makes one callback in a turn, and may not have come to this one.
            if shown[socket] == datagram { return true }
            if isUseful(datagram, on: socket, now: now) {
                shown[socket] = Datagram(arrival: arrival, bytes: ArraySlice(Array(datagram.bytes)))
                return true
            }
            DatagramSocket.remove(from: socket)
        }
        return false
    }

    private func isUseful(_ datagram: Datagram, on socket: CInt, now: ContinuousClock.Instant) -> Bool {
        guard DNSMessageCheck.fault(in: datagram.bytes) == nil else { return false }
        // Who asks from another port is answered alone (RFC 6762 section 6.7).
        let arrival = datagram.arrival
        guard let advertisedNames, arrival.sourcePort == Self.port else { return true }
        return queryFilter.admits(
            DNSMessageCheck.purpose(of: datagram.bytes, for: advertisedNames), isToGroup: arrival.isToGroup,
            from: arrival.source, at: .init(socket: socket, interface: arrival.interface), now: now)
    }
}
