import Foundation
import NIOCore
import NIOPosix

/// Takes one request on loopback, whole, and answers 204.
struct OneRequestServer: Sendable {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let channel: NIOAsyncChannel<Connection, Never>

    init() async throws {
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { connection in
                connection.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: connection) }
            }
    }

    var port: Int { channel.channel.localAddress?.port ?? 0 }

    /// The head and the body.
    func request() async throws -> Data {
        try await channel.executeThenClose { connections in
            for try await connection in connections { return try await Self.answer(connection) }
            return Data()
        }
    }

    private static func answer(_ connection: Connection) async throws -> Data {
        try await connection.executeThenClose { input, output in
            var request = Data()
            for try await piece in input {
                request += Data(piece.readableBytesView)
                if isWhole(request) { break }
            }
            try await output.write(ByteBuffer(string: "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"))
            return request
        }
    }

    private static func isWhole(_ request: Data) -> Bool {
        guard let head = request.range(of: Data("\r\n\r\n".utf8)) else { return false }
        let text = String(decoding: request[..<head.lowerBound], as: UTF8.self).lowercased()
        let length = text.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.output.1) } ?? 0
        return request.count >= head.upperBound + length
    }
}
