import Earshot
import EarshotGateway

/// Follows a node's events about its messages, on one stream after another as the node comes and goes.
struct Listener {
    let pair: Pair
    let side: Side
    let home: String

    private static let names: Set<EventName> = [.messageReceived, .messageDelivered]

    func run() async throws {
        let client = try GatewayClient(home: Home(path: home))
        while !Task.isCancelled {
            do {
                try await client.withEvents(Self.names) { events in
                    for try await event in events { await pair.heard(event, by: side) }
                }
            } catch is GatewayError {
                // The node is gone, or not there yet.
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
