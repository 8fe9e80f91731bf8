import Dispatch
import Earshot
import EarshotGateway
import Foundation
import Synchronization

/// What a node that another command has started tells that command: that it is ready, or why it is not.
///
/// One line on a pipe, empty for a node that is ready, else the failure as JSON.
enum Readiness {
    /// A failure with much to say is cut off, and then cannot be read.
    private static let maximumBytes = 64 * 1024

    /// The end of the pipe on which the new node tells it.
    final class Sender: Sendable {
        /// `nil` once it was told.
        private let descriptor: Mutex<Int32?>

        init(descriptor: Int32) { self.descriptor = Mutex(descriptor) }

        func ready() { _ = send("") }

        /// Tells it, unless the node was ready before.
        /// - Returns: whether it was told.
        @discardableResult
        func failed(_ failure: Failure) -> Bool {
            do { return send(try Output.encode(failure)) } catch { return send("{}") }
        }

        /// If the command that waits was killed, nobody needs to know.
        private func send(_ line: String) -> Bool {
            descriptor.withLock { descriptor in
                guard let open = descriptor else { return false }
                let bytes = Array("\(line)\n".utf8)
                _ = bytes.withUnsafeBytes { Glibc.write(open, $0.baseAddress, $0.count) }
                close(open)
                descriptor = nil
                return true
            }
        }
    }

    /// Starts this program anew, and waits until it says that its node is ready.
    /// - Parameters:
    ///   - arguments: for the new process, with the number of the descriptor on which it tells its readiness.
    ///   - descriptors: its standard input, output and error.
    /// - Throws: `Failure`: what the new process says, or that it ended without a word.
    static func start(
        descriptors: [Int32], isOwnSession: Bool, _ arguments: (_ descriptor: Int32) -> [String]
    ) async throws -> ChildProgram {
        let (reading, writing) = try ChildProgram.pipe()
        defer { close(reading) }
        let child: ChildProgram
        do {
            defer { close(writing) }
            child = try ChildProgram(
                ChildProgram.own, arguments(Int32(descriptors.count)), descriptors: descriptors + [writing],
                isOwnSession: isOwnSession)
        }
        let line = await line(from: reading)
        guard let line else {
            throw Failure(.noNode, "the node that was started has ended without a word: \(await child.end())")
        }
        guard line.isEmpty else { throw try Failure(told: line) }
        return child
    }

    /// - Returns: `nil` if the pipe ends before the line.
    private static func line(from descriptor: Int32) async -> Data? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: readLine(from: descriptor)) }
        }
    }

    private static func readLine(from descriptor: Int32) -> Data? {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while line.count < maximumBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            line += buffer[..<count]
            if line.last == UInt8(ascii: "\n") { return line.dropLast() }
        }
        return nil
    }
}
