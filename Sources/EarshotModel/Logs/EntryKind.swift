/// What an entry is. It is known from the body, and kept when the content goes.
package enum EntryKind: Int, Hashable, Sendable, CaseIterable {
    /// Of an entry whose content this node never had, or of a body that this version does not know.
    case unknown = 0
    case text = 1

    /// Whether a conversation's history shows it.
    package var isShown: Bool { self == .text }
}
