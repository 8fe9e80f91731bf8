import Foundation
import Synchronization

/// A server of loopback for a webhook: it takes every request, and answers 204.
final class HookServer: Sendable {
    private let listener: SilentListener
    private let taken = Mutex<[Data]>([])

    init() throws {
        listener = try SilentListener()
        let (descriptor, taken) = (listener.descriptor, self)
        Thread.detachNewThread { [weak taken] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                let request = Self.request(on: connection)
                let answer = Array("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".utf8)
                _ = answer.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
                close(connection)
                guard let server = taken else { return }
                server.taken.withLock { $0.append(request) }
            }
        }
    }

    deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    var port: UInt16 { listener.port }

    /// Whether a request with a text in its body was taken.
    func hasTaken(_ text: String) -> Bool { taken.withLock { $0.contains { $0.range(of: Data(text.utf8)) != nil } } }

    private static func request(on connection: Int32) -> Data {
        var (request, piece) = (Data(), [UInt8](repeating: 0, count: 64 * 1024))
        while !isWhole(request) {
            let count = read(connection, &piece, piece.count)
            guard count > 0 else { break }
            request += piece.prefix(count)
            // What is large asks whether it may come.
            if request.range(of: Data("100-continue".utf8)) != nil, request.count < 2048 {
                let answer = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
                _ = answer.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            }
        }
        return request
    }

    private static func isWhole(_ request: Data) -> Bool {
        guard let head = request.range(of: Data("\r\n\r\n".utf8)) else { return false }
        let text = String(decoding: request[..<head.lowerBound], as: UTF8.self).lowercased()
        let length = text.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.output.1) } ?? 0
        return request.count >= head.upperBound + length
    }
}
