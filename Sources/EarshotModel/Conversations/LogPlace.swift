/// What a log holds. It is part of the log's id.
package enum LogKind: UInt8, Hashable, Sendable, CaseIterable {
    case messages = 0
    /// What a private conversation is: who is in, its name, who decides.
    case control = 1
}

/// Names an entry. The chain hash tells the branches of a log apart, and says what came before the entry.
package struct LogPlace: Hashable, Sendable {
    package let logID: LogID
    package let sequence: UInt64
    package let chain: ChainHash

    package init(logID: LogID, sequence: UInt64, chain: ChainHash) {
        self.logID = logID
        self.sequence = sequence
        self.chain = chain
    }
}
