package import EarshotModel

/// What lies on the disk and is not whole yet. It counts as what is whole does.
extension FileStore {
    /// How many bytes of the disk it takes: contents on their way, and those that are being taken in.
    package func unfinishedBytes() throws(FilesError) -> UInt64 {
        try bytes(in: Self.partial) + bytes(in: Self.work)
    }

    private func bytes(
        in part: String, where isCounted: (String) -> Bool = { _ in true }
    ) throws(FilesError) -> UInt64 {
        var sum: UInt64 = 0
        for name in try Folder.names(in: "\(root)/\(part)") where isCounted(name) {
            sum += try Folder.takenBytes("\(root)/\(part)/\(name)")
        }
        return sum
    }

    /// How many bytes of the disk that takes which has come of a content.
    package func unfinishedBytes(of fileID: FileID) throws(FilesError) -> UInt64 {
        try bytes(in: Self.partial) { Self.fileID($0) == fileID }
    }

    /// The contents that are on their way, whatever their sizes were said to be.
    package func partials() throws(FilesError) -> Set<FileID> {
        Set(try Folder.names(in: "\(root)/\(Self.partial)").compactMap(Self.fileID))
    }

    private static func fileID(_ name: String) -> FileID? {
        name.split(separator: "-").first.flatMap { FileID(String($0)) }
    }

    /// Removes contents of which nothing has come for long, and the oldest of too many.
    /// - Parameters:
    ///   - time: what came since stays, in seconds since 1970.
    ///   - limit: how many may stay.
    ///   - fetched: those that are fetched now, which stay.
    /// - Returns: what was removed.
    @discardableResult
    package func removePartials(
        before time: Int, limit: Int, except fetched: Set<FileID>
    ) throws(FilesError) -> Set<FileID> {
        var found: [(path: String, fileID: FileID?, changed: Int)] = []
        for name in try Folder.names(in: "\(root)/\(Self.partial)") {
            let path = "\(root)/\(Self.partial)/\(name)"
            found.append((path, Self.fileID(name), try Folder.changedTime(path)))
        }
        found = found.filter { $0.fileID.map { !fetched.contains($0) } ?? true }.sorted { $0.changed > $1.changed }
        var removed: Set<FileID> = []
        for (place, partial) in found.enumerated() where place >= limit || partial.changed < time {
            try Folder.remove(partial.path)
            if let fileID = partial.fileID { removed.insert(fileID) }
        }
        return removed
    }

    /// Nobody needs parts of what is here whole, as when it was taken in while it was fetched.
    /// - Parameter fetched: those that are fetched now, which stay.
    package func removeHeldPartials(except fetched: Set<FileID>) throws(FilesError) {
        let held = Set(try all())
        for fileID in try partials() where held.contains(fileID) && !fetched.contains(fileID) { try discard(fileID) }
    }

    /// Hashes alone cost whoever sends them nothing, and are soon here again.
    func removeEmptyPartials() throws(FilesError) {
        for name in try Folder.names(in: "\(root)/\(Self.partial)") {
            let path = "\(root)/\(Self.partial)/\(name)"
            if try !PartialFile.hasNotedChunks(in: path) { try Folder.remove(path) }
        }
    }
}

extension PartialFile {
    /// Whether a folder notes that some of a content is there.
    fileprivate static func hasNotedChunks(in folder: String) throws(FilesError) -> Bool {
        let path = "\(folder)/\(FileNames.chunks)"
        guard Folder.isThere(path) else { return false }
        let file = try OpenFile(path, .reading)
        let count = Int(min(try file.stamp().byteCount, (Limits.fileBytes / UInt64(FileShape.chunkBytes) + 7) / 8))
        return try file.bytes(at: 0..<count).contains { $0 != 0 }
    }
}
