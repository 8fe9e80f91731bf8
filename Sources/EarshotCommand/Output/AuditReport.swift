import Earshot
import EarshotGateway

/// The result of an audit, for people and for programs.
struct AuditReport: Encodable {
    let isSound: Bool
    let conversationID: String
    let user: GatewayUser
    let logs: [Log]

    struct Log: Encodable {
        let logID: String
        let deviceID: String
        let author: GatewayParty
        let isOwn: Bool
        let entryCount: UInt64
        let isAuthorProved: Bool
        /// The author's device has signed for everything up to here.
        let provedThrough: UInt64
        let withheldCount: UInt64
        let missingCount: UInt64
        let deletedCount: UInt64
        /// The recipient has signed for everything up to here.
        let receivedThrough: UInt64
        let isReceiptProved: Bool
        /// What is not proved, in words.
        let unproved: [String]
        let mismatches: [Mismatch]
        /// The number of all mismatches; `mismatches` has the first.
        let mismatchCount: Int

        fileprivate let authorShown: String
        fileprivate let recipientShown: String

        private enum CodingKeys: String, CodingKey {
            case logID, deviceID, author, isOwn, entryCount, isAuthorProved, provedThrough, withheldCount, missingCount,
                deletedCount, receivedThrough, isReceiptProved, unproved, mismatches, mismatchCount
        }
    }

    struct Mismatch: Encodable {
        let kind: String
        let sequence: UInt64?
        let message: String
    }

    init(audit: ConversationAudit, peer: GatewayUser, names: NameBook) {
        isSound = audit.isSound
        conversationID = audit.conversationID.description
        user = peer
        logs = audit.logs.map { Log($0, peer: peer, names: names) }
    }
}

extension AuditReport.Log {
    init(_ findings: LogFindings, peer: GatewayUser, names: NameBook) {
        let log = findings.log
        logID = log.logID.description
        deviceID = log.description.deviceID.description
        isOwn = log.authorID.description != peer.id
        author = GatewayParty(id: log.authorID.description, name: isOwn ? nil : peer.name)
        (authorShown, recipientShown) = isOwn ? ("you", names.shown(peer)) : (names.shown(peer), "you")
        entryCount = findings.entryCount
        isAuthorProved = findings.isAuthorProved
        provedThrough = findings.provedSequence
        withheldCount = findings.withheldCount
        missingCount = findings.missingCount
        deletedCount = findings.deletedCount
        receivedThrough = findings.receiptSequence
        isReceiptProved = findings.isReceiptProved
        mismatches = findings.mismatches.map {
            AuditReport.Mismatch(kind: $0.name, sequence: $0.sequence, message: $0.description)
        }
        mismatchCount = findings.mismatchCount
        unproved = Self.unproved(findings, recipient: recipientShown)
    }

    fileprivate static func entries(_ first: UInt64, _ last: UInt64) -> String {
        first == last ? "entry \(first)" : "entries \(first) to \(last)"
    }

    private static func unproved(_ findings: LogFindings, recipient: String) -> [String] {
        let head = findings.log.head.sequence
        var lines: [String] = []
        if !findings.isAuthorProved, head > 0 {
            lines.append("who owns the device: its credential is not here, or does not hold")
        }
        if findings.provedSequence < head {
            lines.append("\(entries(findings.provedSequence + 1, head)): no signature covers them without a gap")
        }
        if findings.withheldCount > 0 {
            lines.append(
                Counted.text(findings.withheldCount, "content", "contents")
                    + " that the author withheld: only the hash is here")
        }
        if findings.missingCount > 0 {
            lines.append(
                Counted.text(findings.missingCount, "content", "contents")
                    + " that did not come yet: only the hash is here")
        }
        if findings.deletedCount > 0 {
            lines.append(
                Counted.text(findings.deletedCount, "content", "contents")
                    + " deleted: only the hash is left")
        }
        if head > 0, !findings.isReceiptProved {
            lines.append("that \(recipient) received any of it: there is no receipt, or it does not hold")
        } else if findings.receiptSequence < head {
            lines.append(
                "that \(recipient) received \(entries(findings.receiptSequence + 1, head)): "
                    + "the last receipt is older")
        }
        return lines
    }
}

extension AuditReport {
    func lines(_ style: Style) -> [String] {
        guard !logs.isEmpty else { return ["there are no messages to prove"] }
        let verdict =
            isSound
            ? style.green("everything that was checked holds")
            : style.red("\(logs.reduce(0) { $0 + $1.mismatchCount }) things do not hold: the history was changed")
        return logs.flatMap { $0.lines(style) } + [verdict]
    }
}

extension AuditReport.Log {
    fileprivate func lines(_ style: Style) -> [String] {
        var lines = [
            style.bold("\(authorShown) to \(recipientShown)")
                + ": \(Counted.text(entryCount, "entry", "entries")), log \(logID)"
        ]
        if isAuthorProved { lines.append("  proved    the device \(deviceID.prefix(8)) is \(owner)") }
        if provedThrough > 0 {
            lines.append("  proved    that device wrote \(Self.entries(1, provedThrough)), and none is missing")
        }
        if isReceiptProved, receivedThrough > 0 {
            lines.append("  proved    \(recipientShown) signed for \(Self.entries(1, receivedThrough))")
        }
        lines += unproved.map { style.dim("  unproved  ") + $0 }
        lines += mismatches.map { mismatch in
            let place = mismatch.sequence.map { "entry \($0): " } ?? ""
            return style.red("  WRONG     ") + place + mismatch.message
        }
        let unnamed = mismatchCount - mismatches.count
        return unnamed > 0 ? lines + [style.red("  WRONG     ") + "and \(unnamed) more"] : lines
    }

    private var owner: String {
        isOwn ? "yours: your identity signed for it" : "\(authorShown)'s: their identity signed for it"
    }
}
