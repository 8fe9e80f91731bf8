import EarshotCrypto
import EarshotModel

/// A hash over what nodes did, which a change of the code inside them must not change: the bytes of each frame, the
/// values of each commit, the fields of each event, and the time of each.
///
/// Values are hashed field by field, each after its length, in an order that this file alone decides. The hash does not
/// depend on how Swift prints, orders or hashes a type. Sentences for people are left out.
struct TraceDigest {
    private var hash = Blake2b(label: "earshot simulation trace 1")

    /// The digest of everything that was noted.
    var value: Bytes32 { hash.finalize() }

    // MARK: - What happened

    /// A process began or ended, or something was done to it.
    mutating func host(_ what: StaticString, node: Int, at time: Int64) {
        begin("host", node: node, at: time)
        text(what)
    }

    /// Bytes went onto a connection: frames, sealed with keys that come from the seed.
    mutating func frames(_ bytes: [UInt8], connection: UInt64, node: Int, at time: Int64) {
        begin("frames", node: node, at: time)
        number(connection)
        field(bytes)
    }

    mutating func commit(_ commit: Commit, node: Int, at time: Int64) {
        begin("commit", node: node, at: time)
        for record in commit.users.sorted(by: { $0.userID < $1.userID }) { user(record) }
        for userID in commit.forgottenUsers.sorted() { item("forgotten user", userID) }
        for record in commit.devices.sorted(by: { $0.deviceID < $1.deviceID }) { device(record) }
        for deviceID in commit.forgottenDevices.sorted() { item("forgotten device", deviceID) }
        for record in commit.logs.sorted(by: { $0.logID < $1.logID }) { log(record) }
        for tail in commit.unsentTails { unsent(tail) }
        for tail in commit.rewrittenTails { rewritten(tail) }
        for run in commit.entries.sorted(by: { $0.logID < $1.logID }) {
            for record in run.entries { entry(record, of: run.logID) }
        }
        for record in commit.deliveries.sorted(by: { ($0.logID, $0.recipientID) < ($1.logID, $1.recipientID) }) {
            delivery(record)
        }
        for record in commit.failures.sorted(by: { $0.messageID < $1.messageID }) {
            text("failure")
            message(record.messageID)
            string(record.reason.rawValue)
            flag(record.isWithheld)
        }
        for messageID in commit.withdrawnFailures.map(\.messageID).sorted() {
            text("withdrawn failure")
            message(messageID)
        }
    }

    mutating func reachability(_ answers: [Reachability], node: Int, at time: Int64) {
        begin("reachability", node: node, at: time)
        for answer in answers {
            id(answer.userID)
            string(answer.isReachable.map { $0 ? "yes" : "no" } ?? "unknown")
        }
    }

    mutating func event(_ event: Event, node: Int, at time: Int64) {
        begin("event", node: node, at: time)
        string(event.name.rawValue)
        switch event {
        case .nodeStateChanged(let state): string(state.name)
        case .messageQueued(let message), .messageReceived(let message): self.message(message)
        case .messageSent(let change), .messageDelivered(let change), .messageHandled(let change),
            .messageRead(let change),
            .messageFailed(let change):
            message(change.messageID)
            id(change.conversationID)
            id(change.recipientID)
            state(change.state)
        case .typingStarted(let typing), .typingEnded(let typing):
            id(typing.conversationID)
            id(typing.userID)
        case .messageUpdated(let update):
            message(update.messageID)
            id(update.conversationID)
            id(update.userID)
            string(update.change.rawValue)
        case .conversationUpdated(let update):
            id(update.conversationID)
            string(update.status.rawValue)
            for change in update.changes.map(\.rawValue).sorted() { string(change) }
        case .participantUpdated(let update):
            id(update.conversationID)
            id(update.participant.userID)
            string(update.participant.status.rawValue)
        case .draftInserted(let change), .draftUpdated(let change), .draftSent(let change),
            .draftDiscarded(let change):
            id(change.conversationID)
            if let messageID = change.messageID { message(messageID) }
        case .conversationAdvertised(let conversation): id(conversation.conversationID)
        case .userDiscovered(let user): self.user(user)
        case .userUpdated(let user, let changes):
            self.user(user)
            for change in changes.map(\.rawValue).sorted() { string(change) }
        case .profileUpdated: break
        case .fileUpdated(let update): id(update.fileID)
        case .userSubscribed(let userID), .userUnsubscribed(let userID): id(userID)
        case .identityConflict(let conflict):
            string(conflict.name.description)
            id(conflict.pinnedID)
            id(conflict.claimedBy)
        case .linkFailed(let failure):
            string(failure.address)
            optional(failure.userID)
            string(failure.code)
            string(failure.closeReason ?? "")
        case .clockSkewed(let skew):
            id(skew.userID)
            number(UInt64(bitPattern: skew.ahead))
        case .clockSet(let change): number(UInt64(bitPattern: change.forward))
        case .credentialWillExpire(let notice), .credentialExpired(let notice), .credentialRenewed(let notice),
            .credentialNotYetValid(let notice):
            number(UInt64(bitPattern: notice.notBefore))
            number(UInt64(bitPattern: notice.notAfter))
        case .deviceRevoked(let device):
            id(device.userID)
            id(device.deviceID)
        case .otherNetworkSeen(let network): string(network.tag ?? "")
        case .deviceCopied(let copy): number(UInt64(copy.addresses.count))
        case .historyRecovered(let recovery):
            id(recovery.userID)
            number(UInt64(recovery.count))
            renamed(recovery.renamed)
        case .discoveryUnavailable(let source, _), .discoveryAvailable(let source): string(source)
        case .eventsLost(let count): number(UInt64(count))
        case .storageFailed, .storageRecovered: break
        }
    }

