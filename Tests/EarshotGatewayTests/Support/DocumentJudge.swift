import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import EarshotGateway

/// Compares each answer of the suite's nodes with `docs/openapi.yaml` (`Fixtures/judge.py`, with the library jsonschema).
final class DocumentJudge: Sendable {
    /// `nil` where tests do without Python.
    static let shared: Result<DocumentJudge?, any Error> = Result {
        PythonEnvironment.isWanted ? try DocumentJudge() : nil
    }

    private struct Channel {
        let orders: FileHandle
        let answers: FileHandle
        var buffer = Data()
    }

    private struct Exchange: Encodable {
        let method: String
        let path: String
        let query: [String: String]
        let request: String
        let status: UInt
        let type: String
        let body: String
    }

    private struct Served: Encodable {
        let routes: [ServedRoute]
    }

    private struct ServedRoute: Encodable {
        let method: String
        let path: String
        let query: [String]
        let parameters: [String]
        let scope: String
        let takesBody: Bool
    }

    private struct Named<Value: Encodable>: Encodable {
        let schema: String
        let value: Value
    }

    private let channel: Mutex<Channel>
    /// It ends when its input does.
    private let process = Process()

    private init() throws {
        let (orders, answers) = (Pipe(), Pipe())
        process.executableURL = try PythonEnvironment.interpreter()
        let program = PackageFolder.fixtures(of: "EarshotGatewayTests").appending(path: "judge.py")
        process.arguments = ["-B", program.path(), PackageFolder.root.appending(path: "docs/openapi.yaml").path()]
        process.standardInput = orders
        process.standardOutput = answers
        try process.run()
        channel = Mutex(Channel(orders: orders.fileHandleForWriting, answers: answers.fileHandleForReading))
    }

    /// Records an issue if the answer, or a request that was taken, is not as the document says.
    /// - Parameter request: `nil` if its head could not be read.
    func check(_ request: Request?, _ response: Response) {
        let taken = response.status.code < 300 ? request : nil
        // What a stream says is checked event by event.
        let body = if case .bytes(let body) = response.body { String(buffer: body) } else { "" }
        let items = request?.query.map { ($0.name ?? "", $0.value ?? "") } ?? []
        let exchange = Exchange(
            method: request?.method.rawValue ?? "", path: request?.path ?? "",
            query: Dictionary(items) { first, _ in first }, request: taken.map { String(buffer: $0.body) } ?? "",
            status: response.status.code, type: response.headers.first(name: "content-type") ?? "", body: body)
        expect { try fault(in: exchange) }
    }

    /// Records an issue if the document has other routes than these.
    func check(_ routes: [Route]) throws -> String {
        try fault(
            in: Served(
                routes: routes.map {
                    ServedRoute(
                        method: $0.method.rawValue, path: $0.path.description, query: $0.query,
                        parameters: $0.path.parameters, scope: $0.scope?.rawValue ?? "", takesBody: $0.takesBody)
                }))
    }

    /// Records an issue if a value is not what a schema of the document says.
    func check(_ value: some Encodable, as schema: String) {
        expect { try fault(in: Named(schema: schema, value: value)) }
    }

    private func expect(_ fault: () throws -> String) {
        do {
            let fault = try fault()
            if !fault.isEmpty { Issue.record("\(fault)") }
        } catch { Issue.record(error) }
    }

    /// - Returns: what is not as the document says; empty if all is.
    private func fault(in order: some Encodable) throws -> String {
        let line = try JSONEncoder.gateway().encode(order) + Data("\n".utf8)
        return try channel.withLock { channel in
            try channel.orders.write(contentsOf: line)
            while true {
                if let end = channel.buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { channel.buffer.removeSubrange(channel.buffer.startIndex...end) }
                    return String(decoding: channel.buffer[channel.buffer.startIndex..<end], as: UTF8.self)
                }
                let part = channel.answers.readAvailable()
                guard !part.isEmpty else { throw PeerFailure("judge.py ended; what it printed is above") }
                channel.buffer.append(part)
            }
        }
    }
}
