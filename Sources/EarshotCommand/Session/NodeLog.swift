import Earshot
import EarshotGateway

/// Writes the events of a running node, one a line.
///
/// Users who come and go are written to standard output, and problems to standard error. As JSON, everything goes to
/// standard output.
struct NodeLog {
    let output: Output
    /// The node's own user.
    let status: GatewayStatus
    private var names: NameBook
    /// The last failure at each address, to leave out repeated ones.
    private var failures: [String: String] = [:]
    private static let rememberedFailures = 1024
    /// When it was last told that history was taken back.
    private var recoveredAt: ContinuousClock.Instant?
    /// For how long it is not told again.
    private static let recoveryPause = Duration.seconds(60)
    /// The reasons with which a node refuses a user because of who they are.
    private static let refusals: Set<String> = [nameRefusal, admissionRefusal, "blocked"]
    private static let admissionRefusal = "notAdmitted"
    private static let nameRefusal = "identityConflict"
    /// The code of a link that the other end has closed.
    private static let closedByPeer = "closedByPeer"
    /// The code of a link between two networks.
    private static let otherNetwork = "otherNetwork"

    init(output: Output, status: GatewayStatus, names: NameBook) {
        self.output = output
        self.status = status
        self.names = names
    }

    /// The message that has arrived, if one has. Its text is in no log.
    func arrival(_ event: GatewayEvent) -> Arrivals.Item? {
        guard event.name == EventName.messageReceived.rawValue, let message = event.message else { return nil }
        return Arrivals.Item(
            message: message, sender: names.shown(message.sender),
            conversation: message.conversationName.map(names.shown(conversationNamed:)))
    }

    mutating func write(_ event: GatewayEvent) throws {
        guard event.name != EventName.messageReceived.rawValue else { return }
        if let user = event.user { names.update(user) }
        guard isNews(event) else { return }
        try output.object(event)
        if !output.isJSON { describe(event) }
    }

    private mutating func isNews(_ event: GatewayEvent) -> Bool {
        guard event.name == EventName.linkFailed.rawValue, var address = event.address else { return true }
        var failure = "\(event.code ?? ""): \(event.reason ?? "")"
        // This node's user knows whom the node refuses because of who they are.
        let isOwnRefusal = Self.refusals.contains(event.closeReason ?? "") && event.code != Self.closedByPeer
        if isOwnRefusal, event.closeReason != Self.admissionRefusal { return false }
        if let cause = Self.lastingCause(of: event) {
            // Both ends keep trying, with another port and other numbers in the text each time.
            address = String(address.prefix(upTo: address.lastIndex(of: ":") ?? address.endIndex)) + " " + cause
            failure = cause
            // The text names those whom this node does not admit.
            if isOwnRefusal { address = event.reason ?? address }
        }
        guard failures[address] != failure else { return false }
        if failures.count >= Self.rememberedFailures { failures.removeAll() }
        failures[address] = failure
        return true
    }

    /// The reason that keeps two nodes apart until somebody does something about it.
    private static func lastingCause(of event: GatewayEvent) -> String? {
        let reason = event.closeReason ?? ""
        guard [event.code ?? "", reason].contains(where: { $0.hasPrefix("credential") }) else {
            return refusals.contains(reason) ? "\(event.code ?? "") \(reason)" : nil
        }
        // The text says whose credential it is. How long ago it expired changes from one try to the next.
        return event.reason.map { $0.filter { !$0.isNumber } }
    }

