import EarshotProtocol
import NIOCore
import NIOPosix

/// TCP. All connections of a node live on its event loop, call the node directly, and have the options that links need.
struct TCPTransport: Transport {
    /// How long a dial may take, over all addresses.
    static let connectTimeout = TimeAmount.seconds(5)
    /// How long sent bytes may stay unacknowledged by the other host's TCP (RFC 5482).
    static let userTimeoutMilliseconds: ChannelOptions.Types.SocketOption.Value = 30_000
    /// Connections that may wait to be accepted while this process is busy: half a second of a flood.
    private static let backlog: Int32 = 1024
    /// Linux's number for `TCP_USER_TIMEOUT`.
    private static let tcpUserTimeout: CInt = 18
    /// What the kernel takes beyond what it has sent: a message does not wait there behind seconds of a file.
    private static let unsentBytes: ChannelOptions.Types.SocketOption.Value = 256 * 1024
    /// Linux's number for `TCP_NOTSENT_LOWAT`.
    private static let tcpNotSentLowAt: CInt = 25

    let loop: any EventLoop

    /// Listens on every address of the host, IPv6 and IPv4.
    func listen(
        port: UInt16, accept: @escaping @Sendable (any TransportConnection) -> Void
    ) async throws(EarshotError) -> any TransportListener {
        let channel = try await bind(port: port) { channel in
            accept(TCPConnection(channel))
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        return TCPListener(channel: channel, port: channel.localAddress?.port.flatMap { UInt16(exactly: $0) } ?? port)
    }

    private func bind(
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
            .childChannelOption(
                ChannelOptions.socket(.init(IPPROTO_TCP), .init(Self.tcpNotSentLowAt)), value: Self.unsentBytes
            )
            .childChannelInitializer(initialize)
        do {
            // Not by name: the resolver knows no `::` while the host has no other IPv6 address, as when it has just booted.
            return try await bootstrap.bind(to: SocketAddress(ipAddress: "::", port: Int(port))).get()
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            do { return try await bootstrap.bind(to: SocketAddress(ipAddress: "0.0.0.0", port: Int(port))).get() } catch
            {
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
                .init(systemError: error.errnoCode, port: port), cause: error)
        }
        if let error = error as? IOError, error.errnoCode == EACCES {
            return EarshotError(
                .networkUnavailable, "port \(port) is reserved for the system",
                .init(.reservedPort, systemError: error.errnoCode, port: port), cause: error)
        }
        return EarshotError(
            .networkUnavailable, "cannot listen on port \(port): \(error)",
            .init(port: port), cause: error)
    }

    func probe(_ address: PeerAddress, completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(.milliseconds(Timing.dialBack))
        let connecting =
            SocketAddress(literal: address).map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: address.host, port: Int(address.port))
        connecting.whenComplete { result in
            completion(result.map { $0.close(promise: nil) })
        }
    }

    /// Races the addresses (RFC 8305).
    func connect(
        to addresses: [PeerAddress], handler: ConnectionHandler,
        completion: @escaping @Sendable (Result<any TransportConnection, any Error>) -> Void
    ) {
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(Self.connectTimeout)
            .channelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(
                ChannelOptions.socket(.init(IPPROTO_TCP), .init(Self.tcpUserTimeout)),
                value: Self.userTimeoutMilliseconds
            )
            .channelOption(
                ChannelOptions.socket(.init(IPPROTO_TCP), .init(Self.tcpNotSentLowAt)), value: Self.unsentBytes
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LinkChannelHandler(handler))
                }
            }
        let literals = addresses.compactMap(SocketAddress.init(literal:))
        let connecting =
            if literals.isEmpty, let named = addresses.first {
                bootstrap.connect(host: named.host, port: Int(named.port))
            } else {
                bootstrap.resolver(KnownAddresses(literals, loop: loop))
                    .connect(host: addresses.first?.host ?? "", port: Int(addresses.first?.port ?? 0))
            }
        connecting.whenComplete { result in
            completion(result.map { TCPConnection($0) }.mapError { ConnectFailure($0) })
        }
    }
}

/// Why no address has answered, in words for people.
struct ConnectFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        guard let error = error as? NIOConnectionError else {
            description = Self.words(for: error)
            return
        }
        var reasons: [String] = []
        for failure in error.connectionErrors {
            let reason = Self.words(for: failure.error)
            if !reasons.contains(reason) { reasons.append(reason) }
        }
        description = reasons.isEmpty ? "no address is known for \(error.host)" : reasons.joined(separator: "; ")
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout(let time): "no answer within \(time.nanoseconds / 1_000_000_000) s"
        default: "\(error)"
        }
    }
}

private struct TCPListener: TransportListener {
    let channel: any Channel
    let port: UInt16

    func close() { channel.close(promise: nil) }
}

/// Answers a name look-up with addresses that are already known, so that they are raced like those of a host.
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
