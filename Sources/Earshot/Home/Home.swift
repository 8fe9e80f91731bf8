import Foundation

/// The directory of a node: its keys, its history, its lock and the socket of its local API.
///
/// Only its owner may read it (0700, key files 0600). A looser one is refused, because anybody who can read the keys
/// can speak as the user.
public struct Home: Sendable, Hashable {
    public let path: String

    public init(path: String) { self.path = path }

    /// `$EARSHOT_HOME`, else `$XDG_DATA_HOME/earshot`, else `~/.local/share/earshot`.
    public static func standard() -> Home { standard(environment: ProcessInfo.processInfo.environment) }

    static func standard(environment: [String: String]) -> Home {
        if let path = environment["EARSHOT_HOME"], !path.isEmpty { return Home(path: path) }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return Home(path: data + "/earshot") }
        return Home(path: (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/earshot")
    }

    var identityFile: String { path + "/identity.key" }
    var deviceFile: String { path + "/device.key" }
    var credentialFile: String { path + "/credential" }
    var networkFile: String { path + "/network.key" }
    var portFile: String { path + "/port" }
    var databaseFile: String { path + "/history.db" }
    /// The words of the messages. It is made anew where it is missing.
    var searchFile: String { path + "/search.db" }
    /// The contents of files that messages bring along.
    var filesFolder: String { path + "/files" }
    /// Files that lead a browser to the page.
    var pageFolder: String { path + "/page" }
    var lockFile: String { path + "/node.lock" }
    var marksFile: String { path + "/node.marks" }

    /// The Unix socket of the node's local API.
    public var socketFile: String { path + "/node.sock" }

    /// Whether there is an identity, made by `create` or `restore`, or a linked device of one.
    public var isInitialized: Bool { access(identityFile, F_OK) == 0 || isLinked }

    /// Makes the directory for its owner alone, or checks that an existing one is.
    /// - Throws: `EarshotError` `unusableHome` or `looseHome`.
    func prepareDirectory() throws(EarshotError) {
        try PrivateFile.checkPath(path, of: "home directory", orThrow: .unusableHome)
        try checkPlace()
        if let error = PrivateFile.makeDirectories(path) {
            throw EarshotError(
                .unusableHome, "the home directory \(path) cannot be made: \(PrivateFile.words(for: error))",
                .init(.unwritable, path: path, systemError: error))
        }
        try checkDirectory()
    }

    /// - Throws: `EarshotError` `notInitialized`, `unusableHome` or `looseHome`.
    package func check() throws(EarshotError) {
        // Something that is not a directory, or cannot be looked into, is not missing.
        guard access(path, F_OK) == 0 || errno != ENOENT else { throw notInitialized }
        let status = try directoryStatus()
        try Self.checkIsOwn(path, status)
        guard try PrivateFile.isThere(identityFile) || isLinked else { throw notInitialized }
        try Self.checkPrivate(path, status, mode: "700")
    }

    /// Checks who owns the place of a home that is to be made: what root made in another user's folder would be root's, and
    /// that user could not use it.
    /// - Throws: `EarshotError` `looseHome`.
    func checkPlace() throws(EarshotError) {
        // Who is not root makes nothing where they may not.
        guard geteuid() == 0 else { return }
        var place = path
        var status = stat()
        while stat(place, &status) != 0, place != PrivateFile.directory(of: place) {
            place = PrivateFile.directory(of: place)
        }
        try Self.checkIsOwn(place, status)
    }

    private var notInitialized: EarshotError {
        EarshotError(.notInitialized, "there is no identity in \(path)", .init(path: path))
    }

    private func checkDirectory() throws(EarshotError) {
        let status = try directoryStatus()
        try Self.checkIsOwn(path, status)
        try Self.checkPrivate(path, status, mode: "700")
    }

    private func directoryStatus() throws(EarshotError) -> stat {
        let status = try Self.status(of: path)
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw EarshotError(
                .unusableHome, "\(path) is not a directory", .init(.notADirectory, path: path))
        }
        return status
    }

    /// A home is used by its owner, and by nobody else. Root could do so, but what root leaves in it is root's: its owner
    /// could not open it any more.
    /// - Throws: `EarshotError` `looseHome`, with the owner's name for sudo(8).
    private static func checkIsOwn(_ path: String, _ status: stat) throws(EarshotError) {
        guard status.st_uid != geteuid() else { return }
        let owner = userName(of: status.st_uid)
        throw EarshotError(
            .looseHome, "\(path) belongs to another user, \(owner)", .init(.foreignOwner, path: path, name: owner))
    }

    /// The name of a user, or `#` and the number of one who has none here.
    private static func userName(of userID: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        guard getpwuid_r(userID, &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name else {
            return "#\(userID)"
        }
        return String(cString: name)
    }

    /// - Throws: `EarshotError` `looseHome` for a file that others may read or write, or that belongs to somebody else.
    static func checkPrivate(_ path: String, _ status: stat, mode: String) throws(EarshotError) {
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw EarshotError(
                .looseHome, "\(path) belongs to another user", .init(.foreignOwner, path: path))
        }
        guard status.st_mode & 0o077 == 0 else {
            throw EarshotError(
                .looseHome, "others may read \(path), and what is in it must be its owner's alone",
                .init(path: path, mode: mode))
        }
    }

    static func status(of path: String) throws(EarshotError) -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw EarshotError(
                .unusableHome, "\(path) cannot be read: \(String(cString: strerror(errno)))",
                .init(.unreadable, path: path, systemError: errno))
        }
        return status
    }
}
