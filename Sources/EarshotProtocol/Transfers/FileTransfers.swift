import EarshotModel

/// What goes between nodes of files: what is fetched, and what peers are given. The two know nothing of each other.
struct FileTransfers: Sendable {
    enum Action: Hashable, Sendable {
        case send(Frame, ConnectionID)
        case task(FileTask)
        /// What a peer sent was asked for, and counts as so many requests.
        case credit(Int, ConnectionID)
    }

    private var fetching = FileFetching()
    private var giving = FileGiving()

    var isFetching: Bool { !fetching.isIdle }
    var isGiving: Bool { !giving.isIdle }
    /// Where the files were shown that are fetched.
    var conversations: Set<ConversationID> { fetching.conversations }
    /// When a peer that gave nothing is to be replaced, or may be asked again.
    var deadline: Int64 { fetching.deadline }

    /// Whether a link was asked for something, or gives something.
    func isBusy(_ connectionID: ConnectionID) -> Bool {
        fetching.isAsking(connectionID) || giving.isGiving(on: connectionID)
    }

    func add(to load: inout NodeLoad) {
        load.askedChunks = fetching.load.chunks
        (load.fileQuestions, load.partsAhead) = giving.load
    }

    // MARK: - Fetching

    mutating func begin(_ fileID: FileID, shape: FileShape, in conversationID: ConversationID) -> [Action] {
        fetching.begin(fileID, shape: shape, in: conversationID)
    }

    mutating func stop(_ fileID: FileID) -> [Action] { fetching.stop(fileID) }

    mutating func opened(_ fileID: FileID, _ inventory: FileInventory) { fetching.opened(fileID, inventory) }

    mutating func written(
        _ part: FilePart, of fileID: FileID, from connectionID: ConnectionID, _ result: FileWriteResult
    ) -> [Action] {
        fetching.written(part, of: fileID, from: connectionID, result)
    }

    mutating func ended(_ fileID: FileID) { fetching.ended(fileID) }

    mutating func advance(now: Int64, holders: (ConversationID) -> [ConnectionID]) -> [Action] {
        fetching.advance(now: now, holders: holders)
    }

    /// A part came.
    mutating func received(
        _ part: FilePart, of fileID: FileID, _ bytes: [UInt8], on connectionID: ConnectionID, now: Int64
    ) -> [Action] {
        fetching.received(part, of: fileID, bytes, on: connectionID, now: now)
    }

    // MARK: - Giving

    /// - Throws: `ProtocolError` `violation`.
    mutating func asked(
        _ wanted: WantedFile, byOwnDevice isOwnDevice: Bool = false, on connectionID: ConnectionID
    ) throws(ProtocolError) -> [Action] {
        try giving.asked(wanted, byOwnDevice: isOwnDevice, on: connectionID)
    }

    mutating func read(_ read: FileRead, _ bytes: [UInt8]?) -> [Action] { giving.read(read, bytes) }

    mutating func written(_ connectionID: ConnectionID) -> [Action] { giving.written(connectionID) }

    // MARK: - Both

    /// A peer says what it has, or does not want.
    mutating func heard(_ news: FileNews, on connectionID: ConnectionID, now: Int64) {
        switch news.state {
        case .unwanted: giving.unwanted(news.fileID, on: connectionID)
        case .held, .absent: fetching.heard(news.state, of: news.fileID, on: connectionID, now: now)
        }
    }

    /// What the link was asked for is asked of others, and what it asked for is dropped.
    mutating func linkEnded(_ connectionID: ConnectionID) {
        fetching.linkEnded(connectionID)
        giving.linkEnded(connectionID)
    }
}
