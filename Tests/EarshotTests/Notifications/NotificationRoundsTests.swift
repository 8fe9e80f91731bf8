import EarshotModel
import EarshotStore
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import Earshot

/// A clock that stands still until a test moves it, and calls nobody.
private final class HandClock: NodeClock {
    private struct NoTimer: NodeTimer {
        func cancel() {}
    }

    private let uptime = Mutex<Int64>(0)

    var now: Moment { Moment(wallClock: Moment.now.wallClock, uptime: uptime.withLock { $0 }) }

    func advance(by milliseconds: Int64) { uptime.withLock { $0 += milliseconds } }

    func schedule(at uptime: Int64, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) -> any NodeTimer {
        NoTimer()
    }

    func sleep(milliseconds: Int64) async throws { throw CancellationError() }
}

/// Takes what a test lets it take.
private final class ScriptedNotifier: Notifier {
    private let script = Mutex<[NotificationOutcome]>([])
    /// What becomes of messages with these texts, whenever they come.
    private let poison = Mutex<[String: NotificationOutcome]>([:])
    private let taken = Mutex<[MessageNotification?]>([])

    /// - Parameter outcomes: what comes next; after them everything is taken.
    func answer(_ outcomes: [NotificationOutcome]) { script.withLock { $0 = outcomes } }

    func poison(_ texts: some Sequence<String>, _ outcome: NotificationOutcome) {
        poison.withLock { poison in for text in texts { poison[text] = outcome } }
    }

    /// What was tried, since somebody asked last.
    func tries() -> [MessageNotification?] {
        taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
    }

    func texts() -> [String] { tries().compactMap(\.?.text) }

    func notify(_ record: NotificationTargetRecord, of notification: MessageNotification?) async -> NotificationOutcome
    {
        taken.withLock { $0.append(notification) }
        if let text = notification?.text, let outcome = poison.withLock({ $0[text] }) { return outcome }
        return script.withLock { $0.isEmpty ? .taken : $0.removeFirst() }
    }
}

/// Alice's node, which does not run, so that a test drives its rounds. Bob wrote to her before.
private final class Quiet: Sendable {
    static let program = NotificationTarget.command(path: "/bin/true", arguments: [])

    let alice: TestUser
    let bob: TestUser
    let clock = HandClock()
    let notifier = ScriptedNotifier()
    private let opened = Mutex<Node?>(nil)

    var node: Node {
        guard let node = opened.withLock({ $0 }) else { preconditionFailure("the node is open") }
        return node
    }

