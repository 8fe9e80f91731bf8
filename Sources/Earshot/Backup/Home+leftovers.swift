import Foundation

extension Home {
    /// Where an export may put a copy of the history: in the home, as well protected as the original.
    func copyPlace() -> String { path + "/" + Self.copyMark + UUID().uuidString }

    /// Where an import may assemble a home: beside this one.
    func stagingPlace() -> String { bare + Self.stagingMark + UUID().uuidString }

    private static let copyMark = "backup-"
    private static let stagingMark = ".import-"
    /// Earlier versions made copies as files, with the files that SQLite puts beside a database.
    private static let copySuffixes = [".db", ".db-wal", ".db-shm", ".db-journal"]

    /// The path without trailing slashes, which a shell adds to a directory.
    private var bare: String {
        path.count > 1 && path.hasSuffix("/") ? String(path.reversed().drop { $0 == "/" }.reversed()) : path
    }

    /// Removes what interrupted exports and imports have left: unsealed copies of the history, and directories with
    /// keys. What another process still uses stays.
    /// - Returns: what could not be removed.
    func removeLeftovers() -> [String] { leftovers().filter { !WorkFiles.removeAbandoned($0) } }

    /// Removes leftovers before an export or an import, which must not add to leftovers that it cannot remove.
    /// - Throws: `EarshotError` `unusableHome`.
    func requireNoLeftovers() throws(EarshotError) {
        guard let leftover = removeLeftovers().first else { return }
        throw EarshotError(
            .unusableHome, "an interrupted export or import has left \(leftover), and it cannot be removed",
            .init(.leftover, path: leftover))
    }

    private func leftovers() -> [String] {
        let copies = Self.names(in: path).filter(Self.isCopy).map { path + "/" + $0 }
        let parent = PrivateFile.directory(of: bare)
        let mark = (bare.split(separator: "/").last ?? "") + Self.stagingMark
        let stagings = Self.names(in: parent)
            .filter { $0.hasPrefix(mark) && UUID(uuidString: String($0.dropFirst(mark.count))) != nil }
            .map { parent + "/" + $0 }
        return (copies + stagings).sorted().filter(Self.isOwn)
    }

    private static func names(in directory: String) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: directory) } catch {
            // A process that may not list a directory has left nothing there that it could remove, and a missing
            // directory holds nothing.
            return []
        }
    }

    private static func isCopy(_ name: String) -> Bool {
        guard name.hasPrefix(copyMark) else { return false }
        let suffix = copySuffixes.first { name.hasSuffix($0) } ?? ""
        return UUID(uuidString: String(name.dropFirst(copyMark.count).dropLast(suffix.count))) != nil
    }

    private static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_uid == geteuid()
            && [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }
}
