/// What an entry is. The body says it, and it stays when the content is erased.
package enum EntryKind: Int, Hashable, Sendable, CaseIterable {
    /// An entry whose content this node never had, or whose body this version does not know.
    case unknown = 0
    case text = 1
    /// The ends of the logs that an epoch follows.
    case branches = 2
    /// Another text for a message.
    case edit = 3
    /// A message is taken back.
    case retract = 4
    /// A reaction to a message, or its end.
    case reaction = 5
    /// Where the logs of a revoked device end.
    case cut = 13
    /// What a revoked device has written behind that: it is kept, and never shown.
    case cutOff = 14
    /// What says nothing where it stands, like a message in a control log: it is kept, and never shown.
    case misplaced = 15
    /// Its author belongs to the conversation from here on.
    case join = 20
    /// Its author belongs to it no longer.
    case leave = 21
    /// Up to where its author knew the control logs of the conversation.
    case version = 22
    // Entries of control logs.
    case created = 23
    case add = 24
    case remove = 25
    case update = 26
    case pass = 27
    case handOver = 28
    case closed = 29
    case begin = 30
    /// A message of somebody who did not belong to the conversation: it is kept, and never shown.
    case disregarded = 31
    /// What its user has decided about another.
    case decision = 40
    /// What its user has erased.
    case erasure = 41
    /// What its user was shown, and does not count.
    case shown = 42
    /// What the author says of themselves.
    case profile = 50

    /// Whether it is no message, but says something about others or about a log.
    package var isHidden: Bool { rawValue > EntryKind.text.rawValue }

    /// Whether a conversation's history shows it.
    package var isShown: Bool { self == .text }

    /// Whether a device tells the others of its user something with it.
    package var isShared: Bool { [.cut, .decision, .erasure, .shown].contains(self) }

    /// Whether it says something to people, which they can erase. What others of its kind say is needed to know who belongs
    /// where, and what counts.
    package var isErasable: Bool {
        switch self {
        case .unknown, .text, .edit, .reaction, .cutOff, .misplaced, .disregarded: true
        default: false
        }
    }

    /// Whether it is kept and says nothing, because its author's word counts for nothing there.
    package var isSilent: Bool { self == .disregarded || self == .cutOff }

    /// Whether it says who belongs to a private conversation, or depends on that.
    package var isMembership: Bool { (EntryKind.join.rawValue...EntryKind.disregarded.rawValue).contains(rawValue) }
}
