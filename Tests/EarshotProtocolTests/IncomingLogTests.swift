import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A peer's log")
struct IncomingLogTests {
    private let author = device("alice")
    private let reader = device("bob")

    private var empty: OwnLog { empty(.messages) }

    private func empty(_ kind: LogKind) -> OwnLog {
        let description = LogDescription(
            conversationID: .direct(author.userID, reader.userID), deviceID: author.deviceID, epoch: 7, kind: kind)
        return OwnLog(
            record: LogRecord(
                description: description, authorID: author.userID, conversation: .direct(author.userID, reader.userID),
                head: .origin(of: description.logID)))
    }

    /// A run of `count` texts after what stands, as the author signs it.
    private func run(_ count: Int, after log: inout OwnLog, timestamps: [UInt64]? = nil) -> EntriesFrame {
        let (first, start) = (log.head.sequence + 1, log.head)
        let bodies = (0..<count).map { index in
            let timestamp = timestamps?[index] ?? (first + UInt64(index)) << 16
            return EntryBody(
                timestamp: HybridTimestamp(rawValue: timestamp), expiry: .max,
                content: .text("text \(index)", headers: [:]))
        }
        let (record, entries) = log.extended(by: bodies, LogAuthor(author))
        log = OwnLog(record: record)
        return EntriesFrame(
            log: log.description, firstSequence: first, previousChain: start.chain,
            contents: entries.map(\.content), checkpoint: entries[entries.count - 1].checkpoint!)
    }

    private var incoming: IncomingLog { incoming(empty) }

    private func incoming(_ log: OwnLog) -> IncomingLog {
        IncomingLog(description: log.description, authorID: author.userID, head: log.head)
    }

    @Test("is taken in as its author wrote it")
    func takesIn() throws {
        var (log, incoming) = (empty, incoming)
        let taken = try incoming.receive(run(3, after: &log)).records + incoming.receive(run(2, after: &log)).records
        #expect(taken.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(incoming.proved.chain == log.head.chain)
        #expect(incoming.committed.sequence == 0)
    }

    @Test("never has a hole")
    func noHole() throws {
        var (log, incoming) = (empty, incoming)
        _ = run(1, after: &log)
        let second = run(1, after: &log)
        #expect(incoming.fit(of: second) == .gap)
        // Taken all the same, the signature does not cover what follows.
        #expect(throws: ProtocolError.self) { try incoming.receive(second) }
        #expect(incoming.proved.sequence == 0)
    }

    @Test("takes what is new of a run that overlaps, and nothing twice")
    func overlap() throws {
        var (log, incoming) = (empty, incoming)
        let first = run(2, after: &log)
        #expect(incoming.fit(of: first) == .continues(known: 0))
        _ = try incoming.receive(first)
        #expect(incoming.fit(of: first) == .continues(known: 2))
        #expect(try incoming.receive(first, known: 2).isEmpty)
        let second = run(2, after: &log)
        let both = EntriesFrame(
            log: first.log, firstSequence: 1, previousChain: first.previousChain,
            contents: first.contents + second.contents, checkpoint: second.checkpoint)
        #expect(incoming.fit(of: both) == .continues(known: 2))
        #expect(try incoming.receive(both, known: 2).records.map(\.sequence) == [3, 4])
    }

    @Test("leaves to the disk what stands where only the disk knows its entries")
    func earlier() throws {
        var (log, incoming) = (empty, incoming)
        let (first, second) = (run(2, after: &log), run(2, after: &log))
        _ = try incoming.receive(first)
        incoming.commit(through: incoming.proved)
        _ = try incoming.receive(second)
        #expect(incoming.fit(of: first) == .earlier)
        // What is not on the disk yet begins behind it.
        #expect(incoming.fit(of: second) == .continues(known: 2))
        incoming.commit(through: incoming.proved)
        #expect(incoming.fit(of: second) == .earlier)
    }

