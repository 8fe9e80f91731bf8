import Earshot
import EarshotGateway

/// Hears what a node tells of its messages, on one stream after another as its node comes and goes.
struct Listener {
    let pair: Pair
    let side: Side
    let home: String

    private static let names: Set<EventName> = [.messageReceived, .messageDelivered]

    func run() async throws {
        try await GatewayClient.withClient(of: Home(path: home)) { client in
            while !Task.isCancelled {
                do {
                    for try await event in try await client.events(Self.names) { await pair.heard(event, by: side) }
                } catch is GatewayError {
                    // The node is gone, or not there yet.
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}
