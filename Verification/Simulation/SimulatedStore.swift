import EarshotModel
import EarshotProtocol
import EarshotStore

/// A message as a store holds it, with everything that its state depends on.
struct HeldMessage {
    let log: LogRecord
    let entry: EntryRecord
    let failure: DeliveryFailure?
    /// The progress of its log for its recipient.
    let progress: DeliveryProgress
    /// Whether its author took it back, as far as the store knows: the model of it knows nothing of that.
    let isRetracted: Bool

    var messageID: MessageID { MessageID(log: log.logID, sequence: entry.sequence) }
    var state: DeliveryState { progress.state(of: entry.sequence, failure: failure) }
    var text: String {
        do { return try content()?.text ?? "" } catch {
            return "no entry: \(error)"
        }
    }
    /// Its part in a session; `nil` also for what is no entry.
    var session: MessageSession? { (try? content())?.session }
    /// The files that it brings along.
    var attachments: [Attachment] { (try? content())?.attachments ?? [] }
    var hasBody: Bool {
        if case .body = entry.content { true } else { false }
    }
    /// Whether its author withheld it: it is only in the author's history.
    var isWithheld: Bool { failure?.isWithheld == true }

    private func content() throws -> MessageContent? {
        guard case .body(let bytes) = entry.content, case .text(let message) = try EntryBody(decoding: bytes).content
        else { return nil }
        return message
    }

    init(
        log: LogRecord, entry: EntryRecord, failure: DeliveryFailure?, progress: DeliveryProgress,
        isRetracted: Bool = false
    ) {
        self.log = log
        self.entry = entry
        self.failure = failure
        self.progress = progress
        self.isRetracted = isRetracted
    }

    init(_ row: HistoryRow) {
        self.init(
            log: row.log, entry: row.entry, failure: row.failures[row.log.recipientID],
            progress: row.progress[row.log.recipientID] ?? DeliveryProgress(), isRetracted: row.isRetracted)
    }
}

/// The disk of a simulated node: the real store, or the model of it.
enum SimulatedStore {
    case real(Store)
    case model(ModelStore)

    mutating func commit(_ commit: Commit) throws {
        switch self {
        case .real(let store): try store.commit(commit)
        case .model(var model):
            // Empty meanwhile, so that the model is not copied.
            self = .model(ModelStore())
            defer { self = .model(model) }
            try model.commit(commit)
        }
    }

    func snapshot() throws -> Snapshot {
        switch self {
        case .real(let store): try store.snapshot()
        case .model(let model): model.snapshot()
        }
    }

    func entries(of logID: LogID, from: UInt64, countLimit: Int, byteLimit: Int) throws -> [EntryRecord] {
        switch self {
        case .real(let store):
            try store.entries(of: logID, from: from, countLimit: countLimit, byteLimit: byteLimit)
        case .model(let model): model.entries(of: logID, from: from, countLimit: countLimit, byteLimit: byteLimit)
        }
    }

    func chains(of read: ChainsRead) throws -> [LogID: [UInt64: ChainHash]] {
        switch self {
        case .real(let store):
            var chains: [LogID: [UInt64: ChainHash]] = [:]
            for logID in read.logIDs { chains[logID] = try store.chains(of: logID, at: read.sequences) }
            return chains
        case .model(let model):
            return read.logIDs.reduce(into: [:]) { $0[$1] = model.chains(of: $1, at: read.sequences) }
        }
    }

    func expired(
        in logID: LogID, after: UInt64, by clock: ExpiryClock
    ) throws -> (sequences: [UInt64], nextExpiry: Int64) {
        switch self {
        case .real(let store): try store.expired(in: logID, after: after, by: clock)
        case .model(let model): model.expired(in: logID, after: after, by: clock)
        }
    }

    func entries(with keys: [EntryKey]) throws -> [KeyedEntry] {
        switch self {
        case .real(let store): try store.entries(with: keys)
        case .model(let model): model.entries(with: keys)
        }
    }

    /// Messages of others after a place in the order of arrival.
    func arrived(after cursor: Int64, for readerID: UserID, limit: Int) throws -> [(
        cursor: Int64, message: HeldMessage
    )] {
        switch self {
        case .real(let store):
            try store.arrived(after: cursor, for: readerID, countLimit: limit, byteLimit: .max).rows
                .map { ($0.cursor, HeldMessage($0)) }
        case .model(let model): model.arrived(after: cursor, for: readerID, limit: limit)
        }
    }

    func held(_ messageID: MessageID) throws -> HeldMessage? {
        switch self {
        case .real(let store): try store.row(of: messageID).map(HeldMessage.init)
        case .model(let model): model.held(messageID)
        }
    }

    func history(of conversationID: ConversationID) throws -> [HeldMessage] {
        switch self {
        case .real(let store):
            try (store.history(of: conversationID, .latest, limit: .max / 2) ?? []).map(HeldMessage.init)
        case .model(let model): model.history(of: conversationID)
        }
    }

    /// All that follows a place in the journal, read in small pages.
    func journal(after start: EventID?) throws -> JournalRest {
        switch self {
        case .real(let store):
            var events: [JournalledEvent] = []
            var place = start
            while true {
                switch try store.journal(after: place, countLimit: 7, byteLimit: 20_000) {
                case .gone: return .gone
                case .entries(let entries, let end):
                    guard end != place else { return .events(events, end: end) }
                    events += entries.map(JournalledEvent.init)
                    place = end
                }
            }
        case .model(let model): return model.journal(after: start)
        }
    }

    /// A copy of what is committed now.
    func copy() throws -> SimulatedStore {
        switch self {
        case .real(let store): .real(try store.inMemoryCopy())
        case .model: self
        }
    }

    /// What is wrong with the file itself.
    func integrityFindings() throws -> [String] {
        switch self {
        case .real(let store): try store.integrityFindings()
        case .model: []
        }
    }
}
