package import EarshotModel
import Synchronization

/// A content that comes piece by piece, from somewhere else than a file. What was not finished goes with the last reference
/// to it.
package final class IncomingContent: Sendable {
    private let store: FileStore
    private let folder: String
    private let data: OpenFile
    private let writer: ContentWriter
    private let state = Mutex(State())

    private struct State {
        /// How much has come.
        var byteCount: UInt64 = 0
        /// The end of what has come, which is written when it is a whole chunk.
        var gathered: [UInt8] = []
    }

    init(_ store: FileStore, in folder: String) throws(FilesError) {
        (self.store, self.folder) = (store, folder)
        data = try OpenFile("\(folder)/\(FileNames.data)", .creating)
        writer = ContentWriter(data)
    }

    deinit {
        // What stays is removed at the next start.
        do throws(FilesError) { try Folder.remove(folder) } catch {}
    }

    /// Takes the next piece. Pieces come one after the other.
    /// - Throws: `FilesError` `tooLarge`, `full`, `unavailable`.
    package func append(_ piece: [UInt8]) throws(FilesError) {
        try state.withLock { state throws(FilesError) in
            let count = state.byteCount + UInt64(piece.count)
            guard count <= Limits.fileBytes else { throw Self.tooLarge }
            // Others may be taken in beside it, so each piece looks.
            try store.checkRoom(for: UInt64(piece.count))
            state.byteCount = count
            state.gathered += piece
            let whole = state.gathered.count / FileShape.chunkBytes * FileShape.chunkBytes
            try write(whole, of: &state)
        }
    }

    private func write(_ count: Int, of state: inout State) throws(FilesError) {
        guard count > 0 else { return }
        try writer.write(state.gathered[..<count], at: Int(state.byteCount) - state.gathered.count)
        state.gathered.removeFirst(count)
    }

    /// All of it has come: it is held when this returns.
    /// - Throws: `FilesError` `full`, `unavailable`.
    package func finish() throws(FilesError) -> (fileID: FileID, byteCount: UInt64) {
        let byteCount = try state.withLock { state throws(FilesError) in
            try write(state.gathered.count, of: &state)
            return state.byteCount
        }
        guard let shape = FileShape(byteCount: byteCount) else { throw Self.tooLarge }
        let (fileID, tree) = try ContentHasher(file: data, shape: shape).run()
        try store.keep(data, of: fileID, tree, in: folder)
        return (fileID, shape.byteCount)
    }

    private static let tooLarge = FilesError(.tooLarge, "the file has more than \(Limits.fileBytes) bytes")
}
