import EarshotModel
import EarshotProtocol
import EarshotSimulation
import EarshotStore
import Testing

/// The model that simulations use is held against the store that nodes use.
@Suite("The model of the store")
struct ModelStoreTests {
    @Test("takes, refuses and gives back what the store does", arguments: 1...8 as ClosedRange<UInt64>)
    func agrees(_ seed: UInt64) throws {
        var commits = RandomCommits(seed: seed)
        let store = try Store.inMemory()
        var model = ModelStore()
        var refusals = 0
        for _ in 0..<120 {
            let commit = commits.commit()
            let isTaken = Self.succeeds { try store.commit(commit) }
            #expect(Self.succeeds { try model.commit(commit) } == isTaken, "\(commit)")
            if isTaken { commits.taken(commit) } else { refusals += 1 }
            try compareSnapshots(store, model)
            try compareEntries(store, model, &commits)
        }
        #expect(refusals > 0 && refusals < 60)
    }

    private static func succeeds(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return false
        }
    }

    private func compareSnapshots(_ store: Store, _ model: ModelStore) throws {
        let (real, ours) = (try store.snapshot(), model.snapshot())
        #expect(Set(real.users) == Set(ours.users) && real.users.count == ours.users.count)
        #expect(Set(real.devices) == Set(ours.devices) && real.devices.count == ours.devices.count)
        #expect(Set(real.logs) == Set(ours.logs) && real.logs.count == ours.logs.count)
        #expect(Set(real.deliveries) == Set(ours.deliveries) && real.deliveries.count == ours.deliveries.count)
        #expect(Set(real.failures) == Set(ours.failures) && real.failures.count == ours.failures.count)
    }

    private func compareEntries(_ store: Store, _ model: ModelStore, _ commits: inout RandomCommits) throws {
        let number = UInt64.random(in: 0...12, using: &commits.generator)
        let (count, bytes) = (Int(number) + 1, Int(number) * 90)
        for log in commits.logs {
            let real = try store.entries(of: log.logID, from: number, countLimit: count, byteLimit: bytes)
            #expect(model.entries(of: log.logID, from: number, countLimit: count, byteLimit: bytes) == real)
            let expired = try store.expired(in: log.logID, after: number, by: ExpiryClock(500))
            let ours = model.expired(in: log.logID, after: number, by: ExpiryClock(500))
            #expect(ours.sequences == expired.sequences && ours.nextExpiry == expired.nextExpiry)
        }
        let log = commits.logs[Int.random(in: commits.logs.indices, using: &commits.generator)]
        let history = try store.history(of: log.conversationID, .latest, limit: 1_000) ?? []
        #expect(model.messageIDs(of: log.conversationID) == history.map { MessageID($0) })
    }
}

extension MessageID {
    fileprivate init(_ row: HistoryRow) { self.init(log: row.log.logID, sequence: row.entry.sequence) }
}

/// Commits as nodes make them, and some that break a rule.
private struct RandomCommits {
    var generator: SeededGenerator
    private(set) var logs: [SampleLog] = []
    /// Logs as they would be with the last commit.
    private var grown: [SampleLog] = []
    private var known: Set<UserID> = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        logs = (0..<4).map { SampleLog(conversation: UInt8($0 / 2 + 1), device: UInt8($0 + 1)) }
    }

    mutating func taken(_ commit: Commit) {
        logs = grown
        known.subtract(commit.forgottenUsers)
        known.formUnion(commit.users.map(\.userID))
    }

    mutating func commit() -> Commit {
        var commit = Commit()
        grown = logs
        addUsers(to: &commit)
        for index in grown.indices where generator.oneIn(2) { grow(index, in: &commit) }
        for log in grown where commit.logs.contains(where: { $0.logID == log.logID }) {
            addProgress(of: log, to: &commit)
        }
        return commit
    }

    private mutating func addUsers(to commit: inout Commit) {
        for number in 1...5 as ClosedRange<UInt8> where generator.oneIn(5) {
            let name: UserName
            do { name = try UserName("name \(Int.random(in: 1...4, using: &generator))") } catch {
                preconditionFailure("a short word is a name: \(error)")
            }
            commit.users.append(
                UserRecord(
                    userID: identifier(number), name: name, trust: generator.oneIn(4) ? .blocked : .unverified,
                    isPinned: generator.oneIn(3), claimedName: generator.oneIn(3) ? name : nil,
                    firstSeen: Int64.random(in: 1...9, using: &generator),
                    lastSeen: Int64.random(in: 10...99, using: &generator)))
        }
        if generator.oneIn(8) { commit.forgottenUsers = [identifier(UInt8.random(in: 1...5, using: &generator))] }
        if generator.oneIn(8) { commit.forgottenDevices = [identifier(UInt8.random(in: 1...5, using: &generator))] }
        guard generator.oneIn(3) else { return }
        let address = PeerAddress(host: "10.0.0.\(Int.random(in: 1...9, using: &generator))", port: 7)
        let owner = generator.oneIn(20) ? identifier(99) : commit.users.first?.userID
        guard let owner else { return }
        commit.devices = [
            DeviceRecord(
                deviceID: identifier(UInt8.random(in: 1...5, using: &generator)), userID: owner, credential: [1],
                addresses: [address])
        ]
    }

    private mutating func grow(_ index: Int, in commit: inout Commit) {
        let first = grown[index].record.head.sequence + 1
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            grown[index].append(
                at: Int64.random(in: 1...5_000, using: &generator),
                expiry: Int64.random(in: 1...1_000, using: &generator), isWithheld: generator.oneIn(5))
        }
        // Now and then an entry that is there already.
        let from = first > 1 && generator.oneIn(40) ? first - 1 : first
        let part = grown[index].commit(from: from)
        commit.logs += part.logs
        commit.entries += part.entries
    }

    private mutating func addProgress(of log: SampleLog, to commit: inout Commit) {
        let head = log.record.head.sequence
        var progress = DeliveryProgress()
        progress.offered = head
        progress.sent = head
        progress.delivered = UInt64.random(in: 0...head, using: &generator)
        progress.read = generator.oneIn(60) ? progress.delivered + 1 : progress.delivered / 2
        commit.deliveries.append(DeliveryRecord(logID: log.logID, recipientID: identifier(4), progress: progress))
        guard generator.oneIn(2) else { return }
        let sequence = UInt64.random(in: 1...head, using: &generator)
        commit.failures.append(
            DeliveryFailure(
                messageID: log.messageID(sequence), recipientID: identifier(generator.oneIn(3) ? 5 : 4),
                reason: generator.oneIn(2) ? .expired : .blocked,
                isWithheld: generator.oneIn(2)))
    }
}
