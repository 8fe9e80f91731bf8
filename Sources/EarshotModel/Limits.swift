/// The sizes that a node checks.
public enum Limits {
    /// Text of a message, in bytes of UTF-8.
    public static let textBytes = 64 * 1024
    /// Header pairs of a message.
    public static let headerCount = 64
    /// Names and values of a message's headers together, in bytes of UTF-8.
    public static let headerBytes = 8 * 1024
    /// Users whom a message mentions.
    public static let mentions = 64
    /// Summary of a message of a session, in bytes of UTF-8.
    public static let summaryBytes = 1024
    /// Files that a message brings along.
    public static let attachments = 64
    /// Name of such a file, in bytes of UTF-8: what file systems take.
    public static let fileNameBytes = 255
    /// Its type, in bytes.
    public static let mediaTypeBytes = 127
    /// Its size, in bytes: 1 TiB.
    public static let fileBytes: UInt64 = 1 << 40
    /// What a program has uploaded that no message brings along yet, in bytes: with a token that may only prepare drafts, 256 MiB, and
    /// with one that may send, 16 GiB. What may do everything is bounded by the disk.
    package static let draftUploadBytes: UInt64 = 256 * 1024 * 1024
    package static let unsentUploadBytes: UInt64 = 16 * 1024 * 1024 * 1024
    /// Rules for files, and the folder that one names, in bytes.
    public static let fileRules = 256
    package static let folderBytes = 4095
    /// Files that a list shows.
    public static let listedFiles = 1000
    /// The largest picture that is shown: its file in bytes, and what it has once it is decoded in pixels, of 4 bytes each.
    public static let shownPictureBytes: UInt64 = 64 * 1024 * 1024
    public static let shownPicturePixels = 50_000_000
    /// Parts of a picture's file that are looked at: of the largest GIF, each has 255 bytes.
    package static let pictureParts = 524_288
    /// A piece of a file that is hashed, asked for and sent at once, in bytes.
    package static let chunkBytes = 256 * 1024
    /// Hashes of such pieces that are hashed together, and sent at once.
    package static let chunksPerList = 1024
    /// Pieces of a file that one frame asks for.
    package static let chunksPerQuestion = 16
    /// Lists of their hashes that one frame asks for.
    package static let listsPerQuestion = 8
    /// Pieces that this node asks for with one frame. With fewer, what is under way is more even.
    package static let chunksAskedAtOnce = 8
    /// Pieces of files that are asked of a link, or have come and are not on the disk: 4 MiB, which a network of 10 Gbit/s carries
    /// in 3 ms. A message waits behind no more. And those of all links: 32 MiB.
    package static let askedChunksPerLink = 16
    package static let askedChunks = 128
    /// Frames of a link that ask for parts of files and are not answered to their end.
    package static let fileQuestionsPerLink = 64
    /// Pieces of files that are read for a link and have not left: 1 MiB. What else a link has to send waits for no more.
    package static let chunksAheadPerLink = 4
    /// Files of which something has come and that are not fetched now: how many of them stay, and for how long after something last
    /// came, in seconds.
    package static let partialFiles = 256
    package static let partialFileSeconds = 7 * 24 * 3600
    /// Copies that rules have put into folders, and that are remembered so that none is made twice.
    package static let rememberedCopies = 4096
    /// Copies that rules owe to folders.
    package static let owedCopies = 4096
    /// Files that are fetched at once; others wait for their turn.
    package static let concurrentFetches = 32
    /// Each text of a message's layout, in bytes of UTF-8.
    public static let layoutTextBytes = 1024
    /// The address of a page on the web, in bytes.
    public static let linkBytes = 2048
    /// Emoji of a reaction, in bytes of UTF-8.
    public static let emojiBytes = 64
    /// What messages are searched for, in bytes of UTF-8.
    public static let searchBytes = 1024
    /// Words or quoted parts of what messages are searched for.
    public static let searchPhrases = 16
    /// Places where a node notifies its user.
    public static let notificationTargets = 16
    /// Name of such a place, in bytes.
    public static let targetNameBytes = 64
    /// Address of a webhook, in bytes; and a program with its arguments.
    public static let targetAddressBytes = 2048
    /// Messages that a place which takes nothing is notified of later. It is not notified of older ones.
    public static let waitingNotifications = 1024
    /// Name of a user, in bytes of UTF-8.
    public static let nameBytes = 63
    /// One frame, encoded.
    package static let frameBytes = 1024 * 1024
    /// Bytes of frames that strangers together have not finished. Past it, the frame that began first gives way with its link.
    package static let strangersFrameBytes = 16 * 1024 * 1024
    /// Entries' bytes that are sent on a link and not yet acknowledged by a receipt.
    package static let windowBytes = 4 * 1024 * 1024
    /// Bytes that wait for a peer to read them; past this limit its link is closed. Twice the size of a window on the
    /// wire.
    package static let unwrittenBytes = 16 * 1024 * 1024
    /// Dials that are under way at once.
    package static let concurrentDials = 32
    /// Dials of these that are kept for targets that were linked before, or that the user gave: being advertised costs
    /// nothing.
    package static let keptDials = 8
    /// Users who are asked at once whether they can reach this node.
    package static let reachabilityPeers = 4
    /// Connections made at once for peers that ask whether they can be reached.
    package static let concurrentDialBacks = 16
    /// Devices that are dialled at their last address although nobody advertises them.
    package static let rememberedDevices = 256
    /// Bytes of messages that wait for their commit; more are refused as overloaded.
    package static let pendingSendBytes = 64 * 1024 * 1024
    /// What an entry counts in a window in addition to its content.
    package static let entryOverheadBytes = 64
    /// The most that one `Entries` frame carries, so that several share a window.
    package static let entriesFrameBytes = 256 * 1024
    /// Entries in one `Entries` frame.
    package static let entriesPerFrame = 1024
    /// Receipts in one `Receipts` frame: each costs a verification of its signature.
    package static let receiptsPerFrame = 1024
    /// Logs in one `Heads` frame.
    package static let logsPerHeads = 1024
    /// Conversations in one `Digests` frame.
    package static let digestsPerFrame = 1024
    /// Conversations of many that a node belongs to, and that one link is told of.
    package static let conversationsOfMany = 1024
    /// Conversations that a peer says it belongs to, and that are remembered for its link.
    package static let sharedConversations = 4096
    /// The same for a link between devices of one user, which compare all conversations.
    package static let sharedWithOwnDevice = 65_536
    /// Ends of logs that users are to be told of whom the author does not reach.
    package static let announcements = 4096
    /// Participants of an open conversation who are remembered.
    package static let rememberedParticipants = 4096
    /// Users that a frame of entries names who have no link to its sender.
    package static let unreachedUsers = 32
    /// Credentials in one frame.
    package static let credentialsPerFrame = 64
    /// Receipts that a node passes on, for one log and for all of them.
    package static let carriedReceipts = 1024
    package static let allCarriedReceipts = 65_536
    /// Places of a log that a node names when it asks for the rest: enough to find where two branches part, at doubling
    /// distances.
    package static let knownPlaces = 72
    /// Ends of branches that peers hold and this node does not, and that are noted to be asked for.
    package static let wantedBranches = 4096
    /// Bytes that the entries of a stranger take on the disk in an open conversation, whoever carries them.
    package static let strangerBytes = 1024 * 1024
    /// Bytes that the entries of all strangers take in an open conversation, and their direct messages altogether.
    package static let strangersBytes = 64 * 1024 * 1024
    /// Ranges of missing bodies that a receipt names. A device that lacks more signs for no more until some have come.
    package static let missingRangesPerReceipt = 32
    /// Ranges of missing bodies that a node knows of a branch; entries that would make more of them are skipped.
    package static let missingRanges = 1024
    /// Ranges of messages of a branch that count for nothing; where there are more, the last one grows.
    package static let silentRanges = 1024
    /// Ranges of messages that a user's receipts together leave undelivered; a receipt that would make more is ignored.
    package static let undeliveredRanges = 64
    /// Bodies that one question asks for.
    package static let bodiesPerQuestion = 256
    /// Branches that one link is asked for at once.
    package static let askedBranchesPerLink = 4
    /// Frames of a branch that are under way to a peer who wants it.
    package static let givenFrames = 8
    /// Conversations in which a device's user may type at once; in others the node does not take note of it.
    package static let typingConversations = 16
    /// A user's picture, in bytes.
    public static let pictureBytes = 32 * 1024
    /// Commands that a bot declares, and the bytes of each: its name, summary and usage.
    public static let profileCommands = 64
    public static let profileCommandBytes = 1024
    /// Branches of a log that are kept.
    package static let branchesPerLog = 4
    /// Logs of a user in one conversation, over all of their devices. In how many conversations somebody has logs is bounded by
    /// those that this node belongs to.
    package static let logsPerUserAndConversation = 1024
    /// Logs of strangers for which there is no room, and of which nothing more is taken on a link.
    package static let skippedLogsPerLink = 1024
    /// Devices of a user that are remembered though they have written nothing.
    package static let devicesPerUser = 64
    /// Devices of this node's own user that are remembered.
    package static let ownDevices = 16
    /// Handshakes with one pairing code at once, and those that may fail before it is dead.
    package static let pairingHandshakes = 4
    package static let pairingFailures = 16
    /// One message of a pairing.
    package static let pairingMessageBytes = 4096
    /// Revoked devices of one user that are remembered, and revocations in one `Revocations` frame: two users' at most.
    package static let revocationsPerUser = 64
    package static let revocationsPerFrame = 128
    /// Revoked devices of all strangers together that are remembered.
    package static let strangerRevocations = 4096
    /// Bytes of entries from all peers that wait for the disk; strangers have half of it. Past it their links end, and
    /// they send the entries again.
    package static let receivedBytes = 128 * 1024 * 1024
    /// Encoded credential.
    package static let credentialBytes = 1024
    /// One Noise handshake message, payload and all.
    package static let handshakeMessageBytes = 2048
    /// Handshakes at once before authentication.
    package static let pendingHandshakes = 256
    /// Handshakes at once before authentication from one address: on one host there may be as many nodes, which all dial
    /// a newcomer.
    package static let pendingHandshakesPerAddress = 64
    /// Connections that may begin a handshake from one address at once, and in a second after that.
    package static let connectionsPerAddress = 128
    package static let connectionsPerAddressAndSecond = 16
    /// Connections that may begin a handshake in a second, from all addresses; and as many again from addresses that
    /// were quiet.
    package static let connectionsPerSecond = 256
    /// Failed handshakes of strangers that are reported for one address at once, and in a second after that; the others
    /// are counted.
    package static let failuresPerAddress = 16
    package static let failuresPerAddressAndSecond = 1
    /// Failed handshakes of strangers that are reported in a second, for all addresses; and as many again for addresses
    /// that were quiet.
    package static let failuresPerSecond = 32
    /// Addresses whose number of connections is remembered.
    package static let addressBudgets = 1024
    /// What a peer may make this node do that moves no log forward: requests at once, and in a second after that. A
    /// request is a frame, every `requestBytes` of one, or a receipt that says nothing new.
    package static let peerRequests = 4096
    package static let peerRequestsPerSecond = 256
    /// The same for all strangers of one address together: twice as much, because honest ones may share an address.
    package static let strangerRequests = 8192
    package static let strangerRequestsPerSecond = 512
    package static let requestBytes = 4096
    /// What a new link counts for, in requests.
    package static let linkRequests = 16
    /// A piece of a frame that is smaller than this counts as a request: senders fill their messages.
    package static let pieceBytes = 1024
    /// Users, and addresses of strangers, whose requests are remembered.
    package static let peerBudgets = 1024
    /// Links of a node; past this limit the least recently used is closed, strangers' links first.
    package static let links = 256
    /// Links that a node makes without having anything for the peer, of so many that it may have. The rest is room for those
    /// that have something for it, and for whom it has something.
    package static func unaskedLinks(of links: Int) -> Int { max(1, links - links / 4) }
    /// Participants of a conversation of many who are linked for one entry.
    package static let reachedParticipants = 4
    /// Entries in one group commit.
    package static let commitEntries = 2048
    /// Entry bytes in one group commit.
    package static let commitBytes = 2 * 1024 * 1024
    /// Sends that wait for their commit; one more is refused as overloaded.
    package static let pendingSends = 65_536
    /// Messages to one user, and their bytes, that wait while that user gives back earlier ones; more are refused as
    /// overloaded.
    package static let heldSends = 4096
    package static let heldSendBytes = 4 * 1024 * 1024
    /// The same for all users together, apart from messages that wait for the disk. It is as much as may wait for the
    /// disk, so everything that waits there has room here when one user gives back messages.
    package static let allHeldSends = pendingSends
    package static let allHeldSendBytes = pendingSendBytes
    /// Requests to take messages back that wait while users give back earlier messages; one more is refused as
    /// overloaded.
    package static let heldCancels = 1024
    /// Of how many own entries that were written anew the new places are known, for what refers to them.
    package static let movedPlaces = 65_536
    /// Calls of programs with keys, acknowledgements or times that are not yet answered; one more is refused as overloaded.
    package static let programCalls = 4096
    /// Named readers of the inbox.
    public static let consumers = 128
    /// Those of them that were made with one token.
    public static let consumersOfToken = 8
    /// The name of one, in bytes.
    public static let consumerNameBytes = 64
    /// Messages that are set aside for one consumer; beyond it the oldest of them are forgotten, so that none holds up the others.
    public static let setAside = 1000
    /// So long may a consumer keep what it was handed before that counts as in vain, in milliseconds of uptime. If it asks
    /// again sooner, it gets the same hand-out.
    package static let handOutTime: Int64 = 30_000
    /// Of the reason that a consumer gives for a failure so much is kept, in Unicode scalars.
    public static let failureReason = 500
    /// An idempotency key, in bytes of UTF-8.
    public static let idempotencyKeyBytes = 255
    /// Messages that wait for their time, and their bytes.
    public static let scheduledMessages = 1024
    package static let scheduledBytes = 16 * 1024 * 1024
    /// Drafts of one conversation that wait for a person, of all conversations, and of one program in all conversations.
    public static let draftsPerConversation = 16
    public static let drafts = 1024
    public static let draftsOfProgram = 128
    /// The name of a program that inserts drafts, in bytes.
    public static let draftAuthorBytes = 64
    package static let draftBytes = 16 * 1024 * 1024
    /// Drafts that were discarded and whose ids are remembered, so that they are not inserted again.
    package static let discardedDrafts = 1024
    /// Bytes of their own entries that a user is given back at once, and in a second after that. A user who asks for
    /// more waits for it.
    package static let returnedBytes = 16 * 1024 * 1024
    package static let returnedBytesPerSecond = 4 * 1024 * 1024
    /// The slowest rate at which a user may give entries back, after a time to begin. Messages do not wait for a slower
    /// one.
    package static let recoveryBytesPerSecond = 256 * 1024
    /// Users whose time to give back entries is remembered.
    package static let recoveryHolds = 1024
    /// Messages in one call of `send`.
    public static let messagesPerSend = 4096
    /// Recipients in one call of `send`.
    public static let recipientsPerSend = 64
    /// Addresses of a device that are remembered, or taken from one of its records, or dialled at once.
    package static let addressesPerDevice = 8
    /// Addresses from all records of a device together: room for the best of each record.
    package static let advertisedAddresses = 32
    /// Addresses of a device that are dialled whatever is advertised, because it was last reached there.
    package static let provedAddresses = 2
    /// Users that are remembered although no message was exchanged with them and no decision was made about them; past
    /// this limit the one who was not seen for the longest time is forgotten.
    package static let strangers = 4096
    /// Messages on one page of history.
    public static let historyPage = 1000
    /// Events, and bytes of messages, on one page of the journal. A message that goes past them is the last.
    package static let journalPage = 64
    package static let journalPageBytes = 64 * 1024
    /// Rows of the journal; the oldest go first.
    package static let journalRows: Int64 = 1_000_000
    /// Users whose clock difference is remembered.
    package static let peerClocks = 64
    /// How often the wall clock was set forward, of which messages are told apart that were written before; more are taken as one.
    package static let clockShifts = 8
    /// Devices that discovery keeps track of at once.
    package static let discoveredDevices = 10_000
    /// Other networks that a node reports in one run.
    package static let otherNetworks = 64
    /// Events that may wait for one observer, unless it asks for another number.
    public static let observerEvents = 1024
    /// Participants of a private conversation, its owner included.
    package static let participants = 128
    /// Entries of a control log. Its writer goes on in a new one.
    package static let controlEntries = 4096
    /// Control logs of a conversation that count, one after the other.
    package static let controlTerms = 64
    /// The size of the JSON of a conversation's attributes.
    public static let attributesBytes = 16 * 1024
    /// The size of a friendly name, in UTF-8.
    public static let friendlyNameBytes = 256
    /// Places that a removal, or the beginning of a control log, names.
    package static let removalCuts = 1024
    /// Places that the cut of a revoked device names.
    package static let deviceCuts = 1024
    /// Runs of entries that one statement of what was erased names.
    package static let erasedRuns = 256
    /// Entries that one statement of what was shown names.
    package static let shownPlaces = 64
    package static let controlHeads = 256
    /// Invitations by one user that are not answered.
    package static let invitationsPerUser = 16
    /// The same by all strangers together.
    package static let strangersInvitations = 64
    /// Private conversations that peers have offered, and of which nothing is here yet.
    package static let offeredConversations = 64
    /// Control logs of a private conversation that this node's user has not joined: what an invitation costs to read and to
    /// fold, each time that the node starts. As many as can follow each other.
    package static let controlLogsOfInvitation = controlTerms
    /// The same of all that this node's user has not answered; where there are more, each has `controlLogsOfFurtherInvitation`.
    package static let controlLogsOfInvitations = 512
    package static let controlLogsOfFurtherInvitation = 8
    /// One request for so many control logs of a conversation that are folded again for a frame.
    package static let foldedLogsPerRequest = 8
    /// Answers to additions that have not come, of a conversation.
    package static let earlyAnswers = 256
    /// Messages of a conversation that do not count, and are looked at again when more is known of who was in, and of what
    /// another device has shown.
    package static let silentEntries = 1024
    /// Frames of messages that wait until the control entries which their authors knew have come.
    package static let waitingFrames = 256
    package static let waitingFrameBytes = 16 * 1024 * 1024
}
