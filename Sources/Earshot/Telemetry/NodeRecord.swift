import EarshotDiscovery
import EarshotProtocol
import Logging

/// One line of the log: a constant text, with metadata. It contains no text, header or name that somebody wrote, and no
/// key but fingerprints of public keys.
struct NodeRecord: Equatable {
    let level: Logger.Level
    /// The same for all records of a kind.
    let message: String
    let metadata: Logger.Metadata
    /// Records of the same kind are counted together when there are too many.
    let kind: String

    init(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:], kind: String = "") {
        self.level = level
        self.message = message
        self.metadata = metadata
        self.kind = kind.isEmpty ? message : "\(message) \(kind)"
    }
}

extension NodeRecord {
    init(_ note: LinkNote) {
        var metadata: Logger.Metadata = [
            "direction": note.isOutbound ? "outbound" : "inbound", "milliseconds": "\(note.duration)",
        ]
        if let userID = note.userID { metadata["peer"] = "\(userID.fingerprint)" }
        if let address = note.address { metadata["address"] = "\(address)" }
        if note.change != .established {
            metadata["reason"] = "\(note.reason ?? "disconnected")"
            metadata["by"] = "\(note.end)"
        }
        switch note.change {
        case .established: self.init(.info, "link is up", metadata)
        case .closed: self.init(.info, "link is down", metadata, kind: note.reason ?? "")
        case .refused: self.init(.notice, "handshake refused", metadata, kind: note.reason ?? "")
        }
    }

    /// - Returns: `nil` for what the node's or a link's own records report, and for the states of single messages.
    init?(_ event: Event) {
        switch event {
        case .nodeStateChanged, .messageQueued, .messageReceived, .messageSent, .messageDelivered, .messageHandled,
            .messageRead, .messageUpdated, .participantUpdated, .conversationAdvertised, .typingStarted, .typingEnded,
            .draftInserted, .draftUpdated, .draftSent, .draftDiscarded, .userUpdated, .profileUpdated,
            .userSubscribed, .userUnsubscribed, .fileUpdated:
            return nil
        case .messageFailed(let change): self.init(change)
        case .conversationUpdated(let update):
            self.init(
                .info, "a conversation has changed",
                ["conversation": "\(update.conversationID)", "status": "\(update.status.rawValue)"])
        case .userDiscovered(let user): self.init(.info, "a user was met", ["peer": "\(user.userID.fingerprint)"])
        case .identityConflict(let conflict):
            self.init(
                .warning, "another key claims a pinned name",
                ["pinned": "\(conflict.pinnedID.fingerprint)", "claimedBy": "\(conflict.claimedBy.fingerprint)"])
        case .linkFailed(let failure):
            var metadata: Logger.Metadata = ["address": "\(failure.address)", "code": "\(failure.code)"]
            if let reason = failure.closeReason { metadata["reason"] = "\(reason)" }
            self.init(.debug, "no link", metadata, kind: failure.code)
        case .clockSkewed(let skew):
            self.init(
                .warning, "a peer's clock is far from this one",
                ["peer": "\(skew.userID.fingerprint)", "aheadMilliseconds": "\(skew.ahead)"])
        case .clockSet(let change):
            self.init(.notice, "the clock was set", ["forwardMilliseconds": "\(change.forward)"])
        case .deviceRevoked(let device):
            self.init(
                .notice, "a device was revoked",
                ["peer": "\(device.userID.fingerprint)", "device": "\(device.deviceID)"])
        case .otherNetworkSeen: self.init(.info, "a node of another network is here")
        case .deviceCopied(let copy):
            let places = copy.addresses.map(\.description).joined(separator: ", ")
            self.init(
                .warning, "someone else advertises this device: is a copy of its home directory in use?",
                ["addresses": "\(places)"])
        case .credentialWillExpire(let notice): self.init(.warning, "the credential ends soon", notice.metadata)
        case .credentialExpired(let notice): self.init(.error, "the credential has expired", notice.metadata)
        case .credentialNotYetValid(let notice):
            self.init(.error, "the credential is not yet valid", notice.metadata)
        case .credentialRenewed(let notice): self.init(.notice, "the credential was renewed", notice.metadata)
        case .storageFailed(let reason):
            self.init(.error, "the disk does not take writes", ["reason": "\(reason)"])
        case .storageRecovered: self.init(.notice, "the disk takes writes again")
        case .historyRecovered(let recovery): self.init(recovery)
        case .discoveryUnavailable(let source, let reason):
            self.init(.warning, "discovery is unavailable", ["source": "\(source)", "reason": "\(reason)"])
        case .discoveryAvailable(let source):
            self.init(.notice, "discovery is available", ["source": "\(source)"])
        case .eventsLost(let count): self.init(.warning, "events were lost", ["count": "\(count)"])
        }
    }

    private init(_ change: MessageStateChange) {
        var metadata: Logger.Metadata = ["message": "\(change.messageID)", "peer": "\(change.recipientID.fingerprint)"]
        var kind = ""
        if case .failed(let reason) = change.state {
            kind = reason.rawValue
            metadata["reason"] = "\(kind)"
        }
        self.init(.info, "a message failed", metadata, kind: kind)
    }

    private init(_ recovery: HistoryRecovery) {
        let renamed = recovery.renamed.reduce(0) { $0 + $1.count }
        self.init(
            .notice, "this database was older than a peer's copy, and was brought up to it",
            ["peer": "\(recovery.userID.fingerprint)", "messages": "\(recovery.count)", "renamed": "\(renamed)"])
    }

    /// - Returns: `nil` for devices that come and go, and for what the node posts as an event.
    init?(_ event: DiscoveryEvent) {
        switch event {
        case .found, .updated, .lost, .sourceAvailable, .sourceUnavailable: return nil
        case .ownDeviceElsewhere(addresses: []): self.init(.info, "nobody else advertises this device any more")
        case .ownDeviceElsewhere: return nil
        case .malformed(_, let reason): self.init(.info, "a malformed advertisement", ["reason": "\(reason)"])
        }
    }

    /// Connections that were closed before a handshake.
    init(connectionsRefused count: Int) {
        self.init(.warning, "connections are closed because there are too many", ["count": "\(count)"])
    }

    /// A commit that took this many seconds is worth a line.
    static let slowCommit = 1.0

    /// - Parameter seconds: how long the commit took.
    /// - Returns: `nil` for a commit that was quick enough.
    init?(commit entries: Int, seconds: Double) {
        guard seconds >= Self.slowCommit else { return nil }
        self.init(
            .warning, "a commit was slow",
            ["entries": "\(entries)", "milliseconds": "\(Int64(seconds * 1000))"])
    }
}

extension LinkNote {
    /// Which end gave the reason: `peer` or `here`.
    var end: String { isByPeer ? "peer" : "here" }
}

extension CredentialNotice {
    fileprivate var metadata: Logger.Metadata { ["notBefore": "\(notBefore)", "notAfter": "\(notAfter)"] }
}
