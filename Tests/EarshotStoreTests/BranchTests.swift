import EarshotModel
import EarshotProtocol
import EarshotSimulation
import TestSupport
import Testing

@testable import EarshotStore

@Suite("Branches of a log")
struct BranchTests {
    /// Three entries, and another third one of the same device.
    private static func forked() -> (trunk: SampleLog, branch: SampleLog) {
        var (trunk, branch) = (SampleLog(), SampleLog())
        for time in Int64(1)...2 {
            trunk.append(at: time)
            branch.append(at: time)
        }
        let base = trunk.record.head
        trunk.append(at: 3, body: [7])
        branch.append(at: 4, body: [8])
        branch.append(at: 5, body: [9])
        branch.part(at: base)
        return (trunk, branch)
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(with logs: [Commit]) throws -> Store {
        let store = try Store(path: folder.file("history.db"))
        for commit in logs { try store.commit(commit) }
        return store
    }

    @Test("are kept beside each other, and each is read from the log's beginning")
    func both() throws {
        let (trunk, branch) = Self.forked()
        let store = try store(with: [trunk.commit, branch.commit(from: 3)])
        #expect(Set(try store.snapshot().logs) == [trunk.record, branch.record])
        let all = try store.entries(of: branch.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(all.map(\.chain) == branch.entries.map(\.chain))
        #expect(try store.entries(of: branch.logID, from: 2, countLimit: 2, byteLimit: .max) == Array(all[1...2]))
        #expect(
            try store.chains(of: branch.logID, at: [1, 2, 3, 4, 5])
                == Dictionary(uniqueKeysWithValues: branch.entries.map { ($0.sequence, $0.chain) }))
        #expect(try store.history(of: trunk.conversationID, .latest, limit: 9)?.map(\.entry.chain).count == 5)
    }

    @Test("stand in one order, whichever of them a node knew first", arguments: 1...8 as ClosedRange<UInt8>)
    func order(number: UInt8) throws {
        var (one, other) = (SampleLog(), SampleLog())
        one.append(at: 1)
        other.append(at: 1)
        let base = one.record.head
        one.append(at: 2, body: [number])
        other.append(at: 2, body: [100 + number])
        var (parted, otherParted) = (one, other)
        parted.part(at: base)
        otherParted.part(at: base)
        let here = try Store(path: folder.file("here.db"))
        for commit in [one.commit, otherParted.commit(from: 2)] { try here.commit(commit) }
        let there = try Store(path: folder.file("there.db"))
        for commit in [other.commit, parted.commit(from: 2)] { try there.commit(commit) }
        let histories = try [here, there].map { try $0.history(of: one.conversationID, .latest, limit: 9) ?? [] }
        #expect(histories[0].map(\.entry.chain) == histories[1].map(\.entry.chain))
        for (store, history) in zip([here, there], histories) {
            let middle = MessageID(log: history[1].log.logID, sequence: history[1].entry.sequence)
            let after = try store.history(of: one.conversationID, .after(middle), limit: 9)
            #expect(after?.map(\.entry.chain) == [history[2].entry.chain])
        }
    }

    @Test("have receipts that name their log, as peers know it")
    func receipts() throws {
        let (trunk, branch) = Self.forked()
        var commit = branch.commit(from: 3)
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered) = (5, 5, 5)
        progress.receipt = Receipt(
            logID: trunk.logID, sequence: 5, chain: branch.record.head.chain, readSequence: 0,
            deviceID: identifier(9), signature: signature(6))
        let delivery = DeliveryRecord(logID: branch.logID, recipientID: identifier(4), progress: progress)
        commit.deliveries = [delivery]
        #expect(try store(with: [trunk.commit, commit]).snapshot().deliveries == [delivery])
    }

