import Earshot
import Foundation
import TestSupport

/// The independent peer (`Fixtures/python_peer.py`) in its own process: takes orders, and tells what happens.
final class PythonPeer: Sendable {
    /// One line that it printed. Which values there are depends on the event.
    struct Event: Decodable, Sendable {
        let event: String
        var port: UInt16?
        var user: String?
        var device: String?
        var name: String?
        var count: Int?
        var sequence: UInt64?
        var read: UInt64?
        var handled: UInt64?
        var text: String?
        var reason: UInt32?
        var record: String?
        var nonce: UInt64?
        var reachable: Int?
        var error: String?
    }

    private let process: Process
    private let orders: FileHandle
    private let events: AsyncStream<Event>

    /// - Parameter arguments: see the program's `--help`.
    init(_ arguments: [String]) throws {
        let (orders, output) = (Pipe(), Pipe())
        process = Process()
        process.executableURL = try PythonEnvironment.interpreter()
        let program = PackageFolder.fixtures(of: "EarshotTests").appending(path: "python_peer.py")
        // -B: nothing is written into the source tree.
        process.arguments = ["-B", program.path()] + arguments
        process.standardInput = orders
        process.standardOutput = output
        try process.start()
        self.orders = orders.fileHandleForWriting
        events = Self.lines(of: output.fileHandleForReading)
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    private static func lines(of output: FileHandle) -> AsyncStream<Event> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var buffer = Data()
                while case let part = output.readAvailable(), !part.isEmpty {
                    buffer.append(part)
                    while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                        let line = Data(buffer[buffer.startIndex..<end])
                        buffer.removeSubrange(buffer.startIndex...end)
                        do { continuation.yield(try JSONDecoder().decode(Event.self, from: line)) } catch {
                            continuation.yield(Event(event: "unreadable", error: "\(error)"))
                        }
                    }
                }
                continuation.finish()
            }
        }
    }

    func obey(_ order: String) throws { try orders.write(contentsOf: Data("\(order)\n".utf8)) }

    /// Waits for what it tells next, which must be this.
    /// - Throws: `PeerFailure` for anything else, a violation of the protocol that it found included.
    @discardableResult
    func expect(_ name: String) async throws -> Event {
        let events = self.events
        return try await withDeadline("the Python peer tells '\(name)'") {
            for await event in events {
                guard event.event == name else { throw PeerFailure("expected \(name), and got \(event)") }
                return event
            }
            throw PeerFailure("expected \(name), and the Python peer ended; what it printed is above")
        }
    }
}
