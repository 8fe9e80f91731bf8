import Dispatch
import Earshot
import EarshotGateway
import Foundation

/// Standard input, read on demand and no further than needed, on a thread that may block.
///
/// One task at a time uses it.
final class StandardInput: Sendable {
    /// The longest line or text before it is refused: one byte over the limit, and a line break.
    private static let maximumBytes = Limits.textBytes + 2
    private let queue = DispatchQueue(label: "earshot.input")

    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// The next line without its end, or `nil` at the end of input.
    /// - Throws: `Failure` `invalidUTF8` or `invalidMessage`; then the line is skipped.
    func line() async throws -> String? {
        let line = try await reading { Self.readLine() }
        return try line.map { try Self.text($0) }
    }

    /// Everything up to the end, without one line break at the end.
    /// - Throws: `Failure` `invalidUTF8` or `invalidMessage`.
    func all() async throws -> String {
        var bytes = try await reading { Self.readAll() }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return try Self.text(bytes)
    }

    /// - Throws: `Failure` for bytes that cannot be the text of a message.
    private static func text(_ bytes: [UInt8]) throws -> String {
        guard bytes.count <= Limits.textBytes else {
            throw Failure(
                .invalidMessage, "the text is longer than the limit of \(Limits.textBytes) bytes",
                remedy: "send it in parts")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.invalidUTF8, "the text is not valid UTF-8", remedy: "convert it, with iconv for example")
        }
        return text
    }

    /// A thread that waits for input cannot be woken, but the task that waits for the thread can.
    private func reading<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
        let (stream, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingOldest(1))
        queue.async { continuation.yield(body()) }
        for await value in stream { return value }
        throw CancellationError()
    }

    private static func readLine() -> [UInt8]? {
        var line: [UInt8] = []
        while let byte = readByte() {
            if byte == UInt8(ascii: "\n") { return line }
            if line.count < maximumBytes { line.append(byte) }
        }
        return line.isEmpty ? nil : line
    }

    private static func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < maximumBytes, let byte = readByte() { bytes.append(byte) }
        return bytes
    }

    /// Byte by byte through the C library's buffer.
    private static func readByte() -> UInt8? {
        let value = getchar()
        return value == EOF ? nil : UInt8(value)
    }
}
