/// What a node has of a file that a message brings along.
public enum FileState: Hashable, Sendable {
    /// Nothing, and it fetches nothing before its user asks for it: the file is larger than what it fetches by itself, or a
    /// stranger's.
    case waiting
    /// So many bytes, and it fetches the rest as soon as somebody who has it is there.
    case fetching(receivedBytes: UInt64)
    /// All of it.
    case held
    /// Nothing that it keeps: its user does not want it.
    case declined
    /// Not all of it, because the disk does not take it, for this reason.
    case failed(reason: String)
}

/// A file of which a node has more than before, or something else than before.
public struct FileUpdate: Hashable, Sendable {
    public let fileID: FileID
    /// The size of its content.
    public let byteCount: UInt64
    public let state: FileState
    /// The copy that a rule has put into a folder; `nil` if this is about something else.
    public let copy: FileCopy?

    package init(_ fileID: FileID, byteCount: UInt64, _ state: FileState, copy: FileCopy? = nil) {
        (self.fileID, self.byteCount, self.state, self.copy) = (fileID, byteCount, state, copy)
    }
}

/// What became of a copy for the folder of a `FileRule`.
public enum FileCopy: Hashable, Sendable {
    case saved(path: String)
    /// It is owed, and tried again: once it is there, that is told.
    case failed(reason: String)
}
