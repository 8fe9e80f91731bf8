import Dispatch
import Foundation
import NIOCore
import NIOEmbedded
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
        let line = Line()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "earshot.request").async {
                    continuation.resume(
                        with: Result { try line.exchange(request, at: socketPath, upTo: limit) })
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
        _ request: HTTPRequest, at socketPath: String, upTo limit: Int
    ) throws -> (status: HTTPResponseStatus, body: ByteBuffer) {
        let http = try HTTPOverBytes(request)
        defer { http.end() }
        let request = try http.request()
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
            for bytes in request { try send(bytes, on: descriptor) }
            return try answer(to: http, on: descriptor, upTo: limit)
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

    private func send(_ bytes: ByteBuffer, on descriptor: Int32) throws {
        var rest = bytes
        while rest.readableBytes > 0 {
            let count = rest.withUnsafeReadableBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest.moveReaderIndex(forwardBy: count)
            } else if ![EINTR, EAGAIN].contains(errno) || isHungUp {
                // A node that refuses a long request answers before it has read all of it.
                guard errno == EPIPE, !isHungUp else { throw IOError(errnoCode: errno, reason: "send") }
                return
            }
        }
    }

    private func answer(
        to http: HTTPOverBytes, on descriptor: Int32, upTo limit: Int
    ) throws -> (status: HTTPResponseStatus, body: ByteBuffer) {
        while true {
            var buffer = ByteBuffer()
            let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceBytes) { room in
                while true {
                    let count = read(descriptor, room.baseAddress, room.count)
                    if count >= 0 { return count }
                    guard errno == EINTR else { throw IOError(errnoCode: errno, reason: "read") }
                }
            }
            guard count > 0 else {
                if isHungUp { throw NoResponse() }
                return try http.ended()
            }
            if let answer = try http.received(buffer, upTo: limit) { return answer }
        }
    }
}

/// HTTP over bytes that somebody else carries: the handlers of `HTTPConnection`, in a channel without an event loop. Confined to
/// one thread.
private final class HTTPOverBytes {
    private let channel = EmbeddedChannel()
    private let head: EventLoopFuture<HTTPResponseHead>
    private var body = ByteBuffer()
    private var receivedBytes = 0

    init(_ request: HTTPRequest) throws {
        let promise = channel.eventLoop.makePromise(of: HTTPResponseHead.self)
        head = promise.futureResult
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        try channel.pipeline.syncOperations.addHandler(HTTPExchange(request, head: promise))
    }

    /// The bytes of the request.
    /// - Throws: `GatewayError` `invalidRequest` for a field with a character that none may have.
    func request() throws -> [ByteBuffer] {
        // The handler writes the request when it is connected; to whom is not looked at.
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "node"), promise: nil)
        do { try channel.throwIfErrorCaught() } catch {
            throw GatewayError(.invalidRequest, "the request cannot be sent: \(error)", cause: error)
        }
        var pieces: [ByteBuffer] = []
        while let piece = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = piece { pieces.append(buffer) }
        }
        return pieces
    }

    /// - Returns: the answer; `nil` if more has to come.
    /// - Throws: `GatewayError` `unexpectedResponse` for an answer that is too long, or is none of HTTP.
    func received(_ buffer: ByteBuffer, upTo limit: Int) throws -> (status: HTTPResponseStatus, body: ByteBuffer)? {
        receivedBytes += buffer.readableBytes
        do { try channel.writeInbound(buffer) } catch let error as HTTPParserError {
            throw GatewayError(.unexpectedResponse, "the node's answer is none of HTTP: \(error)", cause: error)
        }
        try takeBody()
        guard body.readableBytes <= limit, receivedBytes <= limit + GatewayLimits.headerBytes else {
            throw GatewayError(.unexpectedResponse, "the node's answer is longer than \(limit) bytes")
        }
        // The handler closes it after the last piece.
        return channel.isActive ? nil : (try head.wait().status, body)
    }

    /// The connection has ended, and with it an answer of no given length.
    func ended() throws -> (status: HTTPResponseStatus, body: ByteBuffer) {
        _ = try channel.finish(acceptAlreadyClosed: true)
        try takeBody()
        return (try head.wait().status, body)
    }

    func end() {
        // Everything that matters has been told already.
        do { _ = try channel.finish(acceptAlreadyClosed: true) } catch {}
    }

    private func takeBody() throws {
        while var piece = try channel.readInbound(as: ByteBuffer.self) { body.writeBuffer(&piece) }
    }
}
