import Earshot
import EarshotGateway
import Foundation

/// A message as `earshot send` gives it to the node, for one recipient or for several.
///
/// With a key it may be submitted again: the node sends nothing twice, and answers with the messages as they are then. So one
/// finds them again when their ids have changed, because the node has taken back its log from a peer.
struct Submission: Sendable {
    let text: String
    /// Their ids, each once.
    let recipients: [String]
    /// Whether the command names one recipient: then an error is the command's own.
    let isSingle: Bool
    let timeToLive: Duration?
    let mentions: [String]
    let attachments: [GatewayAttachment]
    let layout: LayoutRequest?
    let session: SessionRequest?
    /// `nil` where nobody follows what becomes of the messages.
    let key: String?

    /// A key that nobody else has.
    static var newKey: String { "send-\(UUID().uuidString)" }

    /// - Returns: the message for each recipient, or why there is none.
    /// - Throws: `GatewayError`, of a single message that was not accepted, too.
    func submit(to client: GatewayClient) async throws(GatewayError) -> [Result<GatewayMessage, GatewayError>] {
        if isSingle {
            let message = try await client.send(
                text, to: recipients[0], timeToLive: timeToLive, mentions: mentions, attachments: attachments,
                layout: layout, session: session, key: key)
            return [.success(message)]
        }
        let results = try await client.send(
            text, to: recipients, timeToLive: timeToLive, mentions: mentions, attachments: attachments, layout: layout,
            key: key)
        return results.compactMap { result in
            result.message.map { .success($0) } ?? result.failure.map { .failure($0) }
        }
    }
}
