import Earshot

/// What deleting the contents of a conversation came to.
public struct GatewayDeletion: Codable, Hashable, Sendable {
    public let deletedCount: Int
    /// Ids of own messages that were kept because they are not delivered yet: not all where there are many.
    public let kept: [String]
    public let keptCount: Int
    /// Whether the contents are overwritten in the files already. If not, they are by the end of the node.
    public let isOverwritten: Bool
}

extension GatewayDeletion {
    init(_ deletion: ContentDeletion) {
        deletedCount = deletion.deletedCount
        kept = deletion.kept.map(\.description)
        keptCount = deletion.keptCount
        isOverwritten = deletion.isOverwritten
    }
}