    @Test("may part from a branch, or at the beginning")
    func nested() throws {
        let (trunk, branch) = Self.forked()
        var twig = SampleLog()
        twig.adopt(branch.entries.prefix(3), head: branch.entries[2])
        let base = twig.record.head
        twig.append(at: 9, body: [1])
        twig.part(at: base)
        var other = SampleLog()
        other.append(at: 6, body: [3])
        other.part(at: .origin(of: trunk.logID))
        let store = try store(with: [
            trunk.commit, branch.commit(from: 3), twig.commit(from: 4), other.commit(from: 1),
        ])
        #expect(try store.chains(of: twig.logID, at: 1...4).values.count == 4)
        #expect(try store.chains(of: twig.logID, at: [3]) == [3: branch.entries[2].chain])
        #expect(
            try store.entries(of: other.logID, from: 1, countLimit: 9, byteLimit: .max).map(\.chain)
                == other.entries.map(\.chain))
    }

    @Test("leave room for what comes back: an unsent end waits elsewhere until it is written anew")
    func unsentTail() throws {
        var log = SampleLog()
        for time in Int64(1)...4 { log.append(at: time) }
        let store = try store(with: [log.commit])
        let limbo = log.limbo(identifier(77), after: 2)
        var kept = log.record
        kept.head = limbo.start
        var commit = Commit()
        commit.logs = [kept]
        commit.unsentTails = [UnsentTail(logID: log.logID, after: 2, limbo: limbo)]
        try store.commit(commit)
        #expect(Set(try store.snapshot().logs) == [kept, limbo])
        #expect(
            try store.entries(of: limbo.logID, from: 3, countLimit: 9, byteLimit: .max) == Array(log.entries.suffix(2)))

        // What came back takes the places, and the first of the two is written anew.
        var back = SampleLog()
        back.adopt(log.entries.prefix(2), head: log.entries[1])
        back.append(at: 8, body: [5])
        try store.commit(back.commit(from: 3))
        var next = SampleLog(epoch: 9)
        next.append(at: 10)
        var rewritten = next.commit
        let through = LogHead(
            sequence: 3, chain: log.entries[2].chain, timestamp: log.entries[2].timestamp)
        let place = RenamedMessages(
            from: MessageID(log: limbo.logID, sequence: 3), to: next.messageID(1), count: 1)
        rewritten.rewrittenTails = [
            RewrittenTail(limboID: limbo.logID, through: through, isLast: false, places: [place])
        ]
        try store.commit(rewritten)
        #expect(try store.snapshot().logs.first { $0.logID == limbo.logID }?.base == through)
        #expect(try store.history(of: log.conversationID, .latest, limit: 9)?.count == 5)

        var last = Commit()
        last.rewrittenTails = [
            RewrittenTail(limboID: limbo.logID, through: limbo.head, isLast: true, places: [])
        ]
        try store.commit(last)
        #expect(Set(try store.snapshot().logs.map(\.logID)) == [log.logID, next.logID])
        #expect(try store.integrityFindings() == [])
    }

    @Test("move failures along, out of a log and into the next one, like the model of the store")
    func failures() throws {
        let store = try Store(path: folder.file("history.db"))
        var model = ModelStore()
        var log = SampleLog()
        for time in Int64(1)...4 { log.append(at: time) }
        var first = log.commit
        first.failures = [2, 4].map {
            DeliveryFailure(
                messageID: log.messageID($0), recipientID: log.record.recipientID, reason: .cancelled, isWithheld: true)
        }
        let limbo = log.limbo(identifier(77), after: 2)
        var kept = log.record
        kept.head = limbo.start
        var cut = Commit()
        cut.logs = [kept]
        cut.unsentTails = [UnsentTail(logID: log.logID, after: 2, limbo: limbo)]
        var next = SampleLog(epoch: 9)
        for time in Int64(10)...11 { next.append(at: time) }
        var rewritten = next.commit
        rewritten.rewrittenTails = [
            RewrittenTail(
                limboID: limbo.logID, through: limbo.head, isLast: true,
                places: [
                    RenamedMessages(
                        from: MessageID(log: limbo.logID, sequence: 3), to: next.messageID(1), count: 2)
                ])
        ]
        var found: [[MessageID]] = []
        for commit in [first, cut, rewritten] {
            try store.commit(commit)
            try model.commit(commit)
            let snapshot = try store.snapshot()
            #expect(Set(snapshot.logs) == Set(model.snapshot().logs))
            #expect(Set(snapshot.failures) == Set(model.snapshot().failures))
            found.append(snapshot.failures.map(\.messageID).sorted())
        }
        #expect(found[1] == [log.messageID(2), MessageID(log: limbo.logID, sequence: 4)].sorted())
        #expect(found[2] == [log.messageID(2), next.messageID(2)].sorted())
    }

    @Test("bring nothing back that was deleted while it was written anew: that commit is refused, and changes nothing")
    func deletedMeanwhile() throws {
        var log = SampleLog()
        for time in Int64(1)...2 { log.append(at: time) }
        var first = log.commit
        first.failures = [
            DeliveryFailure(
                messageID: log.messageID(2), recipientID: log.record.recipientID, reason: .cancelled, isWithheld: true)
        ]
        let limbo = log.limbo(identifier(77), after: 1)
        var kept = log.record
        kept.head = limbo.start
        var cut = Commit()
        cut.logs = [kept]
        cut.unsentTails = [UnsentTail(logID: log.logID, after: 1, limbo: limbo)]
        let store = try store(with: [first, cut])
        let messageID = MessageID(log: limbo.logID, sequence: 2)
        let outcome = try store.deleteContents(of: [messageID], deviceID: log.record.description.deviceID)
        #expect(outcome.deletedCount == 1)
        var next = SampleLog(epoch: 9)
        next.append(at: 10)
        var rewritten = next.commit
        rewritten.rewrittenTails = [
            RewrittenTail(
                limboID: limbo.logID, through: limbo.head, isLast: true,
                places: [RenamedMessages(from: messageID, to: next.messageID(1), count: 1)])
        ]
        let before = try store.snapshot()
        #expect(throws: StoreError.self) { try store.commit(rewritten) }
        #expect(try store.snapshot() == before)
    }
}
