import EarshotStore
public import Foundation

/// Where a node's user is notified of messages, whatever program is open.
///
/// A target is notified of each message of others that arrives while it is registered, in the order of arrival, also of
/// what came while the node did not run. It is not notified of messages that were read or taken back meanwhile, nor of
/// conversations whose `Conversation.notificationLevel` leaves them out. One that takes nothing is notified again after 1, 2, 4
/// seconds and so on, at most five minutes; after ten attempts the message is left out and counted. A message that a target refuses
/// is left out at once, and one that was not taken three times holds up no others: they are tried before it, and if one is taken, it is
/// left out. A crash may lead to notifications twice, those of the last second before it, and those that went before one that was not
/// taken: each has the id of its message.
public struct Notifications: Sendable {
    let node: Node

    private var keeper: NotificationKeeper { node.notificationKeeper }

    /// All targets, by name.
    public var targets: [NotificationRegistration] { keeper.targets.map { NotificationRegistration($0) } }

    /// Registers a target, once a test notification got through.
    /// - Parameters:
    ///   - target: what is notified: a desktop, a command, or a server.
    ///   - name: what its user calls it: letters, digits, and any of `-_.`, at most `Limits.targetNameBytes`. Its kind, and
    ///     a number if need be, without one.
    /// - Returns: the target, and for a webhook the secret that its requests are signed with, which nobody can get again.
    /// - Throws: `EarshotError` `targetUnusable` with the reason, where the test did not get through; `targetBusy` while
    ///   another one is tried; `invalidTarget`, `invalidName`, `targetExists`, `tooManyTargets`; `storeFull`,
    ///   `storeUnavailable`, `stopped`.
    @discardableResult
    public func register(
        _ target: NotificationTarget, name: String? = nil
    ) async throws(EarshotError) -> NotificationRegistration {
        try target.check()
        let name = try checked(name ?? freeName(for: target))
        try checkRoom(for: name)
        let secret: [UInt8]? =
            if case .webhook = target { (0..<WebhookRequest.keyBytes).map { _ in .random(in: .min ... .max) } } else {
                nil
            }
        let store = node.store
        // From before the test, so that nothing is missed that comes during it.
        let cursor = try await node.readStore { () throws(StoreError) in try store.latestCursor() }
        let record = NotificationTargetRecord(
            name: name, target: target, secret: secret, createdAt: node.environment.clock.now.wallClock,
            progress: NotificationProgress(cursor: cursor))
        guard keeper.beginTest() else {
            throw EarshotError(.targetBusy, "another target is being tried: try again when that has ended")
        }
        defer { keeper.endTest() }
        if let reason = await node.environment.notifier.notify(record, of: nil).reason {
            throw EarshotError(
                .targetUnusable, "the test notification did not get through: \(reason)", .init(name: name))
        }
        try checkRoom(for: name)
        let isAdded = try await write { store throws(StoreError) in try store.add(record) }
        guard isAdded else { throw Self.exists(name) }
        keeper.add(record)
        return NotificationRegistration(record, secret: secret.map(WebhookRequest.secret))
    }

    /// Ends a target: it is notified of nothing more.
    /// - Throws: `EarshotError` `unknownTarget`; `storeFull`, `storeUnavailable`, `stopped`.
    public func deregister(_ name: String) async throws(EarshotError) {
        guard keeper.targets.contains(where: { $0.name == name }) else {
            throw EarshotError(
                .unknownTarget, "there is no target called \"\(Excerpt.of(name))\"",
                .init(name: Excerpt.of(name), suggestions: targets.map(\.name)))
        }
        try await write { store throws(StoreError) in _ = try store.removeNotificationTarget(name) }
        keeper.remove(name)
    }

    /// Says what a notification is about, to a program that has got it.
    /// - Parameter payload: what the target was given, as JSON.
    /// - Returns: `nil` for a test.
    /// - Throws: `EarshotError` `invalidNotification` for a text that is none; `unknownMessage` if the message is not here, or
    ///   not any more; `storeDamaged`, `storeUnavailable`.
    public func handle(_ payload: String) async throws(EarshotError) -> NotificationResult? {
        let decoded: NotificationPayload
        do { decoded = try JSONDecoder().decode(NotificationPayload.self, from: Data(payload.utf8)) } catch {
            throw EarshotError(.invalidNotification, "this is no notification of a node: \(Excerpt.of(payload))")
        }
        guard decoded.type == .message else { return nil }
        guard let messageID = decoded.message.flatMap({ MessageID($0.id) }) else {
            throw EarshotError(.invalidNotification, "this notification names no message")
        }
        let message = try await node.messages.message(messageID)
        return NotificationResult(
            conversationID: message.conversationID, messageID: messageID, index: message.index,
            isNews: NotificationChoice.isNews(message, to: node.userID))
    }

