import Glibc
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
        self = SocketQuestion(
            socket: withUnsafeBytes(of: remote.address, Array.init),
            peer: withUnsafeBytes(of: local.address, Array.init)
        ).answer()
    }
}

/// Asks the kernel for the owner of a TCP socket (sock_diag(7)). It answers at once.
///
/// The messages are those of linux/inet_diag.h, byte by byte: a C module with them would take the system's own names for sockets
/// from the files beside this one.
struct SocketQuestion {
    private static let diagnosis: Int32 = 4  // NETLINK_SOCK_DIAG
    private static let byFamily: UInt16 = 20  // SOCK_DIAG_BY_FAMILY
    private static let error: UInt16 = 2  // NLMSG_ERROR
    private static let headerBytes = 16  // struct nlmsghdr
    private static let userOffset = headerBytes + 64  // idiag_uid of struct inet_diag_msg, and after it the inode
    private static let answerBytes = headerBytes + 72

    /// Its own address and that of its peer, each as a `sockaddr_in`: the family, the port and the address, 2, 2 and 4 bytes.
    let socket: [UInt8]
    let peer: [UInt8]

    /// The request: a header, and a `struct inet_diag_req_v2`.
    var request: [UInt8] {
        let padding = [UInt8](repeating: 0, count: 12)
        var body: [UInt8] = [UInt8(AF_INET), UInt8(IPPROTO_TCP), 0, 0] + Self.bytes(UInt32.max)
        body += socket[2..<4] + peer[2..<4]
        body += socket[4..<8] + padding + peer[4..<8] + padding
        // Any interface, and no cookie (INET_DIAG_NOCOOKIE).
        body += Self.bytes(UInt32(0)) + Self.bytes(UInt64.max)
        let isRequest: UInt16 = 1  // NLM_F_REQUEST
        return Self.bytes(UInt32(Self.headerBytes + body.count)) + Self.bytes(Self.byFamily) + Self.bytes(isRequest)
            + Self.bytes(UInt64(0)) + body
    }

    func answer() -> SocketUser {
        let kernel = Glibc.socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), Self.diagnosis)
        guard kernel >= 0 else { return .unknown }
        defer { close(kernel) }
        let request = request
        guard send(kernel, request, request.count, 0) == request.count else { return .unknown }
        var answer = [UInt8](repeating: 0, count: 1024)
        let count = recv(kernel, &answer, answer.count, Int32(MSG_DONTWAIT))
        return Self.read(Array(answer.prefix(max(0, count))))
    }

    /// What the kernel has answered.
    static func read(_ answer: [UInt8]) -> SocketUser {
        guard answer.count >= headerBytes + 4 else { return .unknown }
        switch integer(answer, at: 4) as UInt16 {
        case byFamily where answer.count >= answerBytes:
            // Of a socket that was closed the kernel does not know the user any more.
            let inode: UInt32 = integer(answer, at: userOffset + 4)
            return inode == 0 ? .nobody : .user(integer(answer, at: userOffset))
        case error where integer(answer, at: headerBytes) as Int32 == -ENOENT: return .nobody
        default: return .unknown
        }
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value, Array.init) }

    private static func integer<Value: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int) -> Value {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}
