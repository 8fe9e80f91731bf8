package import Earshot
package import Foundation
import NIOCore
import NIOHTTP1

/// A client of a running node, over its Unix socket.
///
/// Each method is one endpoint of the local API. All throw `GatewayError`; the code is `noNode` if no node listens.
package struct GatewayClient: Sendable {
    let socketPath: String

    /// - Throws: `GatewayError` `socketUnusable` for a home directory whose path is too long.
    package init(home: Home) throws(GatewayError) { try self.init(socketPath: home.socketFile) }

    /// - Throws: `GatewayError` `socketUnusable` for a path that is too long.
    package init(socketPath: String) throws(GatewayError) {
        try SocketPath.check(socketPath)
        self.socketPath = socketPath
    }

    // MARK: - Endpoints

    package func status() async throws(GatewayError) -> GatewayStatus { try await get("node") }

    /// What the node knows about why messages flow or not. This may take a few seconds.
    package func diagnosis() async throws(GatewayError) -> [GatewayFinding] { try await get("health") }

    /// The node's metrics, in Prometheus' text format 0.0.4.
    package func metrics() async throws(GatewayError) -> String {
        String(buffer: try await read(HTTPRequest(method: .GET, uri: "/v1/metrics")))
    }

    package func users() async throws(GatewayError) -> [GatewayUser] { try await get("users") }

    /// - Parameter text: a name, a name and the beginning of a fingerprint (`bob@3fk9qbmj`), or a key.
    package func user(named text: String) async throws(GatewayError) -> GatewayUser {
        try await get("users/\(try Self.user(text))")
    }

    /// - Parameter name: the user's name at the time of the decision. If the user has another name now, nothing is
    ///   done.
    /// - Returns: the user as they are now.
    @discardableResult
    package func decide(
        _ decision: TrustDecision, about user: String, named name: String? = nil
    ) async throws(GatewayError) -> GatewayUser {
        let body = TrustRequest(decision: decision.rawValue, name: name)
        return try await decode(call(.POST, "users/\(try Self.user(user))/trust", body: body))
    }

    /// What a user says of themselves.
    package func profile(of user: String) async throws(GatewayError) -> GatewayProfile {
        try await get("users/\(try Self.user(user))/profile")
    }

    /// What this node's user says of themselves.
    package func ownProfile() async throws(GatewayError) -> GatewayProfile { try await get("profile") }

    /// Says something else of this node's user; what is `nil` stays as it is.
    @discardableResult
    package func updateProfile(
        friendlyName: String? = nil, attributes: String? = nil, picture: Data? = nil, isBot: Bool? = nil,
        commands: [GatewayProfile.Command]? = nil
    ) async throws(GatewayError) -> GatewayProfile {
        let body = ProfileRequest(
            friendlyName: friendlyName, attributes: attributes, picture: picture, isBot: isBot, commands: commands)
        return try await decode(call(.POST, "profile", body: body))
    }

    package func safetyNumber(with user: String) async throws(GatewayError) -> GatewaySafetyNumber {
        try await get("users/\(try Self.user(user))/safety-number")
    }

    /// Sends a message. It returns when the message is on the disk; the node may first have to take back earlier ones.
    /// - Parameters:
    ///   - timeToLive: 30 days unless given.
    ///   - session: the session that it belongs to.
    ///   - key: sent again with the same key, it is sent once.
    /// - Throws: `GatewayError`; after `timedOut` and `connectionLost` the message may still have been accepted.
    package func send(
        _ text: String, to recipient: String, headers: [String: String] = [:], timeToLive: Duration? = nil,
        mentions: [String] = [], attachments: [GatewayAttachment] = [], layout: LayoutRequest? = nil,
        session: SessionRequest? = nil, key: String? = nil
    ) async throws(GatewayError) -> GatewayMessage {
        let body = SendRequest(
            to: .one(recipient), message: Self.message(text, headers: headers, timeToLive, layout, attachments),
            mentions: Self.listed(mentions), session: session)
        return try decode(await send(body, to: "messages", key: key))
    }

    /// Sends a message to each of several users, and tells what became of each; like `send` otherwise.
    package func send(
        _ text: String, to recipients: [String], timeToLive: Duration? = nil, mentions: [String] = [],
        attachments: [GatewayAttachment] = [], layout: LayoutRequest? = nil, key: String? = nil
    ) async throws(GatewayError) -> [GatewaySendResult] {
        let body = SendRequest(
            to: .several(recipients), message: Self.message(text, timeToLive, layout, attachments),
            mentions: Self.listed(mentions))
        let answer: GatewaySendResults = try decode(await send(body, to: "messages", key: key))
        return answer.results
    }

    private static func message(
        _ text: String, headers: [String: String]? = nil, _ timeToLive: Duration?, _ layout: LayoutRequest? = nil,
        _ attachments: [GatewayAttachment] = []
    ) -> MessageRequest {
        MessageRequest(
            text: text, headers: headers, timeToLiveSeconds: timeToLive.map { $0 / .seconds(1) }, layout: layout,
            attachments: attachments.isEmpty ? nil : attachments.map { AttachmentRequest($0) })
    }

    private static func listed(_ mentions: [String]) -> [String]? { mentions.isEmpty ? nil : mentions }

    /// The node may first have to take back earlier messages.
    private func send(
        _ body: some Encodable, to path: String, key: String?
    ) async throws(GatewayError) -> ByteBuffer {
        do {
            return try await call(.POST, path, body: body, key: key, within: GatewayLimits.longResponse)
        } catch { throw error.whileSending }
    }

    package func message(_ messageID: String) async throws(GatewayError) -> GatewayMessage {
        try await get("messages/\(Self.escape(messageID))")
    }

    /// Answers a message in its conversation.
    /// - Parameter isInPlace: whether a reply that was sent before with the same key gets this text instead.
    package func reply(
        _ text: String, to messageID: String, headers: [String: String]? = nil, timeToLive: Duration? = nil,
        mentions: [String] = [], layout: LayoutRequest? = nil, key: String? = nil, isInPlace: Bool = false
    ) async throws(GatewayError) -> GatewayMessage {
        let body = ReplyToRequest(
            message: Self.message(text, headers: headers, timeToLive, layout), mentions: Self.listed(mentions),
            inPlace: isInPlace ? true : nil)
        return try decode(await send(body, to: "messages/\(Self.escape(messageID))/reply", key: key))
    }

    /// Gives a message of this node's user another text.
    @discardableResult
    package func edit(_ messageID: String, _ text: String) async throws(GatewayError) -> GatewayMessage {
        try await decode(call(.POST, "messages/\(Self.escape(messageID))/edit", body: EditRequest(text: text)))
    }

    /// Takes back a message that may have been delivered.
    @discardableResult
    package func retract(_ messageID: String) async throws(GatewayError) -> GatewayMessage {
        try await decode(call(.POST, "messages/\(Self.escape(messageID))/retract"))
    }

    /// Reacts to a message, or takes a reaction back.
    @discardableResult
    package func react(
        _ emoji: String, to messageID: String, removing: Bool = false
    ) async throws(GatewayError) -> GatewayMessage {
        let body = ReactRequest(emoji: emoji, remove: removing ? true : nil)
        return try await decode(call(.POST, "messages/\(Self.escape(messageID))/react", body: body))
    }

    /// Takes back a message that has not left this machine.
    @discardableResult
    package func cancel(_ messageID: String) async throws(GatewayError) -> GatewayMessage {
        try await decode(call(.POST, "messages/\(Self.escape(messageID))/cancel"))
    }

    /// Deletes the contents of messages, on this machine only: of all of them or of none.
    @discardableResult
    package func deleteContents(of messageIDs: [String]) async throws(GatewayError) -> GatewayDeletedMessages {
        try await decode(call(.POST, "messages/erase", body: EraseRequest(messages: messageIDs)))
    }

    /// Deletes the contents of all messages with a user, on this machine only. It may take long.
    @discardableResult
    package func deleteContents(with user: String) async throws(GatewayError) -> GatewayDeletion {
        let request = Self.request(.POST, "conversations/\(try Self.user(user))/erase")
        return try await decode(read(request, within: GatewayLimits.longResponse))
    }

    /// The conversations in which something was written, the one with the latest arrival first.
    /// - Parameter before: the page begins after this conversation.
    package func conversations(
        before: String? = nil, limit: Int = GatewayLimits.defaultPage
    ) async throws(GatewayError) -> [GatewayConversation] {
        try await get("conversations?limit=\(limit)" + (before.map { "&before=\(Self.escape($0))" } ?? ""))
    }

    /// All of them.
    package func allConversations() async throws(GatewayError) -> [GatewayConversation] {
        var all: [GatewayConversation] = []
        while true {
            let page = try await conversations(before: all.last?.id, limit: Limits.historyPage)
            all += page
            if page.count < Limits.historyPage { return all }
        }
    }

    /// Joins an open conversation.
    /// - Parameter uniqueName: its name, with or without a `#` before it.
    package func join(_ uniqueName: String, isAdvertised: Bool? = nil) async throws(GatewayError) -> GatewayConversation
    {
        let body = ConversationRequest(uniqueName: uniqueName, isAdvertised: isAdvertised)
        return try await decode(call(.POST, "conversations", body: body))
    }

    /// Begins a private conversation.
    /// - Parameters:
    ///   - invited: named like recipients.
    ///   - orGet: whether one of that name that this node's user has begun is answered as it is.
    package func create(
        private uniqueName: String, friendlyName: String? = nil, attributes: String? = nil, givesHistory: Bool = false,
        inviting invited: [String] = [], orGet: Bool? = nil
    ) async throws(GatewayError) -> GatewayConversation {
        let body = ConversationRequest(
            uniqueName: uniqueName, kind: ConversationKind.private.rawValue, friendlyName: friendlyName,
            attributes: attributes, givesHistory: givesHistory, invite: invited, orGet: orGet)
        return try await decode(call(.POST, "conversations", body: body))
    }

    /// Joins a conversation that this node knows: one that its user is invited to, or has left.
    /// - Parameter text: as in `conversation(_:)`.
    package func join(known text: String) async throws(GatewayError) -> GatewayConversation {
        try await decode(call(.POST, "conversations/\(try Self.user(text))/join"))
    }

    /// Invites users to a private conversation, or does nothing for those who are in.
    /// - Parameters:
    ///   - users: named like recipients.
    ///   - text: as in `conversation(_:)`.
    package func invite(_ users: [String], to text: String) async throws(GatewayError) -> GatewayConversation {
        let body = InviteRequest(users: users)
        return try await decode(call(.POST, "conversations/\(try Self.user(text))/invite", body: body))
    }

    /// - Parameters:
    ///   - user: named like a recipient.
    ///   - text: as in `conversation(_:)`.
    package func remove(_ user: String, from text: String) async throws(GatewayError) -> GatewayConversation {
        let body = ParticipantRequest(user: user)
        return try await decode(call(.POST, "conversations/\(try Self.user(text))/remove", body: body))
    }

    /// - Parameters:
    ///   - user: named like a recipient.
    ///   - text: as in `conversation(_:)`.
    package func handOver(_ text: String, to user: String) async throws(GatewayError) -> GatewayConversation {
        let body = ParticipantRequest(user: user)
        return try await decode(call(.POST, "conversations/\(try Self.user(text))/hand-over", body: body))
    }

    /// - Parameter text: as in `conversation(_:)`.
    package func close(_ text: String) async throws(GatewayError) -> GatewayConversation {
        try await decode(call(.POST, "conversations/\(try Self.user(text))/close"))
    }

    /// - Parameters:
    ///   - text: as in `conversation(_:)`.
    ///   - friendlyName: `nil` leaves it.
    ///   - attributes: `nil` leaves them.
    package func update(
        _ text: String, friendlyName: String?, attributes: String?
    ) async throws(GatewayError) -> GatewayConversation {
        let body = ConversationUpdateRequest(friendlyName: friendlyName, attributes: attributes)
        return try await decode(call(.POST, "conversations/\(try Self.user(text))/update", body: body))
    }

    /// - Parameter text: as in `conversation(_:)`.
    package func leave(_ text: String) async throws(GatewayError) -> GatewayConversation {
        try await decode(call(.POST, "conversations/\(try Self.user(text))/leave"))
    }

    /// All participants of a conversation.
    /// - Parameter text: as in `conversation(_:)`.
    package func participants(
        of text: String, includingFormer: Bool = false
    ) async throws(GatewayError) -> [GatewayParticipant] {
        var all: [GatewayParticipant] = []
        while true {
            var path = "conversations/\(try Self.user(text))/participants?limit=\(Limits.historyPage)"
            if includingFormer { path += "&former=true" }
            if let last = all.last { path += "&after=\(Self.escape(last.id))" }
            let page: [GatewayParticipant] = try await get(path)
            all += page
            if page.count < Limits.historyPage { return all }
        }
    }

    /// Open conversations whose names linked users tell, and which this node's user has not joined, by name.
    package func advertisedConversations() async throws(GatewayError) -> [GatewayAdvertisedConversation] {
        try await get("advertised")
    }

    /// - Parameter text: the conversation's id, `#` and its name, or its user as in `user(named:)`.
    package func conversation(_ text: String) async throws(GatewayError) -> GatewayConversation {
        try await get("conversations/\(try Self.user(text))")
    }

    /// A page of the conversation with a user, ascending.
    ///
    /// - Parameters:
    ///   - before: the page ends just before this message; without it and `after`, the page has the last messages.
    ///   - after: the page begins just after this message.
    ///   - order: the order of the whole history.
    ///   - limit: 1 to `Limits.historyPage`.
    ///   - includingBlocked: what blocked users wrote in a group, too.
    package func history(
        with user: String, before: String? = nil, after: String? = nil, order: Conversation.Order = .time,
        limit: Int = GatewayLimits.defaultPage, includingBlocked: Bool = false
    ) async throws(GatewayError) -> [GatewayMessage] {
        var path = "conversations/\(try Self.user(user))/messages?limit=\(limit)"
        if let before { path += "&before=\(Self.escape(before))" }
        if let after { path += "&after=\(Self.escape(after))" }
        if order == .arrival { path += "&order=arrival" }
        if includingBlocked { path += "&blocked=true" }
        return try await get(path)
    }

    /// Messages that hold words, those that arrived last first.
    /// - Parameters:
    ///   - words: as in `SearchQuery.words`.
    ///   - conversation: as in `conversation(_:)`.
    ///   - sender: as in `user(named:)`.
    ///   - before: only what arrived before this message.
    package func search(
        _ words: String, in conversation: String? = nil, from sender: String? = nil, since: Date? = nil,
        until: Date? = nil, before: String? = nil, limit: Int = GatewayLimits.defaultPage
    ) async throws(GatewayError) -> [GatewayMessage] {
        let items = [
            ("text", words), ("conversation", conversation), ("sender", sender),
            ("since", since.map { Timestamp.text($0.clampedMilliseconds) }),
            ("until", until.map { Timestamp.text($0.clampedMilliseconds) }), ("before", before),
        ]
        let query = items.compactMap { name, value in value.map { "&\(name)=\(Self.escape($0))" } }
        return try await get("search?limit=\(limit)\(query.joined())")
    }

    /// Tells the sender that this node's user has seen everything up to a message.
    package func markRead(upTo messageID: String, with user: String) async throws(GatewayError) {
        _ = try await call(.POST, "conversations/\(try Self.user(user))/read", body: ReadRequest(upTo: messageID))
    }

    /// Tells a user that this node's user has seen everything that is here.
    package func markAllRead(with user: String) async throws(GatewayError) {
        _ = try await call(.POST, "conversations/\(try Self.user(user))/read", body: ReadRequest(all: true))
    }

    /// A page of the messages of a user that were not read, ascending by time.
    /// - Parameter after: the page begins just after this message; without it, at the first one.
    package func unread(
        with user: String, after: String? = nil, limit: Int = GatewayLimits.defaultPage
    ) async throws(GatewayError) -> [GatewayMessage] {
        let path = "conversations/\(try Self.user(user))/unread?limit=\(limit)"
        return try await get(path + (after.map { "&after=\(Self.escape($0))" } ?? ""))
    }

    /// Has the page served on loopback.
    /// - Parameters:
    ///   - port: the usual one, or any that is free, without it.
    ///   - inFile: whether a file leads to the page, for a program that opens a browser.
    package func openPage(port: Int? = nil, inFile: Bool = false) async throws(GatewayError) -> GatewayPage {
        try await decode(call(.POST, "web", body: WebRequest(port: port, inFile: inFile ? true : nil)))
    }

    /// Closes the page's port, and ends its sessions.
    package func closePage() async throws(GatewayError) { _ = try await call(.DELETE, "web") }

    /// Tells a user that this node's user types, or has stopped.
    package func setTyping(_ isTyping: Bool, to user: String) async throws(GatewayError) {
        let body = TypingRequest(isTyping: isTyping)
        _ = try await call(.POST, "conversations/\(try Self.user(user))/typing", body: body)
    }

    package func tokens() async throws(GatewayError) -> [GatewayToken] { try await get("tokens") }

    /// Makes a token for a program.
    ///
    /// - Parameters:
    ///   - recipients: the only users to whom it may send; `nil` for everybody.
    ///   - lifetime: how long it works; `nil` for as long as nobody revokes it.
    package func createToken(
        _ name: String, scopes: [Scope], to recipients: [String]? = nil, lifetime: Duration? = nil
    ) async throws(GatewayError) -> GatewayNewToken {
        let body = TokenRequest(
            name: name, scopes: scopes.map(\.rawValue), to: recipients,
            expiresInSeconds: lifetime.map { $0 / .seconds(1) })
        return try await decode(call(.POST, "tokens", body: body))
    }

    /// - Parameter token: its name or its id.
    package func revokeToken(_ token: String) async throws(GatewayError) {
        _ = try await call(.DELETE, "tokens/\(Self.escape(token))")
    }

    // MARK: - Notifications

    package func notificationTargets() async throws(GatewayError) -> [GatewayTarget] {
        try await get("notifications/targets")
    }

    /// Registers a target, once a test notification got through.
    package func register(_ target: NotificationTarget, name: String? = nil) async throws(GatewayError)
        -> GatewayNewTarget
    {
        var body: TargetRequest
        switch target {
        case .desktop: body = TargetRequest(kind: "desktop")
        case .command(let path, let arguments): body = TargetRequest(kind: "command", command: [path] + arguments)
        case .webhook(let url): body = TargetRequest(kind: "webhook", url: url)
        }
        body.name = name
        return try await decode(
            call(.POST, "notifications/targets", body: body, within: GatewayLimits.notificationTest))
    }

    package func deregister(_ target: String) async throws(GatewayError) {
        _ = try await call(.DELETE, "notifications/targets/\(Self.escape(target))")
    }

    /// - Parameter payload: what a target was given.
    package func handleNotification(_ payload: String) async throws(GatewayError) -> GatewayNotificationResult {
        try await decode(call(.POST, "notifications/handle", body: NotificationRequest(payload: payload)))
    }

    package func setNotificationLevel(
        _ level: NotificationLevel, of conversation: String
    ) async throws(GatewayError) -> GatewayConversation {
        try await decode(
            call(
                .POST, "conversations/\(Self.escape(conversation))/notifications",
                body: LevelRequest(level: level.rawValue)))
    }

    // MARK: - Devices

    package func devices() async throws(GatewayError) -> [GatewayDevice] { try await get("devices") }

    /// - Parameter device: its name, its id, or the beginning of that.
    package func renameDevice(_ device: String, to name: String) async throws(GatewayError) -> GatewayDevice {
        try await decode(call(.POST, "devices/\(Self.escape(device))/name", body: DeviceNameRequest(name: name)))
    }

    package func revokeDevice(_ device: String) async throws(GatewayError) -> GatewayDevice {
        try await decode(call(.POST, "devices/\(Self.escape(device))/revoke"))
    }

    /// Offers a new pairing code.
    package func beginPairing(
        withIdentity: Bool, lifetime: Duration?
    ) async throws(GatewayError) -> GatewayPairingCode {
        let body = PairingRequest(withIdentity: withIdentity, validForSeconds: lifetime.map { $0 / .seconds(1) })
        return try await decode(call(.POST, "pairing", body: body))
    }

    /// Where the pairing is as soon as it is in another state, or after a time in seconds.
    package func pairing(unlike state: String, wait: Int) async throws(GatewayError) -> GatewayPairing {
        let path = "pairing?unlike=\(Self.escape(state))&wait=\(wait)"
        return try decode(
            try await read(Self.request(.GET, path), within: .seconds(wait) + GatewayLimits.longResponse))
    }

    @discardableResult
    package func decidePairing(_ isAccepted: Bool) async throws(GatewayError) -> GatewayPairing {
        try await decode(call(.POST, "pairing/decision", body: PairingDecisionRequest(accepted: isAccepted)))
    }

    package func endPairing() async throws(GatewayError) { _ = try await call(.DELETE, "pairing") }

    // MARK: - The inbox

    /// Makes a consumer of the inbox, unless there is one with this name.
    /// - Parameter start: `now`, `beginning`, or a time.
    package func prepareConsumer(_ name: String, from start: String = "now") async throws(GatewayError) {
        do { _ = try await call(.POST, "consumers", body: ["name": name, "from": start]) } catch {
            guard error.code == .consumerExists else { throw error }
        }
    }

    /// - Parameter start: `now`, `beginning`, or a time.
    package func moveConsumer(_ name: String, to start: String) async throws(GatewayError) {
        _ = try await call(.POST, "consumers/\(Self.escape(name))/move", body: ["from": start])
    }

    /// Removes a consumer, and what is set aside for it.
    package func removeConsumer(_ name: String) async throws(GatewayError) {
        _ = try await call(.DELETE, "consumers/\(Self.escape(name))")
    }

    /// Has a message handed out once more that is set aside.
    package func handOutAgain(_ messageID: String, to consumer: String) async throws(GatewayError) {
        _ = try await call(.POST, "consumers/\(Self.escape(consumer))/set-aside/\(Self.escape(messageID))/again")
    }

    /// All consumers, by name.
    package func consumers() async throws(GatewayError) -> [GatewayConsumer] { try await get("consumers") }

    /// The messages that are set aside for a consumer, in the order of arrival.
    package func setAside(for consumer: String) async throws(GatewayError) -> [GatewaySetAside] {
        try await get("consumers/\(Self.escape(consumer))/set-aside")
    }

    /// What is next for a consumer; no messages if none came in time.
    /// - Parameters:
    ///   - wait: in seconds.
    ///   - attempts: after so many hand-outs in vain a message is set aside.
    package func receive(
        consumer: String, limit: Int, wait: Int, includingAutomatic: Bool, attempts: Int = Inbox.defaultAttempts
    ) async throws(GatewayError) -> GatewayBatch {
        let path =
            "inbox?consumer=\(Self.escape(consumer))&limit=\(limit)&wait=\(wait)&automatic=\(includingAutomatic)"
            + "&attempts=\(attempts)"
        return try decode(
            try await read(Self.request(.GET, path), within: .seconds(wait) + GatewayLimits.longResponse))
    }

    /// A message that goes with an acknowledgement.
    package struct Reply: Encodable, Sendable {
        /// `nil` for the conversation of the message that it answers.
        let to: String?
        let text: String
        let headers: [String: String]
        let answering: String
        let isReply: Bool
        let mentions: [String]?
        let idempotencyKey: String?
        /// ISO 8601; `nil` for at once.
        let notBefore: String?
        let layout: LayoutRequest?
        let session: SessionRequest?
        /// Whether a person is to send it.
        let isDraft: Bool

        package init(
            to: String?, text: String, headers: [String: String], answering: String, isReply: Bool = false,
            mentions: [String]? = nil, idempotencyKey: String? = nil, notBefore: String? = nil,
            layout: LayoutRequest? = nil, session: SessionRequest? = nil, isDraft: Bool = false
        ) {
            self.to = to
            self.text = text
            self.headers = headers
            self.answering = answering
            self.isReply = isReply
            self.mentions = mentions
            self.idempotencyKey = idempotencyKey
            self.notBefore = notBefore
            self.layout = layout
            self.session = session
            self.isDraft = isDraft
        }
    }

    /// A consumer is done with everything up to a place, and sends answers in the same commit.
    /// - Throws: `GatewayError` with `parameters.index` if one of the answers cannot be sent: nothing was done.
    package func acknowledge(
        consumer: String, through cursor: String, sending replies: [Reply]
    ) async throws(GatewayError) {
        struct Body: Encodable {
            let ack: String
            let send: [Reply]
        }
        _ = try await call(
            .POST, "inbox/\(Self.escape(consumer))", body: Body(ack: cursor, send: replies),
            within: GatewayLimits.longResponse)
    }

    /// A consumer could do nothing with the first message that it was handed and has not acknowledged.
    /// - Returns: whether the message is set aside now.
    package func fail(
        consumer: String, _ message: String, reason: String
    ) async throws(GatewayError) -> Bool {
        let body = ["message": message, "reason": reason]
        let answer: GatewayFailureNoted = try decode(
            try await call(.POST, "inbox/\(Self.escape(consumer))/fail", body: body))
        return answer.isSetAside
    }

    /// Has a message sent later.
    /// - Parameters:
    ///   - notBefore: ISO 8601.
    ///   - key: scheduled again with the same key, it is sent once.
    package func schedule(
        _ text: String, to recipient: String, headers: [String: String], layout: LayoutRequest? = nil,
        notBefore: String, key: String?
    ) async throws(GatewayError) {
        struct Body: Encodable {
            let to: String
            let text: String
            let headers: [String: String]
            let layout: LayoutRequest?
            let notBefore: String
        }
        let body = Body(to: recipient, text: text, headers: headers, layout: layout, notBefore: notBefore)
        _ = try await call(.POST, "scheduled", body: body, key: key)
    }

    // MARK: - Drafts

    /// The drafts that wait for a person, the oldest first.
    /// - Parameter conversation: a user or a conversation; `nil` for all.
    package func drafts(in conversation: String? = nil) async throws(GatewayError) -> [GatewayDraft] {
        guard let conversation else { return try await get("drafts") }
        return try await get("drafts?conversation=\(try Self.user(conversation))")
    }

    /// - Parameters:
    ///   - name: that of the program; `nil` for a person.
    ///   - key: inserted again with the same key, it is the same draft.
    package func insertDraft(
        _ text: String, to recipient: String, headers: [String: String]? = nil, mentions: [String] = [],
        layout: LayoutRequest? = nil, by name: String? = nil, key: String? = nil
    ) async throws(GatewayError) -> GatewayDraft {
        var body = DraftRequest(
            to: recipient, message: Self.message(text, headers: headers, nil, layout), insertedBy: name)
        body.mentions = Self.listed(mentions)
        return try await decode(call(.POST, "drafts", body: body, key: key))
    }

    @discardableResult
    package func editDraft(_ draftID: String, _ text: String) async throws(GatewayError) -> GatewayDraft {
        try await decode(call(.POST, "drafts/\(Self.escape(draftID))/edit", body: EditRequest(text: text)))
    }

    package func sendDraft(_ draftID: String) async throws(GatewayError) -> GatewayMessage {
        try await decode(call(.POST, "drafts/\(Self.escape(draftID))/send"))
    }

    package func discardDraft(_ draftID: String) async throws(GatewayError) {
        _ = try await call(.DELETE, "drafts/\(Self.escape(draftID))")
    }

    // MARK: - Events

    /// Gives `body` the events of the node while it runs. Nothing that happens after `body` was called is missed.
    ///
    /// - Parameters:
    ///   - names: the events to observe; by default all. `eventsLost` and `eventsGone` are always among them.
    ///   - id: the `id` of the last event that the caller knows: what followed it in the journal comes first.
    /// - Throws: `GatewayError`, and what `body` throws.
    package func withEvents<Result: Sendable>(
        _ names: Set<EventName>? = nil, after id: String? = nil, _ body: (GatewayEvents) async throws -> Result
    ) async throws -> Result {
        let query = names.map { "?names=\($0.map(\.rawValue).sorted().joined(separator: ","))" } ?? ""
        var request = Self.request(.GET, "events" + query)
        request.lastEventID = id
        return try await exchange(request) { try await body(GatewayEvents(client: self, names: names, body: $0)) }
    }

    // MARK: - Requests

    private static func request(_ method: HTTPMethod, _ path: String) -> HTTPRequest {
        HTTPRequest(method: method, uri: "/v1/\(path)")
    }

    func get<Body: Decodable>(_ path: String) async throws(GatewayError) -> Body {
        try await decode(call(.GET, path))
    }

    func call(_ method: HTTPMethod, _ path: String) async throws(GatewayError) -> ByteBuffer {
        try await read(Self.request(method, path))
    }

    func call(
        _ method: HTTPMethod, _ path: String, body: some Encodable, key: String? = nil,
        within limit: Duration = GatewayLimits.response
    ) async throws(GatewayError) -> ByteBuffer {
        var request = Self.request(method, path)
        request.idempotencyKey = key
        do { request.body = ByteBuffer(bytes: try JSONEncoder().encode(body)) } catch {
            throw GatewayError(.internalError, "the request cannot be encoded: \(error)", cause: error)
        }
        return try await read(request, within: limit)
    }

    /// Reads the body of the answer to a request.
    func read(
        _ request: HTTPRequest, within limit: Duration = GatewayLimits.response,
        upTo bytes: Int = GatewayLimits.responseBytes
    ) async throws(GatewayError) -> ByteBuffer {
        do {
            return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
                group.addTask {
                    let (status, body) = try await SocketExchange.answer(to: request, at: socketPath, upTo: bytes)
                    guard Self.isDone(status) else { throw Self.failure(status, body) }
                    return body
                }
                group.addTask {
                    try await Task.sleep(for: limit)
                    throw GatewayError(.timedOut, "the node does not answer")
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() else {
                    preconditionFailure("a group with two tasks has a first result")
                }
                return answer
            }
        } catch let error as GatewayError {
            throw error
        } catch {
            throw GatewayError(transport: error, socketPath: socketPath)
        }
    }

    /// Sends a request. If the node did what it was asked, `body` gets the body of the answer.
    ///
    /// - Throws: `GatewayError`, and what `body` throws.
    private func exchange<Result: Sendable>(
        _ request: HTTPRequest, _ body: (HTTPConnection.Body) async throws -> Result
    ) async throws -> Result {
        let connection: HTTPConnection
        do { connection = try await HTTPConnection(sending: request, to: socketPath) } catch {
            throw GatewayError(transport: error, socketPath: socketPath)
        }
        return try await connection.withResponse { head, pieces in
            guard Self.isDone(head.status) else {
                let reason: ByteBuffer
                do { reason = try await pieces.collect(upTo: GatewayLimits.eventBytes) } catch {
                    throw GatewayError(transport: error, socketPath: socketPath)
                }
                throw Self.failure(head.status, reason)
            }
            return try await body(pieces)
        }
    }

    private static func isDone(_ status: HTTPResponseStatus) -> Bool { (200..<300).contains(status.code) }

    private static func failure(_ status: HTTPResponseStatus, _ buffer: ByteBuffer) -> GatewayError {
        do {
            return GatewayError(try JSONDecoder().decode(ErrorResponse.self, from: Data(buffer.readableBytesView)))
        } catch {
            return GatewayError(
                .unexpectedResponse, "the node answered with status \(status.code) and no reason", cause: error)
        }
    }

    func decode<Body: Decodable>(_ buffer: ByteBuffer) throws(GatewayError) -> Body {
        do { return try JSONDecoder().decode(Body.self, from: Data(buffer.readableBytesView)) } catch {
            throw GatewayError(
                .unexpectedResponse, "the node's answer cannot be read: \(error)", cause: error)
        }
    }

    /// A user as a segment of a path.
    /// - Throws: `GatewayError` `unknownUser` for an empty text, which would name another endpoint.
    private static func user(_ text: String) throws(GatewayError) -> String {
        guard !text.isEmpty else { throw GatewayError(.unknownUser, "nobody has an empty name", .init(.empty)) }
        return escape(text)
    }

    /// Percent-encodes everything except characters that are unreserved in a URI (RFC 3986, section 2.3).
    static func escape(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
