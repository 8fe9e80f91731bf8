import ArgumentParser
import Earshot
import EarshotGateway

struct Send: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a text to a user.",
        discussion: """
            Prints each state that the message reaches: queued (on this disk), sent, delivered (on the recipient's \
            disk), read. A queued message is never lost: it is delivered when both nodes run.

            If no node runs, the command tries for a few seconds to deliver the message itself.

            EXAMPLES:
              earshot send bob "Lunch?"
              earshot send bob --wait delivered < letter.txt
              fortune | earshot send bob -
              earshot send KEY "Hello!"              a user whom the node has not met yet
              earshot send bob "Only today" --ttl 12h --wait read --timeout 10m
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup(title: "If no node runs") var network: NetworkOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String

    @Argument(help: "The text; standard input if it is left out or -. One line break at its end is dropped.")
    var text: String?

    @Option(help: "Wait until the message is \(DeliveryStage.allCases.map(\.rawValue).joined(separator: ", ")).")
    var wait: DeliveryStage?

    @Option(
        help: ArgumentHelp("How long to wait; 30 seconds unless given.", valueName: SpanOfTime.valueName),
        transform: SpanOfTime.readPositive)
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "How long until an undelivered message fails; 30 days unless given. \(SpanOfTime.units)",
            valueName: SpanOfTime.valueName), transform: SpanOfTime.readPositive)
    var ttl: Duration?

    @Option(help: ArgumentHelp("A user whom it is meant for in particular; may be repeated.", valueName: "name"))
    var mention: [String] = []

    /// How long a node that runs only for this command tries to deliver if nobody asked it to wait.
    private static let attempt = 5.0
    private static let defaultTimeout = Duration.seconds(30)

    func execute(_ output: Output) async throws {
        let text = try await TextArgument.read(text)
        try await Session.with(common.homeDirectory, network: network) { session in
            let recipient = try await recipient(session, output)
            try await session.client.withEvents(Delivery.events) { events in
                let message = try await session.client.send(
                    text, to: recipient.id, timeToLive: ttl, mentions: mention)
                let report = { @Sendable delivery in try Self.report(delivery, of: message, on: output) }
                try message.recipients.forEach(report)
                // Nobody starts a short-lived node again.
                let patience = session.isShortLived ? .zero : timeout ?? Self.defaultTimeout
                let delivery = Delivery(
                    client: session.client, message: message, recipient: recipient.shown,
                    obstacles: recipient.obstacles, events: events, patience: patience,
                    onLoss: { output.note("the connection to the node was lost; waiting for the node") })
                if let wait {
                    try await follow(delivery, to: wait, report)
                } else if session.isShortLived {
                    try await attempt(delivery, output, report)
                }
            }
        }
    }

    private struct Recipient {
        let id: String
        let shown: String
        /// `nil` for a user who was never met.
        let obstacles: Obstacles?
    }

    private func recipient(_ session: Session, _ output: Output) async throws -> Recipient {
        let lookup = UserLookup(session: session)
        if let key = try await lookup.stranger(name) {
            output.note("nobody with this key was met yet: the message waits until they are here")
            return Recipient(id: key, shown: NameBook.fingerprint(key), obstacles: nil)
        }
        let (user, names) = try await lookup.recipient(name)
        if let claim = names.claim(on: user) { output.note(claim) }
        let peers = session.isShortLived ? network.peers.map(\.description) : []
        return Recipient(
            id: user.id, shown: names.shown(user), obstacles: Obstacles(user: user, names: names, peers: peers))
    }

    private func follow(
        _ delivery: Delivery, to goal: DeliveryStage, _ report: @escaping @Sendable (GatewayDelivery) throws -> Void
    ) async throws {
        let done: Void? = try await within(timeout ?? Self.defaultTimeout) {
            try await delivery.follow(to: goal, report: report)
        }
        guard done == nil else { return }
        // The last event may have been reported while the time ran out.
        let state = try await delivery.client.message(delivery.message.id).recipients.first?.state
        let isDelivered = state.flatMap(DeliveryStage.init).map { $0 >= .delivered } ?? false
        throw Failure(
            .timedOut,
            "the message was not \(goal.rawValue) in time; "
                + (isDelivered ? "it is delivered" : "it stays queued and will be delivered later"),
            remedy: isDelivered ? nil : "keep a node running here: earshot up")
    }

    private func attempt(
        _ delivery: Delivery, _ output: Output, _ report: @escaping @Sendable (GatewayDelivery) throws -> Void
    ) async throws {
        let done: Void? = try await within(.seconds(Self.attempt)) {
            try await delivery.follow(to: .delivered, report: report)
        }
        if done == nil {
            output.note(
                "\(delivery.recipient) was not reached; the message stays queued, and a node delivers it later: "
                    + "earshot up")
        }
    }

    private struct Record: Encodable {
        let id: String
        let recipient: GatewayParty
        let state: String
        let reason: String?
        let timestamp: String
    }

    private static func report(_ delivery: GatewayDelivery, of message: GatewayMessage, on output: Output) throws {
        output.line(delivery.state)
        try output.object(
            Record(
                id: message.id, recipient: GatewayParty(id: delivery.id, name: delivery.name), state: delivery.state,
                reason: delivery.reason, timestamp: message.timestamp))
    }
}

extension DeliveryStage: ExpressibleByArgument {}
