import Earshot
import EarshotGateway

/// Sends the messages of one lane through the local API of its author's node, one after another.
struct Sender {
    let pair: Pair
    let lane: Lane
    let home: String
    /// The recipient's key.
    let recipient: String
    let rest: Duration

    func run() async throws {
        let client = try GatewayClient(home: Home(path: home))
        while let message = try await pair.next(on: lane) {
            await send(message, over: client)
            if rest > .zero { try await Task.sleep(for: rest) }
        }
    }

    private func send(_ message: Numbered, over client: GatewayClient) async {
        do {
            _ = try await client.send(message.text, to: recipient)
            await pair.accepted(message)
        } catch {
            switch error.code {
            case .noNode:
                await pair.refused(message, reason: nil)
                await pause(.milliseconds(3))
            case .connectionLost, .timedOut, .unexpectedResponse:
                await pair.doubted(message)
            default:
                await pair.refused(message, reason: "\(error.code): \(error.message)")
                await pause(.milliseconds(50))
            }
        }
    }

    private func pause(_ duration: Duration) async {
        do { try await Task.sleep(for: duration) } catch { return }  // Cancelled: the caller sees it next.
    }
}
