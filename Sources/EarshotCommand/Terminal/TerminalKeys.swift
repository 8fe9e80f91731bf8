import Dispatch
import Foundation

/// The keys that are pressed on standard input, read on demand on a thread that may block.
///
/// One task at a time uses it.
actor TerminalKeys {
    /// The most that is read at once. A terminal has no more than 4,096 bytes ready.
    private static let chunkBytes = 16 * 1024
    /// How often a change of the terminal's size is noticed, in milliseconds.
    private static let interval: Int32 = 200

    private enum Chunk: Sendable {
        case bytes([UInt8])
        case nothing
        case end
    }

    private let queue = DispatchQueue(label: "earshot.keys")
    private var decoder = KeyDecoder()

    /// - Returns: the next keys; none if a moment has passed without any, and `nil` when the terminal is gone.
    func next() async throws -> [Key]? {
        let (stream, continuation) = AsyncStream<Chunk>.makeStream(bufferingPolicy: .bufferingOldest(1))
        queue.async { continuation.yield(Self.read()) }
        for await chunk in stream {
            switch chunk {
            case .bytes(let bytes): return decoder.read(bytes)
            case .nothing:
                decoder.pause()
                return []
            case .end: return nil
            }
        }
        throw CancellationError()
    }

    private static func read() -> Chunk {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, interval) != 0 else { return .nothing }
        var bytes = [UInt8](repeating: 0, count: chunkBytes)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
        return count > 0 ? .bytes(Array(bytes[..<count])) : .end
    }
}
