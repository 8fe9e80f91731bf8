import Foundation

/// Two ends of one TCP connection on loopback.
struct LoopbackPair: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private static let size = 100
    private let near: Int32
    private let far: Int32

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw Failure(description: "no socket on loopback") }
        near = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let descriptor = near
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
        }
        far = accept(listener, nil, nil)
        guard isConnected, far >= 0 else { throw Failure(description: "no connection on loopback") }
        for end in [near, far] {
            var one: Int32 = 1
            setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    func ping() {
        var buffer = [UInt8](repeating: 1, count: Self.size)
        _ = send(near, &buffer, Self.size, 0)
        _ = recv(near, &buffer, Self.size, Int32(MSG_WAITALL))
    }

    func echo(_ rounds: Int) {
        var buffer = [UInt8](repeating: 0, count: Self.size)
        for _ in 0..<rounds {
            guard recv(far, &buffer, Self.size, Int32(MSG_WAITALL)) > 0 else { return }
            _ = send(far, &buffer, Self.size, 0)
        }
    }

    func close() {
        Glibc.close(near)
        Glibc.close(far)
    }
}
