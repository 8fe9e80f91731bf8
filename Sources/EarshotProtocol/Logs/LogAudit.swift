import EarshotCrypto
package import EarshotModel

/// Checks a log from its first entry to its head, entry by entry and in bounded memory: whether anything in it was
/// changed, removed or inserted, and who signed for it.
///
/// It gets what the store holds, and trusts only the keys: the user's key, and a device's key only if a credential
/// binds it to a user. The entry after a wrong one is checked against the stored values, so each fault is named once
/// and at its place.
package struct LogAudit: Sendable {
    private let log: LogRecord
    private let recipientID: UserID
    private let lastSequence: UInt64
    private let isWrittenHere: Bool
    private let receipt: Receipt?
    private var previous: LogHead
    private var receiptChain: ChainHash?
    private var findings: LogFindings
    /// Whether the chain holds from the origin to here.
    private var isUnbroken = true

    /// - Parameters:
    ///   - recipientID: the user at the other end of the conversation from the log's author.
    ///   - lastSequence: the greatest sequence number of the log's entries.
    ///   - isWrittenHere: whether this device writes the log: it has no marks of what it withholds itself.
    ///   - credential: the encoded credential of the device that writes the log, if it is known.
    ///   - receipt: the receipt of the log's recipient, with the credential of the device that signed it.
    package init(
        log: LogRecord, recipientID: UserID, lastSequence: UInt64, isWrittenHere: Bool,
        credential: [UInt8]?, receipt: (receipt: Receipt, credential: [UInt8]?)?
    ) {
        self.log = log
        self.recipientID = recipientID
        self.lastSequence = lastSequence
        self.isWrittenHere = isWrittenHere
        self.receipt = receipt?.receipt
        previous = .origin(of: log.description.logID)
        findings = LogFindings(log: log)
        checkPlace()
        if let credential {
            if check(credential, deviceID: log.description.deviceID, userID: log.authorID) {
                findings.isAuthorProved = true
            } else {
                findings.note(.credential, at: nil)
            }
        }
        if let receipt { check(receipt.receipt, credential: receipt.credential) }
    }

    /// The place that the audit has reached: the next entry has the number after this.
    package var sequence: UInt64 { previous.sequence }

    // MARK: - Around the entries

    private mutating func checkPlace() {
        let description = log.description
        // The id of an open conversation does not tell who belongs to it.
        let conversationID =
            log.conversation.kind == .direct
            ? ConversationID.direct(log.authorID, recipientID) : log.conversation.conversationID
        let expected = LogDescription(
            conversationID: conversationID, deviceID: description.deviceID, epoch: description.epoch,
            kind: description.kind)
        if expected != description { findings.note(.place, at: nil) }
    }

    private func check(_ credential: [UInt8], deviceID: DeviceID, userID: UserID) -> Bool {
        do {
            let credential = try Credential(decoding: credential)
            return credential.deviceID == deviceID && credential.userID == userID
        } catch { return false }
    }

    private mutating func check(_ receipt: Receipt, credential: [UInt8]?) {
        guard receipt.isAuthentic, receipt.sequence <= log.head.sequence else {
            findings.note(receipt.isAuthentic ? .receiptBeyondHead : .receipt, at: receipt.sequence)
            return
        }
        findings.receiptSequence = receipt.sequence
        guard let credential else { return }
        if check(credential, deviceID: receipt.deviceID, userID: recipientID) {
            findings.isReceiptProved = true
        } else {
            findings.note(.receiptCredential, at: receipt.sequence)
        }
    }

    // MARK: - Entries

    /// Takes the next entry, in ascending order of sequence numbers.
    package mutating func check(_ entry: EntryRecord) {
        if entry.sequence > previous.sequence + 1 {
            findings.note(.missing(count: entry.sequence - previous.sequence - 1), at: previous.sequence + 1)
            isUnbroken = false
        } else if entry.chain != previous.chain.appending(entry.content.hash) {
            findings.note(.chain, at: entry.sequence)
            isUnbroken = false
        }
        checkContent(entry)
        if let checkpoint = entry.checkpoint { check(checkpoint, over: entry) }
        if receipt?.sequence == entry.sequence { receiptChain = entry.chain }
        findings.entryCount += 1
        previous = LogHead(sequence: entry.sequence, chain: entry.chain, timestamp: entry.timestamp)
    }

    /// The other columns of the row must match what the author wrote into the content.
    private mutating func checkContent(_ entry: EntryRecord) {
        if entry.timestamp <= previous.timestamp { findings.note(.time, at: entry.sequence) }
        switch entry.content {
        case .withheld where entry.isDeleted: findings.deletedCount += 1
        case .withheld where entry.mark == nil && !isWrittenHere: findings.missingCount += 1
        case .withheld: findings.withheldCount += 1
        case .body(let bytes):
            do {
                let body = try EntryBody(decoding: bytes)
                if body.timestamp != entry.timestamp || body.expiry != entry.expiry {
                    findings.note(.time, at: entry.sequence)
                }
            } catch { findings.note(.content, at: entry.sequence) }
        }
    }

    private mutating func check(_ checkpoint: Signature, over entry: EntryRecord) {
        let isValid = Checkpoint.isValid(
            checkpoint, logID: log.description.logID, sequence: entry.sequence, chain: entry.chain,
            by: log.description.deviceID)
        guard isValid else {
            findings.note(.checkpoint, at: entry.sequence)
            return
        }
        if isUnbroken { findings.provedSequence = entry.sequence }
    }

    // MARK: - The end

    /// The findings, after the last entry up to the head.
    package func finished() -> LogFindings {
        var findings = findings
        if previous.sequence < log.head.sequence {
            findings.note(.missing(count: log.head.sequence - previous.sequence), at: previous.sequence + 1)
        } else if previous.chain != log.head.chain || previous.timestamp != log.head.timestamp {
            findings.note(.head, at: log.head.sequence)
        }
        if lastSequence > log.head.sequence {
            findings.note(.beyondHead(count: lastSequence - log.head.sequence), at: log.head.sequence + 1)
        }
        if let receipt, let receiptChain, receipt.chain != receiptChain {
            findings.note(.receiptChain, at: receipt.sequence)
            findings.isReceiptProved = false
        }
        return findings
    }
}
