import EarshotTesting
import Foundation
import Testing

@testable import Earshot

@Suite("A value as a text", .timeLimit(.ofHungTest))
struct DescriptionTests {
    /// What has no values, or is only iterated.
    private static let without: Set<String> = [
        "AutoSubmitted", "Diagnosis", "Limits", "EventSequence", "EventSequence.AsyncIterator", "JournalEvents",
        "JournalEvents.AsyncIterator", "ConversationMessages", "ConversationMessages.AsyncIterator", "InboxBatches",
        "InboxBatches.AsyncIterator", "DeliveryStates", "DeliveryStates.AsyncIterator",
    ]
    /// Where something lies in memory.
    private static var address: Regex<Substring> { /0x[0-9a-f]{8,}/ }
    private static let secret = "correct horse battery staple"

    @Test("shows what it is: nothing of how it is made, no secret, and this for every public type")
    func all() async throws {
        let network = try TestNetwork()
        let (alice, bob) = (try await network.node("alice"), try await network.node("bob"))
        let values = try await Self.values(network, alice, bob)
        for value in values { Self.check(value) }
        // What is secret stands nowhere, also where a debugger or `dump` looks.
        let secrets = try await Self.secrets(alice)
        for value in secrets {
            var dumped = ""
            dump(value.value, to: &dumped)
            for text in ["\(value.value)", String(reflecting: value.value), dumped] {
                #expect(!value.secrets.contains { text.contains($0) }, "\(type(of: value.value))")
                #expect(!text.contains(Self.address), "\(text)")
            }
        }
        let shown = Set((values + secrets.map(\.value)).map { Self.name(of: $0) })
            .union(Self.described.map { String(String(reflecting: $0).drop { $0 != "." }.dropFirst()) })
        let list = try String(contentsOfFile: APIList.path, encoding: .utf8)
        let missing = Self.types(in: list).subtracting(shown).subtracting(Self.without)
        #expect(missing.isEmpty, "no value of them is shown here: \(missing.sorted())")
        await network.stop()
    }

    private static func check(_ value: Any) {
        for text in ["\(value)", "\([value])"] {
            for trace in ["EarshotModel.", "Earshot.", "unknown context", "Shared<", "(fields:", "Optional("] {
                #expect(!text.contains(trace), "\(name(of: value)): \(text)")
            }
            #expect(!text.contains(address), "\(name(of: value)): \(text)")
        }
    }

    /// Without the module, and without what a generic type is about.
    private static func name(of value: Any) -> String {
        let whole = String(reflecting: type(of: value))
        return String(whole.drop { $0 != "." }.dropFirst().prefix { $0 != "<" })
    }

