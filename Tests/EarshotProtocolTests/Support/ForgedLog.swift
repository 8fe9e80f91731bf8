import EarshotCrypto
import EarshotModel

@testable import EarshotProtocol

/// A log of any kind that its author fills with whatever they like.
struct ForgedLog {
    private let author: LocalDevice
    private var log: OwnLog

    init(by author: LocalDevice, in conversation: ConversationRecord, kind: LogKind, epoch: UInt64 = 1) {
        self.author = author
        let description = LogDescription(
            conversationID: conversation.conversationID, deviceID: author.deviceID, epoch: epoch, kind: kind)
        log = OwnLog(
            record: LogRecord(
                description: description, authorID: author.userID, conversation: conversation,
                head: .origin(of: description.logID)))
    }

    var description: LogDescription { log.record.description }
    /// Its end, as a peer names it.
    var end: BranchHead { BranchHead(log: description, place: log.head.place) }

    /// Its next entries, in one frame.
    mutating func append(_ contents: [EntryBody.Content], expiry: Int64 = .max) -> EntriesFrame {
        let start = log.head
        var time = start.timestamp.rawValue
        let bodies = contents.map { content in
            time += 1
            return EntryBody(timestamp: HybridTimestamp(rawValue: time), expiry: expiry, content: content)
        }
        let (record, entries) = log.extended(by: bodies, LogAuthor(author))
        log = OwnLog(record: record)
        guard let checkpoint = entries.last?.checkpoint else {
            preconditionFailure("the last of a run has a checkpoint")
        }
        return EntriesFrame(
            log: description, firstSequence: start.sequence + 1, previousChain: start.chain,
            contents: entries.map(\.content), checkpoint: checkpoint)
    }
}
