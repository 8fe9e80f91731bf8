import EarshotProtocol
import EarshotStore

extension Conversation {
    /// Proves the whole history again: each entry, each link of the chains, each signature. A node proves once what it
    /// takes in; an audit finds what somebody has changed on the disk since.
    ///
    /// It reads page by page and holds up nothing. The time that it takes grows with the history.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`, `unusableHome`; `unknownUser` for a conversation of many.
    public func audit() async throws(EarshotError) -> ConversationAudit {
        guard let userID = peerID else {
            throw EarshotError(.unknownUser, "an audit proves the history with one user")
        }
        let home = node.home
        return try await node.onOwnThread { () throws(EarshotError) in try home.audit(with: userID) }
    }
}

extension Home {
    /// The same audit without a node; a node may run meanwhile.
    public func audit(with userID: UserID) throws(EarshotError) -> ConversationAudit {
        try check()
        let credential = try readCredential()
        do {
            let store = try Store.reading(path: databaseFile)
            let audit = try Auditor(store: store, credential: credential).audit(with: userID)
            return audit
        } catch { throw EarshotError(error) }
    }
}

/// Feeds a conversation's logs to `LogAudit`.
private struct Auditor {
    let store: Store
    /// This node's own credential.
    let credential: Credential

    /// The size of one read.
    private static let pageEntries = 1024
    private static let pageBytes = 1024 * 1024

    func audit(with userID: UserID) throws(StoreError) -> ConversationAudit {
        let conversationID = ConversationID.direct(credential.userID, userID)
        var logs: [LogFindings] = []
        for log in try store.auditedLogs(of: conversationID) { logs.append(try audit(log, with: userID)) }
        return ConversationAudit(conversationID: conversationID, peerID: userID, logs: logs)
    }

    private func audit(_ log: AuditedLog, with userID: UserID) throws(StoreError) -> LogFindings {
        let isOwn = log.record.authorID == credential.userID
        let recipientID = isOwn ? userID : credential.userID
        var receipt: (Receipt, [UInt8]?)?
        if let signed = log.deliveries.first(where: { $0.recipientID == recipientID })?.progress.receipt {
            receipt = (signed, try encodedCredential(of: signed.deviceID))
        }
        var audit = LogAudit(
            log: log.record, recipientID: recipientID, lastSequence: log.lastSequence,
            isWrittenHere: log.record.description.deviceID == credential.deviceID,
            credential: try encodedCredential(of: log.record.description.deviceID), receipt: receipt)
        while audit.sequence < log.record.head.sequence {
            let page = try store.entries(
                of: log.record.logID, from: audit.sequence + 1, countLimit: Self.pageEntries, byteLimit: Self.pageBytes)
            guard !page.isEmpty else { break }
            // Entries that a node adds meanwhile come after the head that is checked here.
            for entry in page where entry.sequence <= log.record.head.sequence { audit.check(entry) }
            if let last = page.last, last.sequence >= log.record.head.sequence { break }
        }
        return audit.finished()
    }

    private func encodedCredential(of deviceID: DeviceID) throws(StoreError) -> [UInt8]? {
        deviceID == credential.deviceID ? credential.encoded() : try store.credential(of: deviceID)
    }
}
