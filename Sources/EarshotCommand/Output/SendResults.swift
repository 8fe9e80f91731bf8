import Earshot
import EarshotGateway
import Synchronization

/// Reports what becomes of a message for its recipients, as it becomes known, and remembers what failed.
final class SendResults: Sendable {
    let output: Output
    /// Whether there is one recipient, who then need not be named.
    let isSingle: Bool
    private let failures = Mutex<[Failure]>([])

    init(output: Output, isSingle: Bool) {
        self.output = output
        self.isSingle = isSingle
    }

    private struct Record: Encodable {
        let id: String
        let recipient: GatewayParty
        let state: String
        let reason: String?
        let timestamp: String
        /// Left out for a message that belongs to no session.
        let session: String?
    }

    /// The message has reached a state.
    func reached(_ state: GatewayDelivery, _ delivery: Delivery) throws {
        let party = GatewayParty(id: state.id, name: state.name)
        let who = delivery.isOfMany ? SafeText.line(party.name ?? NameBook.fingerprint(party.id)) : ""
        let parts = (isSingle ? [] : [delivery.shown]) + (who.isEmpty ? [] : [who])
        output.line((parts.isEmpty ? "" : parts.joined(separator: " ") + ": ") + state.state)
        try output.object(
            Record(
                id: delivery.message.id, recipient: party, state: state.state,
                reason: state.reason, timestamp: delivery.message.timestamp, session: delivery.message.session?.id))
    }

    /// What a note to oneself is: nobody receives it.
    private static let kept = "kept"

    /// Nobody else is in the conversation.
    func keptForLater(_ delivery: Delivery) throws {
        let state = delivery.isOfMany ? DeliveryStage.queued.rawValue : Self.kept
        output.line((isSingle ? "" : "\(delivery.shown): ") + state)
        try output.object(
            Record(
                id: delivery.message.id,
                recipient: GatewayParty(id: delivery.message.conversationID, name: delivery.shown),
                state: state, reason: nil, timestamp: delivery.message.timestamp,
                session: delivery.message.session?.id))
        guard delivery.isOfMany else { return }
        output.note("nobody else is in \(delivery.shown) yet: whoever joins it gets the message")
    }

    /// - Parameter recipient: as typed.
    func failed(_ failure: Failure, _ recipient: String) {
        failures.withLock { $0.append(failure) }
        if !isSingle { output.report(failure.about(recipient)) }
    }

    /// Ends the command if something has failed.
    /// - Throws: the failure of a single recipient, which is not reported yet; else the exit code that the failures
    ///   share, or that of any other error.
    func end() throws {
        let failures = failures.withLock { $0 }
        guard let first = failures.first else { return }
        if isSingle { throw first }
        let isShared = failures.allSatisfy { $0.status == first.status }
        throw (isShared ? first.status : .failure).code
    }
}
