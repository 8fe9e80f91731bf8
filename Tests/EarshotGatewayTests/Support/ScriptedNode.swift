import Earshot
import Foundation
import Testing

/// What listens where a node would, and answers as a test wants: a home directory without a node, and a thread that
/// serves one connection or two.
final class ScriptedNode: Sendable {
    let home: Home

    /// - Parameters:
    ///   - serve: is called after the head of the request has come. The connection ends when it returns.
    ///   - serveNext: the same for another connection.
    init(
        _ serve: @escaping @Sendable (Connection) -> Void, then serveNext: (@Sendable (Connection) -> Void)? = nil
    ) throws {
        home = Home(path: "/tmp/earshot-scripted-\(UUID().uuidString.prefix(8))")
        try home.create(name: "alice")
        let listener = try Self.listen(on: home.socketFile)
        Thread.detachNewThread {
            defer { close(listener) }
            for serve in [serve, serveNext].compactMap(\.self) {
                var connection = Connection(descriptor: accept(listener, nil, nil))
                connection.readHead()
                serve(connection)
                close(connection.descriptor)
            }
        }
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: home.path) } catch {
            FileHandle.standardError.write(Data("\(home.path) could not be removed: \(error)\n".utf8))
        }
    }

    private static func listen(on path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && Glibc.listen(listener, 1) == 0)
        return listener
    }

    struct Connection: Sendable {
        fileprivate let descriptor: Int32
        /// The head of the request.
        private(set) var head = ""

        fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

        /// How long `write` waits for a reader that takes nothing.
        static let patience = timeval(tv_sec: 0, tv_usec: 300_000)

        /// - Returns: the bytes that the reader, or the system for it, has taken.
        @discardableResult
        func write(_ text: String) -> Int {
            var limit = Self.patience
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let bytes = Array(text.utf8)
            return max(0, send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
        }

        /// Returns once the other side has closed the connection.
        func waitForEnd() {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
        }

        fileprivate mutating func readHead() {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while !head.contains("\r\n\r\n") {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                head += String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
    }
}
