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
        guard try PrivateFile.isThere(identityFile) || isLinked else { throw notInitialized }
        try Self.checkPrivate(path, status, mode: "700")
    }

    private var notInitialized: EarshotError {
        EarshotError(.notInitialized, "there is no identity in \(path)", .init(path: path))
    }

    private func checkDirectory() throws(EarshotError) {
        try Self.checkPrivate(path, try directoryStatus(), mode: "700")
    }

    private func directoryStatus() throws(EarshotError) -> stat {
        let status = try Self.status(of: path)
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw EarshotError(
                .unusableHome, "\(path) is not a directory", .init(.notADirectory, path: path))
        }
        return status
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
