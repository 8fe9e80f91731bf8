import EarshotModel
import Testing

@testable import EarshotProtocol

/// The end of a log of Alice's, of which nobody has anything, is written anew.
@Suite("What nobody has is written anew")
struct RewritingTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let keys: [EntryKey]
    /// Five entries, of which the second to the fifth were never sent. The third and the fourth were sent with a key.
    private let entries: [EntryRecord]
    private let limbo: LogRecord
    private var written: HandWrittenLog

    init() {
        let keys = EntryKeys(alice.signingKey)
        self.keys = (0..<2).map { keys.key("order", place: $0) }
        var log = HandWrittenLog(by: alice, to: bob.userID)
        entries = (1...5).map { number in
            log.entry("\(number)", key: number == 3 || number == 4 ? keys.key("order", place: number - 3) : nil)
        }
        let (record, base) = (log.record, entries[0].head)
        limbo = LogRecord(
            logID: .limbo(of: log.logID, after: 1), description: record.description, base: base, isLimbo: true,
            authorID: record.authorID, conversation: record.conversation, head: record.head)
        written = log
    }

    private var author: LogAuthor { LogAuthor(alice) }
    private var tail: [EntryRecord] { Array(entries[1...]) }
    private func limboID(_ sequence: UInt64) -> MessageID { MessageID(log: limbo.logID, sequence: sequence) }

    // MARK: - What the next page is

    /// Reads a page, and says which of its keys are known.
    private func page(
        of rewriting: inout Rewriting, _ entries: [EntryRecord], known: [EntryKey: MessageID] = [:]
    ) throws -> Rewriting.Page {
        let read = rewriting.nextRead()
        #expect(read != nil)
        if rewriting.read(entries) != nil { rewriting.found(known) }
        return try #require(rewriting.page)
    }

    @Test("from the first entry on, with one look at the disk at a time")
    func read() throws {
        var rewriting = Rewriting(limbo: limbo)
        let next = rewriting.nextRead()
        let read = try #require(next)
        #expect(read.logID == limbo.logID && read.from == 2 && read.connectionID == nil)
        #expect(read.purpose == .rewriting(limbo.description.conversationID))
        let second = rewriting.nextRead()
        #expect(second == nil && !rewriting.isReady)
        let asked = rewriting.read(tail) ?? []
        #expect(Set(asked).isSuperset(of: keys))
        let third = rewriting.nextRead()
        #expect(third == nil && !rewriting.isReady)
    }

    @Test("but for entries whose key is in another log: these came back, or were written anew before")
    func repeats() throws {
        var rewriting = Rewriting(limbo: limbo)
        let there = MessageID(log: written.logID, sequence: 2)
        let page = try page(of: &rewriting, tail, known: [keys[0]: there, keys[1]: limboID(4)])
        #expect(page.entries == tail && page.repeats == [3: there])
    }

    @Test("page by page, and the log ends where nothing is to be written")
    func pages() throws {
        var rewriting = Rewriting(limbo: limbo)
        _ = try page(of: &rewriting, Array(tail[..<2]))
        rewriting.beginCommit()
        let early = rewriting.nextRead()
        #expect(!rewriting.isReady && early == nil)
        let target = HandWrittenLog(by: alice, to: bob.userID, epoch: 9).logID
        var rest = limbo
        rest = LogRecord(
            logID: rest.logID, description: rest.description, base: entries[2].head, isLimbo: true,
            authorID: rest.authorID, conversation: rest.conversation, head: rest.head)
        let isOver = rewriting.committed(into: target, rest)
        let more = rewriting.nextRead()
        #expect(!isOver && rewriting.target == target && more?.from == 4)

        var empty = Rewriting(limbo: nil)
        let nothing = empty.nextRead()
        #expect(nothing == nil && empty.page?.entries == [])
        empty.beginCommit()
        let isEmptyOver = empty.committed(into: target, nil)
        #expect(isEmptyOver)
    }

    @Test("from the same place again where the disk could not answer, or refused the commit")
    func failed() throws {
        var rewriting = Rewriting(limbo: limbo)
        _ = rewriting.nextRead()
        rewriting.failed()
        _ = try page(of: &rewriting, tail)
        rewriting.beginCommit()
        rewriting.failed()
        let again = rewriting.nextRead()
        #expect(again?.from == 2)
    }

    // MARK: - What stands in the next epoch

    private let next = HandWrittenLog(by: device("alice"), to: device("bob").userID, epoch: 9)

    private func rewritten(
        _ entries: [EntryRecord], repeats: [UInt64: MessageID] = [:], into log: OwnLog? = nil,
        clocks: ClockMachine = ClockMachine(), limbo: LogRecord? = nil, version: LogPlace? = nil,
        moved: MovedPlaces = MovedPlaces()
    ) -> RewrittenPage {
        var clocks = clocks
        return RewrittenPage(
            Rewriting.Page(entries: entries, repeats: repeats), of: limbo ?? self.limbo,
            into: log ?? OwnLog(record: next.record), after: [written.end], version: version, moved: moved, by: author,
            clocks: &clocks,
            now: Moment(wallClock: 1_000, uptime: 1_000))
    }

    private func body(_ entry: EntryRecord) throws -> EntryBody {
        guard case .body(let bytes) = entry.content else { throw ProtocolError(.malformed, "there is no body") }
        return try EntryBody(decoding: bytes)
    }

    @Test("with the control entry that is known now in place of those that were, and nothing of a control log")
    func version() throws {
        func place(_ number: UInt64) -> LogPlace {
            LogPlace(logID: next.logID, sequence: number, chain: next.head.chain)
        }
        var written = HandWrittenLog(by: device("alice"), to: device("bob").userID)
        let entries = [written.entry(.version(place(1))), written.entry("one"), written.entry(.version(place(2)))]
        let page = rewritten(entries, version: place(3))
        #expect(
            try page.entries.dropFirst().map { try body($0).content } == [
                .version(place(3)), try body(entries[1]).content,
            ])
        let control = LogDescription(
            conversationID: limbo.description.conversationID, deviceID: author.deviceID, epoch: 1, kind: .control)
        let tail = LogRecord(
            logID: limbo.logID, description: control, base: limbo.base, isLimbo: true, authorID: limbo.authorID,
            conversation: limbo.conversation, head: limbo.head)
        let none = rewritten(entries, limbo: tail, version: place(3))
        #expect(try none.entries.map { try body($0).content } == [.branches([self.written.end])])
    }

    @Test("behind the ends of the logs that the epoch follows, with times of now, and else as it was")
    func epoch() throws {
        let page = rewritten(tail)
        #expect(try body(page.entries[0]).content == .branches([written.end]))
        #expect(page.entries[0].kind.isHidden && page.entries.map(\.sequence) == [1, 2, 3, 4, 5])
        for (entry, old) in zip(page.entries.dropFirst(), tail) {
            #expect(try body(entry).content == body(old).content && body(entry).timestamp == entry.timestamp)
            #expect(entry.timestamp > old.timestamp && entry.expiry == old.expiry && entry.kind == old.kind)
        }
        #expect(page.entries.map(\.timestamp) == page.entries.map(\.timestamp).sorted())
        #expect(Array(page.entries[2...3]).map(\.key) == keys)
        let last = try #require(page.entries.last)
        #expect(page.record.head == last.head && page.record.nextExpiry == .max)
        #expect(
            Checkpoint.isValid(
                try #require(last.checkpoint), logID: next.logID, sequence: 5, chain: last.chain, by: alice.deviceID))
        #expect(
            page.places == [
                RenamedMessages(from: limboID(2), to: MessageID(log: next.logID, sequence: 2), count: 4)
            ])
        #expect(page.rest == nil)
    }

    @Test("with what refers to one of them referring to it where it is now, on a later page, too")
    func references() throws {
        func place(_ entry: EntryRecord) -> LogPlace {
            LogPlace(logID: limbo.description.logID, sequence: entry.sequence, chain: entry.chain)
        }
        let (moved, sent) = (place(tail[1]), place(entries[0]))
        var reply = MessageContent("an answer")
        reply.replyTo = moved
        var written = written
        let about: [EntryBody.Content] = [
            .text(reply), .amendment(Amendment(target: moved, .edit(text: "other", counter: 1))),
            .amendment(Amendment(target: moved, .retract)),
            .amendment(Amendment(target: moved, .reaction(emoji: "👍", counter: 1, isRemoved: false))),
            .amendment(Amendment(target: sent, .edit(text: "other", counter: 1))), .text("plain", headers: [:]),
        ]
        let referring = about.map { written.entry(content: $0) }
        for isOnePage in [true, false] {
            let first = rewritten(isOnePage ? tail + referring : tail)
            let target = try #require(first.entries.first { $0.key == keys[0] })
            let new = LogPlace(logID: next.record.description.logID, sequence: target.sequence, chain: target.chain)
            let page = isOnePage ? first : rewritten(referring, moved: first.moved)
            let contents = try page.entries.suffix(about.count).map { try body($0).content }
            var moved = reply
            moved.replyTo = new
            #expect(
                contents == [
                    .text(moved), .amendment(Amendment(target: new, .edit(text: "other", counter: 1))),
                    .amendment(Amendment(target: new, .retract)),
                    .amendment(Amendment(target: new, .reaction(emoji: "👍", counter: 1, isRemoved: false))),
                    about[4], about[5],
                ])
            #expect(page.entries.suffix(about.count).map(\.relation) == contents.map(\.relation))
        }
    }

    @Test("with one key for each: an entry that had none gets one that follows from it, and is a repeat the next time")
    func derivedKeys() throws {
        let page = rewritten(tail)
        let derived = page.entries.dropFirst().compactMap(\.key)
        #expect(Set(derived).count == tail.count)
        #expect(try page.entries.dropFirst().map { try body($0).key } == derived)
        // A copy from before is restored, and asks for the keys of the same entries.
        var rewriting = Rewriting(limbo: limbo)
        _ = rewriting.nextRead()
        let asked = rewriting.read(tail)
        #expect(asked == derived)
    }

    @Test("in the same log page after page, which says only once what it follows")
    func secondPage() throws {
        var next = next
        _ = next.entry("the first page")
        let page = rewritten(Array(tail[..<2]), into: OwnLog(record: next.record))
        #expect(page.entries.map(\.sequence) == [2, 3])
        #expect(page.rest?.base == entries[2].head && page.rest?.firstSequence == 4 && page.rest?.isLimbo == true)
        #expect(page.rest?.head == limbo.head && page.rest?.logID == limbo.logID)
    }

    @Test("without repeats, whose messages are where they were first, and without what was erased")
    func repeatsAndErased() throws {
        var tail = tail
        tail[0] = EntryRecord(
            sequence: 2, timestamp: tail[0].timestamp, expiry: .max, kind: .text,
            content: .withheld(tail[0].content.hash), chain: tail[0].chain, isDeleted: true)
        let there = MessageID(log: written.logID, sequence: 9)
        let page = rewritten(tail, repeats: [3: there])
        #expect(try page.entries.dropFirst().map { try body($0).content } == entries[3...].map { try body($0).content })
        #expect(
            page.places == [
                RenamedMessages(from: limboID(3), to: there, count: 1),
                RenamedMessages(from: limboID(4), to: MessageID(log: next.logID, sequence: 2), count: 2),
            ])
    }

    @Test("without what an earlier epoch said of the ends before it: those are known anew")
    func earlierBranches() throws {
        var tail = tail
        tail[0] = rewritten([]).entries[0]
        let page = rewritten(tail)
        #expect(page.entries.count { $0.kind == .branches } == 1 && page.entries.count == 4)
    }

    @Test("in one commit with what leaves the limbo")
    func commit() throws {
        var commit = CommitInFlight()
        commit.append(rewritten(Array(tail[..<2])))
        #expect(commit.commit.logs.map(\.logID) == [next.logID])
        #expect(commit.commit.entries.map(\.logID) == [next.logID] && commit.rewritten.count == 1)
        let left = try #require(commit.commit.rewrittenTails.first)
        #expect(left.limboID == limbo.logID && left.through == entries[2].head && !left.isLast)
        #expect(left.places.map(\.count) == [2])

        var last = CommitInFlight()
        last.append(rewritten(tail))
        #expect(last.commit.rewrittenTails.map(\.isLast) == [true])
    }
}
