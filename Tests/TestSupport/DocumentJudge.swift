package import Foundation
import Synchronization

/// Compares what the local API does with `docs/openapi.yaml` (`judge.py`, with the library jsonschema).
package final class DocumentJudge: Sendable {
    /// `nil` where tests do without Python.
    package static let shared: Result<DocumentJudge?, any Error> = Result {
        PythonEnvironment.isWanted ? try DocumentJudge() : nil
    }

    private struct Channel {
        let orders: FileHandle
        let answers: FileHandle
        var buffer = Data()
    }

    private let channel: Mutex<Channel>
    /// It ends when its input does.
    private let process = Process()

    private init() throws {
        let (orders, answers) = (Pipe(), Pipe())
        process.executableURL = try PythonEnvironment.interpreter()
        process.arguments = [
            "-B", PackageFolder.judge.path(), PackageFolder.root.appending(path: "docs/openapi.yaml").path(),
        ]
        process.standardInput = orders
        process.standardOutput = answers
        try process.start()
        channel = Mutex(Channel(orders: orders.fileHandleForWriting, answers: answers.fileHandleForReading))
    }

    /// - Parameter order: an object of JSON, without line breaks; see `judge.py`.
    /// - Returns: what is not as the document says; empty if all is.
    package func fault(in order: Data) throws -> String {
        try channel.withLock { channel in
            try channel.orders.write(contentsOf: order + Data("\n".utf8))
            while true {
                if let end = channel.buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { channel.buffer.removeSubrange(channel.buffer.startIndex...end) }
                    return String(decoding: channel.buffer[channel.buffer.startIndex..<end], as: UTF8.self)
                }
                guard channel.answers.hasMore(within: patience) else {
                    let order = String(decoding: order, as: UTF8.self)
                    throw PeerFailure("judge.py did not answer within \(patience): \(order)")
                }
                let part = channel.answers.readAvailable()
                guard !part.isEmpty else { throw PeerFailure("judge.py ended; what it printed is above") }
                channel.buffer.append(part)
            }
        }
    }
}