    /// The types that a list of the API declares.
    private static func types(in list: String) -> Set<String> {
        var types: Set<String> = []
        for line in list.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            let nested = ["struct ", "enum ", "final class "].contains { parts.count > 1 && parts[1].hasPrefix($0) }
            let declaration = nested ? parts[1] : String(line)
            guard let start = ["struct ", "enum ", "final class "].first(where: { declaration.hasPrefix($0) }) else {
                continue
            }
            let name = declaration.dropFirst(start.count).prefix { $0.isLetter || $0.isNumber }
            types.insert(nested ? "\(parts[0]).\(name)" : String(name))
        }
        return types
    }

    @Test("is short for a message: its id, its sender, the beginning of its text and its state")
    func message() throws {
        let (bob, alice) = (UserID.make("bob"), UserID.make("alice"))
        let message = Message.make("Hello", from: bob, to: alice, number: 3, state: .failed(.expired))
        #expect("\(message)" == "Message(id: \(message.id), senderID: \(bob), text: \"Hello\", state: failed(expired))")
        let long = "\(Message.make(String(repeating: "x", count: 500)))"
        #expect(long.contains("x…\"") && long.count < 400)
        #expect("\(Message.make("a\nb"))".contains(#"text: "a\nb""#))
    }

    @Test("is short for states, events and drafts")
    func short() throws {
        #expect("\([DeliveryState.delivered])" == "[delivered]")
        #expect("\(DeliveryState.failed(.blocked))" == "failed(blocked)")
        #expect("\(NodeState.running(port: 7410))" == "running(port: 7410)")
        #expect("\(Event.storageFailed("disk full"))" == "storageFailed(\"disk full\")")
        #expect("\(Event.storageRecovered)" == "storageRecovered")
        #expect("\(MessageDraft("hi"))" == "MessageDraft(text: \"hi\")")
        #expect(
            "\(NotificationTarget.webhook(url: "https://me:pass@example.org/hook/token"))" == "webhook(example.org)")
        #expect("\(try User.make("bob"))".hasPrefix("User(userID: \(UserID.make("bob")), name: bob, trust: unverified"))
    }

    /// Values with a secret, and what must not be seen of it.
    private static func secrets(_ node: Node) async throws -> [(value: Any, secrets: [String])] {
        let key = NetworkKey.generate()
        let code = try await node.devices.beginPairing()
        let record = NotificationTargetRecord(
            name: "hook", target: .webhook(url: "https://example.org/\(secret)"), secret: nil, createdAt: 0,
            progress: NotificationProgress(cursor: 0))
        return [
            (key, [key.text]), (Passphrase(copying: secret.utf8), [secret]), (code, [code.text]),
            (NotificationRegistration(record, secret: "whsec_\(secret)"), [secret]),
            (
                ParticipantIdentifiers(application: "org.example", salt: [UInt8](repeating: 177, count: 16)), ["177"]
            ),
        ]
    }

    /// Those that no value is made of here; that they have texts is checked by the compiler.
    private static var described: [any CustomStringConvertible.Type] {
        [
            BackupSummary.self, BotActivation.self, BotCall.self, BotMessage.self, BotReply.self, ClockChange.self,
            ClockSkew.self,
            ConversationAudit.self, ConversationDetails.self, CredentialNotice.self, DeviceCopy.self, FileUpload.self,
            HistoryRecovery.self, IdentityConflict.self, InboxFailure.self, JoinOffer.self, LinkFailure.self,
            LogFindings.self, LogFindings.Mismatch.self, LookAlikes.self, MessageSession.self, NotificationResult.self,
            OtherNetwork.self, Participant.self, ParticipantUpdate.self, Picture.self, RenamedMessages.self,
            RevokedDevice.self, SetAsideMessage.self, SharedFile.self, UndeliveredMessage.self, ConversationUpdate.self,
            AdvertisedConversation.self, EventObserverToken.self, DraftChange.self, MetricDescription.self,
            PrometheusMetrics.self, FileUpdate.self, OwedCopy.self,
        ]
    }

    /// A value of every other type, and of every case that has none of its own type's name.
    private static func values(_ network: TestNetwork, _ alice: Node, _ bob: Node) async throws -> [Any] {
        let userID = bob.userID
        let message = try await alice.messages.send("hello", to: userID)
        await network.advance(by: .seconds(1))
        let conversation = alice.conversations.direct(with: userID)
        let draft = try await alice.drafts.insert(MessageDraft("later"), into: conversation, by: "quotes")
        let scheduled = try await alice.messages.schedule(
            MessageDraft("then"), to: userID, notBefore: network.now.addingTimeInterval(3600))
        try await bob.inbox.makeConsumer("bot", from: .beginning)
        let batch = try await bob.inbox.receive(consumer: "bot")
        let journal = try #require(try await alice.journal.events().first { _ in true })
        let status = await alice.status()
        let subscribed = try await alice.users.subscribe(to: userID)
        let fileID = FileID(Bytes32())
        let attachment = try Attachment(fileID: fileID, name: "plan.pdf", byteCount: 3)
        let profile = Profile(
            friendlyName: "Bob", picture: [1, 2, 3],
            bot: BotProfile(commands: [.init(name: "a", summary: "b", usage: "c")]))
        let change = MessageStateChange(
            messageID: message.id, conversationID: message.conversationID, recipientID: userID, state: .failed(.blocked)
        )
        let update = MessageUpdate(
            messageID: message.id, conversationID: message.conversationID, userID: userID, change: .text)
        let erased = try await alice.messages.erase([try await alice.conversations.own.send("x").id])
        let user = try #require(await alice.users.user(userID))
        let links: [Any] = status.links.map { $0 }
        return links + [
            network, network.clock.now, alice, alice.home, alice.configuration, alice.events, alice.state, status,
            alice.users, alice.conversations, alice.messages, alice.inbox, alice.journal, alice.files, alice.drafts,
            alice.devices, alice.notifications, network.clock,
            message, message.id, MessageDraft("a", headers: ["b": "c"]), DeliveryState.failed(.expired),
            FailureReason.expired, message.deliveryCounts, message.times(for: userID), change, update,
            MessageChange.text, conversation, conversation.id, ConversationKind.direct,
            Conversation.Page.after(message.id),
            Conversation.Order.time, ConversationDraft(uniqueName: "ops"), ConversationChange.status,
            try #require(try await alice.conversations.list().first), Destination.user(userID), draft, draft.id,
            scheduled, scheduled.id, batch, batch.cursor, try #require(try await bob.inbox.consumers().first),
            InboxStart.notOlderThan(network.now), InboxReply(MessageDraft("a")),
            InboxReply.react("+1", to: message.id).content, journal, journal.id, journal.event,
            Event.messageReceived(message), Event.messageFailed(change), Event.userUpdated(user, changes: [.name]),
            Event.discoveryUnavailable(source: "a", reason: "b"),
            Event.fileUpdated(
                FileUpdate(fileID, byteCount: 3, .failed(reason: "full"), copy: .saved(path: "/tmp"))),
            EventName.messageRead, EventKind<Message>.messageReceived, subscribed, user, user.userID, user.name,
            user.trust, TrustDecision.block, UserChange.name, Typing(conversationID: conversation.id, userID: userID),
            alice.users.safetyNumber(with: userID), try await alice.users.descriptor(of: userID),
            Admission.only([userID]), fileID, attachment, FileState.fetching(receivedBytes: 1),
            FileCopy.failed(reason: "full"), FileRules([FileRule(.fetch(folder: "/tmp"))]), FileRule(.ask),
            FileRule.Decision.refuse, try await alice.files.usage(), Picture.Format.png, profile,
            try #require(profile.bot),
            try #require(profile.bot?.commands.first), Reaction(emoji: "+1", userIDs: [userID]), erased,
            await alice.devices.pairing, DevicePairing.State.none, try #require(await alice.devices.all.first),
            alice.deviceID, SearchQuery("a", from: userID), SendResult(recipientID: userID, result: .success(message)),
            SessionID.random(), SessionStep(.random(), summary: "1. e4"), MessageLayout(caption: "a"),
            try WebLink("https://example.org"), NotificationTarget.desktop, NotificationLevel.all,
            try #require(await alice.findings().first), Finding.Check.clock, Finding.Severity.ok,
            Finding.Code.lowSpace, NodeDiscovery.other("a"), NodeMetric.links, PeerAddress(host: "a", port: 1),
            PeerDiscovery.off, DiscoveryConfiguration(), RestoredDevice.new, Participant.Role.owner,
            Participant.Status.joined, LogFindings.Mismatch.Kind.missing(count: 1),
            CredentialNotice.RenewalProblem.failed(reason: "a"), UserName.Invalid.empty, WebLink.Invalid.wrongHost,
            Attachment.Invalid.emptyName, MessageDraft.Invalid.emptyText, EarshotError(.gone, "it is gone"),
            EarshotError.Code.gone, EarshotError.Detail.empty, EarshotError.Parameters(.empty, path: "/x"),
            Bot("echo", on: alice), BotParameter.text("what"), BotAudience.only([userID]),
            try #require(try await Self.undelivered(alice).first),
        ]
    }

    private static func undelivered(_ node: Node) async throws -> [UndeliveredCount] {
        try await node.messages.send("for somebody who was never here", to: .make("nobody"))
        return await node.status().undelivered
    }
}
