public import Earshot
import EarshotModel
import EarshotProtocol
public import Foundation

// Values as a node gives them, for tests of code that takes them. No node knows anything about them.

extension UserID {
    /// A key that nobody holds. The same name gives the same key.
    public static func make(_ name: String) -> UserID { UserID(Bytes32(name: name)) }
}

extension User {
    /// A user whom no node knows.
    /// - Parameters:
    ///   - name: what they call themselves; see `UserName`.
    ///   - userID: their key; by default `UserID.make` of the name.
    ///   - conflictingID: the user to whom the name is pinned, if it is another.
    ///   - seenAt: when the first and the last link was.
    /// - Throws: `EarshotError` `invalidName`.
    public static func make(
        _ name: String, userID: UserID? = nil, trust: Trust = .unverified, isPinned: Bool = true,
        conflictingID: UserID? = nil, isOnline: Bool = true, seenAt: Date = .ofMadeValues
    ) throws(EarshotError) -> User {
        let seen = seenAt.clampedMilliseconds
        let record = UserRecord(
            userID: userID ?? .make(name), name: try UserName(name), trust: trust, isPinned: isPinned, firstSeen: seen,
            lastSeen: seen)
        return User(record, conflictingID: conflictingID, isOnline: isOnline)
    }
}

extension Message {
    /// A message that no node has.
    /// - Parameters:
    ///   - text: its text.
    ///   - senderID: who has written it.
    ///   - recipientID: for whom; in their direct conversation.
    ///   - number: its place in its sender's log, from 1: it gives the message its id.
    ///   - createdAt: when it was written.
    ///   - state: its state for the recipient.
    ///   - isOwn: whether the user of the node that gives it has written it.
    public static func make(
        _ text: String, from senderID: UserID = .make("bob"), to recipientID: UserID = .make("alice"),
        number: Int = 1, createdAt: Date = .ofMadeValues, state: DeliveryState = .delivered, isOwn: Bool = false
    ) -> Message {
        make(
            MessageDraft(text), from: senderID, to: recipientID, number: number, createdAt: createdAt, state: state,
            isOwn: isOwn)
    }

    /// A message that no node has, with everything that a draft says: headers, mentions, attachments, a layout.
    public static func make(
        _ draft: MessageDraft, from senderID: UserID = .make("bob"), to recipientID: UserID = .make("alice"),
        number: Int = 1, createdAt: Date = .ofMadeValues, state: DeliveryState = .delivered, isOwn: Bool = false
    ) -> Message {
        let conversationID = ConversationID.direct(senderID, recipientID)
        let log = LogDescription(conversationID: conversationID, deviceID: DeviceID(senderID.bytes32), epoch: 1)
        let time = createdAt.clampedMilliseconds
        return Message(
            draft.content, messageID: MessageID(log: log.logID, sequence: UInt64(max(1, number))),
            conversationID: conversationID, senderID: senderID,
            recipientIDs: senderID == recipientID ? [] : [recipientID],
            timestamp: HybridTimestamp(milliseconds: time), expiry: draft.expiry(from: time),
            states: senderID == recipientID ? [:] : [recipientID: state], notes: LocalNotes(isOwn: isOwn))
    }
}

extension Date {
    /// When values were made unless something else is said: when a `TestNetwork` begins.
    public static var ofMadeValues: Date { Date(timeIntervalSince1970: 1_767_225_600) }
}

extension Bytes32 {
    /// Bytes that follow from a name (FNV-1a, stretched).
    fileprivate init(name: String) {
        var hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let bytes = (0..<Self.count).map { _ -> UInt8 in
            hash ^= hash >> 29
            hash = hash &* 0xbf58_476d_1ce4_e5b9 &+ 1
            return UInt8(truncatingIfNeeded: hash >> 32)
        }
        self = Bytes32(bytes) ?? Bytes32()
    }
}
