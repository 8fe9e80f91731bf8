import DequeModule
import EarshotModel

/// Messages of one call of `send`, which wait for a commit.
struct PendingSend: Sendable {
    let requestID: RequestID
    let conversation: ConversationRecord
    /// The recipient, who may be giving back a log while the messages wait.
    let recipientID: UserID
    let drafts: [MessageDraft]
    /// The size of texts and headers, in bytes.
    let bytes: Int

    init(requestID: RequestID, conversation: ConversationRecord, recipientID: UserID, drafts: [MessageDraft]) {
        self.requestID = requestID
        self.conversation = conversation
        self.recipientID = recipientID
        self.drafts = drafts
        bytes = drafts.reduce(0) { sum, draft in
            sum + draft.text.utf8.count + draft.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
    }
}

/// Messages on their way into this device's logs: some wait for the disk, and others are held while a log is taken back
/// from their recipient.
///
/// It decides who may still add to it, and in which order messages leave it: messages to one user always leave in the
/// order in which they were asked for. It does not decide who is held, and until when (`SendHolds`).
struct Outbox: Sendable {
    private var waiting: Deque<PendingSend> = []
    private(set) var count = 0
    private(set) var bytes = 0
    /// Held messages do not wait for the disk, and do not count with those that do, except those that waited before and
    /// for which `heldTotal` had no room.
    private var held: [UserID: HeldSends] = [:]

    var isEmpty: Bool { waiting.isEmpty }
    var hasHeld: Bool { !held.isEmpty }
    var callCount: Int { waiting.count }

    /// The held messages that do not count with the others.
    var heldTotal: HeldTotal { held.values.reduce(HeldTotal()) { $0 + $1.outside } }

    /// How many messages are held for the recipient who has the most.
    var mostHeld: Int { held.values.reduce(0) { max($0, $1.count) } }

    /// Adds a send after those that wait for the same recipient, so that the order stays.
    /// - Throws: `ProtocolError` `overloaded`.
    mutating func add(_ send: PendingSend, isHeld: Bool, to name: @autoclosure () -> String) throws(ProtocolError) {
        guard isHeld || held[send.recipientID] != nil else {
            guard hasRoom(for: send) else {
                throw ProtocolError(
                    .overloaded, "\(count) messages wait for the disk already; send again in a moment")
            }
            append(send)
            return
        }
        let earlier = held[send.recipientID, default: HeldSends()]
        guard
            earlier.count == 0
                || (earlier.count + send.drafts.count <= Limits.heldSends
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
        held[send.recipientID, default: HeldSends()].append(send)
    }

    /// Whether one more send may wait for the disk.
    private func hasRoom(for send: PendingSend) -> Bool {
        count == 0
            || (count + send.drafts.count <= Limits.pendingSends && bytes + send.bytes <= Limits.pendingSendBytes)
    }

    private mutating func append(_ send: PendingSend) {
        waiting.append(send)
        count += send.drafts.count
        bytes += send.bytes
    }

    // MARK: - Held

    /// Holds the waiting messages to a user.
    mutating func hold(_ userID: UserID) {
        guard waiting.contains(where: { $0.recipientID == userID }) else { return }
        var total = heldTotal
        var hasRoom = held[userID]?.isFirstQueued != true
        // They come before messages that still waited when the last hold ended.
        for send in waiting.reversed() where send.recipientID == userID {
            hasRoom = hasRoom && total.hasRoom(for: send)
            held[userID, default: HeldSends()].prepend(send, isQueued: !hasRoom)
            // It was accepted, so it waits in any case. If there is no more room, it keeps its place.
            guard hasRoom else { continue }
            total.add(send)
            count -= send.drafts.count
            bytes -= send.bytes
        }
        waiting.removeAll { $0.recipientID == userID }
    }

    /// Releases messages that are no longer held, as far as the others leave room.
    mutating func release(where isHeld: (UserID) -> Bool) {
        for userID in held.keys.sorted() where !isHeld(userID) {
            while let send = held[userID]?.first {
                let isQueued = held[userID]?.isFirstQueued == true
                guard isQueued || hasRoom(for: send) else { break }
                held[userID]?.removeFirst()
                if isQueued { waiting.append(send) } else { append(send) }
            }
            if held[userID]?.first == nil { held[userID] = nil }
        }
    }

    // MARK: - Into a commit

    /// The messages of one call stay together, so a large call may be larger than a commit should be.
    mutating func takeForCommit() -> [PendingSend] {
        var taken: [PendingSend] = []
        var (takenCount, takenBytes) = (0, 0)
        while let send = waiting.first,
            taken.isEmpty
                || (takenCount + send.drafts.count <= Limits.commitEntries
                    && takenBytes + send.bytes <= Limits.commitBytes)
        {
            waiting.removeFirst()
            takenCount += send.drafts.count
            takenBytes += send.bytes
            taken.append(send)
        }
        count -= takenCount
        bytes -= takenBytes
        return taken
    }
}
