import EarshotGateway

/// A message as a device shows it, with all that must be the same on each device of its user.
struct ShownMessage: Hashable, Sendable {
    let id: String
    /// The key of its author.
    let senderID: String
    let text: String
    let isRetracted: Bool
    let isDeleted: Bool
    /// By the recipient's key: its state, and why it failed.
    let states: [String: String]
}

extension ShownMessage {
    init(_ message: GatewayMessage) {
        let states = message.recipients.map { ($0.id, $0.reason.map { "failed: \($0)" } ?? $0.state) }
        self.init(
            id: message.id, senderID: message.sender.id, text: message.text, isRetracted: message.isRetracted,
            isDeleted: message.isDeleted, states: Dictionary(states) { $1 })
    }
}

/// What a device shows, and what is unread there, by conversation: what it calls them is the same on all devices of its user.
struct ShownHistories: Sendable {
    let device: GroupDevice
    /// The key of the device's user.
    let userID: String
    var histories: [String: [ShownMessage]] = [:]
    var unread: [String: Int] = [:]

    /// In what the devices of one user differ, in words.
    func differences(from other: ShownHistories) -> [String] {
        let names = Set(histories.keys).union(other.histories.keys).sorted()
        return names.compactMap { name in
            let (here, there) = (histories[name] ?? [], other.histories[name] ?? [])
            let place = "\(device.name) and \(other.device.name) in \(name): "
            if let text = Self.difference(here, there) { return place + text }
            guard unread[name] != other.unread[name] else { return nil }
            return place + "\(unread[name] ?? 0) and \(other.unread[name] ?? 0) unread"
        }
    }

    /// A device that was away does not know when a message was written that was taken back since.
    private static func difference(_ here: [ShownMessage], _ there: [ShownMessage]) -> String? {
        let known = Dictionary(there.map { ($0.id, $0) }) { $1 }
        for message in here {
            guard let other = known[message.id] else { return "only the first shows \(message.inWords)" }
            if message != other { return "\(message.inWords) is \(other.inWords) on the second" }
        }
        let ids = Set(here.map(\.id))
        if let more = there.first(where: { !ids.contains($0.id) }) { return "only the second shows \(more.inWords)" }
        let (a, b) = (here.filter { !$0.isRetracted }, there.filter { !$0.isRetracted })
        return zip(a, b).first { $0 != $1 }.map { "\($0.inWords) stands where the second shows \($1.inWords)" }
    }

    /// Where an author is told of a message what a device of its recipient does not show, in words.
    /// - Parameter recipient: shows what that device shows.
    func untruths(about recipient: ShownHistories) -> [String] {
        var shown: [String: ShownMessage] = [:]
        for message in recipient.histories.values.joined() { shown[message.id] = message }
        return histories.values.joined().compactMap { message in
            guard message.senderID == userID, let state = message.states[recipient.userID] else { return nil }
            let there = shown[message.id]
            let isShown = there.map { $0.text == message.text || $0.isRetracted } ?? false
            let isTold = ["delivered", "handled", "read"].contains(state)
            let isDenied = state.hasPrefix("failed")
            guard isTold && !isShown || isDenied && there != nil else { return nil }
            return "\(message.inWords) is \(state) for \(recipient.device.name), which "
                + (there.map { "shows \($0.inWords)" } ?? "does not show it")
        }
    }
}

extension ShownMessage {
    fileprivate var inWords: String {
        let kind = isRetracted ? "taken back" : isDeleted ? "deleted" : "\"\(text.prefix(30))\""
        return "\(id.prefix(4))…\(id.suffix(4)) (\(kind), \(Set(states.values).sorted().joined(separator: ", ")))"
    }
}
