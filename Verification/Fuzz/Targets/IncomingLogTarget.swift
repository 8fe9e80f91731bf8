import EarshotCrypto
import EarshotModel

@testable import EarshotProtocol

/// Logs of an author who signs anything, compared with what a log may be.
let incomingLog = FuzzTarget("incoming-log", maximumBytes: 1024) { input in
    let description = LogDescription(
        conversationID: .direct(Cast.alice.userID, Cast.mallory.userID), deviceID: Cast.mallory.deviceID,
        epoch: input.word())
    var author = HostileLog(description: description)
    var log = IncomingLog(description: description, authorID: Cast.mallory.userID, head: author.head)
    while !input.isEmpty {
        switch input.choice(8) {
        case 0: log.commit(through: log.proved)
        case 1:
            log.forgetUncommitted()
            author.cut(through: log.committed.sequence)
        default:
            let run = author.run(&input)
            let before = log.proved
            // Where it does not fit, nothing is taken: only the disk knows what it is.
            guard case .continues(let known) = log.fit(of: run) else { continue }
            guard let taken = try? log.receive(run, known: known, deleted: input.flag() ? run.deleted : nil) else {
                require(log.proved == before, "what is refused changes nothing")
                continue
            }
            for (place, record) in taken.records.enumerated() {
                require(record.sequence == before.sequence + UInt64(place) + 1, "a log never has a hole")
            }
            require(log.proved.sequence == before.sequence + UInt64(taken.count), "the head is at the last entry")
            require(log.proved.timestamp > before.timestamp || taken.isEmpty, "time rises")
            author.taken(run, through: log.proved)
        }
        require(log.committed.sequence <= log.proved.sequence, "what is on the disk is proved")
    }
}

/// The part of a log that a reader has taken in, and what the author might send next.
struct HostileLog {
    let description: LogDescription
    /// Its author's.
    let key: SigningKey
    private var contents: [EntryContent] = []
    /// The heads after each of the contents, the origin first.
    private var heads: [LogHead]

    init(description: LogDescription, key: SigningKey = Cast.mallory.signingKey) {
        self.description = description
        self.key = key
        heads = [.origin(of: description.logID)]
    }

    var head: LogHead { heads[heads.count - 1] }

    /// The end that it had after so many entries, or the last one.
    func head(after count: Int) -> LogHead { heads[min(count, heads.count - 1)] }

    /// The reader has forgotten everything after this.
    mutating func cut(through sequence: UInt64) {
        contents = Array(contents.prefix(Int(sequence)))
        heads = Array(heads.prefix(Int(sequence) + 1))
    }

    /// Its entries, for others to name.
    var places: [LogPlace] {
        heads.dropFirst().map { LogPlace(logID: description.logID, sequence: $0.sequence, chain: $0.chain) }
    }

    /// The reader has one more entry.
    mutating func append(_ content: EntryContent, head: LogHead) {
        contents.append(content)
        heads.append(head)
    }

    /// The reader has taken a run.
    mutating func taken(_ run: EntriesFrame, through proved: LogHead) {
        guard proved.sequence > head.sequence else { return }
        let known = head.sequence + 1 - run.firstSequence
        for content in run.contents.dropFirst(Int(known)) {
            let chain = head.chain.appending(content.hash)
            append(content, head: LogHead(sequence: head.sequence + 1, chain: chain, timestamp: proved.timestamp))
        }
        require(head == proved, "the reader's chain is the author's")
    }

    /// Half of the time a run that chains; otherwise one from another place, with entries that are not valid, or signed
    /// by another key, or one that parts from the log.
    func run(_ input: inout FuzzInput, description other: LogDescription? = nil) -> EntriesFrame {
        let overlap = input.choice(4) == 0 ? min(Int(input.byte()), contents.count) : 0
        let isParting = input.choice(8) == 0
        let new = newContents(&input)
        let start = head(after: contents.count - overlap)
        let first = input.choice(8) == 0 ? input.number(near: start.sequence + 1) : start.sequence + 1
        let all = (isParting ? [] : Array(contents.suffix(overlap))) + new
        let chain = all.reduce(start.chain) { $0.appending($1.hash) }
        let last = start.sequence + UInt64(all.count)
        let signer = input.choice(8) == 0 ? Cast.identityKey : key
        let signed = input.choice(8) == 0 ? input.number(near: last) : last
        let checkpoint = Checkpoint.sign(logID: description.logID, sequence: signed, chain: chain, with: signer)
        return EntriesFrame(
            log: other ?? description, firstSequence: first,
            previousChain: input.choice(8) == 0 ? ChainHash(padding(input.block())) : start.chain, contents: all,
            checkpoint: checkpoint,
            marks: input.choice(8) == 0 ? [:] : marks(of: all, from: start.sequence + 1, by: signer),
            deleted: input.choice(8) == 0 ? [start.sequence + 1: HybridTimestamp(rawValue: input.number())] : [:])
    }

    private func marks(of contents: [EntryContent], from first: UInt64, by key: SigningKey) -> [UInt64: Signature] {
        var marks: [UInt64: Signature] = [:]
        for (place, content) in contents.enumerated() {
            guard case .withheld(let hash) = content else { continue }
            let sequence = first + UInt64(place)
            marks[sequence] = WithheldMark.sign(
                logID: description.logID, sequence: sequence, hash: hash, with: key)
        }
        return marks
    }

    private func newContents(_ input: inout FuzzInput) -> [EntryContent] {
        var timestamp = head.timestamp
        let isControl = description.kind == .control
        return (0..<input.choice(5)).map { _ in
            if input.choice(isControl ? 32 : 4) == 0 {
                timestamp = timestamp.next
                return .withheld(EntryHash(padding(input.block())))
            }
            let body = entryBody(&input, after: timestamp, content: isControl ? membershipContent : entryContent)
            if let decoded = try? EntryBody(decoding: body) { timestamp = max(timestamp, decoded.timestamp) }
            return .body(body)
        }
    }
}

/// Makes 32 bytes of any number of bytes.
func padding(_ bytes: [UInt8]) -> Bytes32 {
    Bytes32(Array((bytes + [UInt8](repeating: 0, count: 32)).prefix(32))) ?? Bytes32()
}
