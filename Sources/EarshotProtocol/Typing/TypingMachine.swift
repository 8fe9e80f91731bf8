import EarshotModel

/// Who types where: what peers are told of this node's user, and what this node believes of others.
///
/// It knows conversations only by their ids. Its parent says which links lead to a conversation's participants, and
/// whether a peer is one of them. `docs/PROTOCOL.md`, section 2.13.
struct TypingMachine: Sendable {
    enum Action: Hashable, Sendable {
        case send(Frame, ConnectionID)
        case post(Event)
    }

    /// Where this node's user types, and when peers were last told.
    private var toldAt: [ConversationID: Int64] = [:]
    /// Until when others type, by what they were last heard to say on each of their devices.
    private var others: [UserID: [ConversationID: [DeviceID: Int64]]] = [:]
    /// Nobody stops by silence before this uptime.
    private(set) var deadline = Int64.max

    /// How many conversations this node's user types in, and the most that a device of somebody else does.
    var load: (own: Int, ofDevice: Int) {
        let devices = others.values.map { conversations in
            Dictionary(conversations.values.flatMap(\.keys).map { ($0, 1) }, uniquingKeysWith: +).values.max() ?? 0
        }
        return (toldAt.count, devices.max() ?? 0)
    }

    // MARK: - This node's user

    /// A program says that this node's user types, or has stopped. It may say so at each key: peers hear of it now and
    /// then.
    /// - Parameter links: those to the other participants.
    mutating func set(
        _ isTyping: Bool, in conversationID: ConversationID, over links: [ConnectionID], now: Int64
    ) -> [Action] {
        toldAt = toldAt.filter { now - $0.value < Timing.typing }
        if isTyping {
            if let last = toldAt[conversationID], now - last < Timing.typingRepeat { return [] }
            if toldAt[conversationID] == nil, toldAt.count >= Limits.typingConversations { forgetOldest() }
            toldAt[conversationID] = now
        } else if toldAt.removeValue(forKey: conversationID) == nil {
            return []
        }
        return links.map { .send(.typing(conversationID, isTyping: isTyping), $0) }
    }

    private mutating func forgetOldest() {
        guard let oldest = toldAt.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return }
        toldAt[oldest.key] = nil
    }

    /// This node's user has written. The message itself tells the others that the user no longer types.
    mutating func wrote(in conversationID: ConversationID) {
        if !toldAt.isEmpty { toldAt[conversationID] = nil }
    }

    // MARK: - Others

    /// A participant's device says that its user types, or has stopped.
    mutating func heard(
        _ isTyping: Bool, in conversationID: ConversationID, from userID: UserID, on deviceID: DeviceID, now: Int64
    ) -> [Action] {
        guard isTyping else { return stopped(userID, in: conversationID, on: deviceID) }
        let devices = others[userID]?[conversationID] ?? [:]
        if devices[deviceID] == nil {
            let count = others[userID]?.values.count { $0[deviceID] != nil } ?? 0
            guard count < Limits.typingConversations else { return [] }
        }
        others[userID, default: [:]][conversationID, default: [:]][deviceID] = now + Timing.typing
        deadline = min(deadline, now + Timing.typing)
        let typing = Typing(conversationID: conversationID, userID: userID)
        return devices.isEmpty ? [.post(.typingStarted(typing))] : []
    }

    /// A message of a participant is here: who has written no longer types.
    mutating func wrote(_ userID: UserID, in conversationID: ConversationID) -> [Action] {
        guard !others.isEmpty, others[userID]?[conversationID] != nil else { return [] }
        return stopped(userID, in: conversationID, where: { _, _ in true })
    }

    /// A device has no link any more.
    mutating func unlinked(_ deviceID: DeviceID, of userID: UserID) -> [Action] {
        guard let conversations = others[userID]?.keys.sorted() else { return [] }
        return conversations.flatMap { stopped(userID, in: $0, on: deviceID) }
    }

    /// Ends what nobody has repeated.
    mutating func tick(now: Int64) -> [Action] {
        guard deadline <= now else { return [] }
        var actions: [Action] = []
        for (userID, conversations) in others.sorted(by: { $0.key < $1.key }) {
            for conversationID in conversations.keys.sorted() {
                actions += stopped(userID, in: conversationID, where: { $1 <= now })
            }
        }
        deadline = others.values.lazy.flatMap(\.values).flatMap(\.values).min() ?? .max
        return actions
    }

    private mutating func stopped(
        _ userID: UserID, in conversationID: ConversationID, on deviceID: DeviceID
    ) -> [Action] {
        stopped(userID, in: conversationID, where: { device, _ in device == deviceID })
    }

    private mutating func stopped(
        _ userID: UserID, in conversationID: ConversationID, where isOver: (DeviceID, Int64) -> Bool
    ) -> [Action] {
        guard let devices = others[userID]?[conversationID] else { return [] }
        let left = devices.filter { !isOver($0.key, $0.value) }
        others[userID]?[conversationID] = left.isEmpty ? nil : left
        if others[userID]?.isEmpty == true { others[userID] = nil }
        return left.isEmpty
            ? [.post(.typingEnded(Typing(conversationID: conversationID, userID: userID)))] : []
    }
}