    /// - Parameters:
    ///   - target: is told of what bob writes.
    ///   - texts: what bob writes.
    ///   - inGroup: which of them, by their places, he writes in a group.
    init(
        _ target: NotificationTarget = program, texts: [String], mentioning: Set<Int> = [], inGroup: Set<Int> = []
    ) async throws {
        (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let group = inGroup.isEmpty ? nil : try await bob.node.conversations.join(named: "plans")
        if group != nil { _ = try await alice.node.conversations.join(named: "plans") }
        for (index, text) in texts.enumerated() {
            var draft = MessageDraft(text)
            if mentioning.contains(index) { draft.mentions = [alice.userID] }
            if let group, inGroup.contains(index) {
                try await bob.node.messages.send([draft], to: group)
                continue
            }
            try await bob.node.messages.send([draft], to: alice.userID)
        }
        _ = try await alice.events.receivedTexts(texts.count)
        try await alice.stop()
        try await open()
        try await node.notifications.register(target, name: "target")
        #expect(notifier.tries() == [nil])
        // As though it had been registered before bob wrote, while no node ran.
        let record = try #require(node.notificationKeeper.targets.first)
        try node.store.note(NotificationProgress(cursor: 0), of: record)
        await close()
        try await open()
    }

    func open() async throws {
        var environment = NodeEnvironment(
            clock: clock, transport: { TCPTransport(loop: $0) }, disk: { StoreDisk($0, loop: $1) }
        ) { _, _, _ in }
        environment.notifier = notifier
        let node = try await Node.open(
            alice.home, configuration: NodeConfiguration(discovery: .sources([]), logger: .quiet),
            environment: environment)
        opened.withLock { $0 = node }
    }

    func close() async {
        await node.stop()
        opened.withLock { $0 = nil }
    }

    /// The rounds of the target, from where the disk says that it is.
    func rounds() throws -> NotificationRounds {
        let record = try #require(node.notificationKeeper.targets.first)
        return NotificationRounds(record: record, keeper: node.notificationKeeper, node: node)
    }

    var target: NotificationRegistration {
        get throws { try #require(node.notifications.targets.first) }
    }

    /// Lets what has arrived settle, and looks.
    func look(_ rounds: inout NotificationRounds) async {
        await rounds.look()
        clock.advance(by: NotificationPace.settling)
        await rounds.look()
    }
}

@Suite("A target of notifications")
struct NotificationRoundsTests {
    @Test("is told of each message once, in order, with the conversation, the place and the sender")
    func order() async throws {
        let quiet = try await Quiet(texts: ["one", "two", "three"])
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        let told = quiet.notifier.tries().compactMap(\.self)
        #expect(told.map(\.text) == ["one", "two", "three"])
        #expect(told.allSatisfy { $0.senderName == "bob" && $0.count == 1 && !$0.isMention })
        let conversation = quiet.node.conversations.direct(with: quiet.bob.userID)
        #expect(told.allSatisfy { $0.conversationID == conversation.id && $0.conversationName == nil })
        #expect(told.map(\.index) == told.map(\.index).sorted() && Set(told.map(\.index)).count == 3)
        await quiet.look(&rounds)
        #expect(quiet.notifier.tries().isEmpty)
        #expect(rounds.pace.dueTime == nil)
        #expect(try quiet.target.deliveredAt != nil)
        await quiet.close()
    }

    @Test("goes on after a restart where it was, and repeats nothing")
    func restart() async throws {
        let quiet = try await Quiet(texts: ["one", "two"])
        quiet.notifier.answer([.taken, .failed(reason: "busy")])
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        #expect(quiet.notifier.texts() == ["one", "two"])
        #expect(try quiet.target.failure == "busy")
        await quiet.close()
        try await quiet.open()
        rounds = try quiet.rounds()
        await quiet.look(&rounds)
        #expect(quiet.notifier.texts() == ["two"])
        #expect(try quiet.target.failure == nil)
        await quiet.close()
    }

    @Test("that takes nothing is told the same again, until that is given up and counted, and not before it is time")
    func failing() async throws {
        let quiet = try await Quiet(texts: ["one"])
        quiet.notifier.poison(["one"], .failed(reason: "busy"))
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        for _ in 1..<RetryPolicy.notifications.attempts {
            #expect(quiet.notifier.texts() == ["one"])
            await rounds.look()
            #expect(quiet.notifier.texts().isEmpty)
            #expect(try quiet.target.lostCount == 0)
            quiet.clock.advance(by: 300_000)
            await rounds.look()
        }
        #expect(quiet.notifier.texts() == ["one"])
        #expect(try quiet.target.lostCount == 1)
        quiet.clock.advance(by: 300_000)
        await rounds.look()
        #expect(quiet.notifier.texts().isEmpty)
        await quiet.close()
    }

    @Test("that takes nothing at all is asked little more often than for one message, and loses nothing for minutes")
    func down() async throws {
        let texts = (1...40).map { "\($0)" }
        let quiet = try await Quiet(texts: texts)
        quiet.notifier.poison(texts, .failed(reason: "nobody answers"))
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        let start = quiet.clock.now.uptime
        while quiet.clock.now.uptime - start < 240_000 {
            #expect(quiet.notifier.tries().count <= 1 + RetryPolicy.notifications.probes)
            quiet.clock.advance(by: max(1, (rounds.pace.dueTime ?? 0) - quiet.clock.now.uptime))
            await rounds.look()
        }
        #expect(try quiet.target.lostCount == 0)
        quiet.notifier.poison(texts, .taken)
        _ = quiet.notifier.tries()
        quiet.clock.advance(by: 300_000)
        await rounds.look()
        // What was tried least goes first.
        #expect(quiet.notifier.texts().sorted() == texts.sorted())
        await quiet.close()
    }

    /// A poisoned item is first in line.
    struct Poison: Sendable, CustomTestStringConvertible {
        let target: NotificationTarget
        let outcome: NotificationOutcome
        var count = 1
        var testDescription: String { "\(target.kind) \(outcome) \(count)" }

        static let all: [Poison] = [
            .desktop, .command(path: "/bin/true", arguments: []), .webhook(url: "http://127.0.0.1:9/hook"),
        ].flatMap { target in
            [NotificationOutcome.refused(reason: "400"), .failed(reason: "500")].flatMap { outcome in
                [1, 20].filter { target != .desktop || $0 == 1 }.map {
                    Poison(target: target, outcome: outcome, count: $0)
                }
            }
        }
    }

    @Test(
        "is told of what is behind messages that it does not take within a minute, and those are left out",
        arguments: Poison.all)
    func poisoned(_ poison: Poison) async throws {
        let bad = (1...poison.count).map { "poison \($0)" }
        // On a desktop each conversation is one notification.
        let quiet = try await Quiet(
            poison.target, texts: bad + ["good", "better"], inGroup: [poison.count, poison.count + 1])
        quiet.notifier.poison(bad, poison.outcome)
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        let (start, awaited) = (quiet.clock.now.uptime, poison.target == .desktop ? ["better"] : ["good", "better"])
        var (told, waited): ([String], Int64) = ([], 0)
        while let dueTime = rounds.pace.dueTime {
            told += quiet.notifier.texts().filter { !bad.contains($0) }
            if told == awaited, waited == 0 { waited = quiet.clock.now.uptime - start }
            quiet.clock.advance(by: max(1, dueTime - quiet.clock.now.uptime))
            await rounds.look()
        }
        told += quiet.notifier.texts().filter { !bad.contains($0) }
        #expect(told == awaited)
        #expect(waited < 60_000)
        // What fails for good is not tried again.
        if case .refused = poison.outcome { #expect(waited == 0) }
        #expect(try quiet.target.lostCount == poison.count)
        await quiet.close()
    }

    @Test("that does not take the only message is told of the next one as soon as it arrives")
    func arrival() async throws {
        let quiet = try await Quiet(texts: ["poison", "good"], inGroup: [1])
        let group = try await quiet.node.conversations.named("#plans")
        // As though it had not arrived.
        try await group.setNotificationLevel(.none)
        quiet.notifier.poison(["poison"], .failed(reason: "500"))
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        for _ in 0..<6 {
            quiet.clock.advance(by: (rounds.pace.dueTime ?? 0) - quiet.clock.now.uptime)
            await rounds.look()
        }
        #expect(quiet.notifier.texts() == [String](repeating: "poison", count: 7))
        let due = try #require(rounds.pace.dueTime)
        // Something has arrived; what was tried before is not tried again.
        quiet.clock.advance(by: 1)
        await rounds.look()
        let sought = try #require(rounds.pace.dueTime)
        #expect(sought == quiet.clock.now.uptime + NotificationPace.settling && sought < due)
        quiet.clock.advance(by: NotificationPace.settling)
        await rounds.look()
        #expect(quiet.notifier.texts().isEmpty && rounds.pace.dueTime == due)
        try await group.setNotificationLevel(.all)
        for _ in 0..<2 {
            await rounds.look()
            quiet.clock.advance(by: NotificationPace.settling)
        }
        await rounds.look()
        #expect(quiet.notifier.texts().first == "good")
        #expect(try quiet.target.lostCount == 1)
        await quiet.close()
    }

    @Test("that refuses a message is told the next at once")
    func refused() async throws {
        let quiet = try await Quiet(texts: ["one", "two"])
        quiet.notifier.answer([.refused(reason: "400")])
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        #expect(quiet.notifier.texts() == ["one", "two"])
        #expect(try quiet.target.lostCount == 1)
        await quiet.close()
    }

    @Test("is told nothing of what was read or taken back before")
    func read() async throws {
        let quiet = try await Quiet(texts: ["one", "two"])
        let history = try await quiet.node.conversations.direct(with: quiet.bob.userID).history()
        try await quiet.node.messages.markRead(history[0].messageID)
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        #expect(quiet.notifier.texts() == ["two"])
        await quiet.close()
    }

    @Test("is told what the level of the conversation says", arguments: NotificationLevel.allCases)
    func levels(level: NotificationLevel) async throws {
        let quiet = try await Quiet(texts: ["one", "two"], mentioning: [1])
        try await quiet.node.conversations.direct(with: quiet.bob.userID).setNotificationLevel(level)
        // It is on the disk.
        await quiet.close()
        try await quiet.open()
        #expect(quiet.node.conversations.direct(with: quiet.bob.userID).notificationLevel == level)
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        let expected: [NotificationLevel: [String]] = [.all: ["one", "two"], .mentions: ["two"], .none: []]
        #expect(quiet.notifier.texts() == expected[level])
        await quiet.close()
    }

    @Test("on a desktop is one notification for all messages of a conversation")
    func desktop() async throws {
        let quiet = try await Quiet(.desktop, texts: ["one", "two", "three"], mentioning: [0])
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        let told = quiet.notifier.tries().compactMap(\.self)
        #expect(told.map(\.text) == ["three"] && told.map(\.count) == [3] && told.map(\.isMention) == [true])
        await quiet.close()
    }

    @Test("that takes nothing for long is told of the last messages only, and how many were left out")
    func excess() async throws {
        let extra = 3
        let quiet = try await Quiet(texts: (1...Limits.waitingNotifications + extra).map { "\($0)" })
        quiet.notifier.answer([.failed(reason: "busy")])
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        #expect(quiet.notifier.texts() == ["1"])
        quiet.clock.advance(by: 2_000)
        await rounds.look()
        let texts = quiet.notifier.texts()
        #expect(texts.first == "\(extra + 1)" && texts.count == Limits.waitingNotifications)
        #expect(try quiet.target.lostCount == extra)
        await quiet.close()
    }

    @Test("says of a notification what it is about, and whether it is news")
    func handle() async throws {
        let quiet = try await Quiet(texts: ["one", "two"])
        var rounds = try quiet.rounds()
        await quiet.look(&rounds)
        let told = quiet.notifier.tries().compactMap(\.self)
        let payloads = try told.map { String(decoding: try NotificationPayload($0).encoded(), as: UTF8.self) }
        let first = try #require(try await quiet.node.notifications.handle(payloads[0]))
        #expect(first.messageID == told[0].messageID && first.conversationID == told[0].conversationID)
        #expect(first.index == told[0].index && first.isNews)
        // Whoever asks: somebody else's question makes nothing old.
        #expect(try await quiet.node.notifications.handle(payloads[0])?.isNews == true)
        try await quiet.node.messages.markRead(told[1].messageID)
        #expect(try await quiet.node.notifications.handle(payloads[1])?.isNews == false)
        #expect(try await quiet.node.notifications.handle(#"{"type":"test"}"#) == nil)
        for text in ["", "{}", #"{"type":"message"}"#, #"{"type":"call"}"#] {
            await #expect(throws: EarshotError.self) { try await quiet.node.notifications.handle(text) }
        }
        await quiet.close()
    }
}

@Suite("Registering a target of notifications")
struct NotificationRegistrationTests {
    private func withNode(_ body: (Quiet) async throws -> Void) async throws {
        let quiet = try await Quiet(texts: [])
        try await body(quiet)
        await quiet.close()
    }

    @Test("keeps nothing of one that does not take the test")
    func failing() async throws {
        try await withNode { quiet in
            quiet.notifier.answer([.failed(reason: "nobody answers")])
            let error = await #expect(throws: EarshotError.self) {
                try await quiet.node.notifications.register(.desktop)
            }
            #expect(error?.code == .targetUnusable && error?.message.contains("nobody answers") == true)
            #expect(quiet.node.notifications.targets.map(\.name) == ["target"])
        }
    }

    @Test("gives a webhook a secret, once, and each its name")
    func names() async throws {
        try await withNode { quiet in
            let hook = NotificationTarget.webhook(url: "http://127.0.0.1:9/hook")
            let first = try await quiet.node.notifications.register(hook)
            let second = try await quiet.node.notifications.register(hook)
            #expect(first.name == "webhook" && second.name == "webhook-2")
            #expect(first.secret?.hasPrefix("whsec_") == true && first.secret != second.secret)
            #expect(quiet.node.notifications.targets.allSatisfy { $0.secret == nil })
            let error = await #expect(throws: EarshotError.self) {
                try await quiet.node.notifications.register(.desktop, name: "webhook")
            }
            #expect(error?.code == .targetExists)
            try await quiet.node.notifications.deregister("webhook")
            let unknown = await #expect(throws: EarshotError.self) {
                try await quiet.node.notifications.deregister("webhook")
            }
            #expect(unknown?.code == .unknownTarget)
            #expect(quiet.node.notifications.targets.map(\.name) == ["target", "webhook-2"])
        }
    }