    private mutating func describe(_ event: GatewayEvent) {
        if event.name == GatewayEvent.goneName { output.note("some of what happened is not known any more") }
        let name = event.user.map { names.shown($0) } ?? "somebody"
        let reason = event.reason ?? "the reason is unknown"
        switch EventName(rawValue: event.name) {
        case .userDiscovered: describeDiscovery(event.user, name: name)
        case .userUpdated: describeUpdate(event, name: name)
        case .conversationUpdated: describe(event.conversation)
        case .participantUpdated: describe(event.participant)
        case .conversationAdvertised: describe(event.advertised)
        case .identityConflict: describe(event.conflict)
        case .linkFailed where event.closeReason == Self.admissionRefusal && event.code != Self.closedByPeer:
            output.note("\(reason), and was refused; to let them in: earshot up --allow KEY")
        case .linkFailed where Self.refusals.contains(event.closeReason ?? ""):
            describeRefusal(event, by: event.user.map { names.shown($0) } ?? "the node at \(event.address ?? "?")")
        case .linkFailed where event.code == Self.otherNetwork:
            output.note(
                "no link to \(event.address ?? name): \(reason); if they belong together, compare the keys on both "
                    + "machines: earshot network show")
        case .linkFailed: output.note("no link to \(event.address ?? name): \(reason)")
        case .clockSet: output.note(Self.clockSet(forward: event.forwardMilliseconds ?? 0))
        case .clockSkewed: output.note(Self.skew(event.aheadMilliseconds ?? 0, of: name))
        case .credentialWillExpire, .credentialExpired, .credentialNotYetValid:
            let text = Self.notice(EventName(rawValue: event.name), event.credential)
            output.note("\(text): \(Self.remedy(EventName(rawValue: event.name), event.credential))")
        case .credentialRenewed: output.line(Self.notice(.credentialRenewed, event.credential))
        case .deviceRevoked: output.note(revocation(of: event))
        case .otherNetworkSeen:
            let network = event.networkTag.map { "network \($0)" } ?? "without a network key"
            output.note(
                "a node of another network is here (\(network)): if it should be yours, compare the keys on both "
                    + "machines: earshot network show")
        case .deviceCopied:
            output.report(
                Failure(
                    .deviceCopied,
                    "another node has this device's keys, at \((event.addresses ?? []).joined(separator: ", ")): a copy of this "
                        + "home runs there, and peers take the two for one", remedy: Remedy.copied))
        case .storageFailed: output.note("the disk takes no writes: \(reason)")
        case .storageRecovered: output.note("the disk takes writes again")
        case .historyRecovered: describeRecovery(event, name: name)
        case .discoveryUnavailable:
            output.report(
                Failure(
                    .networkUnavailable, "nobody can be found with \(event.source ?? "discovery"): \(reason)",
                    remedy: "start the Avahi daemon (systemctl start avahi-daemon), or name peers with --peer"))
        case .discoveryAvailable: output.line("users are found with \(SafeText.line(event.source ?? "discovery"))")
        default: break
        }
    }

    private func describe(_ update: GatewayConversationUpdate?) {
        guard let update else { return }
        let shown = names.shown(conversationNamed: update.uniqueName)
        guard let line = ConversationWords.change(update, as: shown, names) else { return }
        output.line(line)
    }

    private func describe(_ update: GatewayParticipantUpdate?) {
        guard let update else { return }
        let participant = update.participant
        let who = names.shown(GatewayParty(id: participant.id, name: participant.name))
        let conversation = update.conversationName.map(names.shown(conversationNamed:)) ?? "a conversation"
        output.line("\(who) \(ConversationWords.change(of: participant.status)) \(conversation)")
    }

    private func describe(_ conversation: GatewayAdvertisedConversation?) {
        guard let conversation else { return }
        let who = conversation.users.map { names.shown($0) }.joined(separator: ", ")
        output.line(
            "\(who) tells of \(names.shown(conversationNamed: conversation.uniqueName)): to join it: earshot "
                + "conversation join \(ShellWord.quote(conversation.uniqueName))")
    }

    private mutating func describeRecovery(_ event: GatewayEvent, name: String) {
        // Where a copy of the home runs, this comes about once a second.
        guard recoveredAt.map({ $0.duration(to: .now) >= Self.recoveryPause }) ?? true else { return }
        recoveredAt = .now
        let renamed = (event.renamed ?? []).reduce(0) { $0 + $1.count }
        let others = renamed == 0 ? "" : "; \(renamed) that were written since have new ids"
        output.note(
            "the history here was older than what \(name) holds of it, as after a restored backup: "
                + "\(event.count ?? 0) of this user's messages were taken back\(others)")
    }

