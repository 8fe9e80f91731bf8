/// Cuts the end off one of this node's own logs, because a peer holds other entries in its place. Nothing is lost:
/// afterwards every entry of that end is in another log.
package struct LogCut: Hashable, Sendable {
    package let logID: LogID
    /// The last entry that stays.
    package let after: UInt64
    /// The entries after that one that are already in other logs, run by run, ascending. They are removed. If the other
    /// log has only the hash of one, it gets the content.
    package let kept: [RenamedMessages]
    /// The log that takes the others, from 1; `nil` if there are none. It may be the log itself: then they close up.
    package let successor: LogID?
    /// Their chain hashes there, in order.
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

    /// The number of the first entry that moves, in its new place.
    package var firstPlace: UInt64 { successor == logID ? after + 1 : 1 }

    /// The numbers, in the log, of the entries that move.
    package var movedSequences: [UInt64] {
        var (sequences, next, rest) = ([UInt64](), after + 1, kept[...])
        while sequences.count < chains.count {
            if let run = rest.first, run.from.sequence == next {
                next += run.count
                rest.removeFirst()
            } else {
                sequences.append(next)
                next += 1
            }
        }
        return sequences
    }

    /// All messages that have another id afterwards, run by run.
    package var renamed: [RenamedMessages] {
        var runs = kept
        guard let successor else { return runs }
        for (index, old) in movedSequences.enumerated() {
            let place = MessageID(log: successor, sequence: firstPlace + UInt64(index))
            if let last = runs.last, last.from.log == logID, last.to.log == successor,
                last.from.sequence + last.count == old, last.to.sequence + last.count == place.sequence
            {
                runs[runs.count - 1] = RenamedMessages(from: last.from, to: last.to, count: last.count + 1)
            } else {
                runs.append(RenamedMessages(from: MessageID(log: logID, sequence: old), to: place, count: 1))
            }
        }
        return runs.filter { $0.from != $0.to }
    }

    /// Where a message of the log is afterwards; `nil` if it is already in another log.
    package func place(of messageID: MessageID) -> MessageID? {
        guard messageID.log == logID, messageID.sequence > after else { return messageID }
        var removed: UInt64 = 0
        for run in kept where run.from.sequence <= messageID.sequence {
            guard messageID.sequence - run.from.sequence >= run.count else { return nil }
            removed += run.count
        }
        return successor.map {
            MessageID(log: $0, sequence: messageID.sequence - after - removed - 1 + firstPlace)
        }
    }
}
