/// Why a node did not do what it was asked.
///
/// The code is for programs. With `parameters` it is enough for a program to say in its own words what to do. The
/// message is for people, and names no command.
public struct EarshotError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of error. The texts are stable; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable text.
        public let description: String

        /// Makes a code from its text, such as one from the local API.
        public init(_ description: String) { self.description = description }

        // The home directory.
        /// There is no identity in the home directory.
        public static let notInitialized = Code("notInitialized")
        /// The home directory already has an identity.
        public static let alreadyInitialized = Code("alreadyInitialized")
        /// Somebody other than its owner may read the home directory or a key file.
        public static let looseHome = Code("looseHome")
        /// A file of the home directory cannot be read or written, or does not hold what it should.
        public static let unusableHome = Code("unusableHome")
        /// Another node runs on this home directory.
        public static let homeInUse = Code("homeInUse")
        /// The identity is sealed, and there is no passphrase that could be read.
        public static let passphraseNeeded = Code("passphraseNeeded")
        /// The passphrase is wrong.
        public static let wrongPassphrase = Code("wrongPassphrase")
        /// The text is not a whole network key.
        public static let invalidNetworkKey = Code("invalidNetworkKey")
        /// The home directory already has another network key.
        public static let networkKeyExists = Code("networkKeyExists")
        /// The text cannot be the name of a user or of a conversation.
        public static let invalidName = Code("invalidName")

        // Backups.
        /// The file is no backup, is not whole, or was changed.
        public static let backupDamaged = Code("backupDamaged")
        /// The backup was written by a newer version.
        public static let backupNewer = Code("backupNewer")
        /// A file is to be written where there is one already, which is not overwritten.
        public static let fileExists = Code("fileExists")
        /// A file cannot be read or written.
        public static let unusableFile = Code("unusableFile")

        // Files that messages bring along.
        /// No message that is here brings the file along, or the node does not have what a message is to bring along.
        public static let unknownFile = Code("unknownFile")
        /// The file is not here, or not whole.
        public static let fileMissing = Code("fileMissing")
        /// The file has more than `Limits.fileBytes`.
        public static let fileTooLarge = Code("fileTooLarge")
        /// The file changed while it was read.
        public static let fileChanged = Code("fileChanged")
        /// No rule for files can say that.
        public static let invalidRule = Code("invalidRule")
        /// The file is none of the pictures that are shown.
        public static let notAPicture = Code("notAPicture")
        /// The picture is larger than `Limits.shownPictureBytes`, or has more than `Limits.shownPicturePixels`.
        public static let pictureTooLarge = Code("pictureTooLarge")

        // The network.
        /// The node cannot listen on the port.
        public static let portInUse = Code("portInUse")
        /// The network cannot be used.
        public static let networkUnavailable = Code("networkUnavailable")
        /// A peer's address is not a host and a port, or there are more addresses than a node dials.
        public static let invalidAddress = Code("invalidAddress")

        // The disk.
        /// The database is damaged. It is left unchanged.
        public static let storeDamaged = Code("storeDamaged")
        /// There is no space left on the disk; nothing was accepted.
        public static let storeFull = Code("storeFull")
        /// The database cannot be opened, read or written.
        public static let storeUnavailable = Code("storeUnavailable")
        /// The database was written by a newer version.
        public static let storeNewer = Code("storeNewer")

        // Programs.
        /// There is no such token.
        public static let unknownToken = Code("unknownToken")
        /// There is a token of that name already.
        public static let tokenExists = Code("tokenExists")
        /// The node has as many tokens as it may have, until one is revoked.
        public static let tooManyTokens = Code("tooManyTokens")
        /// A program cannot be started.
        public static let programUnusable = Code("programUnusable")

        // Notifications.
        /// What is to be notified cannot be one: the address is no address of a server, or the program has no path.
        public static let invalidTarget = Code("invalidTarget")
        /// The test notification did not get through, and nothing was registered.
        public static let targetUnusable = Code("targetUnusable")
        /// Another target is being tried.
        public static let targetBusy = Code("targetBusy")
        /// There is no such target of notifications.
        public static let unknownTarget = Code("unknownTarget")
        /// There is a target of notifications of that name already.
        public static let targetExists = Code("targetExists")
        /// The node has as many targets of notifications as it may have, until one is deregistered.
        public static let tooManyTargets = Code("tooManyTargets")
        /// The text is no notification of a node.
        public static let invalidNotification = Code("invalidNotification")

        // Devices.
        /// Only a device that holds the identity key can do it, and this one is linked to such a device.
        public static let needsPrimary = Code("needsPrimary")
        /// The text is not a whole pairing code.
        public static let invalidPairingCode = Code("invalidPairingCode")
        /// Nobody who was found waits for the pairing code.
        public static let pairingNotFound = Code("pairingNotFound")
        /// The pairing ended, or somebody declined it. Nothing was given.
        public static let pairingFailed = Code("pairingFailed")
        /// This node's user has no such device.
        public static let unknownDevice = Code("unknownDevice")
        /// The user has as many devices as they may have, or has revoked as many as they can.
        public static let tooManyDevices = Code("tooManyDevices")
        /// The user has revoked this device: nobody takes anything from it any more.
        public static let deviceRevoked = Code("deviceRevoked")

        // Messages and users.
        /// This node has never met anybody with this name or key.
        public static let unknownUser = Code("unknownUser")
        /// Several users have the name.
        public static let ambiguousUser = Code("ambiguousUser")
        /// There is no such message.
        public static let unknownMessage = Code("unknownMessage")
        /// There is no such conversation.
        public static let unknownConversation = Code("unknownConversation")
        /// Several conversations have the name.
        public static let ambiguousConversation = Code("ambiguousConversation")
        /// This node's user has begun a conversation of that name already.
        public static let conversationExists = Code("conversationExists")
        /// What a private conversation is to be is over a limit, or no JSON object.
        public static let invalidConversation = Code("invalidConversation")
        /// Only the owner of the conversation may do that, or an owner may not.
        public static let notOwner = Code("notOwner")
        /// Another device of this node's user decides about the conversation.
        public static let decidedElsewhere = Code("decidedElsewhere")
        /// The user does not belong to the conversation.
        public static let notParticipant = Code("notParticipant")
        /// The owner of the conversation has closed it.
        public static let conversationClosed = Code("conversationClosed")
        /// This node's user does not belong to the conversation.
        public static let notJoined = Code("notJoined")
        /// This node's user belongs to as many conversations as there may be, until they leave one.
        public static let tooManyConversations = Code("tooManyConversations")
        /// The message is over a limit or empty, or answers one that is not acknowledged with it.
        public static let invalidMessage = Code("invalidMessage")
        /// No message may bring along a file of that name, type or size.
        public static let invalidAttachment = Code("invalidAttachment")
        /// The text is no address of a page that a message may name.
        public static let invalidLink = Code("invalidLink")
        /// What is searched for is over a limit, or has no word.
        public static let invalidSearch = Code("invalidSearch")
        /// The profile is over a limit, or its attributes are no JSON object.
        public static let invalidProfile = Code("invalidProfile")
        /// This node's user has blocked the user.
        public static let blocked = Code("blocked")
        /// The node admits only some users, and not this one.
        public static let notAdmitted = Code("notAdmitted")
        /// The user claims a name that belongs to another key here.
        public static let identityConflict = Code("identityConflict")
        /// The user no longer has the name under which the decision was made.
        public static let nameChanged = Code("nameChanged")
        /// The message was written by somebody else, and only its author may change it.
        public static let notAuthor = Code("notAuthor")
        /// The message's author took it back.
        public static let retracted = Code("retracted")
        /// The message may have left this machine already.
        public static let alreadySent = Code("alreadySent")
        /// The limit of a page of history is out of range.
        public static let invalidLimit = Code("invalidLimit")
        /// The message's content may still have to leave this machine.
        public static let undelivered = Code("undelivered")
        /// The idempotency key belongs to another message.
        public static let keyReused = Code("keyReused")
        /// The messages are acknowledged already, and this answer did not go with that. It is not sent.
        public static let alreadyAcknowledged = Code("alreadyAcknowledged")
        /// No draft with that id waits: it may have been sent or discarded.
        public static let unknownDraft = Code("unknownDraft")
        /// The draft was inserted with this key before, and discarded.
        public static let draftDiscarded = Code("draftDiscarded")
        /// The conversation, the program or the node has as many drafts as it may have, until one is sent or discarded.
        public static let tooManyDrafts = Code("tooManyDrafts")
        /// The inbox has no consumer with this name.
        public static let unknownConsumer = Code("unknownConsumer")
        /// The inbox has a consumer with this name already.
        public static let consumerExists = Code("consumerExists")
        /// The inbox has as many consumers as it may have (`Limits.consumers`), until one is removed.
        public static let tooManyConsumers = Code("tooManyConsumers")
        /// The text cannot be the name of a consumer.
        public static let invalidConsumer = Code("invalidConsumer")
        /// The message is not the next that the consumer is to acknowledge, so it cannot fail.
        public static let notHandedOut = Code("notHandedOut")
        /// The place is not one of this home any more. If it is one in the journal, `parameters.eventID` is the first that
        /// is left.
        public static let gone = Code("gone")
        /// A command of a bot cannot be: its name or a parameter is none, stands there twice, or is one too many.
        public static let invalidCommand = Code("invalidCommand")
        /// The text is not that of an id, a place or another value that programs store.
        public static let invalidIdentifier = Code("invalidIdentifier")
        /// A bot's handler asks for a parameter that its command does not have, or not of that kind.
        public static let unknownParameter = Code("unknownParameter")
        /// Somebody else receives for this consumer.
        public static let consumerBusy = Code("consumerBusy")
        /// Too much waits already. Try again later.
        public static let overloaded = Code("overloaded")
        /// The task was cancelled before what it waited for happened.
        public static let cancelled = Code("cancelled")
        /// The node runs already.
        public static let alreadyRunning = Code("alreadyRunning")
        /// A sequence of events had no room for some, which are missing before the next one. The message says how many.
        public static let eventsLost = Code("eventsLost")
        /// Another task iterates the sequence already.
        public static let sequenceBusy = Code("sequenceBusy")
        /// The message will not be delivered to a recipient (`FailureReason`).
        public static let notDelivered = Code("notDelivered")
        /// The node is not running.
        public static let stopped = Code("stopped")
        /// The node belongs to another network in memory than the one that is to do something with it.
        public static let foreignNode = Code("foreignNode")
        /// What the caller waited for did not happen in time.
        public static let timedOut = Code("timedOut")
        /// A fault of this program.
        public static let internalError = Code("internalError")
    }

    /// The kind of error.
    public let code: Code
    /// What happened, in a sentence for people.
    public let message: String
    /// The details, for programs.
    public var parameters: Parameters { details.value }
    /// The underlying error, if there is one.
    public let cause: (any Error)?
    /// They stand elsewhere, so that an error is small: the result of each call takes the room of an error, too, and is copied with it.
    private let details: Shared<Parameters>

    package init(
        _ code: Code, _ message: String, _ parameters: Parameters = Parameters(), cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        details = Shared(parameters)
        self.cause = cause
    }

    public var description: String { message }
    /// The code and the message, for logs: `timedOut: the message was not read in time; it is delivered`.
    public var debugDescription: String { "\(code): \(message)" }
}
