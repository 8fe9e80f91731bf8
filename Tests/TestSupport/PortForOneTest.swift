import Glibc
import Synchronization

/// A TCP port that nothing else in this process gets, now or later.
///
/// A port that the system chooses is free again when its node ends. Then another test's node may listen on it, and meet
/// the peers that still call there.
package enum PortForOneTest {
    /// Below the ports that Linux chooses by itself, and without the default port of a node.
    private static let range: Range<UInt16> = 20_000..<28_000
    private static let last = Mutex(UInt16.random(in: range))

    package static func next() -> UInt16 {
        last.withLock { last in
            for _ in range {
                last = last + 1 < range.upperBound ? last + 1 : range.lowerBound
                if isFree(last) { break }
            }
            return last
        }
    }

    /// Whether nobody listens there. The test's own node says it if somebody does so a moment later.
    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
