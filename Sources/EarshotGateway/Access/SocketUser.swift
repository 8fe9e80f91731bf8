import CLinuxNetwork
import NIOCore

/// Where a request came in.
enum Entrance: Hashable, Sendable {
    /// The Unix socket, which the owner alone can open.
    case socket
    /// A TCP port on loopback, which every user of the machine can open.
    case loopback(port: Int, from: SocketUser)
}

/// Whose process has the other end of a connection on loopback.
///
/// Any user of the machine can open a port of loopback. The kernel tells whose socket it is that connects.
enum SocketUser: Hashable, Sendable {
    /// A user of the machine, by number.
    case user(UInt32)
    /// Nobody any more: the other end was closed. What it has sent comes from whoever it was.
    case nobody
    /// The kernel does not tell: it has no `NETLINK_SOCK_DIAG`, as in some containers.
    case unknown

    /// The user that this process runs as.
    static var own: SocketUser { .user(geteuid()) }

    /// - Returns: whose the other end of a channel is; `nil` where the channel is no connection over IPv4.
    init?(_ channel: any Channel) {
        guard case .v4(let local)? = channel.localAddress, case .v4(let remote)? = channel.remoteAddress else {
            return nil
        }
        let owner = withUnsafeBytes(of: remote.address) { remote in
            withUnsafeBytes(of: local.address) { local in
                clinuxnetwork_owner_of_socket(remote.baseAddress, local.baseAddress)
            }
        }
        self.init(owner)
    }

    init(_ owner: clinuxnetwork_owner) {
        switch owner.failure {
        case 0 where owner.is_held: self = .user(owner.user)
        case 0, ENOENT: self = .nobody
        default: self = .unknown
        }
    }
}
