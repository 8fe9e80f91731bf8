import Dispatch
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// One request to a node and its whole answer, on a connection of its own, by a thread that waits for it.
///
/// Most commands ask a few short questions and end. Event loops would take them longer to start than the answers take.
enum SocketExchange {
    /// - Parameter limit: the most bytes of a body that are read.
    /// - Throws: `IOError` if nobody listens, or the connection is lost; `NoResponse` if it ends too early;
    ///   `CancellationError`; `GatewayError` `unexpectedResponse`, and `invalidRequest` for a request that cannot be sent.
    static func answer(
        to request: HTTPRequest, at socketPath: String, upTo limit: Int
    ) async throws -> (status: HTTPResponseStatus, body: ByteBuffer) {
        let text = try request.text
        let line = Line()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "earshot.request").async {
                    continuation.resume(
                        with: Result { try line.exchange(text, at: socketPath, upTo: limit) })
                }
            }
        } onCancel: {
            line.hangUp()
        }
    }
}

/// A connection that one thread uses and another may end.
private final class Line: Sendable {
    private enum State {
        case idle
        case connected(Int32)
        case hungUp
    }

    private let state = Mutex(State.idle)

    /// How often it is looked at whether a node that accepts no connection is still waited for.
    private static let patience = timeval(tv_sec: 0, tv_usec: 100_000)
    private static let pieceBytes = 64 * 1024

    /// Ends what the other thread waits for.
    func hangUp() {
        state.withLock {
            if case .connected(let descriptor) = $0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
            $0 = .hungUp
        }
    }

    private var isHungUp: Bool { state.withLock { if case .hungUp = $0 { true } else { false } } }

    func exchange(
        _ request: [UInt8], at socketPath: String, upTo limit: Int
    ) throws -> (status: HTTPResponseStatus, body: ByteBuffer) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        defer {
            state.withLock { $0 = .hungUp }
            close(descriptor)
        }
        let isWanted = state.withLock { state in
            if case .hungUp = state { return false }
            state = .connected(descriptor)
            return true
        }
        guard isWanted else { throw CancellationError() }
        do {
            try connect(descriptor, to: socketPath)
            try send(request, on: descriptor)
            return try answer(on: descriptor, upTo: limit)
        } catch { throw isHungUp ? CancellationError() : error }
    }

    private func connect(_ descriptor: Int32, to socketPath: String) throws {
        var (patience, address) = (Self.patience, sockaddr_un())
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
        while true {
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard result != 0 else { return }
            guard [EINTR, EAGAIN].contains(errno), !isHungUp else { throw IOError(errnoCode: errno, reason: "connect") }
        }
    }

    private func send(_ bytes: [UInt8], on descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if ![EINTR, EAGAIN].contains(errno) || isHungUp {
                // A node that refuses a long request answers before it has read all of it.
                guard errno == EPIPE, !isHungUp else { throw IOError(errnoCode: errno, reason: "send") }
                return
            }
        }
    }

    private func answer(on descriptor: Int32, upTo limit: Int) throws -> (status: HTTPResponseStatus, body: ByteBuffer)
    {
        var buffer = ByteBuffer()
        var head: ResponseHead?
        while true {
            if head == nil { head = try ResponseHead(taking: &buffer) }
            if let head {
                guard max(head.contentLength ?? 0, buffer.readableBytes) <= limit else {
                    throw GatewayError(.unexpectedResponse, "the node's answer is longer than \(limit) bytes")
                }
                if let length = head.contentLength, let body = buffer.readSlice(length: length) {
                    return (head.status, body)
                }
            }
            let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceBytes) { room in
                while true {
                    let count = read(descriptor, room.baseAddress, room.count)
                    if count >= 0 { return count }
                    guard errno == EINTR else { throw IOError(errnoCode: errno, reason: "read") }
                }
            }
            guard count == 0 else { continue }
            // A body of no given length ends with the connection.
            guard let head, head.contentLength == nil, !isHungUp else { throw NoResponse() }
            return (head.status, buffer)
        }
    }
}

/// What is before a response's body (RFC 9112, section 4).
private struct ResponseHead {
    let status: HTTPResponseStatus
    /// `nil` for a body that ends with the connection.
    let contentLength: Int?

    private static let end = Array("\r\n\r\n".utf8)

    /// Takes the head off the front of what has come.
    /// - Returns: `nil` if more has to come.
    /// - Throws: `GatewayError` `unexpectedResponse` for what is no response, or one of another kind than a node gives.
    init?(taking buffer: inout ByteBuffer) throws {
        guard let end = buffer.readableBytesView.firstRange(of: Self.end) else {
            guard buffer.readableBytes <= GatewayLimits.headerBytes else { throw Self.unexpected }
            return nil
        }
        let text = String(decoding: buffer.readableBytesView[..<end.lowerBound], as: UTF8.self)
        buffer.moveReaderIndex(to: end.upperBound)
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.removeFirst().split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let code = Int(words[1]) else {
            throw Self.unexpected
        }
        status = HTTPResponseStatus(statusCode: code)
        var length: Int? = status == .noContent ? 0 : nil
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { throw Self.unexpected }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            switch line[..<colon].lowercased() {
            case "content-length":
                guard let number = Int(value), number >= 0 else { throw Self.unexpected }
                length = number
            case "transfer-encoding": throw Self.unexpected
            default: break
            }
        }
        contentLength = length
    }

    private static var unexpected: GatewayError {
        GatewayError(.unexpectedResponse, "the node's answer is none of HTTP/1.1 with a length")
    }
}

extension HTTPRequest {
    /// The whole request as it is sent.
    /// - Throws: `GatewayError` `invalidRequest` for a character that would end a line.
    fileprivate var text: [UInt8] {
        get throws {
            let head = head
            var text = "\(head.method.rawValue) \(head.uri) HTTP/1.1\r\n"
            for (name, value) in head.headers { text += "\(name): \(value)\r\n" }
            let isSound =
                head.uri.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
                && head.headers.allSatisfy { $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
            guard isSound else {
                throw GatewayError(.invalidRequest, "a field of the request has a character that none may have")
            }
            return Array((text + "\r\n").utf8) + (body.map { Array($0.readableBytesView) } ?? [])
        }
    }
}
