import AsyncHTTPClient
import Foundation
import NIOCore

/// The events of a node as they happen. It ends when the node does.
///
/// It throws `GatewayError` where the connection breaks.
public struct GatewayEvents: AsyncSequence, Sendable {
    public typealias Element = GatewayEvent

    let body: HTTPClientResponse.Body

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var body: HTTPClientResponse.Body.AsyncIterator
        private var parser = ServerSentEventParser()

        init(body: HTTPClientResponse.Body.AsyncIterator) { self.body = body }

        public mutating func next() async throws -> GatewayEvent? {
            while true {
                if let data = try parser.next() { return try Self.decode(data) }
                do {
                    guard let buffer = try await body.next() else { return nil }
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