    @Test("tells a run that goes on differently than what is proved")
    func differs() throws {
        var (log, other, incoming) = (empty, empty, incoming)
        let first = run(1, after: &log)
        other = log
        _ = try incoming.receive(first)
        _ = try incoming.receive(run(2, after: &log))
        let (parts, behind) = (run(1, after: &other, timestamps: [9 << 16]), run(2, after: &other))
        #expect(incoming.fit(of: parts) == .differs)
        #expect(incoming.fit(of: behind) == .earlier)
        let end = run(1, after: &other)
        #expect(incoming.fit(of: end) == .gap)
        var same = empty
        _ = run(2, after: &same, timestamps: [5 << 16, 6 << 16])
        _ = run(1, after: &same)
        #expect(incoming.fit(of: run(1, after: &same)) == .differs)
    }

    @Test("refuses a changed entry, a checkpoint of another place and another device's signature")
    func forgeries() throws {
        var log = empty
        let good = run(2, after: &log)
        var changed = good.contents
        changed[0] = .body(
            EntryBody(
                timestamp: HybridTimestamp(rawValue: 1 << 16), expiry: .max, content: .text("forged", headers: [:])
            )
            .encoded())
        let other = Checkpoint.sign(
            logID: good.log.logID, sequence: 2, chain: log.head.chain, with: reader.signingKey)
        let elsewhere = Checkpoint.sign(
            logID: good.log.logID, sequence: 3, chain: log.head.chain, with: author.signingKey)
        for (contents, checkpoint) in [(changed, good.checkpoint), (good.contents, other), (good.contents, elsewhere)] {
            var incoming = incoming
            let forged = EntriesFrame(
                log: good.log, firstSequence: 1, previousChain: good.previousChain, contents: contents,
                checkpoint: checkpoint)
            let error = #expect(throws: ProtocolError.self) { try incoming.receive(forged) }
            #expect(error?.code == .unauthentic)
            #expect(incoming.proved.sequence == 0)
        }
    }

    @Test("refuses a fork: another entry in a place that is taken does not chain")
    func fork() throws {
        var (log, incoming) = (empty, incoming)
        _ = try incoming.receive(run(2, after: &log))
        var other = empty
        _ = run(1, after: &other, timestamps: [5 << 16])
        _ = run(1, after: &other, timestamps: [6 << 16])
        let forked = run(1, after: &other, timestamps: [7 << 16])
        let error = #expect(throws: ProtocolError.self) { try incoming.receive(forked) }
        #expect(error?.code == .unauthentic)
    }

    @Test("refuses time that does not rise")
    func timestamps() throws {
        var (log, incoming) = (empty, incoming)
        let backwards = run(2, after: &log, timestamps: [9 << 16, 9 << 16])
        let error = #expect(throws: ProtocolError.self) { try incoming.receive(backwards) }
        #expect(error?.code == .violation)
    }

    @Test("is written, too, where a run goes past the edge of 64 bits", arguments: [UInt64.max - 1, UInt64.max])
    func overflowingRunOnTheWire(_ first: UInt64) {
        var log = empty
        let good = run(3, after: &log)
        let edge = EntriesFrame(
            log: good.log, firstSequence: first, previousChain: good.previousChain, contents: good.contents,
            checkpoint: good.checkpoint)
        #expect(Frame.entries(edge).encoded().count == Frame.entries(good).encoded().count + 9)
    }

    @Test("takes no entry at the edge of what can be counted, though it follows the last")
    func lastEntry() throws {
        var (log, incoming) = (empty, incoming)
        var record = log.record
        record.head.sequence = Counting.largest
        log = OwnLog(record: record)
        incoming = IncomingLog(description: log.description, authorID: author.userID, head: log.head)
        let last = run(1, after: &log)
        #expect(throws: ProtocolError.self) { try incoming.receive(last) }
    }

    @Test("refuses a checkpoint of another log of the same author")
    func otherLog() throws {
        var (log, incoming) = (empty, incoming)
        let good = run(1, after: &log)
        let other = LogDescription(
            conversationID: good.log.conversationID, deviceID: good.log.deviceID, epoch: good.log.epoch + 1)
        let checkpoint = Checkpoint.sign(
            logID: other.logID, sequence: 1, chain: log.head.chain, with: author.signingKey)
        let forged = EntriesFrame(
            log: good.log, firstSequence: 1, previousChain: good.previousChain, contents: good.contents,
            checkpoint: checkpoint)
        let error = #expect(throws: ProtocolError.self) { try incoming.receive(forged) }
        #expect(error?.code == .unauthentic)
    }

