import Foundation
import NIOCore

/// The events of a node as they happen. They can be iterated once, and end when the node does.
///
/// Iterating throws `GatewayError` if the connection breaks, and `CancellationError`.
package struct GatewayEvents: AsyncSequence, Sendable {
    package typealias Element = GatewayEvent

    let body: HTTPConnection.Body

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator()) }

    package struct AsyncIterator: AsyncIteratorProtocol {
        var body: HTTPConnection.Body.AsyncIterator
        private var parser = ServerSentEventParser()

        init(body: HTTPConnection.Body.AsyncIterator) { self.body = body }

        package mutating func next() async throws -> GatewayEvent? {
            while true {
                if let data = try parser.next() { return try Self.decode(data) }
                do {
                    guard let buffer = try await body.next() else {
                        try Task.checkCancellation()
                        return nil
                    }
                    parser.append(buffer.readableBytesView)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    throw GatewayError(.connectionLost, "the connection to the node was lost: \(error)", cause: error)
                }
            }
        }

        private static func decode(_ data: [UInt8]) throws -> GatewayEvent {
            do { return try JSONDecoder().decode(GatewayEvent.self, from: Data(data)) } catch {
                throw GatewayError(.unexpectedResponse, "an event of the node cannot be read: \(error)", cause: error)
            }
        }
    }
}
