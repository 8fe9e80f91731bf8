import Foundation

extension Home {
    /// Where an export may put a copy of the history: in the home, as safe from others as the original.
    func copyPlace() -> String { path + "/" + Self.copyMark + UUID().uuidString }

    /// Where an import may put a home together: beside this one.
    func stagingPlace() -> String { bare + Self.stagingMark + UUID().uuidString }

    private static let copyMark = "backup-"
    private static let stagingMark = ".import-"
    /// Copies of earlier versions were files, with what SQLite puts beside a database.
    private static let copySuffixes = [".db", ".db-wal", ".db-shm", ".db-journal"]

    /// The path without the slashes that a shell puts behind a directory.
    private var bare: String {
        path.count > 1 && path.hasSuffix("/") ? String(path.reversed().drop { $0 == "/" }.reversed()) : path
    }

    /// Removes what exports and imports have left that ended in the middle: copies of the history that nothing seals, and
    /// directories with keys. What another process still works on stays.
    /// - Returns: what could not be removed.
    func removeLeftovers() -> [String] { leftovers().filter { !WorkFiles.removeAbandoned($0) } }

    /// The same for an export or an import, which leaves no more of them where it cannot remove them.
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
            // Whoever may not list a directory has left nothing there that they could remove; a missing one holds nothing.
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
