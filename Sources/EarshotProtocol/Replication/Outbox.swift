import DequeModule
import EarshotModel

/// What one call writes into this device's logs, all of it in one commit or nothing; it waits for that commit.
struct PendingSend: Sendable {
    /// Messages to one conversation.
    struct Part: Sendable {
        let conversation: ConversationRecord
        let drafts: [EntryDraft]
        /// The drafts' keys, in their order; empty if none has one.
        var keys: [EntryKey?] = []
        /// The kind of the log that they go into.
        var kind = LogKind.messages
    }

    /// `nil` for what nobody has asked for.
    let requestID: RequestID?
    let parts: [Part]
    /// What is written in the same commit.
    let changes: [ProgramChange]
    /// The last message of each log that a program has dealt with, from the same commit on.
    let handled: [MessageID]
    let count: Int
    /// The size of texts and headers, in bytes.
    let bytes: Int

    init(requestID: RequestID?, parts: [Part], changes: [ProgramChange] = [], handled: [MessageID] = []) {
        self.requestID = requestID
        self.parts = parts
        self.changes = changes
        self.handled = handled
        count = parts.indices.reduce(0) { $0 + parts[$1].drafts.count }
        bytes = parts.indices.reduce(0) { bytes, part in
            let drafts = parts[part].drafts
            return drafts.indices.reduce(bytes) { $0 + drafts.span[$1].byteCount }
        }
    }

    /// Whether a message of it may come back with a log that is taken back.
    var isKeyed: Bool { parts.indices.contains { !parts[$0].keys.isEmpty } }

    /// `nil` if it goes to several conversations, or to none.
    fileprivate var onlyConversationID: ConversationID? {
        parts.count == 1 ? parts[0].conversation.conversationID : nil
    }

    /// What it decides about a private conversation, if it does.
    var decision: Part? { parts.indices.first { parts.span[$0].kind == .control }.map { parts[$0] } }

    /// Whether it goes to a conversation of which this is true.
    func goes(to condition: (ConversationID) -> Bool) -> Bool {
        parts.indices.contains { condition(parts[$0].conversation.conversationID) }
    }
}

/// Messages on their way into this device's logs: some wait for the disk, and others are held while a log of their
/// conversation is taken back.
///
/// It decides who may still add to it, and in which order messages leave it: calls to one conversation always leave in
/// the order in which they were made. A call to several waits while one of them is held, and then goes behind what the
/// others were sent meanwhile. It does not decide who is held, and until when (`SendHolds`).
struct Outbox: Sendable {
    private var waiting: Deque<PendingSend> = []
    private(set) var count = 0
    private(set) var bytes = 0
    /// Held messages do not wait for the disk, and do not count with those that do, except those that waited before and
    /// for which `heldTotal` had no room.
    private var held: [ConversationID: HeldSends] = [:]
    /// Calls to several conversations.
    private var heldTogether = HeldSends()
    /// Whether this device's user has revoked it.
    private var isClosed = false

    var isEmpty: Bool { waiting.isEmpty }
    var hasHeld: Bool { !held.isEmpty || heldTogether.first != nil }
    var callCount: Int { waiting.count }

    /// The held messages that do not count with the others.
    var heldTotal: HeldTotal { held.values.reduce(heldTogether.outside) { $0 + $1.outside } }

    /// How many messages are held for the conversation that has the most.
    var mostHeld: Int { held.values.reduce(0) { max($0, $1.count) } }

    /// Adds a send after those that wait for the same conversation, so that the order stays.
    /// - Throws: `ProtocolError` `overloaded`; `deviceRevoked` for anything that others would have to take.
    mutating func add(
        _ send: consuming PendingSend, isHeld: Bool, to name: @autoclosure () -> String
    ) throws(ProtocolError) {
        guard !isClosed || send.count == 0 else {
            throw ProtocolError(.deviceRevoked, "this device was revoked: nobody takes anything from it any more")
        }
        guard isHeld || (!held.isEmpty && send.goes { held[$0] != nil }) else {
            guard hasRoom(for: send) else {
                throw ProtocolError(
                    .overloaded, "\(count) messages wait for the disk already; send again in a moment")
            }
            append(send)
            return
        }
        let conversationID = send.onlyConversationID
        let earlier = conversationID.map { held[$0, default: HeldSends()] } ?? heldTogether
        guard
            earlier.count == 0
                || (earlier.count + send.count <= Limits.heldSends
                    && earlier.bytes + send.bytes <= Limits.heldSendBytes)
        else {
            let name = name()
            throw ProtocolError(
                .overloaded,
                "\(earlier.count) messages to \(name) already wait until \(name) has given back earlier messages of "
                    + "this node; send again in a moment")
        }
        let total = heldTotal
        guard total.hasRoom(for: send) else {
            throw ProtocolError(
                .overloaded,
                "\(total.count) messages already wait until users have given back earlier messages of this node; send "
                    + "again in a moment")
        }
        if let conversationID {
            held[conversationID, default: HeldSends()].append(send)
        } else {
            heldTogether.append(send)
        }
    }

