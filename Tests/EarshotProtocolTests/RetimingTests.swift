import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

/// Alice has written a log that nobody has seen to its end, when another comes back.
@Suite("New times for what nobody was offered")
struct RetimingTests {
    private let alice = device("alice")
    private let log: LogRecord
    /// At 1, 2, 3 and 4.
    private let entries: [EntryRecord]

    init() {
        var log = HandWrittenLog(by: alice, to: device("bob").userID)
        entries = (1...4).map { log.entry("\($0)") }
        self.log = log.record
    }

    private func time(_ rawValue: UInt64) -> HybridTimestamp { HybridTimestamp(rawValue: rawValue) }

    /// All in one answer of the store.
    private func retimed(
        offered: UInt64 = 0, withheld: Set<UInt64> = [], after latest: UInt64
    ) -> (record: LogRecord, entries: RetimedEntries)? {
        var retiming = Retiming(
            [Retiming.Log(record: log, offered: offered, withheld: withheld)], after: time(latest),
            signingKey: alice.signingKey)
        guard let (_, from) = retiming.next else { return nil }
        retiming.read(entries.filter { $0.sequence >= from })
        #expect(retiming.next == nil)
        return retiming.retimed.first
    }

    @Test("are the least that keep the order, and those that are late enough stay")
    func least() throws {
        let retimed = try #require(self.retimed(after: 1))
        #expect(retimed.entries.entries.map(\.timestamp) == [2, 3, 4, 5].map(time))
        #expect(self.retimed(after: 0) == nil)
    }

    @Test("are after what came back, with a chain and a checkpoint over the new bodies")
    func after() throws {
        let (record, new) = try #require(self.retimed(after: 9))
        #expect(new.after == 0 && new.entries.map(\.timestamp) == [10, 11, 12, 13].map(time))
        var chain = ChainHash.origin(of: log.logID)
        for (entry, old) in zip(new.entries, entries) {
            let content = try #require(old.content.retimed(to: entry.timestamp))
            chain = chain.appending(content.hash)
            #expect(entry.chain == chain && entry.hasBody)
            guard case .body(let bytes) = content, case .body(let before) = old.content else { continue }
            let body = try EntryBody(decoding: bytes)
            #expect(body.timestamp == entry.timestamp)
            #expect(body.content == (try EntryBody(decoding: before)).content)
        }
        #expect(record.head == LogHead(sequence: 4, chain: chain, timestamp: time(13)))
        #expect(
            Checkpoint.isValid(
                new.checkpoint, logID: log.logID, sequence: 4, chain: chain, by: alice.deviceID))
    }

    @Test("are given only behind what was offered, and behind what was kept back before all others")
    func offeredAndWithheld() throws {
        let offered = try #require(self.retimed(offered: 2, after: 9)).entries
        #expect(offered.after == 2 && offered.entries.map(\.timestamp) == [10, 11].map(time))
        let withheld = try #require(self.retimed(withheld: [1, 3], after: 9)).entries
        #expect(withheld.after == 1 && withheld.entries.map(\.timestamp) == [10, 11, 12].map(time))
        #expect(self.retimed(withheld: [1, 2, 3, 4], after: 9) == nil)
    }

    @Test("go on in the next log, and in the next answer of the store")
    func manyLogs() throws {
        var later = HandWrittenLog(by: alice, to: device("bob").userID, epoch: 2)
        let others = (1...5).map { later.entry("later \($0)") }
        var retiming = Retiming(
            [later.record, log].map { Retiming.Log(record: $0, offered: 0, withheld: []) }, after: time(9),
            signingKey: alice.signingKey)
        retiming.read(Array(entries[..<3]))
        #expect(retiming.next?.logID == log.logID && retiming.next?.from == 4)
        retiming.read(Array(entries[3...]))
        #expect(retiming.next?.logID == later.logID && retiming.next?.from == 1)
        retiming.read(others)
        #expect(retiming.retimed.map(\.record.head.timestamp) == [13, 18].map(time))
    }

    @Test("are given to no body that does not begin with its time")
    func foreignBody() {
        #expect(EntryContent.body([0x11] + [UInt8](repeating: 1, count: 12)).retimed(to: time(9)) == nil)
        #expect(EntryContent.body([0x09, 1]).retimed(to: time(9)) == nil)
    }
}

@Suite("Requests to take messages back that wait")
struct HeldCancelsTests {
    private let log = HandWrittenLog(by: device("alice"), to: device("bob").userID).logID
    private let other = HandWrittenLog(by: device("alice"), to: device("bob").userID, epoch: 2).logID
    private let bob = device("bob").userID

    @Test("follow the message to its new name, and are answered in their order")
    func renamed() throws {
        var held = HeldCancels()
        for sequence in 1...3 as ClosedRange<UInt64> {
            try held.add(MessageID(log: log, sequence: sequence), to: bob, requestID: RequestID(sequence))
        }
        held.rename([
            RenamedMessages(
                from: MessageID(log: log, sequence: 2), to: MessageID(log: other, sequence: 7), count: 2)
        ])
        #expect(held.release { _ in true }.isEmpty)
        let released = held.release { _ in false }
        #expect(released.map(\.requestID) == [RequestID(1), RequestID(2), RequestID(3)])
        #expect(
            released.map(\.messageID)
                == [
                    MessageID(log: log, sequence: 1), MessageID(log: other, sequence: 7),
                    MessageID(log: other, sequence: 8),
                ])
        #expect(held.isEmpty)
    }

    @Test("are limited in number")
    func limit() throws {
        var held = HeldCancels()
        for number in 1...UInt64(Limits.heldCancels) {
            try held.add(MessageID(log: log, sequence: number), to: bob, requestID: RequestID(number))
        }
        let error = #expect(throws: ProtocolError.self) {
            try held.add(MessageID(log: log, sequence: 1), to: bob, requestID: RequestID(0))
        }
        #expect(error?.code == .overloaded)
    }
}
