import Earshot

/// The outcome of deleting the contents of a conversation.
package struct GatewayDeletion: Codable, Hashable, Sendable {
    package let deletedCount: Int
    /// Ids of own messages that were kept because they are not yet delivered. If there are many, only some of them.
    package let kept: [String]
    package let keptCount: Int
    /// Whether the contents are already overwritten in the files. If not, the next deletion overwrites them, or at the
    /// latest the end of the node.
    package let isOverwritten: Bool
}

/// The outcome of deleting the contents of messages.
package struct GatewayDeletedMessages: Codable, Hashable, Sendable {
    /// The messages, without their contents.
    package let messages: [GatewayMessage]
    /// Whether the contents are already overwritten in the files, as in `GatewayDeletion`.
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
