import ArgumentParser
import Earshot
import EarshotGateway

struct Send: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a text to a user or a conversation, or to several.",
        discussion: """
            Prints each state that the message reaches: queued (on this disk), sent, delivered (on the recipient's \
            disk), handled (by a program of theirs), read. A queued message is never lost: it is delivered when both nodes run.

            Several recipients, with commas between them, each get the message in their own conversation, and nobody sees \
            who else got it. Each has a result; where some fail, the others still get theirs. The exit code is then that of \
            the failures if they share one, else 1.

            If no node runs, the command tries for a few seconds to deliver the message itself.

            EXAMPLES:
              earshot send bob "Lunch?"
              earshot send bob,carol "Lunch?" --wait delivered
              earshot send '#ops' "The build is green."   in quotes: a shell takes # for a comment
              earshot send bob --wait delivered < letter.txt
              fortune | earshot send bob -
              earshot send bob "The plans" --file plan.pdf --file garden.jpg
              earshot send me "Bread, milk"          a note to yourself, on all of your devices
              earshot send KEY "Hello!"              a user whom the node has not met yet
              earshot send bob "Only today" --ttl 12h --wait read --timeout 10m
              earshot send bob "Dinner?" --caption "Luigi's" --subcaption "at eight" --url https://example.org/menu
              earshot send bob "♟ e4" --session new --summary "1. e4"           the first move of a game
              earshot send bob "♟ Nf3" --session 3fk9qbmj-12 --summary "2. Nf3"   the next one takes its place
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup(title: "How it looks where there is room") var layout: LayoutOptions
    @OptionGroup(title: "Messages that build on each other") var step: SessionOptions
    @OptionGroup(title: "If no node runs") var network: NetworkOptions

    @Argument(help: UserArgument.severalHelp, completion: UserArgument.severalCompletion)
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

    @Option(
        help: ArgumentHelp(
            "A file that the message brings along; may be repeated. Then the text may be left out.", valueName: "path"),
        completion: .file())
    var file: [String] = []

    /// How long a node that runs only for this command tries to deliver if nobody asked it to wait.
    private static let attempt = 5.0
    private static let defaultTimeout = Duration.seconds(30)

    func validate() throws {
        let recipients = recipients
        guard !recipients.contains("") else { throw ValidationError("A recipient has no name: \(SafeText.line(name))") }
        guard step.session == nil || recipients.count == 1 else {
            throw ValidationError("A session belongs to one conversation: send to one recipient.")
        }
    }

    /// As they were typed, each once.
    private var recipients: [String] { UserArgument.split(name) }

    func execute(_ output: Output) async throws {
        let text = text == nil && !file.isEmpty ? "" : try await TextArgument.read(text)
        let recipients = recipients
        let results = SendResults(output: output, isSingle: recipients.count == 1)
        try await Session.with(common.homeDirectory, network: network) { session in
            let found = try await find(recipients, session, output, results)
            guard !found.isEmpty else { return }
            let goal = wait ?? (session.isShortLived ? .delivered : .queued)
            // What the node has accepted is queued: nothing that happens afterwards is waited for.
            guard goal > .queued else {
                let submission = try await submission(text, to: found, session.client, key: nil)
                _ = try await send(submission, to: found, session.client, results)
                return
            }
            try await session.client.withEvents(Delivery.events) { events in
                let submission = try await submission(text, to: found, session.client, key: Submission.newKey)
                let deliveries = try await send(submission, to: found, session.client, results)
                let follower = DeliveryFollower(
                    client: session.client, submission, deliveries, to: goal, results: results)
                // Nobody starts a short-lived node again.
                let patience = session.isShortLived ? .zero : timeout ?? Self.defaultTimeout
                let isDone: Void? = try await within(
                    wait == nil ? .seconds(Self.attempt) : timeout ?? Self.defaultTimeout
                ) {
                    try await follower.follow(events, patience: patience) {
                        output.note("the connection to the node was lost; waiting for the node")
                    }
                }
                guard isDone == nil else { return }
                for delivery in follower.pending { try await timedOut(delivery, session.client, results) }
            }
        }
        try results.end()
    }

    /// Takes in the files, and begins the session, before anything is sent.
    private func submission(
        _ text: String, to recipients: [Recipient], _ client: GatewayClient, key: String?
    ) async throws -> Submission {
        var attachments: [GatewayAttachment] = []
        for path in file { attachments.append(try await client.addFile(AbsolutePath.of(path))) }
        return Submission(
            text: text, recipients: recipients.map(\.id), isSingle: self.recipients.count == 1, timeToLive: ttl,
            mentions: mention, attachments: attachments, layout: layout.request,
            session: try await step.request(client), key: key)
    }

    /// Sends what can be sent, and reports it.
    private func send(
        _ submission: Submission, to recipients: [Recipient], _ client: GatewayClient, _ results: SendResults
    ) async throws -> [Delivery] {
        var deliveries: [Delivery] = []
        let sent = try await submission.submit(to: client)
        for (place, (recipient, result)) in zip(recipients, sent).enumerated() {
            switch result {
            case .success(let message):
                if results.isSingle, step.isBegun, let id = message.session?.id {
                    results.output.note("the next one: --session \(id)")
                }
                let delivery = Delivery(
                    message: message, place: place, name: recipient.name, shown: recipient.shown,
                    obstacles: recipient.obstacles, isOfMany: recipient.isOfMany)
                deliveries.append(delivery)
                for state in message.recipients { try results.reached(state, delivery) }
                if message.recipients.isEmpty { try results.keptForLater(delivery) }
            case .failure(let error): results.failed(Failure(error), recipient.name)
            }
        }
        return deliveries
    }

    private struct Recipient {
        /// As typed.
        let name: String
        let id: String
        let shown: String
        /// `nil` for a user who was never met, and for a conversation of many.
        let obstacles: Obstacles?
        var isOfMany = false
    }

    /// What became of the name at a place.
    private struct Found {
        let place: Int
        let result: Result<Recipient, any Error>
    }

    /// Finds the recipients, all at once: each may have to be waited for. Of those who are named twice, the first counts.
    private func find(
        _ names: [String], _ session: Session, _ output: Output, _ results: SendResults
    ) async throws -> [Recipient] {
        let found = await withTaskGroup(of: Found.self) { group in
            for (place, name) in names.enumerated() {
                group.addTask {
                    do {
                        return Found(place: place, result: .success(try await recipient(name, session, output)))
                    } catch { return Found(place: place, result: .failure(error)) }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.place] = $1.result }
        }
        var recipients: [Recipient] = []
        for (place, name) in names.enumerated() {
            do {
                guard let recipient = try found[place]?.get(), !recipients.contains(where: { $0.id == recipient.id })
                else {
                    continue
                }
                recipients.append(recipient)
            } catch { results.failed(Failure(error), name) }
        }
        return recipients
    }

    private func recipient(_ name: String, _ session: Session, _ output: Output) async throws -> Recipient {
        let lookup = UserLookup(session: session)
        if name.hasPrefix("#") {
            let conversation = try await lookup.conversation(name, try await session.names())
            return Recipient(
                name: name, id: conversation.id, shown: conversation.shown, obstacles: nil, isOfMany: true)
        }
        if let own = try await lookup.oneself(name) {
            return Recipient(name: name, id: Earshot.Users.ownWord, shown: own.shown, obstacles: nil)
        }
        if let key = try await lookup.stranger(name) {
            output.note("nobody with this key was met yet: the message waits until they are here")
            return Recipient(name: name, id: key, shown: NameBook.fingerprint(key), obstacles: nil)
        }
        let (user, names) = try await lookup.recipient(name)
        if let claim = names.claim(on: user) { output.note(claim) }
        let peers = session.isShortLived ? network.peers.map(\.description) : []
        return Recipient(
            name: name, id: user.id, shown: names.shown(user),
            obstacles: Obstacles(user: user, names: names, peers: peers))
    }

    private func timedOut(_ delivery: Delivery, _ client: GatewayClient, _ results: SendResults) async throws {
        guard let wait else {
            results.output.note(
                "\(delivery.shown) was not reached; the message stays queued, and a node delivers it later: earshot up")
            return
        }
        // The last event may have been reported while the time ran out.
        let states = try await client.message(delivery.message.id).recipients.map(\.state)
        let isDelivered = states.allSatisfy { DeliveryStage(rawValue: $0).map { $0 >= .delivered } ?? false }
        let failure = Failure(
            .timedOut,
            "the message was not \(wait.rawValue)\(delivery.isOfMany ? " by all" : "") in time; "
                + (isDelivered ? "it is delivered" : "it stays queued and will be delivered later"),
            remedy: isDelivered ? nil : "keep a node running here: earshot up")
        results.failed(failure, delivery.name)
    }
}

extension DeliveryStage: ExpressibleByArgument {}
