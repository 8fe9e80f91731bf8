import Glibc

/// Folders of which only their owner sees anything, and whose changes are on the disk before anything builds on them.
enum Folder {
    static func make(_ path: String) throws(FilesError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw OpenFile.failure("made", path) }
    }

    /// A rename or a removal is on the disk only once its folder is.
    static func synchronize(_ path: String) throws(FilesError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw OpenFile.failure("opened", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw OpenFile.failure("written", path) }
    }

    static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The names in it, ascending.
    static func names(in path: String) throws(FilesError) -> [String] {
        guard let folder = opendir(path) else { throw OpenFile.failure("read", path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes it with the files in it. What is not there is removed already.
    static func remove(_ path: String) throws(FilesError) {
        guard isThere(path) else { return }
        for name in try names(in: path) {
            guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
                throw OpenFile.failure("removed", "\(path)/\(name)")
            }
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw OpenFile.failure("removed", path) }
    }

    /// What the files in it take of the disk, in bytes. What is not there takes nothing.
    static func takenBytes(_ path: String) throws(FilesError) -> UInt64 {
        let names: [String]
        do throws(FilesError) { names = try self.names(in: path) } catch {
            guard error.code == .missing else { throw error }
            return 0
        }
        var sum: UInt64 = 0
        for name in names {
            var status = stat()
            // It may be finished or removed meanwhile.
            guard lstat("\(path)/\(name)", &status) == 0 else { continue }
            sum += UInt64(status.st_blocks) * blockBytes
        }
        return sum
    }

    /// In what `stat` counts, whatever the file system's blocks are.
    private static let blockBytes: UInt64 = 512

    /// When one of the files in it was last written, in seconds since 1970.
    static func changedTime(_ path: String) throws(FilesError) -> Int {
        var latest = 0
        for name in try names(in: path) {
            var status = stat()
            if lstat("\(path)/\(name)", &status) == 0 { latest = max(latest, status.st_mtim.tv_sec) }
        }
        return latest
    }

    /// The room on its disk that an ordinary user can still take, in bytes.
    static func freeBytes(at path: String) throws(FilesError) -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw OpenFile.failure("read", path) }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
