// How the values of this module look as texts (`Shown`).

extension Message: Shown {
    /// Its id, its sender, the beginning of its text and its state, or how many recipients are in which.
    public var description: String {
        var parts: [(String, Any)] = [("id", messageID), ("senderID", senderID)]
        if isRetracted { parts.append(("", MessageMark.retracted)) }
        if isDeleted { parts.append(("", MessageMark.deleted)) }
        parts.append(("text", text))
        if !attachments.isEmpty { parts.append(("attachments", attachments.map(\.name))) }
        let counts = Dictionary(states.values.map { ("\($0)", 1) }, uniquingKeysWith: +)
        if counts.count == 1, let state = counts.first?.key {
            parts.append(("state", MessageMark(text: state)))
        } else if !counts.isEmpty {
            let texts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            parts.append(("states", MessageMark(text: texts.joined(separator: ", "))))
        }
        return ShownText.of("Message", parts)
    }
}

/// A word that stands in a text without quotation marks.
private struct MessageMark: CustomStringConvertible {
    static let retracted = MessageMark(text: "retracted")
    static let deleted = MessageMark(text: "deleted")

    let text: String
    var description: String { text }
}

extension MessageDraft: Shown {
    /// The beginning of its text, and what else it brings along.
    public var description: String {
        ShownText.of(
            "MessageDraft",
            [
                ("text", text), ("headers", headers), ("mentions", mentions), ("attachments", attachments.map(\.name)),
                ("layout", layout as Any),
                ("timeToLive", timeToLive == Self.defaultTimeToLive ? "" : timeToLive as Any),
            ])
    }
}

extension Event: Shown {
    /// Its name and what it is about.
    public var description: String { ShownText.ofCase(name.rawValue, self) }
}

extension DeliveryState: Shown {
    /// Its name, and why it failed: `delivered`, `failed(expired)`.
    public var description: String { ShownText.ofCase(name, self) }
}

extension NodeState: Shown {
    /// Its name, and the port: `open`, `running(port: 7410)`.
    public var description: String { ShownText.ofCase(name, self) }
}

extension FileState: Shown {
    public var description: String {
        switch self {
        case .waiting: "waiting"
        case .fetching: ShownText.ofCase("fetching", self)
        case .held: "held"
        case .declined: "declined"
        case .failed: ShownText.ofCase("failed", self)
        }
    }
}

extension FileCopy: Shown {
    public var description: String {
        switch self {
        case .saved: ShownText.ofCase("saved", self)
        case .failed: ShownText.ofCase("failed", self)
        }
    }
}

extension FileRule.Decision: Shown {
    public var description: String {
        switch self {
        case .fetch: ShownText.ofCase("fetch", self)
        case .ask: "ask"
        case .refuse: "refuse"
        }
    }
}

extension Destination: Shown {
    public var description: String {
        switch self {
        case .user: ShownText.ofCase("user", self)
        case .conversation: ShownText.ofCase("conversation", self)
        }
    }
}

extension Admission: Shown {
    public var description: String {
        switch self {
        case .everybody: "everybody"
        case .only: ShownText.ofCase("only", self)
        }
    }
}

extension NotificationTarget: Shown, CustomReflectable {
    /// What it is, without an argument or a path of an address: those may be secret.
    public var description: String {
        switch self {
        case .command(let path, let arguments):
            ShownText.of("command", [("path", path), ("arguments", arguments.isEmpty ? "" : arguments.count as Any)])
        case .desktop: "desktop"
        case .webhook(let url): "webhook(\(Self.host(of: url)))"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["target": description], displayStyle: .enum) }

    private static func host(of url: String) -> Substring {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 2 else { return "" }
        // A name and a password may stand before it, and a token behind it.
        let authority = parts[2].prefix { !"/?#".contains($0) }
        return authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    }
}

extension CredentialNotice.RenewalProblem: Shown {
    public var description: String {
        switch self {
        case .sealed: "sealed"
        case .needsPrimary: "needsPrimary"
        case .failed: ShownText.ofCase("failed", self)
        }
    }
}

extension LogFindings.Mismatch.Kind: Shown {
    public var description: String { ShownText.ofCase(LogFindings.Mismatch(kind: self, sequence: nil).name, self) }
}

extension LogFindings: Shown {
    /// Whose log it is, how long it is, and what does not hold.
    public var description: String {
        ShownText.of(
            "LogFindings",
            [
                ("authorID", authorID), ("deviceID", deviceID), ("entryCount", entryCount),
                ("mismatchCount", mismatchCount), ("mismatches", mismatches.map(\.kind)),
            ])
    }
}

extension Profile: CustomReflectable {
    /// A picture is shown as its size.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["friendlyName": friendlyName, "attributes": attributes, "picture": picture, "bot": bot as Any],
            displayStyle: .struct)
    }
}

extension LookAlikes: Shown {
    public var description: String { "LookAlikes" }
}

extension AdvertisedConversation: Shown {}
extension Attachment: Shown {}
extension BotProfile: Shown {}
extension BotProfile.Command: Shown {}
extension ClockChange: Shown {}
extension ClockSkew: Shown {}
extension ConversationChange: Shown {}
extension ConversationDetails: Shown {}
extension ConversationDraft: Shown {}
extension ConversationKind: Shown {}
extension ConversationUpdate: Shown {}
extension CredentialNotice: Shown {}
extension DeliveryCounts: Shown {}
extension DeviceCopy: Shown {}
extension DiscoveryConfiguration: Shown {}
extension Draft: Shown {}
extension DraftChange: Shown {}
extension EarshotError.Parameters: Shown {}
extension EventName: Shown {}
extension FailureReason: Shown {}
extension FileRule: Shown {}
extension FileRules: Shown {}
extension FileUpdate: Shown {}
extension FileUsage: Shown {}
extension HistoryRecovery: Shown {}
extension IdentityConflict: Shown {}
extension LinkFailure: Shown {}
extension MessageChange: Shown {}
extension MessageLayout: Shown {}
extension MessageSession: Shown {}
extension MessageStateChange: Shown {}
extension MessageTimes: Shown {}
extension MessageUpdate: Shown {}
extension NotificationLevel: Shown {}
extension OtherNetwork: Shown {}
extension OwedCopy: Shown {}
extension Participant: Shown {
    public var description: String {
        ShownText.of("Participant", [("userID", userID), ("role", role), ("status", status)])
    }
}
extension Participant.Role: Shown {}
extension Participant.Status: Shown {}
extension ParticipantUpdate: Shown {}
extension Picture: Shown {}
extension Picture.Format: Shown {}
extension Profile: Shown {}
extension Reaction: Shown {}
extension RenamedMessages: Shown {}
extension RevokedDevice: Shown {}
extension ScheduledMessage: Shown {}
extension SessionStep: Shown {}
extension SharedFile: Shown {}
extension Trust: Shown {}
extension TrustDecision: Shown {}
extension Typing: Shown {}
extension User: Shown {}
extension UserChange: Shown {}
