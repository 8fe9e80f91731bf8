import ArgumentParser
import Foundation

/// Opens connections to a port at a given rate, in a process of its own: plain ones, half-open handshakes, slow bytes
/// and silence, from many addresses of loopback and from the one that honest peers use, too.
struct Flooder: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "flooder", shouldDisplay: false)

    /// Connections that are held open at once; the oldest makes room.
    private static let held = 512
    /// A little more than was asked for, so that a late start costs nothing.
    private static let surplus = 1.05
    /// One in this many comes from 127.0.0.1.
    private static let sameAddress = 8
    /// How often slow connections send their next byte.
    private static let slowByteInterval = Duration.milliseconds(200)

    @Option var port: UInt16
    @Option var rate: Int
    @Option var seconds: Double

    func run() throws {
        let start = ContinuousClock.now
        var sockets: [FloodSocket] = []
        var (begun, opened) = (0, 0)
        var lastSlowByte = start
        while case let elapsed = milliseconds(start.duration(to: .now)) / 1000, elapsed < seconds {
            let due = Int(elapsed * Double(rate) * Self.surplus)
            while begun < due {
                if let socket = FloodSocket(to: port, from: Self.source(begun), kind: begun % 4) {
                    sockets.append(socket)
                }
                begun += 1
                if sockets.count > Self.held {
                    opened += sockets.prefix(Self.held / 4).count(where: \.isOpened)
                    sockets.removeFirst(Self.held / 4)
                }
            }
            if lastSlowByte.duration(to: .now) > Self.slowByteInterval {
                lastSlowByte = .now
                for socket in sockets { socket.sendSlowByte() }
            }
            usleep(500)
        }
        let elapsed = milliseconds(start.duration(to: .now)) / 1000
        opened += sockets.count(where: \.isOpened)
        answer("flooded", "\(opened) \(begun - opened) \(elapsed)")
    }

    private static func source(_ number: Int) -> UInt32 {
        guard number % sameAddress != 0 else { return 0x7f00_0001 }
        return 0x7f00_0000 | UInt32.random(in: 0x0100..<0x1_0000)
    }
}

/// One connection of a flood.
private final class FloodSocket {
    private let descriptor: Int32
    private let isSlow: Bool

    /// - Parameters:
    ///   - source: an address within 127.0.0.0/8.
    ///   - kind: 0 says nothing and is closed at once, 1 begins a handshake and never goes on, 2 sends a byte now and then,
    ///     3 says nothing.
    /// - Returns: `nil` if the connection failed.
    init?(to port: UInt16, from source: UInt32, kind: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        isSlow = kind == 2
        guard descriptor >= 0 else { return nil }
        // A reset instead of a farewell; otherwise the ports of this side would soon be used up.
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
        // The port is chosen when the destination is known (IP_BIND_ADDRESS_NO_PORT).
        var later: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_IP), 24, &later, socklen_t(MemoryLayout<Int32>.size))
        guard call(source, 0, bind) == 0, call(0x7f00_0001, port, connect) == 0 || errno == EINPROGRESS else {
            return nil
        }
        if kind == 1 {
            // A first word, and an ephemeral key.
            var bytes: [UInt8] = [0, 2, 8, 1, 0, 32]
            for _ in 0..<32 { bytes.append(.random(in: 1...127)) }
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if kind == 0 { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the connection was made, whatever happened to it after that.
    var isOpened: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return false }
        var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        return error == 0 || error == ECONNRESET || error == EPIPE
    }

    func sendSlowByte() {
        guard isSlow else { return }
        var zero: UInt8 = 0
        _ = send(descriptor, &zero, 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    private func call(
        _ host: UInt32, _ port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
