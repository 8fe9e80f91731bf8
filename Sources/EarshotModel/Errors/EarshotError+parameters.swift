extension EarshotError {
    /// The details of an error. Its code determines which fields are set.
    public struct Parameters: Hashable, Sendable {
        /// The case within the error's code.
        public package(set) var detail: Detail?
        /// The file or directory.
        public package(set) var path: String?
        /// The permissions that the file should have, as chmod(1) takes them.
        public package(set) var mode: String?
        /// The operating system's number for the error (`errno`).
        public package(set) var systemError: Int32?
        /// The process that is in the way.
        public package(set) var processID: Int32?
        /// The network interface.
        public package(set) var interface: String?
        /// The TCP port.
        public package(set) var port: UInt16?
        /// The name, as it was given.
        public package(set) var name: String?
        /// The user.
        public package(set) var userID: UserID?
        /// The users who may be meant.
        public package(set) var candidates: [UserID]
        /// What was probably meant, the most similar first.
        public package(set) var suggestions: [String]
        /// The message.
        public package(set) var messageID: MessageID?
        /// The event.
        public package(set) var eventID: EventID?
        /// The greatest number that is allowed.
        public package(set) var limit: Int?
        /// How many messages were erased all the same, before it failed. They stay erased.
        public package(set) var erasedCount: Int?
        /// Which message of a call it is about, from 0.
        public package(set) var index: Int?

        package init(
            _ detail: Detail? = nil, path: String? = nil, mode: String? = nil, systemError: Int32? = nil,
            processID: Int32? = nil, interface: String? = nil, port: UInt16? = nil, name: String? = nil,
            userID: UserID? = nil, candidates: [UserID] = [], suggestions: [String] = [], messageID: MessageID? = nil,
            eventID: EventID? = nil, limit: Int? = nil, erasedCount: Int? = nil, index: Int? = nil
        ) {
            self.detail = detail
            self.path = path
            self.mode = mode
            self.systemError = systemError
            self.processID = processID
            self.interface = interface
            self.port = port
            self.name = name
            self.userID = userID
            self.candidates = candidates
            self.suggestions = suggestions
            self.messageID = messageID
            self.eventID = eventID
            self.limit = limit
            self.erasedCount = erasedCount
            self.index = index
        }
    }

    /// Distinguishes the cases of one code that have different remedies. The texts are stable; more may come.
    public struct Detail: Hashable, Sendable, CustomStringConvertible {
        /// The detail's stable text.
        public let description: String

        /// Makes a detail from its text, such as one from the local API.
        public init(_ description: String) { self.description = description }

        // Files and directories.
        /// It is not a directory.
        public static let notADirectory = Detail("notADirectory")
        /// It cannot be opened or read.
        public static let unreadable = Detail("unreadable")
        /// It cannot be made or written.
        public static let unwritable = Detail("unwritable")
        /// It does not hold what it should.
        public static let malformed = Detail("malformed")
        /// Two files belong to different identities.
        public static let mismatched = Detail("mismatched")
        /// It belongs to another user of the machine.
        public static let foreignOwner = Detail("foreignOwner")
        /// An interrupted export or import left it, and it cannot be removed. It holds keys, or a copy of the history.
        public static let leftover = Detail("leftover")
        /// It is in the way, and somebody may be using it.
        public static let inTheWay = Detail("inTheWay")
        /// Another export writes to it.
        public static let underWay = Detail("underWay")
        /// Somebody removed it meanwhile.
        public static let removedMeanwhile = Detail("removedMeanwhile")
        /// There are files of a node, but not its identity.
        public static let identityMissing = Detail("identityMissing")
        /// The directory is not empty.
        public static let notEmpty = Detail("notEmpty")

        // The machine.
        /// There is no space left on the disk.
        public static let diskFull = Detail("diskFull")
        /// There is not enough memory.
        public static let outOfMemory = Detail("outOfMemory")
        /// The port is reserved for the system.
        public static let reservedPort = Detail("reservedPort")

        // Texts that somebody gave.
        /// There is no text.
        public static let empty = Detail("empty")
        /// The text is longer than it may be.
        public static let tooLong = Detail("tooLong")
        /// The text was not copied correctly.
        public static let mistyped = Detail("mistyped")
        /// The name has a character that addresses use.
        public static let reservedCharacter = Detail("reservedCharacter")

        // Secrets.
        /// The identity is sealed, and a running node needs its passphrase to renew the credential.
        public static let sealed = Detail("sealed")
        /// The identity in the backup is sealed with a passphrase of its own.
        public static let sealedInBackup = Detail("sealedInBackup")

        // Users.
        /// It is the name of this node's own user.
        public static let ownName = Detail("ownName")

        // Conversations.
        /// The conversation is private: its owner says who may join.
        public static let byInvitation = Detail("byInvitation")
    }
}
