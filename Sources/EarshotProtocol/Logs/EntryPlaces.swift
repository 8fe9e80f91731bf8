import EarshotModel

extension EntryKind {
    /// Whether an entry says something in a log. This is the one place that decides it. What stands elsewhere is kept and
    /// proved like any entry, so that nobody is held up, and says nothing.
    /// - Parameters:
    ///   - conversation: whose log it is.
    ///   - kind: what the log holds.
    func mayStand(in kind: LogKind, of conversation: ConversationRecord) -> Bool {
        switch self {
        case .unknown, .cutOff, .misplaced, .disregarded: true
        case .text, .edit, .retract, .reaction, .branches, .cut: kind == .messages
        case .profile: kind == .messages && conversation.kind == .direct
        case .decision, .erasure, .shown: kind == .messages && conversation.isOfOneUser
        case .join, .leave: kind == .messages && conversation.kind != .direct
        case .version: kind == .messages && conversation.kind == .private
        case .created, .add, .remove, .update, .pass, .handOver, .closed, .begin:
            kind == .control && conversation.kind == .private
        }
    }
}

extension ConversationRecord {
    /// Whether it is that of a user with themselves.
    fileprivate var isOfOneUser: Bool { kind == .direct && Set(participantIDs).count == 1 }
}

extension ProvedEntries {
    /// Keeps entries from saying anything that stand where they may not.
    mutating func silenceMisplaced(in log: LogDescription, of conversation: ConversationRecord) {
        for index in indices where !records[index].kind.mayStand(in: log.kind, of: conversation) {
            silence(index, as: .misplaced)
        }
    }
}
