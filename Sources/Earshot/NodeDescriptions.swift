import EarshotModel

// How the values of this module look as texts (`Shown`), and what `dump` and a debugger show of those with a secret.

extension Node: CustomStringConvertible {
    /// Whose node it is, and its state.
    public var description: String { ShownText.of("Node", [("name", name), ("userID", userID), ("state", state)]) }
}

extension Home: Shown {}

extension Conversation: Shown {
    /// Its id, and what it is called or with whom it is.
    public var description: String {
        ShownText.of(
            "Conversation",
            [("id", conversationID), ("kind", kind), ("peerID", peerID as Any), ("uniqueName", uniqueName as Any)])
    }
}

extension Conversation.Page: Shown {
    public var description: String {
        switch self {
        case .first: "first"
        case .latest: "latest"
        case .before: ShownText.ofCase("before", self)
        case .after: ShownText.ofCase("after", self)
        }
    }
}

extension Conversation.Order: Shown {
    public var description: String {
        switch self {
        case .time: "time"
        case .arrival: "arrival"
        }
    }
}

extension InboxStart: Shown {
    public var description: String {
        switch self {
        case .beginning: "beginning"
        case .notOlderThan: ShownText.ofCase("notOlderThan", self)
        case .now: "now"
        }
    }
}

extension InboxReply.Content: Shown {
    public var description: String {
        switch self {
        case .message: ShownText.ofCase("message", self)
        case .edit: ShownText.ofCase("edit", self)
        case .reaction: ShownText.ofCase("reaction", self)
        }
    }
}

extension NodeDiscovery: Shown {
    public var description: String {
        switch self {
        case .off: "off"
        case .starting: "starting"
        case .daemon: "daemon"
        case .embedded: "embedded"
        case .other: ShownText.ofCase("other", self)
        case .none: ShownText.ofCase("none", self)
        }
    }
}

extension BotAudience: Shown {
    public var description: String {
        switch self {
        case .everyone: "everyone"
        case .verified: "verified"
        case .only: ShownText.ofCase("only", self)
        }
    }
}

extension RestoredDevice: Shown {
    public var description: String {
        switch self {
        case .new: "new"
        case .same: "same"
        }
    }
}

extension PeerDiscovery: Shown {
    public var description: String { "PeerDiscovery" }
}

extension NodeConfiguration: Shown {
    /// The choices that lie in values.
    public var description: String {
        ShownText.of(
            "NodeConfiguration",
            [
                ("port", port), ("staticPeers", staticPeers), ("interfaces", interfaces),
                ("fetchedFileBytes", fetchedFileBytes),
            ])
    }
}

extension SendResult: Shown {
    public var description: String {
        let parts: [(String, Any)] =
            switch result {
            case .success(let message): [("recipientID", recipientID), ("message", message)]
            case .failure(let error): [("recipientID", recipientID), ("error", error)]
            }
        return ShownText.of("SendResult", parts)
    }
}

extension SubscribedUser: CustomStringConvertible {
    public var description: String {
        ShownText.of("SubscribedUser", [("userID", userID), ("user", user as Any), ("isSubscribed", isSubscribed)])
    }
}

extension EventKind: CustomStringConvertible {
    /// The names of its events.
    public var description: String { ShownText.of("EventKind", [("names", names)]) }
}

extension EventBus: CustomStringConvertible {
    public var description: String { "EventBus" }
}

extension EventObserverToken: CustomStringConvertible {
    public var description: String { "EventObserverToken" }
}

extension PrometheusMetrics: CustomStringConvertible {
    public var description: String { "PrometheusMetrics" }
}

extension FileUpload: Shown {
    public var description: String { "FileUpload" }
}

extension Bot: Shown {
    /// The name of its consumer.
    public var description: String { ShownText.of("Bot", [("", consumer)]) }
}

extension BotParameter: Shown {
    public var description: String { shown }
}

extension BotMessage: Shown {
    public var description: String { ShownText.of("BotMessage", [("message", message), ("sender", sender as Any)]) }
}

extension BotActivation: Shown {
    public var description: String {
        ShownText.of("BotActivation", [("message", message.message), ("selectedMessage", selectedMessage as Any)])
    }
}

extension BotReply: Shown {
    public var description: String { ShownText.of("BotReply", [("messageID", messageID)]) }
}

extension BotCall: Shown {
    public var description: String { ShownText.of("BotCall", [("message", message.message)]) }
}

extension BackupSummary: Shown {}
extension ConversationAudit: Shown {}
extension ConversationSummary: Shown {}
extension Conversations: Shown {}
extension DevicePairing.State: Shown {}
extension DevicePairing: Shown {}
extension Devices: Shown {}
extension Drafts: Shown {}
extension Erasure: Shown {}
extension Files: Shown {}
extension Finding.Check: Shown {}
extension Finding.Severity: Shown {}
extension Finding: Shown {}
extension Inbox: Shown {}
extension InboxBatch: Shown {}
extension InboxConsumer: Shown {}
extension InboxFailure: Shown {}
extension InboxReply: Shown {}
extension JoinOffer: Shown {}
extension Journal: Shown {}
extension JournalEvent: Shown {}
extension LinkStatus: Shown {}
extension Messages: Shown {}
extension MetricDescription: Shown {}
extension NodeMetric: Shown {}
extension NodeStatus: Shown {}
extension NotificationResult: Shown {}
extension Notifications: Shown {}
extension SearchQuery: Shown {}
extension SetAsideMessage: Shown {}
extension UndeliveredCount: Shown {}
extension UndeliveredMessage: Shown {}
extension UserDescriptor: Shown {}
extension UserDevice: Shown {}
extension Users: Shown {}

// MARK: - Secrets

extension NetworkKey: CustomReflectable {
    /// The tag, and never the key.
    public var customMirror: Mirror { Mirror(self, children: ["tag": tag], displayStyle: .struct) }
}

extension Passphrase: CustomStringConvertible, CustomReflectable {
    /// Nothing of the passphrase, not even its length.
    public var description: String { "<passphrase>" }
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}

extension DevicePairingCode: CustomStringConvertible, CustomReflectable {
    /// Nothing of the code.
    public var description: String { "<pairing code>" }
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}

extension NotificationRegistration: Shown, CustomReflectable {
    /// All but the secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "target": "\(target)", "createdAt": createdAt, "deliveredAt": deliveredAt as Any,
                "failure": failure as Any, "failingSince": failingSince as Any, "lostCount": lostCount,
            ],
            displayStyle: .struct)
    }
}

extension ParticipantIdentifiers: Shown, CustomReflectable {
    /// The application, and not the salt, with which anybody could tell whose identifier one is.
    public var customMirror: Mirror { Mirror(self, children: ["application": application], displayStyle: .struct) }
}
