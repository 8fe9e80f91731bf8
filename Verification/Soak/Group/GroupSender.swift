import Earshot
import EarshotGateway

/// Sends the messages of one lane through the local API of its author's node, one after another.
struct GroupSender {
    let crowd: SoakCrowd
    let lane: GroupLane
    let client: GatewayClient
    /// The conversation, or the recipient's key.
    let destination: String
    let rest: Duration

    func run() async throws {
        while let message = try await crowd.next(on: lane) {
            await send(message)
            if rest > .zero { try await Task.sleep(for: rest) }
        }
    }

    private func send(_ message: GroupMessage) async {
        do {
            _ = try await client.send(message.text, to: destination)
            await crowd.accepted(message)
        } catch {
            switch error.code {
            case .noNode: await crowd.refused(message, reason: nil)
            case .connectionLost, .timedOut, .unexpectedResponse: await crowd.doubted(message)
            default: await crowd.refused(message, reason: "\(error.code): \(error.message)")
            }
        }
    }
}
