/// Every size that a node checks. Each has its own error.
public enum Limits {
    /// Text of a message, in bytes of UTF-8.
    public static let textBytes = 64 * 1024
    /// Header pairs of a message.
    public static let headerCount = 64
    /// Names and values of a message's headers together, in bytes of UTF-8.
    public static let headerBytes = 8 * 1024
    /// Name of a user, in bytes of UTF-8.
    public static let nameBytes = 63
    /// One frame, encoded.
    package static let frameBytes = 1024 * 1024
    /// Entries' bytes that are sent on a link and not yet acknowledged by a receipt.
    package static let windowBytes = 4 * 1024 * 1024
    /// Bytes that wait for a peer to read them; past it the link is closed. Twice what a window can be on the wire.
    package static let unwrittenBytes = 16 * 1024 * 1024
    /// Dials that are under way at once.
    package static let concurrentDials = 32
    /// Of these, what targets have to themselves that were linked before or were given by the user: being advertised
    /// costs nothing.
    package static let keptDials = 8
    /// Users that are asked at once whether this node can be reached.
    package static let reachabilityPeers = 4
    /// Connections that are made at once for peers who ask whether they can be reached.
    package static let concurrentDialBacks = 16
    /// Devices that are dialled where they were last, without being advertised.
    package static let rememberedDevices = 256
    /// Bytes of the messages that wait for their commit; one more is refused as overloaded.
    package static let pendingSendBytes = 64 * 1024 * 1024
    /// What an entry counts for in a window beside its content.
    package static let entryOverheadBytes = 64
    /// What one `Entries` frame carries at the most, so that several share a window.
    package static let entriesFrameBytes = 256 * 1024
    /// Entries in one `Entries` frame.
    package static let entriesPerFrame = 1024
    /// Receipts in one `Receipts` frame: each costs a look at its signature.
    package static let receiptsPerFrame = 1024
    /// Logs in one `Heads` frame.
    package static let logsPerHeads = 1024
    /// Logs of a user, over all of their devices.
    package static let logsPerUser = 1024
    /// Devices of a user that are remembered though they have written nothing.
    package static let devicesPerUser = 64
    /// Bytes of entries from all peers that wait for the disk; strangers have a half. Beyond it their links end, and they
    /// send it again.
    package static let receivedBytes = 128 * 1024 * 1024
    /// Encoded credential.
    package static let credentialBytes = 1024
    /// One Noise handshake message, payload and all.
    package static let handshakeMessageBytes = 2048
    /// Handshakes at once before authentication.
    package static let pendingHandshakes = 64
    /// Handshakes at once before authentication from one address.
    package static let pendingHandshakesPerAddress = 16
    /// Connections that may begin a handshake from one address at once, and in a second after that.
    package static let connectionsPerAddress = 64
    package static let connectionsPerAddressAndSecond = 16
    /// Connections that may begin a handshake in a second, from all addresses; and as many from those that were quiet.
    package static let connectionsPerSecond = 256
    /// Failed handshakes of strangers that are told of for one address at once, and in a second after that; the others
    /// are counted.
    package static let failuresPerAddress = 16
    package static let failuresPerAddressAndSecond = 1
    /// Failed handshakes of strangers that are told of in a second, for all addresses; and as many for those that were
    /// quiet.
    package static let failuresPerSecond = 32
    /// Addresses of which it is remembered how many connections came from them.
    package static let addressBudgets = 1024
    /// What a peer may make this node do at once that moves no log forward, in requests, and in a second after that.
    /// One is a frame, every `requestBytes` of one, or a receipt that says nothing new.
    package static let peerRequests = 4096
    package static let peerRequestsPerSecond = 256
    /// What all strangers of one address may, together: twice as much, because honest ones share an address too.
    package static let strangerRequests = 8192
    package static let strangerRequestsPerSecond = 512
    package static let requestBytes = 4096
    /// What a new link counts for, in requests.
    package static let linkRequests = 16
    /// A piece of a frame that is smaller than this counts as a request: senders fill what they send.
    package static let pieceBytes = 1024
    /// Users, and addresses of strangers, of whom it is remembered what they made this node do.
    package static let peerBudgets = 1024
    /// Links of a node; past it the least recently used is closed, of strangers first.
    package static let links = 256
    /// Entries in one group commit.
    package static let commitEntries = 2048
    /// Entry bytes in one group commit.
    package static let commitBytes = 2 * 1024 * 1024
    /// Sends that wait for their commit; one more is refused as overloaded.
    package static let pendingSends = 65_536
    /// Messages to one user, and their bytes, that wait because the user gives back earlier ones; one more is refused as
    /// overloaded.
    package static let heldSends = 4096
    package static let heldSendBytes = 4 * 1024 * 1024
    /// The same of all users together, beside those that wait for the disk: as much as may wait for that, so that all that
    /// waits for it when one user gives back messages has room.
    package static let allHeldSends = pendingSends
    package static let allHeldSendBytes = pendingSendBytes
    /// Entries of their own that a user is given back at once, in bytes, and in a second after that. Whoever asks for more
    /// waits for it.
    package static let returnedBytes = 16 * 1024 * 1024
    package static let returnedBytesPerSecond = 4 * 1024 * 1024
    /// What a user gives back must come as fast as this at the least, after a time to begin, or is not waited for.
    package static let recoveryBytesPerSecond = 256 * 1024
    /// Users of whom it is remembered that they had their time to give back entries.
    package static let recoveryHolds = 1024
    /// Messages in one call of `send`.
    public static let messagesPerSend = 4096
    /// Addresses that are remembered of a device, or taken from one record of it, or dialled at once.
    package static let addressesPerDevice = 8
    /// Addresses of all records of a device together: room for the best of each record.
    package static let advertisedAddresses = 32
    /// Addresses of a device that are dialled whatever is advertised, because it was reached there last.
    package static let provedAddresses = 2
    /// Users that are remembered though no message was ever exchanged with them and no decision made; past it the one
    /// who was not seen for the longest time is forgotten.
    package static let strangers = 4096
    /// Messages on one page of history.
    public static let historyPage = 1000
    /// Users of whom it is remembered how far their clocks are away.
    package static let peerClocks = 64
    /// Devices that discovery keeps track of at once.
    package static let discoveredDevices = 10_000
    /// Networks other than its own that a node tells of in one run.
    package static let otherNetworks = 64
    /// Events that wait for one observer, unless it asks for another number.
    public static let observerEvents = 1024
}
