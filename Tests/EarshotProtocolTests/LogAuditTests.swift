import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotSimulation
import Testing

@Suite("The audit of one log")
struct LogAuditTests {
    private let author: LocalDevice
    private let reader: LocalDevice
    private var record: LogRecord
    private var entries: [EntryRecord] = []

    init() {
        var generator = SeededGenerator(seed: 1)
        author = .generated(name: "alice", using: &generator)
        reader = .generated(name: "bob", using: &generator)
        let description = LogDescription(
            conversationID: .direct(author.userID, reader.userID), deviceID: author.deviceID, epoch: 1)
        record = LogRecord(
            description: description, authorID: author.userID, conversation: .direct(author.userID, reader.userID),
            head: .origin(of: description.logID))
    }

    private mutating func append(
        _ text: String, isSigned: Bool = true, isDeleted: Bool = false, isWithheld: Bool = false,
        isMissing: Bool = false
    ) {
        let timestamp = record.head.timestamp.next
        let body = EntryBody(timestamp: timestamp, expiry: 9, content: .text(text, headers: [:])).encoded()
        record.head = LogHead(
            sequence: record.head.sequence + 1, chain: record.head.chain.appending(.of(body: body)),
            timestamp: timestamp)
        let checkpoint = Checkpoint.sign(
            logID: record.logID, sequence: record.head.sequence, chain: record.head.chain, with: author.signingKey)
        var entry = EntryRecord(
            sequence: record.head.sequence, timestamp: timestamp, expiry: 9, kind: .text,
            content: isDeleted || isWithheld || isMissing ? .withheld(.of(body: body)) : .body(body),
            chain: record.head.chain, checkpoint: isSigned ? checkpoint : nil, isDeleted: isDeleted)
        if isWithheld { entry.mark = checkpoint }
        entries.append(entry)
    }

    private func receipt(_ sequence: UInt64) -> Receipt {
        .sign(
            logID: record.logID, sequence: sequence, chain: entries[Int(sequence) - 1].chain, readSequence: 0,
            deviceID: reader.deviceID, with: reader.signingKey)
    }

    private func findings(_ receipt: Receipt? = nil, isAuthorKnown: Bool = true, isWrittenHere: Bool = false)
        -> LogFindings
    {
        var audit = LogAudit(
            log: record, recipientID: reader.userID, lastSequence: record.head.sequence, isWrittenHere: isWrittenHere,
            credential: isAuthorKnown ? author.link.credential.encoded() : nil,
            receipt: receipt.map { ($0, reader.link.credential.encoded()) })
        for entry in entries { audit.check(entry) }
        return audit.finished()
    }

    @Test("proves as far as the last signature, and counts what only hashes are left of")
    mutating func proves() {
        append("one")
        append("two", isSigned: false, isWithheld: true)
        append("three", isDeleted: true)
        append("four", isMissing: true)
        append("five", isSigned: false)
        let found = findings(receipt(3))
        #expect(found.mismatches == [])
        #expect(found.isAuthorProved && found.isReceiptProved)
        #expect(found.entryCount == 5 && found.provedSequence == 4 && found.receiptSequence == 3)
        #expect(found.withheldCount == 1 && found.deletedCount == 1 && found.missingCount == 1)
        // This device has no marks of what it withholds itself.
        #expect(findings(isWrittenHere: true).withheldCount == 2)
    }

    @Test("does not take a device for its user's without a credential")
    mutating func unknownDevice() {
        append("one")
        let found = findings(isAuthorKnown: false)
        #expect(found.mismatches == [] && !found.isAuthorProved && found.provedSequence == 1)
    }

    @Test("does not accept a receipt that somebody else has signed, or that is changed")
    mutating func receipts() {
        append("one")
        append("two")
        let genuine = receipt(1)
        let raised = Receipt(
            logID: genuine.logID, sequence: 2, chain: entries[1].chain, readSequence: 0, deviceID: genuine.deviceID,
            signature: genuine.signature)
        #expect(findings(raised).mismatches.map(\.kind) == [.receipt])
        let own = Receipt.sign(
            logID: record.logID, sequence: 2, chain: entries[1].chain, readSequence: 0, deviceID: author.deviceID,
            with: author.signingKey)
        #expect(findings(own).mismatches.map(\.kind) == [.receiptCredential])
    }

    @Test("names a bounded number of faults, and counts the others")
    mutating func bound() {
        for number in 1...300 { append("\(number)") }
        entries = entries.map {
            EntryRecord(
                sequence: $0.sequence, timestamp: $0.timestamp, expiry: $0.expiry, kind: $0.kind,
                content: $0.content, chain: $0.chain, checkpoint: entries[0].checkpoint)
        }
        let found = findings()
        #expect(found.mismatchCount == 299)
        #expect(found.mismatches.count == LogFindings.mismatchLimit)
        #expect(found.provedSequence == 1)
    }

    @Test("does not take a log for one of another conversation")
    mutating func place() {
        append("one")
        var audit = LogAudit(
            log: record, recipientID: author.userID, lastSequence: 1, isWrittenHere: false, credential: nil,
            receipt: nil)
        for entry in entries { audit.check(entry) }
        #expect(audit.finished().mismatches.map(\.kind) == [.place])
    }
}
