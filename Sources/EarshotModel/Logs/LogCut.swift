/// Cuts the end off one of this node's own logs, because a peer holds other entries in its place. Nothing is lost:
/// afterwards every entry of that end is in another log.
package struct LogCut: Hashable, Sendable {
    package let logID: LogID
    /// The last entry that stays.
    package let after: UInt64
    /// The entries after that one that are already in other logs, run by run. They are removed. If the other log has
    /// only the hash of one, it gets the content.
    package let kept: [RenamedMessages]
    /// The log that takes the entries after those, from 1; `nil` if there are none.
    package let successor: LogID?
    /// Their chain hashes in the successor, in order.
    package let chains: [ChainHash]
    /// The author's checkpoint over the last of them.
    package let checkpoint: Signature?

    package init(
        logID: LogID, after: UInt64, kept: [RenamedMessages], successor: LogID?, chains: [ChainHash],
        checkpoint: Signature?
    ) {
        self.logID = logID
        self.after = after
        self.kept = kept
        self.successor = successor
        self.chains = chains
        self.checkpoint = checkpoint
    }

    /// The last entry that stays or is already in another log.
    package var knownEnd: UInt64 { kept.reduce(after) { $0 + $1.count } }

    /// Where a message of the log is afterwards; `nil` if it is already in another log.
    package func place(of messageID: MessageID) -> MessageID? {
        guard messageID.log == logID, messageID.sequence > after else { return messageID }
        guard let successor, messageID.sequence > knownEnd else { return nil }
        return MessageID(log: successor, sequence: messageID.sequence - knownEnd)
    }
}