    /// This device's user has revoked it: nobody would take what is added from now on.
    mutating func close() { isClosed = true }

    /// Whether one more send may wait for the disk.
    private func hasRoom(for send: PendingSend) -> Bool {
        count == 0
            || (count + send.count <= Limits.pendingSends && bytes + send.bytes <= Limits.pendingSendBytes)
    }

    private mutating func append(_ send: consuming PendingSend) {
        count += send.count
        bytes += send.bytes
        waiting.append(send)
    }

    // MARK: - Held

    /// Holds the waiting messages to a conversation.
    mutating func hold(_ conversationID: ConversationID) {
        guard waiting.contains(where: { $0.goes { $0 == conversationID } }) else { return }
        var total = heldTotal
        var (hasRoom, hasRoomTogether) = (held[conversationID]?.isFirstQueued != true, !heldTogether.isFirstQueued)
        // They come before messages that still waited when the last hold ended.
        for send in waiting.reversed() where send.goes(to: { $0 == conversationID }) {
            if send.onlyConversationID != nil {
                hasRoom = hasRoom && total.hasRoom(for: send)
                held[conversationID, default: HeldSends()].prepend(send, isQueued: !hasRoom)
            } else {
                hasRoomTogether = hasRoomTogether && total.hasRoom(for: send)
                heldTogether.prepend(send, isQueued: !hasRoomTogether)
            }
            // It was accepted, so it waits in any case. If there is no more room, it keeps its place.
            guard send.onlyConversationID != nil ? hasRoom : hasRoomTogether else { continue }
            total.add(send)
            count -= send.count
            bytes -= send.bytes
        }
        waiting.removeAll { $0.goes { $0 == conversationID } }
    }

    /// Releases messages that are no longer held, as far as the others leave room.
    /// - Returns: those with keys. What was taken back may have brought them, so they are to be looked up, and added again.
    mutating func release(where isHeld: (ConversationID) -> Bool) -> [PendingSend] {
        var keyed: [PendingSend] = []
        for conversationID in held.keys.sorted() where !isHeld(conversationID) {
            while let sends = held[conversationID], let send = sends.first,
                release(send, isQueued: sends.isFirstQueued, &keyed)
            {
                held[conversationID]?.removeFirst()
            }
            if held[conversationID]?.first == nil { held[conversationID] = nil }
        }
        while let send = heldTogether.first, !send.goes(to: isHeld),
            release(send, isQueued: heldTogether.isFirstQueued, &keyed)
        {
            heldTogether.removeFirst()
        }
        return keyed
    }

    /// - Returns: whether there was room for it.
    private mutating func release(_ send: PendingSend, isQueued: Bool, _ keyed: inout [PendingSend]) -> Bool {
        guard isQueued || hasRoom(for: send) else { return false }
        if send.isKeyed {
            keyed.append(send)
            guard isQueued else { return true }
            count -= send.count
            bytes -= send.bytes
        } else if isQueued {
            waiting.append(send)
        } else {
            append(send)
        }
        return true
    }

    // MARK: - Into a commit

    /// The messages of one call stay together, so a large call may be larger than a commit should be.
    /// - Parameter mayGo: whether a call may go into the commit. One that may not goes on waiting, and with it what follows it to
    ///   the same conversations.
    mutating func takeForCommit(where mayGo: (PendingSend) -> Bool = { _ in true }) -> [PendingSend] {
        var (taken, left): ([PendingSend], Deque<PendingSend>) = ([], [])
        var stopped: Set<ConversationID> = []
        var (takenCount, takenBytes) = (0, 0)
        while !waiting.isEmpty {
            let (count, bytes) = (takenCount + waiting[0].count, takenBytes + waiting[0].bytes)
            guard taken.isEmpty || (count <= Limits.commitEntries && bytes <= Limits.commitBytes) else { break }
            let send = waiting.removeFirst()
            guard stopped.isEmpty || !send.goes(to: stopped.contains), mayGo(send) else {
                stopped.formUnion(send.parts.map(\.conversation.conversationID))
                left.append(send)
                continue
            }
            (takenCount, takenBytes) = (count, bytes)
            taken.append(send)
        }
        if !left.isEmpty { waiting = left + waiting }
        count -= takenCount
        bytes -= takenBytes
        return taken
    }
}