    @Test("keeps the place of a withheld entry by its hash")
    func withheld() throws {
        var (log, incoming) = (empty, incoming)
        let good = run(2, after: &log)
        let contents = [EntryContent.withheld(good.contents[0].hash), good.contents[1]]
        let mark = WithheldMark.sign(
            logID: good.log.logID, sequence: 1, hash: contents[0].hash, with: author.signingKey)
        let taken = try incoming.receive(
            EntriesFrame(
                log: good.log, firstSequence: 1, previousChain: good.previousChain, contents: contents,
                checkpoint: good.checkpoint, marks: [1: mark]))
        #expect(taken.bodies.map { $0 == nil } == [true, false])
        #expect(taken.records.map(\.mark) == [mark, nil])
        #expect(incoming.proved.chain == log.head.chain)
    }

    @Test(
        "takes no hash in place of a content with a wrong mark, and in a control log none without its author's mark",
        arguments: [(LogKind.control, 0), (.messages, 1), (.messages, 2)])
    func stripped(kind: LogKind, wrong: Int) throws {
        var log = empty(kind)
        var incoming = incoming(log)
        let good = run(1, after: &log)
        let hash = good.contents[0].hash
        let marks: [[UInt64: Signature]] = [
            [:],
            [1: WithheldMark.sign(logID: good.log.logID, sequence: 2, hash: hash, with: author.signingKey)],
            [1: WithheldMark.sign(logID: good.log.logID, sequence: 1, hash: hash, with: .generate())],
        ]
        let stripped = EntriesFrame(
            log: good.log, firstSequence: 1, previousChain: good.previousChain, contents: [.withheld(hash)],
            checkpoint: good.checkpoint, marks: marks[wrong])
        let error = #expect(throws: ProtocolError.self) { try incoming.receive(stripped) }
        #expect(error?.code == .unauthentic)
        #expect(incoming.proved.sequence == 0)
    }

    @Test("takes a hash without a mark as a missing body from whoever passes it on, and goes on behind it")
    func missing() throws {
        var (log, incoming) = (empty, incoming)
        let good = run(2, after: &log)
        let contents = [EntryContent.withheld(good.contents[0].hash), good.contents[1]]
        let taken = try incoming.receive(
            EntriesFrame(
                log: good.log, firstSequence: 1, previousChain: good.previousChain, contents: contents,
                checkpoint: good.checkpoint))
        #expect(taken.records.map(\.isMissing) == [true, false])
        #expect(incoming.proved.chain == log.head.chain)
    }

    @Test(
        "tells what its author gets back as withheld, by the author's mark, from what the giver lacks",
        arguments: [true, false])
    func givenBack(isMarked: Bool) throws {
        var (log, incoming) = (empty, incoming)
        let good = run(1, after: &log)
        let hash = good.contents[0].hash
        let mark = WithheldMark.sign(logID: good.log.logID, sequence: 1, hash: hash, with: author.signingKey)
        let taken = try incoming.receive(
            EntriesFrame(
                log: good.log, firstSequence: 1, previousChain: good.previousChain, contents: [.withheld(hash)],
                checkpoint: good.checkpoint, marks: isMarked ? [1: mark] : [:]), deleted: [:])
        #expect(taken.records.first?.isMissing == !isMarked)
    }

    @Test("gives what has no body at its end a later time when the time of an entry before is known")
    func laterTimes() throws {
        var (log, incoming) = (empty, incoming)
        let good = run(2, after: &log)
        let stripped = EntriesFrame(
            log: good.log, firstSequence: 1, previousChain: good.previousChain,
            contents: good.contents.map { .withheld($0.hash) }, checkpoint: good.checkpoint)
        _ = try incoming.receive(stripped)
        #expect(incoming.proved.timestamp.rawValue == 2)
        incoming.note(HybridTimestamp(rawValue: 100), of: 1)
        #expect(incoming.proved.timestamp.rawValue == 101)
        incoming.note(HybridTimestamp(rawValue: 50), of: 2)
        #expect(incoming.proved.timestamp.rawValue == 101)
    }

