package import EarshotModel

/// What the shell does with files.
package enum FileTask: Hashable, Sendable {
    /// Look what is here of a file that is fetched, and call `fileOpened`.
    case open(FileID, FileShape)
    /// Prove a part that came by a conversation, keep it, and call `fileWritten`.
    case write(FileID, FilePart, [UInt8], from: ConnectionID, in: ConversationID)
    /// Read a part for a peer, if the file may be given in the conversation and is here, and call `fileRead`.
    case read(FileRead)
    /// All parts are here: make it a file that is held, and call `fileFinished`.
    case finish(FileID)
    /// Call `written` once everything is out that was written on a link.
    case notifyWritten(ConnectionID)
}

/// A part of a file that a peer asks for.
package struct FileRead: Hashable, Sendable {
    package let fileID: FileID
    package let conversationID: ConversationID
    package let shape: FileShape
    package let part: FilePart
    package let connectionID: ConnectionID
    /// Whether it is for another device of this node's user, which may have all that a message of the conversation names.
    package let isForOwnDevice: Bool
    /// Which question of the link it belongs to.
    let question: UInt64
}

/// What is here of a file.
package struct FileInventory: Hashable, Sendable {
    /// Whether the hashes of all lists are here.
    package var hasLists: Bool
    /// The lists whose chunks' hashes are here.
    package var lists: Set<Int>
    package var chunks: SequenceSet

    package init(hasLists: Bool = false, lists: Set<Int> = [], chunks: SequenceSet = SequenceSet()) {
        (self.hasLists, self.lists, self.chunks) = (hasLists, lists, chunks)
    }
}

/// What became of a part that came.
package enum FileWriteResult: Hashable, Sendable {
    case kept
    /// It is not what the file's hashes say.
    case wrong
    /// The disk did not take it, and the file is not fetched any more.
    case failed
}
