import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The logs that a node knows")
struct LogsTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private var author: LogAuthor { LogAuthor(alice) }
    private var conversation: ConversationRecord { .direct(alice.userID, bob.userID) }

    @Test("of a user are bounded over all devices")
    func logsOfAUser() {
        let records = (1...UInt64(Limits.logsPerUser)).map { epoch in
            HandWrittenLog(by: bob, to: alice.userID, epoch: epoch).record
        }
        let logs = Logs(author: author, records: records)
        let another = HandWrittenLog(by: device("bob", seed: 4), to: alice.userID).record.description
        let error = #expect(throws: ProtocolError.self) { try logs.logForEntries(another, by: bob.userID) }
        #expect(error?.code == .violation)
        #expect(throws: Never.self) { try logs.logForEntries(records[0].description, by: bob.userID) }
    }

    @Test("of this device: the youngest is written on, in whatever order they come to be known")
    func youngest() {
        let records = [UInt64(3), 7, 5].map { HandWrittenLog(by: alice, to: bob.userID, epoch: $0).record }
        var logs = Logs(author: author, records: Array(records.prefix(2)))
        logs.adopt(records[2])
        let now = Moment(wallClock: 9, uptime: 1)
        #expect(logs.logForMessages(in: conversation, now: now).description.epoch == 7)
        #expect(logs.own(to: bob.userID).count == 3)
    }

    @Test("of this device begin at the time at which they are first written")
    func begins() {
        let logs = Logs(author: author)
        #expect(!logs.hasWritten(to: bob.userID))
        let log = logs.logForMessages(in: conversation, now: Moment(wallClock: 9, uptime: 1))
        #expect(log.description.epoch == 9 && log.head == .origin(of: log.record.logID))
        #expect(log.record.recipientID == bob.userID && log.record.authorID == alice.userID)
    }
}