    @Test("does not take a message over the limits of this node")
    func overLimit() throws {
        let body = EntryBody(
            timestamp: HybridTimestamp(rawValue: 1 << 16), expiry: .max,
            content: .text(String(repeating: "x", count: Limits.textBytes + 1), headers: [:])
        ).encoded()
        let error = #expect(throws: ProtocolError.self) { try EntryBody(decoding: body) }
        #expect(error?.code == .violation)
    }

    @Test("does not take headers over the limits of this node, and of one name the last")
    func headers() throws {
        func body(_ names: [String]) -> [UInt8] {
            // A map's fields stand in the order in which they are written: protobuf, "Maps".
            var text: [UInt8] = [0x0a, 1, 0x61]
            for name in names {
                let entry = [0x0a, UInt8(name.utf8.count)] + Array(name.utf8) + [0x12, 1, UInt8(text.count & 0x7f)]
                text += [0x12, UInt8(entry.count)] + entry
            }
            var output: [UInt8] = [0x09] + [1, 0, 0, 0, 0, 0, 0, 0] + [0x11] + [1, 0, 0, 0, 0, 0, 0, 0] + [0x1a]
            FrameBuffer.write(text, to: &output)
            return output
        }
        let error = #expect(throws: ProtocolError.self) { try EntryBody(decoding: body((0...64).map { "h\($0)" })) }
        #expect(error?.code == .violation)
        #expect(throws: ProtocolError.self) { try EntryBody(decoding: body([""])) }
        let twice = try EntryBody(decoding: body(Array(repeating: "h", count: 1000)))
        guard case .text(let message) = twice.content else {
            Issue.record("it is a text")
            return
        }
        #expect(message.headers.keys.sorted() == ["h"])
    }

    private func body(layout: Wire.Layout) -> [UInt8] {
        Wire.encode(
            Wire.EntryBody(
                timestamp: 1 << 16, expiry: 1, content: .text(Wire.Text(text: "a", layout: layout))))
    }

    @Test("takes a layout as it was written, and one without parts for none")
    func layout() throws {
        let link = try WebLink("https://example.org/menu")
        let layout = MessageLayout(
            caption: "c", subcaption: "s", imageTitle: "i", imageSubtitle: "j", accessibilityLabel: "l", url: link)
        let content = EntryBody.Content.text(MessageContent("a", layout: layout))
        let written = EntryBody(timestamp: HybridTimestamp(rawValue: 1 << 16), expiry: 1, content: content)
        #expect(try EntryBody(decoding: written.encoded()).content == content)
        #expect(try EntryBody(decoding: body(layout: Wire.Layout())).content == .text("a", headers: [:]))
    }

    @Test("does not take a layout over the limits of this node, nor an address that is no link")
    func layoutOverLimit() throws {
        let long = String(repeating: "x", count: Limits.layoutTextBytes + 1)
        let wrong = [
            Wire.Layout(caption: long), Wire.Layout(subcaption: long), Wire.Layout(imageTitle: long),
            Wire.Layout(imageSubtitle: long), Wire.Layout(accessibilityLabel: long),
            Wire.Layout(url: "javascript:alert(1)"), Wire.Layout(url: "https://a@b/"),
            Wire.Layout(url: "https://a/" + String(repeating: "x", count: Limits.linkBytes)),
        ]
        for layout in wrong {
            let error = #expect(throws: ProtocolError.self) { try EntryBody(decoding: body(layout: layout)) }
            #expect(error?.code == .violation)
        }
    }

    @Test("keeps a kind of content that it does not know, and shows it as no message")
    func unknownContent() throws {
        // timestamp, expiry, and a field 15 that is not in this version
        let body: [UInt8] =
            [0x09, 0, 0, 1, 0, 0, 0, 0, 0, 0x11, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x7a, 0x01, 0x41]
        #expect(try EntryBody(decoding: body).content == .unknown)
    }
}
