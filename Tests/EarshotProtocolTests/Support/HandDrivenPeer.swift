import EarshotCrypto
import EarshotModel

@testable import EarshotProtocol

/// A node, and what runs its actions.
protocol NodeHost {
    associatedtype Failure: Error

    /// Hands the node an input, and runs what it wants done.
    /// - Returns: what that was.
    @discardableResult
    mutating func input(_ body: (inout NodeMachine) -> [NodeAction]) throws(Failure) -> [NodeAction]
}

extension MachinePair.Side: NodeHost {
    @discardableResult
    mutating func input(_ body: (inout NodeMachine) -> [NodeAction]) -> [NodeAction] {
        let actions = body(&machine)
        perform(actions)
        return actions
    }
}

/// The node is Alice's.
extension StoredPair: NodeHost {
    @discardableResult
    mutating func input(_ body: (inout NodeMachine) -> [NodeAction]) throws -> [NodeAction] {
        let actions = body(&alice.machine)
        try perform(actions, .alice)
        return actions
    }
}

/// A device that links to a node through its front door and then says what a test wants, and nothing by itself: not even
/// what it holds.
struct HandDrivenPeer {
    private var link: LinkMachine
    let connectionID: ConnectionID
    /// What the node has said, as far as a test has handed it over.
    private(set) var heard: [Frame] = []

    /// Takes the place of the pair's other side. A link that the device had before ends.
    init(_ local: LocalDevice, to side: inout MachinePair.Side, now: Moment) throws {
        try self.init(local, beside: &side, now: now)
        side.output = []
        side.isDisconnected = false
        side.connectionID = connectionID
    }

    /// Goes through the handshake.
    init(_ local: LocalDevice, beside host: inout some NodeHost, now: Moment) throws {
        var configuration = local.link
        configuration.run += 1
        link = try LinkMachine(
            role: .initiator, configuration: configuration, ephemeralKey: .generate(), now: now)
        let address = PeerAddress(host: "10.0.0.2", port: 9)
        var connectionID = ConnectionID(0)
        try host.input { machine in
            let actions: [NodeAction]
            (connectionID, actions) = machine.accepted(from: address, now: now)
            return actions
        }
        self.connectionID = connectionID
        var bytes = link.start().written.flatMap(\.self)
        while !bytes.isEmpty {
            let actions = try host.input { $0.received(bytes, on: connectionID, now: now) }
            let answers = actions.flatMap { action -> [UInt8] in
                if case .write(connectionID, let bytes) = action { bytes } else { [] }
            }
            var output = link.received(answers, now: now)
            if !output.peers.isEmpty { output += link.accept(now: now) }
            heard += output.frames
            bytes = output.written.flatMap(\.self)
        }
    }

    /// The same at both ends.
    var handshakeHash: Bytes32? { link.handshakeHash }

    /// Takes what the node has written.
    mutating func hear(_ bytes: [UInt8], now: Moment) {
        for action in link.received(bytes, now: now) {
            if case .receive(let frame) = action { heard.append(frame) }
        }
    }

    /// What the frames are on the wire, once.
    mutating func bytes(of frames: [Frame], now: Moment) -> [UInt8] {
        for frame in frames { link.enqueue(frame) }
        return link.flush(now: now).written.flatMap(\.self)
    }

    mutating func say<Host: NodeHost>(_ frames: [Frame], to host: inout Host, now: Moment) throws(Host.Failure) {
        let bytes = bytes(of: frames, now: now)
        if !bytes.isEmpty { try host.input { $0.received(bytes, on: connectionID, now: now) } }
    }
}

extension Snapshot {
    /// What a node knows that has met a user, and written to them if `hasWritten`.
    static func met(_ other: LocalDevice, by local: LocalDevice, hasWritten: Bool) -> Snapshot {
        var snapshot = Snapshot()
        snapshot.users = [
            UserRecord(
                userID: other.userID, name: other.name, trust: .unverified, isPinned: false, firstSeen: 1, lastSeen: 1)
        ]
        guard hasWritten else { return snapshot }
        let log = LogDescription(
            conversationID: .direct(local.userID, other.userID), deviceID: local.deviceID, epoch: 1)
        snapshot.logs = [
            LogRecord(
                description: log, authorID: local.userID, conversation: .direct(local.userID, other.userID),
                head: .origin(of: log.logID))
        ]
        return snapshot
    }

    /// What a node knows that holds a log of another device.
    static func received(from other: LocalDevice, by local: LocalDevice) -> Snapshot {
        let log = LogDescription(
            conversationID: .direct(local.userID, other.userID), deviceID: other.deviceID, epoch: 1)
        var snapshot = Snapshot()
        snapshot.logs = [
            LogRecord(
                description: log, authorID: other.userID, conversation: .direct(local.userID, other.userID),
                head: .origin(of: log.logID))
        ]
        return snapshot
    }
}

/// A log whose entries a test writes itself.
struct HandWrittenLog {
    private var log: OwnLog
    private let author: LocalDevice

    init(by author: LocalDevice, to recipientID: UserID, epoch: UInt64 = 1) {
        self.author = author
        let description = LogDescription(
            conversationID: .direct(author.userID, recipientID), deviceID: author.deviceID, epoch: epoch)
        log = OwnLog(
            record: LogRecord(
                description: description, authorID: author.userID, conversation: .direct(author.userID, recipientID),
                head: .origin(of: description.logID)))
    }

    var logID: LogID { log.record.logID }
    var head: LogHead { log.head }
    var record: LogRecord { log.record }

    /// One more message.
    mutating func entry(_ text: String, key: EntryKey? = nil) -> EntryRecord {
        entry(.message(MessageDraft(text)), key: key)
    }

    /// One more entry.
    mutating func entry(_ draft: EntryDraft, key: EntryKey? = nil) -> EntryRecord {
        entry(content: EntryBody.Content(draft), key: key)
    }

    /// One more entry.
    mutating func entry(content: EntryBody.Content, key: EntryKey? = nil) -> EntryRecord {
        let timestamp = HybridTimestamp(rawValue: log.head.timestamp.rawValue + 1)
        let (record, entries) = log.extended(
            by: [EntryBody(timestamp: timestamp, expiry: .max, content: content, key: key)], LogAuthor(author))
        log = OwnLog(record: record)
        return entries[0]
    }

    /// One more message, in a frame of its own.
    mutating func append(_ text: String) -> EntriesFrame { append([text]) }

    /// What its author says of themselves, in a frame of its own.
    mutating func append(_ profile: Profile) -> EntriesFrame {
        let start = head
        return frame([entry(.profile(profile, counter: 1))], after: start)
    }

    /// More messages, in one frame.
    mutating func append(_ texts: [String]) -> EntriesFrame {
        let start = head
        return frame(texts.map { entry($0) }, after: start)
    }

    /// Some of its entries, in one frame.
    func frame(_ entries: [EntryRecord], after start: LogHead) -> EntriesFrame {
        guard let checkpoint = entries.last?.checkpoint else {
            preconditionFailure("the last of a run has a checkpoint")
        }
        return EntriesFrame(
            log: log.description, firstSequence: start.sequence + 1, previousChain: start.chain,
            contents: entries.map(\.content), checkpoint: checkpoint)
    }

    /// Its end, as a peer names it.
    var end: BranchHead { BranchHead(log: log.description, place: head.place) }
}