    /// Whether the user wants to be notified of a message, wherever that is.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    package func includes(_ message: Message) async throws(EarshotError) -> Bool {
        let (store, userID, level) = (node.store, node.userID, level(of: message.conversationID))
        guard level == .mentions else { return level == .all }
        return try await node.readStore { () throws(StoreError) in
            try NotificationChoice.isMention(message, of: userID, in: store)
        }
    }

    // MARK: - Levels

    func level(of conversationID: ConversationID) -> NotificationLevel { keeper.level(of: conversationID) }

    func set(_ level: NotificationLevel, of conversationID: ConversationID) async throws(EarshotError) {
        try await write { store throws(StoreError) in try store.set(level, of: conversationID) }
        keeper.set(level, of: conversationID)
    }

    // MARK: - Checking

    private func checked(_ name: String) throws(EarshotError) -> String {
        guard PlainName.isValid(name, limit: Limits.targetNameBytes) else {
            throw EarshotError(
                .invalidName, "a target's name is 1 to \(Limits.targetNameBytes) letters, digits, and any of -_.",
                .init(name: Excerpt.of(name), limit: Limits.targetNameBytes))
        }
        return name
    }

    private func freeName(for target: NotificationTarget) -> String {
        let (kind, taken) = (target.kind.rawValue, Set(keeper.targets.map(\.name)))
        return ([kind] + (2...Limits.notificationTargets + 1).map { "\(kind)-\($0)" }).first { !taken.contains($0) }
            ?? kind
    }

    private func checkRoom(for name: String) throws(EarshotError) {
        let targets = keeper.targets
        guard !targets.contains(where: { $0.name == name }) else { throw Self.exists(name) }
        guard targets.count < Limits.notificationTargets else {
            throw EarshotError(
                .tooManyTargets, "a node has at most \(Limits.notificationTargets) targets of notifications",
                .init(limit: Limits.notificationTargets))
        }
    }

    private static func exists(_ name: String) -> EarshotError {
        EarshotError(.targetExists, "there is a target called \(name) already", .init(name: name))
    }

    @discardableResult
    private func write<T: Sendable>(
        _ body: @escaping @Sendable (Store) throws(StoreError) -> T
    ) async throws(EarshotError) -> T {
        let store = node.store
        return try await node.writingHome { () throws(EarshotError) in
            do throws(StoreError) { return try body(store) } catch { throw EarshotError(error) }
        }
    }
}

/// A registered target: a snapshot.
public struct NotificationRegistration: Hashable, Sendable, Identifiable {
    public let name: String
    public let target: NotificationTarget
    public let createdAt: Date
    /// When it took a notification last; `nil` if it took none but the test.
    public let deliveredAt: Date?
    /// Why it takes nothing now; `nil` if it does, as far as is known.
    public let failure: String?
    /// Since when.
    public let failingSince: Date?
    /// How many messages it was not notified of because it did not take them.
    public let lostCount: Int
    /// The secret of a webhook that was just registered: `whsec_` and the key in base64.
    public let secret: String?

    /// The target's name.
    public var id: String { name }

    init(_ record: NotificationTargetRecord, secret: String? = nil) {
        name = record.name
        target = record.target
        createdAt = Date(milliseconds: record.createdAt)
        deliveredAt = record.progress.deliveredAt.map(Date.init(milliseconds:))
        failure = record.progress.failure?.reason
        failingSince = record.progress.failure.map { Date(milliseconds: $0.since) }
        lostCount = record.progress.lostCount
        self.secret = secret
    }
}

/// What a notification is about.
public struct NotificationResult: Hashable, Sendable {
    public let conversationID: ConversationID
    public let messageID: MessageID
    /// The message's place in the order of arrival, as `Message.index`.
    public let index: Int64?
    /// Whether it is still news: it was not read, on whichever device, and not taken back.
    public let isNews: Bool
}

extension Conversation {
    /// Of which of its messages this node's user is notified: of all unless they said something else.
    public var notificationLevel: NotificationLevel { node.notifications.level(of: conversationID) }

    /// Says of which of its messages this node's user is notified, on this device.
    /// - Throws: `EarshotError` `storeFull`, `storeUnavailable`, `stopped`.
    public func setNotificationLevel(_ level: NotificationLevel) async throws(EarshotError) {
        try await node.notifications.set(level, of: conversationID)
    }
}

extension NotificationTarget {
    /// - Throws: `EarshotError` `invalidTarget`.
    func check() throws(EarshotError) {
        func invalid(_ words: String) -> EarshotError { EarshotError(.invalidTarget, words) }
        switch self {
        case .desktop: break
        case .command(let path, let arguments):
            guard path.hasPrefix("/") else {
                throw invalid("a program is named by its whole path, which begins with a slash")
            }
            let texts = [path] + arguments
            guard texts.allSatisfy({ !$0.utf8.contains(0) }),
                texts.reduce(0, { $0 + $1.utf8.count + 1 }) <= Limits.targetAddressBytes
            else { throw invalid("a program and its arguments are at most \(Limits.targetAddressBytes) bytes") }
        case .webhook(let text):
            guard text.utf8.count <= Limits.targetAddressBytes, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
                let url = URLComponents(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
                url.host?.isEmpty == false
            else {
                throw invalid(
                    "a webhook's address is like https://example.org/hook, at most \(Limits.targetAddressBytes) bytes")
            }
            guard url.user == nil, url.password == nil else {
                throw invalid("a webhook's address has no name and no password: its requests are signed")
            }
        }
    }
}
