import EarshotModel
import EarshotProtocol
import Testing

@testable import EarshotStore

/// A group of Alice, whose device this is, and Bob.
@Suite("What waits for the participants of a group")
struct WaitingTests {
    private let store: Store
    private let alice: UserID = identifier(3)
    private let bob: UserID = identifier(4)
    private let device: DeviceID = identifier(2)

    init() throws { store = try Store.inMemory() }

    // MARK: - Open conversations

    private func open(_ status: Participant.Status, since: Int64 = 0) -> OpenConversationRecord {
        let participants = [
            participant(alice, .joined, since: 0), participant(bob, status, since: since),
        ]
        return OpenConversationRecord(
            conversationID: identifier(1), uniqueName: "general", isJoined: true,
            participants: Dictionary(uniqueKeysWithValues: participants.map { ($0.userID, $0) }))
    }

    private func participant(_ userID: UserID, _ status: Participant.Status, since: Int64) -> Participant {
        Participant(
            userID: userID, role: .participant, status: status, since: HybridTimestamp(milliseconds: since))
    }

    private func written(_ log: SampleLog, _ fill: (inout Commit) -> Void = { _ in }) throws {
        var commit = log.commit
        commit.deviceID = device
        fill(&commit)
        try store.commit(commit)
    }

    /// Checks one thing in all that ask for it: what is counted, listed, and may not be erased.
    private func expect(_ waiting: [UInt64], of log: SampleLog, _ place: SourceLocation = #_sourceLocation) throws {
        let count = try store.waiting(of: device)[bob] ?? 0
        #expect(count == UInt64(waiting.count), "counted", sourceLocation: place)
        let listed = try store.undelivered(of: device, limit: 9)
        #expect(listed.map(\.entry.sequence) == waiting, "listed", sourceLocation: place)
        #expect(listed.allSatisfy { $0.recipientID == bob }, sourceLocation: place)
        for entry in log.entries where entry.kind == .text {
            let erased = try store.deleteContents(of: [log.messageID(entry.sequence)], deviceID: device)
            let isKept = !erased.undelivered.isEmpty
            #expect(isKept == waiting.contains(entry.sequence), "\(entry.sequence) is kept", sourceLocation: place)
        }
    }

    @Test(
        "is all for whoever is in, and nothing for whoever is out",
        arguments: [
            (Participant.Status.invited, true), (.joined, true), (.closed, true), (.left, false), (.removed, false),
        ])
    func status(_ status: Participant.Status, waits: Bool) throws {
        let log = SampleLog.at([1, 2], of: .open)
        try written(log) { $0.conversations = [open(status)] }
        try expect(waits ? [1, 2] : [], of: log)
    }

    @Test("begins when they joined")
    func since() throws {
        let log = SampleLog.at([10, 20, 30], of: .open)
        try written(log) { $0.conversations = [open(.joined, since: 15)] }
        try expect([2, 3], of: log)
    }

    @Test("is none of what they have, though they lack something before it")
    func gaps() throws {
        let log = SampleLog.at([1, 2, 3, 4, 5], of: .open)
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered) = (5, 5, 4)
        progress.missing = SequenceSet(2...3)
        try written(log) {
            $0.conversations = [open(.joined)]
            $0.deliveries = [DeliveryRecord(logID: log.logID, recipientID: bob, progress: progress)]
        }
        try expect([2, 3, 5], of: log)
    }

    @Test("is none of what has failed for everybody")
    func failures() throws {
        let log = SampleLog.at([1, 2, 3], of: .open)
        try written(log) {
            $0.conversations = [open(.joined)]
            $0.failures = [
                DeliveryFailure(
                    messageID: log.messageID(2), recipientID: log.record.recipientID, reason: .cancelled,
                    isWithheld: true)
            ]
        }
        try expect([1, 3], of: log)
    }

    @Test("ends for a message that was taken back with whoever goes, and its text is erased then")
    func retraction() throws {
        var log = SampleLog.at([1, 2], of: .open)
        let target = LogPlace(logID: log.logID, sequence: 1, chain: log.entries[0].chain)
        let amendment = Amendment(target: target, .retract)
        let body = EntryBody(
            timestamp: HybridTimestamp(milliseconds: 5), expiry: .max, content: .amendment(amendment))
        log.append(at: 5, body: body.encoded(), kind: .retract, relation: amendment.relation)
        try written(log) { $0.conversations = [open(.joined)] }
        #expect(try store.row(of: log.messageID(1))?.entry.isDeleted == false)
        var commit = Commit()
        commit.deviceID = device
        commit.conversations = [open(.left, since: 9)]
        try store.commit(commit)
        #expect(try store.row(of: log.messageID(1))?.entry.isDeleted == true)
        #expect(try store.row(of: log.messageID(2))?.entry.isDeleted == false)
    }

    // MARK: - Private conversations

    @Test("begins in a private conversation with what its author wrote who knew that they are in, whatever the time")
    func versions() throws {
        // Carol decides: she founds it, adds Bob, removes him, and adds him again at 40.
        var control = SampleLog(device: 6, author: 5, of: .private, kind: .control)
        for (time, kind) in [(10, EntryKind.created), (20, .add), (30, .remove), (40, .add)] {
            control.append(at: Int64(time), kind: kind)
        }
        let places = control.entries.map { LogPlace(logID: control.logID, sequence: $0.sequence, chain: $0.chain) }
        var log = SampleLog(device: 2, author: 3, of: .private)
        for (time, known) in [(21, 1), (50, 2), (60, 3)] {
            log.append(at: Int64(time), kind: .version, relation: .version(places[known]))
            log.append(at: Int64(time))
        }
        try written(log) {
            $0.privateConversations = [
                PrivateConversationRecord(
                    conversationID: identifier(1), uniqueName: "crew", friendlyName: "", attributes: "",
                    ownerID: identifier(5), decidingDeviceID: identifier(6), isJoined: true, givesHistory: false,
                    isClosed: false,
                    participants: [
                        participant(identifier(5), .joined, since: 10), participant(alice, .joined, since: 10),
                        participant(bob, .joined, since: 40),
                    ])
            ]
            $0.logs.append(control.record)
            $0.entries.append(LogEntries(logID: control.logID, entries: control.entries))
            var progress = DeliveryProgress()
            (progress.offered, progress.sent, progress.delivered) = (6, 6, 6)
            $0.deliveries = [DeliveryRecord(logID: log.logID, recipientID: identifier(5), progress: progress)]
        }
        try expect([6], of: log)
    }
}
