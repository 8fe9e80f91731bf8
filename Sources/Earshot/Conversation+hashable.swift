/// Two values are equal if they are of one conversation of one node.
extension Conversation: Hashable {
    public static func == (a: Conversation, b: Conversation) -> Bool {
        a.conversationID == b.conversationID && a.node === b.node
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(conversationID)
        hasher.combine(ObjectIdentifier(node))
    }
}