    private func revocation(of event: GatewayEvent) -> String {
        if event.deviceID == status.deviceID {
            return "this device was revoked: nobody links to it any more. \(Remedy.revoked)"
        }
        let owner = event.userID == status.id ? "this user's" : event.user.map { "\(names.shown($0))'s" } ?? "a user's"
        return "\(owner) device \(event.deviceID?.prefix(8) ?? "") was revoked: there are no links to it any more"
    }

    private func describeUpdate(_ event: GatewayEvent, name: String) {
        guard let user = event.user else { return }
        if event.changes?.contains(UserChange.claimedName.rawValue) == true, let claimed = user.claimedName {
            output.note(
                "\(name) calls themselves \(names.looks(of: claimed)) now, and is \(name) here until you agree: earshot trust "
                    + "\(names.typed(user)) --accept")
        }
        guard event.changes?.contains(UserChange.isOnline.rawValue) == true else { return }
        output.line("\(name) is \(user.isOnline ? output.style.green("online") : output.style.dim("offline"))")
    }

    private func describeDiscovery(_ user: GatewayUser?, name: String) {
        // The conflict reports users who claim the name of another.
        guard let user, user.conflictsWith == nil else { return }
        let likeness = names.likeness(of: user).map { "; \($0)" } ?? ""
        output.line("\(name) was met for the first time: \(user.fingerprint)\(likeness)")
    }

    static func notice(_ name: EventName?, _ credential: GatewayCredentialNotice?) -> String {
        let (notBefore, notAfter) = (credential?.notBefore ?? "another time", credential?.notAfter ?? "an unknown time")
        return switch name {
        case .credentialWillExpire: "this device's credential expires at \(notAfter)"
        case .credentialExpired: "this device's credential expired at \(notAfter), and peers refuse new links with it"
        case .credentialNotYetValid:
            "this device's credential is valid only from \(notBefore), which this machine's clock has not reached"
        default: "this device has a new credential, until \(notAfter)"
        }
    }

    /// What to do if the credential is not renewed.
    private static func remedy(_ name: EventName?, _ credential: GatewayCredentialNotice?) -> String {
        let remedy = credential?.reason ?? (credential?.problem == "needsPrimary" ? Remedy.needsPrimary : Remedy.sealed)
        return name == .credentialNotYetValid ? "set this machine's clock if it is behind; else \(remedy)" : remedy
    }

    static func clockSet(forward: Int64) -> String {
        "this machine's clock was set \(forward < 0 ? "back" : "forward") by "
            + "\(TimeSpan.text(milliseconds: forward)): for a minute no message expires by it, and none that is scheduled goes out"
    }

    static func skew(_ ahead: Int64, of name: String) -> String {
        let direction = ahead < 0 ? "behind" : "ahead of"
        return "the clock of \(name) is \(TimeSpan.text(milliseconds: ahead)) \(direction) this machine's: "
            + "set one of the two clocks right"
    }

    private func describe(_ conflict: GatewayConflict?) {
        guard let conflict else { return }
        let name = names.looks(of: conflict.name)
        let typed =
            names.user(conflict.pinnedID).map { names.typed($0) }
            ?? ShellWord.user(conflict.name, key: conflict.pinnedID)
        output.report(
            Failure(
                .identityConflict,
                "another key claims the name \(name), and is refused: \(NameBook.fingerprint(conflict.claimedBy)); "
                    + "the name is pinned to \(NameBook.fingerprint(conflict.pinnedID))",
                remedy: "ask \(name) in person which key is theirs, and see: earshot trust \(typed)"))
    }

    private func describeRefusal(_ event: GatewayEvent, by peer: String) {
        guard event.closeReason == Self.nameRefusal else {
            output.note(
                event.closeReason == Self.admissionRefusal
                    ? "\(peer) refuses this node: it admits only some users, and \(status.name) is not among them"
                    : "\(peer) refuses this node: its user has blocked this one")
            return
        }
        output.report(
            Failure(
                .identityConflict,
                "\(peer) refuses this node: there the name \(status.name) is pinned to another key than "
                    + status.fingerprint,
                remedy:
                    "if the name is yours, ask them to compare the fingerprint with you and to give it to this key: "
                    + "earshot trust \(ShellWord.user(status.name, key: status.id)) --accept"))
    }
}