    @Test("has a limit")
    func limit() async throws {
        try await withNode { quiet in
            for _ in 1..<Limits.notificationTargets { try await quiet.node.notifications.register(.desktop) }
            let error = await #expect(throws: EarshotError.self) {
                try await quiet.node.notifications.register(.desktop)
            }
            #expect(error?.code == .tooManyTargets)
        }
    }

    @Test(
        "refuses an address that is none",
        arguments: [
            "", "hook", "ftp://example.org/", "file:///etc/passwd", "http://", "http://a b/", "http://u:p@example.org/",
            "https://example.org/\n", "http://example.org/" + String(repeating: "a", count: 2048),
        ])
    func address(url: String) async throws {
        try await withNode { quiet in
            let error = await #expect(throws: EarshotError.self) {
                try await quiet.node.notifications.register(.webhook(url: url))
            }
            #expect(error?.code == .invalidTarget)
            #expect(quiet.notifier.tries().isEmpty)
        }
    }

    @Test("refuses a program that is not named by its whole path")
    func path() async throws {
        try await withNode { quiet in
            for path in ["", "true", "bin/true"] {
                let error = await #expect(throws: EarshotError.self) {
                    try await quiet.node.notifications.register(.command(path: path, arguments: []))
                }
                #expect(error?.code == .invalidTarget)
            }
        }
    }
}
