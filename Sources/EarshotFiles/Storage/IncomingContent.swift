package import EarshotModel
import Synchronization

/// A content that comes piece by piece, from somewhere else than a file. What was not finished goes with the last reference
/// to it.
package final class IncomingContent: Sendable {
    private let store: FileStore
    private let folder: String
    private let data: OpenFile
    private let room: UInt64?
    /// How much has come, and how much room there was for when that was last looked at.
    private let size = Mutex((byteCount: UInt64(0), checked: UInt64(0)))

    /// The room on the disk is looked at whenever so much more has come.
    private static let checkedBytes: UInt64 = 16 * 1024 * 1024

    init(_ store: FileStore, in folder: String, atMost room: UInt64?) throws(FilesError) {
        (self.store, self.folder, self.room) = (store, folder, room)
        data = try OpenFile("\(folder)/\(FileNames.data)", .creating)
    }

    deinit {
        // What stays is removed at the next start.
        do throws(FilesError) { try Folder.remove(folder) } catch {}
    }

    /// Takes the next piece. Pieces come one after the other.
    /// - Throws: `FilesError` `tooLarge`, `full`, `unavailable`.
    package func append(_ piece: [UInt8]) throws(FilesError) {
        try size.withLock { size throws(FilesError) in
            let count = size.byteCount + UInt64(piece.count)
            guard count <= Limits.fileBytes else { throw Self.tooLarge }
            guard count <= room ?? .max else {
                throw FilesError(
                    .full, "the quota for files has room for \(room ?? 0) bytes more: raise it, or remove some files")
            }
            if count > size.checked {
                try store.checkRoom(for: max(UInt64(piece.count), Self.checkedBytes))
                size.checked = count + Self.checkedBytes
            }
            try data.write(piece, at: Int(size.byteCount))
            // Not all at the end, when whoever sends a message would wait for it.
            data.beginSynchronizing(Int(size.byteCount)..<Int(count))
            size.byteCount = count
        }
    }

    /// All of it has come: it is held when this returns.
    /// - Throws: `FilesError` `full`, `unavailable`.
    package func finish() throws(FilesError) -> (fileID: FileID, byteCount: UInt64) {
        guard let shape = FileShape(byteCount: size.withLock { $0.byteCount }) else { throw Self.tooLarge }
        let (fileID, tree) = try ContentHasher(file: data, shape: shape).run()
        try store.keep(data, of: fileID, tree, in: folder)
        return (fileID, shape.byteCount)
    }

    private static let tooLarge = FilesError(.tooLarge, "the file has more than \(Limits.fileBytes) bytes")
}