    // MARK: - Values

    private mutating func user(_ record: UserRecord) {
        item("user", record.userID)
        string(record.name.description)
        string(record.trust.rawValue)
        flag(record.isPinned)
        number(UInt64(bitPattern: record.firstSeen))
        number(UInt64(bitPattern: record.lastSeen))
    }

    private mutating func user(_ user: User) {
        id(user.userID)
        string(user.name.description)
        string(user.trust.rawValue)
        flag(user.isPinned)
        flag(user.isOnline)
        optional(user.conflictingID)
        number(UInt64(bitPattern: user.firstSeen))
        number(UInt64(bitPattern: user.lastSeen))
    }

    private mutating func device(_ record: DeviceRecord) {
        item("device", record.deviceID)
        id(record.userID)
        field(record.credential)
        for address in record.addresses { string(address.description) }
    }

    private mutating func log(_ record: LogRecord) {
        item("log", record.logID)
        id(record.description.conversationID)
        id(record.description.deviceID)
        number(record.description.epoch)
        id(record.authorID)
        number(record.head.sequence)
        id(record.head.chain)
        number(record.head.timestamp.rawValue)
        number(UInt64(bitPattern: record.nextExpiry))
    }

    private mutating func unsent(_ tail: UnsentTail) {
        item("unsent", tail.logID)
        number(tail.after)
        id(tail.limbo.logID)
    }

    private mutating func rewritten(_ tail: RewrittenTail) {
        item("rewritten", tail.limboID)
        number(tail.through.sequence)
        renamed(tail.places)
        flag(tail.isLast)
    }

    private mutating func entry(_ record: EntryRecord, of logID: LogID) {
        item("entry", logID)
        number(record.sequence)
        number(record.timestamp.rawValue)
        number(UInt64(bitPattern: record.expiry))
        switch record.content {
        case .body(let bytes): field(bytes)
        case .withheld(let hash): item("withheld", hash)
        }
        id(record.chain)
        field(record.checkpoint?.bytes ?? [])
        flag(record.isDeleted)
    }

    private mutating func delivery(_ record: DeliveryRecord) {
        item("delivery", record.logID)
        id(record.recipientID)
        number(record.progress.offered)
        number(record.progress.sent)
        number(record.progress.delivered)
        number(record.progress.read)
        if record.progress.handled > 0 { number(record.progress.handled) }
        guard let receipt = record.progress.receipt else { return }
        number(receipt.sequence)
        id(receipt.chain)
        number(receipt.readSequence)
        id(receipt.deviceID)
        field(receipt.signature.bytes)
    }

    private mutating func message(_ message: Message) {
        self.message(message.messageID)
        id(message.conversationID)
        id(message.senderID)
        for recipientID in message.recipientIDs { id(recipientID) }
        string(message.text)
        for (name, value) in message.headers.sorted(by: { $0.key < $1.key }) {
            string(name)
            string(value)
        }
        number(message.timestamp.rawValue)
        number(UInt64(bitPattern: message.expiry))
        for (recipientID, value) in message.states.sorted(by: { $0.key < $1.key }) {
            id(recipientID)
            state(value)
        }
        flag(message.isDeleted)
    }

    private mutating func message(_ messageID: MessageID) {
        id(messageID.log)
        number(messageID.sequence)
    }

    private mutating func state(_ state: DeliveryState) {
        string(state.name)
        if case .failed(let reason) = state { string(reason.rawValue) }
    }

    private mutating func renamed(_ runs: [RenamedMessages]) {
        number(UInt64(runs.count))
        for run in runs {
            message(run.from)
            message(run.to)
            number(run.count)
        }
    }

    // MARK: - Fields

    private mutating func begin(_ what: StaticString, node: Int, at time: Int64) {
        text(what)
        number(UInt64(node))
        number(UInt64(bitPattern: time))
    }

    private mutating func item(_ what: StaticString, _ value: some Identifier) {
        text(what)
        id(value)
    }

    private mutating func text(_ text: StaticString) {
        number(UInt64(text.utf8CodeUnitCount))
        text.withUTF8Buffer { hash.update(UnsafeRawBufferPointer($0)) }
    }

    private mutating func string(_ string: String) { field([UInt8](string.utf8)) }

    private mutating func field(_ bytes: [UInt8]) {
        number(UInt64(bytes.count))
        hash.update(bytes)
    }

    private mutating func id(_ value: some Identifier) { hash.update(value.bytes32) }

    private mutating func optional(_ value: (some Identifier)?) {
        flag(value != nil)
        if let value { id(value) }
    }

    private mutating func flag(_ value: Bool) { number(value ? 1 : 0) }
    private mutating func number(_ value: UInt64) { hash.update(value) }
}
