public import Earshot

/// Answers every message with its own text, until its node stops.
public struct EchoBot: Sendable {
    private let node: Node
    private let received: EventSequence<Message>

    /// Answers messages that arrive from now on.
    public init(on node: Node) {
        self.node = node
        received = node.events.events(.messageReceived)
    }

    /// Returns when the node has stopped.
    /// - Throws: `EarshotError` if an answer is not accepted.
    public func run() async throws(EarshotError) {
        for await message in received {
            do {
                try await answer(message)
            } catch {
                guard error.code == .stopped else { throw error }
                return
            }
        }
    }

    private func answer(_ message: Message) async throws(EarshotError) {
        _ = try await node.messages.send("you said: \(message.text)", to: message.senderID)
        try await node.messages.markRead(message.messageID)
    }
}
