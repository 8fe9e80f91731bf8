import EarshotCrypto
@_exported public import EarshotModel
import EarshotProtocol
import EarshotStore

/// Why something that was asked of a node did not happen, and what to do about it.
public struct EarshotError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        public init(_ description: String) { self.description = description }

        // The home directory.
        /// There is no identity in the home directory.
        public static let notInitialized = Code("notInitialized")
        /// There is an identity already.
        public static let alreadyInitialized = Code("alreadyInitialized")
        /// Others than its owner may read the home directory or a key file.
        public static let looseHome = Code("looseHome")
        /// A file of the home directory cannot be read or written, or does not hold what it should.
        public static let unusableHome = Code("unusableHome")
        /// Another node runs on this home directory.
        public static let homeInUse = Code("homeInUse")
        public static let passphraseNeeded = Code("passphraseNeeded")
        public static let wrongPassphrase = Code("wrongPassphrase")
        /// A text that is no network key, or not the whole of one.
        public static let invalidNetworkKey = Code("invalidNetworkKey")
        /// The home directory has another network key already.
        public static let networkKeyExists = Code("networkKeyExists")
        public static let invalidName = Code("invalidName")

        // Backups.
        /// The file is no backup, is not whole, or was changed.
        public static let backupDamaged = Code("backupDamaged")
        /// The backup was written by a newer version.
        public static let backupNewer = Code("backupNewer")
        /// There is a file in the place where one is to be written, and it is not overwritten.
        public static let fileExists = Code("fileExists")
        /// A file cannot be read or written.
        public static let unusableFile = Code("unusableFile")

        // The network.
        /// The port cannot be listened on.
        public static let portInUse = Code("portInUse")
        public static let networkUnavailable = Code("networkUnavailable")
        /// A peer is named by something that is no host and port, or more peers are named than a node dials.
        public static let invalidAddress = Code("invalidAddress")

        // The disk.
        public static let storeDamaged = Code("storeDamaged")
        public static let storeFull = Code("storeFull")
        public static let storeUnavailable = Code("storeUnavailable")

        // Messages and users.
        public static let unknownUser = Code("unknownUser")
        public static let ambiguousUser = Code("ambiguousUser")
        public static let unknownMessage = Code("unknownMessage")
        public static let invalidMessage = Code("invalidMessage")
        public static let blocked = Code("blocked")
        /// The node admits only some users, and this one is not among them.
        public static let notAdmitted = Code("notAdmitted")
        /// The user claims a name that belongs to another key here.
        public static let identityConflict = Code("identityConflict")
        /// The user has another name by now than the one about which was decided.
        public static let nameChanged = Code("nameChanged")
        public static let alreadySent = Code("alreadySent")
        /// The message's content may still have to leave this machine.
        public static let undelivered = Code("undelivered")
        public static let overloaded = Code("overloaded")
        /// The node is not running.
        public static let stopped = Code("stopped")
        public static let timedOut = Code("timedOut")
        public static let internalError = Code("internalError")
    }

    public let code: Code
    /// What happened, in a sentence.
    public let message: String
    /// What to do about it, if something can be done.
    public let remedy: String?
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, remedy: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String { remedy.map { "\(message) (\($0))" } ?? message }
}

extension EarshotError {
    init(_ error: ProtocolError) {
        let code: Code
        var remedy: String?
        switch error.code {
        case .unknownUser:
            code = .unknownUser
            remedy = "a user becomes known when the two nodes first see each other on the network"
        case .unknownMessage: code = .unknownMessage
        case .invalidMessage: code = .invalidMessage
        case .blocked:
            code = .blocked
            remedy = "to have to do with them again: earshot unblock NAME"
        case .identityConflict:
            code = .identityConflict
            remedy =
                "ask the person which key is theirs; then give it the name: earshot trust NAME --accept, "
                + "or keep the other out: earshot block NAME"
        case .notAdmitted:
            code = .notAdmitted
            remedy = "start the node with --allow NAME too: earshot up --help"
        case .nameChanged:
            code = .nameChanged
            remedy = "nothing was decided: see who they are now (earshot users), and decide anew"
        case .alreadySent: code = .alreadySent
        case .overloaded: code = .overloaded
        case .storage:
            code = .storeUnavailable
            remedy = "the message was not accepted: free some space or repair the disk, and send it again"
        case .storageFull:
            code = .storeFull
            remedy = "the message was not accepted: free some space, and send it again"
        case .stopped: code = .stopped
        default: code = .internalError
        }
        self.init(code, error.message, remedy: remedy, cause: error)
    }

    init(_ error: StoreError) {
        switch error.code {
        case .damaged:
            self.init(
                .storeDamaged, error.message,
                remedy: "it was left as it is: restore a backup in its place, or move it aside to begin a new history",
                cause: error)
        case .full: self.init(.storeFull, error.message, remedy: "free some space", cause: error)
        case .newer: self.init(.storeUnavailable, error.message, remedy: "update this program", cause: error)
        default:
            self.init(
                .storeUnavailable, error.message, remedy: "check that the disk and the file can be written",
                cause: error)
        }
    }
}
