package import EarshotModel
import Glibc

/// The contents of files, each once, by its id, beside the database.
///
/// `held` has what is here whole, `partial` what is on its way, and `work` what is being taken in; each content has a folder of
/// its own. A content moves to `held` by one rename, once all of it is on the disk, so it is there whole or not at all.
package struct FileStore: Sendable {
    let root: String

    /// Opens it, and removes what was not taken in to its end, and contents on their way of which nothing is noted, or that are
    /// here whole.
    /// - Parameter path: a folder, which is made if need be.
    /// - Throws: `FilesError` `full`, `unavailable`.
    package init(_ path: String) throws(FilesError) {
        root = path
        for folder in [root, Self.held, Self.partial, Self.work].map({ $0 == path ? $0 : "\(path)/\($0)" }) {
            try Folder.make(folder)
        }
        for name in try Folder.names(in: "\(root)/\(Self.work)") { try Folder.remove("\(root)/\(Self.work)/\(name)") }
        try removeEmptyPartials()
        try removeHeldPartials(except: [])
    }

    static let (held, partial, work) = ("held", "partial", "work")

    private func folder(_ part: String, _ fileID: FileID) -> String { "\(root)/\(part)/\(fileID)" }

    /// Messages may say different sizes of one content, of which one at most is true: none may spoil what came of another.
    private func partialFolder(_ fileID: FileID, _ shape: FileShape) -> String {
        "\(folder(Self.partial, fileID))-\(shape.byteCount)"
    }

    // MARK: - Taking in

    /// Takes in what a file contains now. Where the file system can, both share the room on the disk.
    /// - Parameter path: a file, or what leads to one.
    /// - Returns: its id and its size.
    /// - Throws: `FilesError` `missing`, `notAFile`, `tooLarge`, `full`; `changed` if it changed meanwhile; `unavailable`.
    package func add(_ path: String) throws(FilesError) -> (fileID: FileID, byteCount: UInt64) {
        let source = try OpenFile(path, .reading)
        let stamp = try source.stamp()
        guard stamp.isRegular else { throw FilesError(.notAFile, "\(path) is a folder or a device, and no file") }
        guard try source.ends(at: stamp.byteCount) else { return try addPieces(of: source) }
        guard let shape = FileShape(byteCount: stamp.byteCount) else {
            throw FilesError(
                .tooLarge, "\(path) has \(stamp.byteCount) bytes, and the limit is \(Limits.fileBytes)")
        }
        try checkRoom(for: shape.byteCount)
        let folder = try newWork()
        // What stays of it is removed at the next start.
        defer { do throws(FilesError) { try Folder.remove(folder) } catch {} }
        let data = try OpenFile("\(folder)/\(FileNames.data)", .creating)
        let hasher: ContentHasher
        if data.share(source) {
            hasher = ContentHasher(file: data, shape: shape)
        } else {
            try data.reserve(shape.byteCount)
            hasher = ContentHasher(file: source, shape: shape, copy: ContentWriter(data))
        }
        let (fileID, tree) = try hasher.run()
        guard try source.stamp() == stamp else {
            throw FilesError(.changed, "\(path) changed while it was read: send it again when it is finished")
        }
        try keep(data, of: fileID, tree, in: folder)
        return (fileID, shape.byteCount)
    }

    /// Takes in what can be read of a file that does not say its size, as those of `/proc` and `/sys`.
    private func addPieces(of source: OpenFile) throws(FilesError) -> (fileID: FileID, byteCount: UInt64) {
        let content = try receive()
        var offset = 0
        while true {
            let piece = try source.bytes(at: offset..<offset + Self.pieceBytes)
            guard !piece.isEmpty else { return try content.finish() }
            try content.append(piece)
            offset += piece.count
        }
    }

    /// How much of a file without a size is read at once.
    private static let pieceBytes = 1 << 20

    /// Begins to take in a content that comes piece by piece.
    /// - Throws: `FilesError` `full`, `unavailable`.
    package func receive() throws(FilesError) -> IncomingContent { try IncomingContent(self, in: newWork()) }

    private func newWork() throws(FilesError) -> String {
        let folder = "\(root)/\(Self.work)/\(UInt64.random(in: .min ... .max))"
        try Folder.make(folder)
        return folder
    }

    /// Holds a content from now on, unless it is here already.
    /// - Parameter folder: where the content lies, which moves away with it.
    func keep(_ data: OpenFile, of fileID: FileID, _ bytes: [UInt8], in folder: String) throws(FilesError) {
        guard try held(fileID) == nil else { return }
        let tree = try OpenFile("\(folder)/\(FileNames.tree)", .creating)
        try tree.write(bytes, at: 0)
        try tree.synchronize()
        try data.synchronize()
        try Folder.synchronize(folder)
        try move(folder, to: fileID)
    }

    /// - Throws: `FilesError` `full` if little would be left beside so many bytes.
    package func checkRoom(for byteCount: UInt64) throws(FilesError) { try Self.checkRoom(for: byteCount, at: root) }

    /// - Parameter path: a folder on the disk that is asked about.
    static func checkRoom(for byteCount: UInt64, at path: String) throws(FilesError) {
        let free = try Folder.freeBytes(at: path)
        guard byteCount <= free - min(free, UInt64(reservedBytes)) else {
            throw FilesError(
                .full,
                "the disk of \(path) has \(free) bytes left, of which \(reservedBytes) stay free, and the file needs \(byteCount): "
                    + "free some space first")
        }
    }

    /// What the disk has left for files.
    package func freeBytes() throws(FilesError) -> UInt64 {
        let free = try Folder.freeBytes(at: root)
        return free - min(free, UInt64(Self.reservedBytes))
    }

    /// What files leave free for the history.
    private static let reservedBytes = 64 * 1024 * 1024

    private func move(_ folder: String, to fileID: FileID) throws(FilesError) {
        let target = self.folder(Self.held, fileID)
        // Somebody else may have been quicker, with the same content.
        guard rename(folder, target) == 0 || errno == EEXIST || errno == ENOTEMPTY else {
            throw OpenFile.failure("moved", folder)
        }
        try Folder.synchronize("\(root)/\(Self.held)")
    }

    // MARK: - What is here

    /// - Returns: `nil` if it is not here whole.
    package func held(_ fileID: FileID) throws(FilesError) -> HeldFile? {
        let folder = folder(Self.held, fileID)
        return Folder.isThere(folder) ? try HeldFile(fileID, in: folder) : nil
    }

    /// Every content that is here whole.
    package func all() throws(FilesError) -> [FileID] {
        try Folder.names(in: "\(root)/\(Self.held)").compactMap { FileID($0) }
    }

    /// Writes a copy of a content into a folder. What is there is not overwritten: the copy is then called `name (2)`, and so on.
    /// It leaves as much of the folder's disk free as all files do.
    /// - Returns: the path of the copy.
    /// - Throws: `FilesError` `missing` if the content is not here, or the folder; `full`, `unavailable`.
    package func save(_ fileID: FileID, as name: SavedName, in target: String) throws(FilesError) -> String {
        let source = try OpenFile("\(folder(Self.held, fileID))/\(FileNames.data)", .reading)
        let byteCount = Int(try source.stamp().byteCount)
        let copy = try free(name, in: target)
        do throws(FilesError) {
            if !copy.share(source) {
                try Self.checkRoom(for: UInt64(byteCount), at: target)
                var offset = 0
                while offset < byteCount {
                    let bytes = try source.bytes(at: offset..<min(offset + 1 << 20, byteCount))
                    guard !bytes.isEmpty else { throw FilesError(.damaged, "\(source.path) is shorter than it was") }
                    try copy.write(bytes, at: offset)
                    offset += bytes.count
                }
            }
            try copy.synchronize()
        } catch {
            unlink(copy.path)
            throw error
        }
        return copy.path
    }

    /// Copies of one name that a folder may have.
    private static let copies = 10_000

    private func free(_ name: SavedName, in target: String) throws(FilesError) -> OpenFile {
        for number in 1...Self.copies {
            let path = "\(target)/\(name.numbered(number))"
            do throws(FilesError) { return try OpenFile(path, .creating) } catch {
                guard error.systemError == EEXIST else { throw error }
            }
        }
        throw FilesError(.unavailable, "\(target) has \(Self.copies) files called \(name): choose another folder")
    }

    package func remove(_ fileID: FileID) throws(FilesError) {
        try discard(fileID)
        try Folder.remove(folder(Self.held, fileID))
    }

    // MARK: - What is on its way

    /// Goes on with a content, or begins it.
    /// - Throws: `FilesError` `full`, `unavailable`.
    package func begin(_ fileID: FileID, shape: FileShape) throws(FilesError) -> PartialFile {
        let folder = partialFolder(fileID, shape)
        if !Folder.isThere(folder) { try checkRoom(for: shape.byteCount) }
        return try PartialFile(fileID, shape: shape, in: folder)
    }

    /// All of a content has come: it is on the disk when this returns.
    package func finish(_ file: PartialFile) throws(FilesError) {
        try file.finish()
        try move(partialFolder(file.fileID, file.shape), to: file.fileID)
        try discard(file.fileID)
    }

    /// Nothing of a content has come that is worth keeping.
    package func discard(_ file: PartialFile) throws(FilesError) {
        try Folder.remove(partialFolder(file.fileID, file.shape))
    }

    /// What came of a content is not wanted any more, whatever its size was said to be.
    package func discard(_ fileID: FileID) throws(FilesError) {
        for name in try Folder.names(in: "\(root)/\(Self.partial)") where name.hasPrefix("\(fileID)-") {
            try Folder.remove("\(root)/\(Self.partial)/\(name)")
        }
    }
}
