/// What an entry of a control log says.
package enum ControlEntry: Hashable, Sendable {
    /// The first entry of a conversation's first control log.
    case created(Creation)
    /// - Parameter returnsAfter: the removal, written by another device of the owner, that this addition takes back.
    case add(UserID, returnsAfter: LogPlace? = nil)
    /// - Parameter cuts: the last entry that counts, for each log and branch of the user.
    case remove(UserID, cuts: [LogPlace] = [], reason: RemovalReason = .removed)
    case update(ConversationAttributes)
    /// Another device of the owner may go on in a log of its own.
    case pass(to: DeviceID)
    /// Another user may become the owner.
    case handOver(to: UserID)
    case closed
    /// The first entry of every control log but the first one.
    case begin(ControlBegin)
}

/// An entry of a control log, as its author writes it.
package struct ControlBody: Hashable, Sendable {
    package let entry: ControlEntry
    /// With `created`: what gives the conversation its id.
    package let origin: ConversationOrigin?
    /// In the first entry of a log: the identity key's word that the device holds it.
    package let proof: Signature?

    package init(_ entry: ControlEntry, origin: ConversationOrigin? = nil, proof: Signature? = nil) {
        self.entry = entry
        self.origin = origin
        self.proof = proof
    }
}

/// What a private conversation's id follows from.
package struct ConversationOrigin: Hashable, Sendable {
    package let creatorID: UserID
    /// 16 bytes, drawn at random.
    package let salt: [UInt8]

    package static let saltBytes = 16

    package init(creatorID: UserID, salt: [UInt8]) {
        self.creatorID = creatorID
        self.salt = salt
    }
}

/// What a private conversation was created with.
package struct Creation: Hashable, Sendable {
    /// The id that the entry's author and salt give. The entry founds no other conversation.
    package let conversationID: ConversationID
    package let uniqueName: String
    package let attributes: ConversationAttributes
    /// Whether who joins is given what was written before.
    package let givesHistory: Bool
    /// The conversation that this one continues.
    package let continues: ConversationID?

    package init(
        conversationID: ConversationID, uniqueName: String, attributes: ConversationAttributes, givesHistory: Bool,
        continues: ConversationID? = nil
    ) {
        self.conversationID = conversationID
        self.uniqueName = uniqueName
        self.attributes = attributes
        self.givesHistory = givesHistory
        self.continues = continues
    }
}

/// What can be changed about a conversation.
package struct ConversationAttributes: Hashable, Sendable {
    package let friendlyName: String
    package let json: String
    /// One more than that of the attributes that these replace.
    package let counter: UInt64

    package init(friendlyName: String, json: String = "", counter: UInt64 = 0) {
        self.friendlyName = friendlyName
        self.json = json
        self.counter = counter
    }
}

package enum RemovalReason: Hashable, Sendable {
    case removed
    /// The owner's device records that the user has left.
    case left
}

/// How a control log follows another.
package struct ControlBegin: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        /// `follows` is the `pass` to this device.
        case pass
        /// `follows` is the `handOver` to this device's user.
        case handOver
        /// A device with the identity key goes on elsewhere, and says what the conversation is from here on.
        case takeover(RestatedConversation)
        /// `follows` is the last entry that fits into this device's log.
        case full
    }

    /// The number of this control log, from 2: one more than that of the log that it follows.
    package let term: UInt64
    package let follows: LogPlace
    /// The other ends of control logs that the device knew: branches, and logs that do not count.
    package let heads: [LogPlace]
    package let cause: Cause

    package init(term: UInt64, follows: LogPlace, heads: [LogPlace] = [], cause: Cause) {
        self.term = term
        self.follows = follows
        self.heads = heads
        self.cause = cause
    }
}

/// What a takeover says the conversation is. Whether it gives history was decided when it was created.
package struct RestatedConversation: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package let userID: UserID
        /// The addition that the user answers.
        package let added: LogPlace

        package init(userID: UserID, added: LogPlace) {
            self.userID = userID
            self.added = added
        }
    }

    package let uniqueName: String
    package let attributes: ConversationAttributes
    package let members: [Member]

    package init(uniqueName: String, attributes: ConversationAttributes, members: [Member]) {
        self.uniqueName = uniqueName
        self.attributes = attributes
        self.members = members
    }
}

extension ControlEntry {
    package var kind: EntryKind {
        switch self {
        case .created: .created
        case .add: .add
        case .remove: .remove
        case .update: .update
        case .pass: .pass
        case .handOver: .handOver
        case .closed: .closed
        case .begin: .begin
        }
    }

    /// The size of its texts, in bytes.
    package var byteCount: Int {
        switch self {
        case .created(let creation): creation.uniqueName.utf8.count + creation.attributes.byteCount
        case .update(let attributes): attributes.byteCount
        case .add, .remove, .pass, .handOver, .closed, .begin: 0
        }
    }
}

extension ConversationAttributes {
    package var byteCount: Int { friendlyName.utf8.count + json.utf8.count }
}
