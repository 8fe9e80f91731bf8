import EarshotModel
import Foundation
import TestSupport

/// A TCP connection to loopback that sends what a test wants, whatever the protocol says.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter source: the address that it comes from, within 127.0.0.0/8.
    init(to port: UInt16, from source: String = "127.0.0.1") throws {
        descriptor = try LoopbackConnection.open(to: port, from: source)
    }

    deinit { close(descriptor) }

    private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    func write(_ bytes: [UInt8]) throws {
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Self.failure()
        }
    }

    /// Reads until the other end closes.
    func readToEnd() async throws -> [UInt8] {
        try await onThread("the other end closes") { [self] in
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count == 0 || (count < 0 && errno == ECONNRESET) { return all }
                guard count > 0 else { throw Self.failure() }
                all += buffer[..<count]
            }
        }
    }

    /// Waits until the other end has closed some of the connections.
    /// - Returns: how many it has closed.
    static func closed(of connections: [RawConnection], atLeast count: Int) async throws -> Int {
        try await onThread("\(count) connections are closed") {
            // POLLHUP and POLLERR are always looked for; a peer that closes is something to read.
            var descriptors = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            var closed = 0
            while closed < count {
                guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { throw failure() }
                // One that is negative is passed over from then on.
                for index in descriptors.indices where descriptors[index].revents != 0 {
                    descriptors[index].fd = -1
                    closed += 1
                }
            }
            return closed
        }
    }
}
