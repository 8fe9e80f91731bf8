import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The logs that a node knows")
struct LogsTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private var author: LogAuthor { LogAuthor(alice) }
    private var conversation: ConversationRecord { .direct(alice.userID, bob.userID) }

    @Test("of a user in one conversation are bounded over all devices")
    func logsOfAUser() {
        let records = (1...UInt64(Limits.logsPerUserAndConversation)).map { epoch in
            HandWrittenLog(by: bob, to: alice.userID, epoch: epoch).record
        }
        let logs = Logs(author: author, records: records)
        let direct = conversation.conversationID
        let error = #expect(throws: ProtocolError.self) { try logs.checkRoom(for: bob.userID, in: direct) }
        #expect(error?.code == .violation)
        #expect(throws: Never.self) { try logs.checkRoom(for: device("carol").userID, in: direct) }
        #expect(throws: Never.self) { try logs.checkRoom(for: bob.userID, in: .open("general", networkTag: "")) }
        // Those that come back are no peer's.
        #expect(throws: Never.self) { try logs.checkRoom(for: alice.userID, in: direct) }
    }

    @Test("of a user with two devices have room in as many conversations as a node may belong to, and directly")
    func logsOfABusyUser() {
        let conversations = (1...Limits.conversationsOfMany).map { number in
            ConversationRecord(
                conversationID: .open("room \(number)", networkTag: ""), kind: .open, participantIDs: [],
                uniqueName: "room \(number)")
        }
        let devices = [device("bob"), device("bob's other device")]
        let records = devices.flatMap { device in
            conversations.map { conversation in
                let log = LogDescription(
                    conversationID: conversation.conversationID, deviceID: device.deviceID, epoch: 1)
                return LogRecord(
                    description: log, authorID: bob.userID, conversation: conversation, head: .origin(of: log.logID))
            }
        }
        let logs = Logs(author: author, records: records)
        for conversation in conversations + [self.conversation] {
            #expect(throws: Never.self) { try logs.checkRoom(for: bob.userID, in: conversation.conversationID) }
        }
    }

    @Test("have messages of their own only behind the place where a branch parts from another")
    func branchMessages() {
        var written = HandWrittenLog(by: alice, to: bob.userID)
        for number in 1...3 { _ = written.entry("message \(number)") }
        let trunk = written.record
        let base = LogHead(sequence: 2, chain: trunk.head.chain, timestamp: trunk.head.timestamp)
        let branch = LogRecord(
            logID: .limbo(of: trunk.logID, after: 2), description: trunk.description, base: base,
            authorID: alice.userID, conversation: conversation, head: trunk.head)
        let logs = Logs(author: author, records: [trunk, branch])
        func messages(of logID: LogID) -> [UInt64] {
            (1...3).filter { logs.isMessage(MessageID(log: logID, sequence: $0)) }
        }
        #expect(branch.logID != trunk.logID)
        #expect(messages(of: trunk.logID) == [1, 2, 3] && messages(of: branch.logID) == [3])
    }

    @Test("of a stranger have room for a mebibyte in an open conversation, those of all strangers for 64, or directly")
    func strangers() {
        func record(_ author: LocalDevice, in conversation: ConversationRecord, bytes: Int) -> LogRecord {
            let log = LogDescription(conversationID: conversation.conversationID, deviceID: author.deviceID, epoch: 1)
            return LogRecord(
                description: log, authorID: author.userID, conversation: conversation, head: .origin(of: log.logID),
                bytes: bytes)
        }
        let open = ConversationRecord(
            conversationID: .open("general", networkTag: ""), kind: .open, participantIDs: [], uniqueName: "general")
        let (carol, dave) = (device("carol"), device("dave"))
        let logs = Logs(
            author: author,
            records: [
                record(bob, in: open, bytes: Limits.strangerBytes - 10), record(carol, in: open, bytes: 62 << 20),
                record(carol, in: .direct(alice.userID, carol.userID), bytes: Limits.strangersBytes - 10),
            ])
        func hasRoom(_ more: Int, of author: LocalDevice, in conversation: ConversationRecord) -> Bool {
            logs.hasRoom(for: more, of: author.userID, in: conversation) { $0 != alice.userID }
        }
        #expect(hasRoom(10, of: bob, in: open) && !hasRoom(11, of: bob, in: open))
        #expect(hasRoom(1 << 20, of: dave, in: open) && !hasRoom(1 << 20 + 11, of: dave, in: open))
        let direct = ConversationRecord.direct(alice.userID, dave.userID)
        #expect(hasRoom(10, of: dave, in: direct) && !hasRoom(11, of: dave, in: direct))
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

    @Test("have a new epoch behind all earlier ones, whatever the clock says")
    func epochs() {
        let log = HandWrittenLog(by: alice, to: bob.userID, epoch: 100)
        let logs = Logs(author: author, records: [log.record])
        #expect(logs.nextEpoch(in: conversation, now: Moment(wallClock: 9, uptime: 1)).description.epoch == 101)
        #expect(logs.nextEpoch(in: conversation, now: Moment(wallClock: 900, uptime: 1)).description.epoch == 900)
    }

    @Test("have branches, of which the one that was known first is written on")
    func branches() {
        let trunk = HandWrittenLog(by: alice, to: bob.userID, epoch: 3).record
        let origin = LogHead.origin(of: trunk.logID)
        let branch = LogRecord(
            logID: .branch(of: trunk.description, from: 1, ChainHash(Bytes32())), description: trunk.description,
            base: origin, authorID: alice.userID, conversation: conversation, head: origin)
        let logs = Logs(author: author, records: [branch, trunk])
        #expect(logs.branches(of: trunk.description) == [trunk.logID, branch.logID])
        #expect(logs.logForMessages(in: conversation, now: Moment(wallClock: 9, uptime: 1)).record.logID == trunk.logID)
    }

    @Test("are written on by nobody while they wait in a limbo")
    func limbo() {
        let log = HandWrittenLog(by: alice, to: bob.userID, epoch: 3).record
        let limbo = LogRecord(
            logID: .limbo(of: log.logID, after: 0), description: log.description, base: .origin(of: log.logID),
            isLimbo: true, authorID: alice.userID, conversation: conversation, head: log.head)
        let logs = Logs(author: author, records: [limbo])
        #expect(logs.limbos(of: conversation.conversationID) == [limbo] && logs.limbo(limbo.logID) == limbo)
        #expect(logs.own(limbo.logID) == nil && logs.branches(of: log.description).isEmpty)
        #expect(logs.heads(of: conversation.conversationID).isEmpty)
    }
}
