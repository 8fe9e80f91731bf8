import CLinuxNetwork
import Glibc

@testable import EarshotDiscovery

/// Somebody on the cable who sends what they like from the port of multicast DNS.
struct MulticastSender: ~Copyable {
    private let socket: CInt

    /// - Parameter source: the address of the interface that it sends on.
    init(from source: String) throws {
        socket = Glibc.socket(AF_INET, clinuxnetwork_datagram | clinuxnetwork_close_on_exec, 0)
        _ = setOption(socket, SOL_SOCKET, SO_REUSEADDR, CInt(1))
        _ = setOption(socket, SOL_SOCKET, SO_REUSEPORT, CInt(1))
        _ = setOption(socket, CInt(IPPROTO_IP), IP_MULTICAST_IF, in_addr(s_addr: inet_addr(source)))
        // Bound to the group, so that it takes nothing from whoever is bound to the port.
        guard bindSocket(socket, to: Self.group) == 0 else { throw DiscoveryError.failedCall("bind") }
    }

    deinit { close(socket) }

    func send(_ bytes: [UInt8]) throws {
        let sent = withUnsafePointer(to: Self.group) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard sent == bytes.count else { throw DiscoveryError.failedCall("sendto") }
    }

    private static var group: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(5353).bigEndian
        address.sin_addr.s_addr = inet_addr("224.0.0.251")
        return address
    }
}
