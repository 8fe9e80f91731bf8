import EarshotProtocol
import NIOCore
import NIOPosix

/// Opens the TCP connections of a node: all on its event loop, with the options that links want.
struct LinkSockets: Sendable {
    /// How long a dial may take, over all addresses.
    static let connectTimeout = TimeAmount.seconds(5)
    /// How long sent bytes may stay unacknowledged by the other host's TCP (RFC 5482).
    static let userTimeoutMilliseconds: ChannelOptions.Types.SocketOption.Value = 30_000
    /// Connections that wait to be accepted: half a second of a flood, while this process does something else.
    private static let backlog: Int32 = 1024
    /// Linux' number for that option.
    private static let tcpUserTimeout: CInt = 18

    let loop: any EventLoop

    /// Listens on every address of the host, IPv6 and IPv4.
    /// - Parameter initialize: sets up each connection that comes in, on the event loop.
    func listen(
        port: UInt16, initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(EarshotError) -> any Channel {
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(ChannelOptions.backlog, value: Self.backlog)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                ChannelOptions.socket(.init(IPPROTO_TCP), .init(Self.tcpUserTimeout)),
                value: Self.userTimeoutMilliseconds
            )
            .childChannelInitializer(initialize)
        do {
            return try await bootstrap.bind(host: "::", port: Int(port)).get()
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            do { return try await bootstrap.bind(host: "0.0.0.0", port: Int(port)).get() } catch {
                throw Self.listenError(error, port: port)
            }
        } catch {
            throw Self.listenError(error, port: port)
        }
    }

    private static func listenError(_ error: any Error, port: UInt16) -> EarshotError {
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            return EarshotError(
                .portInUse, "another program listens on port \(port)",
                remedy: "name another with --port, or leave it out and let the system choose", cause: error)
        }
        if let error = error as? IOError, error.errnoCode == EACCES {
            return EarshotError(
                .networkUnavailable, "port \(port) is reserved for the system",
                remedy: "name a port above 1023, or leave it out", cause: error)
        }
        return EarshotError(
            .networkUnavailable, "port \(port) cannot be listened on: \(error)",
            remedy: "check that the machine has a network", cause: error)
    }

    /// Connects to one address, for a peer that wants to know whether it can be reached there.
    func probe(_ address: PeerAddress) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(.milliseconds(Timing.dialBack))
        guard let literal = SocketAddress(literal: address) else {
            return bootstrap.connect(host: address.host, port: Int(address.port))
        }
        return bootstrap.connect(to: literal)
    }

    /// Connects to whichever of the addresses answers first (RFC 8305).
    func connect(
        to addresses: [PeerAddress], initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(Self.connectTimeout)
            .channelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(
                ChannelOptions.socket(.init(IPPROTO_TCP), .init(Self.tcpUserTimeout)),
                value: Self.userTimeoutMilliseconds
            )
            .channelInitializer(initialize)
        let literals = addresses.compactMap(SocketAddress.init(literal:))
        guard literals.isEmpty, let named = addresses.first else {
            return bootstrap.resolver(KnownAddresses(literals, loop: loop))
                .connect(host: addresses.first?.host ?? "", port: Int(addresses.first?.port ?? 0))
        }
        return bootstrap.connect(host: named.host, port: Int(named.port))
    }
}

/// Answers a name look-up with addresses that are known already, so that they are raced as a host's would be.
private final class KnownAddresses: Resolver, Sendable {
    private let addresses: [SocketAddress]
    private let loop: any EventLoop

    init(_ addresses: [SocketAddress], loop: any EventLoop) {
        self.addresses = addresses
        self.loop = loop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
