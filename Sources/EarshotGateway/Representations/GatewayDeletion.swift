import Earshot

/// What deleting the contents of a conversation came to.
package struct GatewayDeletion: Codable, Hashable, Sendable {
    package let deletedCount: Int
    /// Ids of own messages that were kept because they are not delivered yet: not all where there are many.
    package let kept: [String]
    package let keptCount: Int
    /// Whether the contents are overwritten in the files already. If not, they are by the next deletion, and at the latest
    /// when the node ends.
    package let isOverwritten: Bool
}

/// What deleting the contents of messages came to.
package struct GatewayDeletedMessages: Codable, Hashable, Sendable {
    /// The messages, without their contents.
    package let messages: [GatewayMessage]
    /// Whether the contents are overwritten in the files already, as in `GatewayDeletion`.
    package let isOverwritten: Bool
}

extension GatewayDeletion {
    init(_ deletion: Erasure) {
        deletedCount = deletion.erasedCount
        kept = deletion.kept.map(\.description)
        keptCount = deletion.keptCount
        isOverwritten = deletion.isOverwritten
    }
}
