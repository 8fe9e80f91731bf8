/// What an entry is. The body says it, and it stays when the content is erased.
package enum EntryKind: Int, Hashable, Sendable, CaseIterable {
    /// An entry whose content this node never had, or whose body this version does not know.
    case unknown = 0
    case text = 1

    /// Whether a conversation's history shows it.
    package var isShown: Bool { self == .text }
}
