import CLinuxNetwork
import Glibc

/// Asks the kernel about its network, or hears of changes: rtnetlink(7). Confined to one thread at a time.
final class NetlinkSocket {
    /// Large enough for whatever the kernel sends at once.
    static let bufferSize = 64 * 1024
    /// How often a listing is begun anew because something changed meanwhile, before it is taken as it is.
    static let dumpAttempts = 3
    /// How many receptions are read at once before other work has its turn.
    static let drainLimit = 64

    /// Which changes a socket is told of.
    enum Audience {
        case nobody
        /// Interfaces, addresses and routes.
        case allChanges

        var groups: UInt32 {
            switch self {
            case .nobody: 0
            case .allChanges:
                UInt32(
                    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)
            }
        }
    }

    let fileDescriptor: CInt
    private var sequence: UInt32 = 0
    private var buffer = [UInt8](repeating: 0, count: bufferSize)

    /// - Throws: `outOfResources`.
    init(_ audience: Audience = .nobody) throws(DiscoveryError) {
        fileDescriptor = socket(AF_NETLINK, clinuxnetwork_raw | clinuxnetwork_close_on_exec, NETLINK_ROUTE)
        guard fileDescriptor >= 0 else { throw .failedCall("socket(AF_NETLINK)") }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = audience.groups
        guard bindSocket(fileDescriptor, to: address) == 0 else {
            let error = DiscoveryError.failedCall("bind(AF_NETLINK)")
            close(fileDescriptor)
            throw error
        }
        // The kernel answers at once. If it ever does not, nobody waits for ever.
        Polling.limitWait(of: fileDescriptor, seconds: 5)
    }

    deinit { close(fileDescriptor) }

    /// Reads and discards all notifications: only the state of now counts.
    /// - Returns: whether the kernel had more to tell than there was room for.
    func drain() -> Bool {
        var isOverrun = false
        for _ in 0..<Self.drainLimit {
            guard recv(fileDescriptor, &buffer, Self.bufferSize, clinuxnetwork_no_wait) < 0 else { continue }
            guard errno == ENOBUFS || errno == EINTR else { break }
            if errno == ENOBUFS { isOverrun = true }
        }
        return isOverrun
    }

    /// Lists what there is of a kind.
    /// - Parameters:
    ///   - type: `RTM_GETLINK`, `RTM_GETADDR`, `RTM_GETROUTE`.
    ///   - initial: what to begin with, also each time that the listing has to begin anew.
    func dump<Listing>(
        _ type: Int, header: [UInt8], into initial: Listing, _ add: (inout Listing, NetlinkMessage) -> Void
    ) throws(DiscoveryError) -> Listing {
        var listing = initial
        for _ in 0..<Self.dumpAttempts {
            listing = initial
            try send(type, flags: NLM_F_REQUEST | NLM_F_DUMP, body: header)
            if try receiveDump({ add(&listing, $0) }) { break }
        }
        return listing
    }

    /// Asks for one thing.
    /// - Returns: the answer, or the `errno` with which the kernel refuses one.
    func ask(_ type: Int, body: [UInt8]) throws(DiscoveryError) -> Result<NetlinkMessage, NetlinkRefusal> {
        try send(type, flags: NLM_F_REQUEST, body: body)
        while true {
            for message in try receive() {
                if let failure = message.failure { return .failure(NetlinkRefusal(errorNumber: failure)) }
                return .success(message)
            }
        }
    }

    /// - Returns: whether the listing is of one moment.
    private func receiveDump(_ add: (NetlinkMessage) -> Void) throws(DiscoveryError) -> Bool {
        var isConsistent = true
        while true {
            for message in try receive() {
                if CInt(message.flags) & NLM_F_DUMP_INTR != 0 { isConsistent = false }
                if let failure = message.failure { throw .failedCall("rtnetlink", failure) }
                if CInt(message.type) == NLMSG_DONE { return isConsistent }
                add(message)
            }
        }
    }

    private func send(_ type: Int, flags: CInt, body: [UInt8]) throws(DiscoveryError) {
        sequence &+= 1
        let message = NetlinkMessage(type: UInt16(type), flags: UInt16(flags), sequence: sequence, body: body)
        let encoded = message.encoded
        // An unconnected socket sends to the kernel.
        guard Glibc.send(fileDescriptor, encoded, encoded.count, 0) == encoded.count else {
            throw .failedCall("send(AF_NETLINK)")
        }
    }

    /// - Returns: messages that answer the last request.
    private func receive() throws(DiscoveryError) -> [NetlinkMessage] {
        var count = recv(fileDescriptor, &buffer, Self.bufferSize, 0)
        while count < 0 && errno == EINTR { count = recv(fileDescriptor, &buffer, Self.bufferSize, 0) }
        guard count >= 0 else { throw .failedCall("recv(AF_NETLINK)") }
        return NetlinkMessage.messages(in: Array(buffer.prefix(count))).filter { $0.sequence == sequence }
    }
}

/// The kernel's "no" to a request.
struct NetlinkRefusal: Error, Equatable {
    let errorNumber: CInt
}
