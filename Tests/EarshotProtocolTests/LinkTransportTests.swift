import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("An established link")
struct LinkTransportTests {
    private func connected() throws -> LinkPair {
        var pair = try LinkPair(device("alice"), device("bob"))
        pair.connect()
        pair.initiatorActions = []
        pair.responderActions = []
        return pair
    }

    @Test("carries many frames in one Noise message")
    func coalesces() throws {
        var pair = try connected()
        for _ in 0..<50 { pair.initiator.enqueue(.nothingHeld) }
        let output = pair.initiator.flush(now: pair.now)
        #expect(output.written.count == 1)
        #expect(try #require(output.written.first).count < 50 * 16 + 64)
        pair.runInitiator(output)
        #expect(pair.responderActions.frames.count == 50)
    }

    @Test("carries a frame that is larger than a Noise message, however its bytes arrive")
    func largeFrame() throws {
        var pair = try connected()
        let contents = (0..<10).map { EntryContent.body(Array(repeating: UInt8($0), count: 60_000)) }
        var generator = SeededGenerator(seed: 1)
        let log = LogDescription(
            conversationID: .direct(device("alice").userID, device("bob").userID), deviceID: device("alice").deviceID,
            epoch: 1)
        let run = EntriesFrame(
            log: log, firstSequence: 1, previousChain: .origin(of: log.logID), contents: contents,
            checkpoint: Checkpoint.sign(
                logID: log.logID, sequence: 10, chain: .origin(of: log.logID), with: generator.signingKey()))
        pair.initiator.enqueue(.entries(run))
        let bytes = pair.initiator.flush(now: pair.now).written.flatMap { $0 }
        #expect(bytes.count > 600_000)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...40_000, using: &generator))
            pair.responderActions += pair.responder.received(Array(bytes[start..<end]), now: pair.now)
            start = end
        }
        #expect(pair.responderActions.frames == [.entries(run)])
    }

    @Test("that was silent for fifteen seconds is pinged, and an answer keeps it")
    func ping() throws {
        var pair = try connected()
        pair.now.uptime += Timing.pingAfterSilence
        pair.runInitiator(pair.initiator.tick(now: pair.now))
        pair.runResponder(pair.responder.flush(now: pair.now))
        #expect(pair.initiator.deadline == pair.now.uptime + Timing.pingAfterSilence)
        #expect(pair.initiatorActions.closing == nil)
    }

    @Test("that heard nothing for 45 seconds is dead")
    func dead() throws {
        var pair = try connected()
        pair.now.uptime += Timing.pingAfterSilence
        #expect(pair.initiator.tick(now: pair.now).written.count == 1)
        pair.now.uptime += Timing.deadAfterSilence - Timing.pingAfterSilence - 1
        #expect(pair.initiator.tick(now: pair.now).isEmpty)
        pair.now.uptime += 1
        #expect(pair.initiator.tick(now: pair.now).closing?.closeReason == .timeout)
    }

    @Test("that is doubted is asked at once, doubted aloud after a second and dead after three")
    func probe() throws {
        var pair = try connected()
        #expect(pair.initiator.doubt(now: pair.now).written.count == 1)
        #expect(pair.initiator.doubt(now: pair.now).isEmpty)
        #expect(pair.initiator.deadline == pair.now.uptime + Timing.probePatience)
        pair.now.uptime += Timing.probePatience
        let doubted = pair.initiator.tick(now: pair.now)
        guard case .doubted = doubted.first, doubted.count == 1 else {
            Issue.record("\(doubted)")
            return
        }
        pair.now.uptime += Timing.probe - Timing.probePatience - 1
        #expect(pair.initiator.tick(now: pair.now).isEmpty)
        pair.now.uptime += 1
        #expect(pair.initiator.deadline == pair.now.uptime)
        #expect(pair.initiator.tick(now: pair.now).closing?.closeReason == .timeout)
    }

    @Test("that is doubted and answers goes on as if nothing had been")
    func probeAnswered() throws {
        var pair = try connected()
        pair.now.uptime += 5_000
        pair.runInitiator(pair.initiator.doubt(now: pair.now))
        pair.runResponder(pair.responder.flush(now: pair.now))
        #expect(!pair.initiator.isDoubted)
        #expect(pair.initiator.deadline == pair.now.uptime + Timing.pingAfterSilence)
    }

    @Test("that was asked before its node slept has its whole time again")
    func probeAnew() throws {
        var pair = try connected()
        _ = pair.initiator.doubt(now: pair.now)
        pair.now.uptime += 60_000
        #expect(pair.initiator.doubt(isAnew: true, now: pair.now).written.count == 1)
        #expect(pair.initiator.tick(now: pair.now).isEmpty)
        #expect(pair.initiator.deadline == pair.now.uptime + Timing.probePatience)
    }

    @Test("goes on with the next key after ten minutes, and both ends agree on it")
    func rekey() throws {
        var pair = try connected()
        for round in 1...3 {
            pair.now.uptime += Timing.rekeyInterval
            pair.initiator.enqueue(.nothingHeld)
            pair.runInitiator(pair.initiator.flush(now: pair.now))
            pair.responder.enqueue(.nothingHeld)
            pair.runResponder(pair.responder.flush(now: pair.now))
            #expect(pair.responderActions.frames.count == round)
            #expect(pair.initiatorActions.frames.count == round)
        }
        #expect(pair.initiatorActions.closing == nil && pair.responderActions.closing == nil)
    }

    @Test("ends when a message is changed, repeated, or left out")
    func tampering() throws {
        for attack in 0..<3 {
            var pair = try connected()
            var messages: [[UInt8]] = []
            for _ in 0..<2 {
                pair.initiator.enqueue(.ping)
                messages += pair.initiator.flush(now: pair.now).written
            }
            switch attack {
            case 0: messages[0][5] ^= 1
            case 1: messages.insert(messages[0], at: 0)
            default: messages.removeFirst()
            }
            let answer = pair.responder.received(messages.flatMap { $0 }, now: pair.now)
            #expect(answer.closing?.code == .unauthentic, "attack \(attack)")
        }
    }

    @Test("refuses an endless frame as soon as its length is known")
    func endlessFrame() throws {
        var buffer = FrameBuffer()
        buffer.append([0x81, 0x80, 0x40])  // 1 MiB and one byte
        #expect(throws: ProtocolError.self) { try buffer.next() }
        var other = FrameBuffer()
        other.append([0x80, 0x80, 0x80, 0x80, 0x01])
        #expect(throws: ProtocolError.self) { try other.next() }
    }

    @Test("keeps no more of an endless frame than a frame may have, and ends with the first byte that is too many")
    func endlessBytes() throws {
        var buffer = FrameBuffer()
        buffer.append([0x80, 0x80, 0x40])  // 1 MiB
        let piece = [UInt8](repeating: 0xff, count: 1 << 16)
        for _ in 1..<Limits.frameBytes / piece.count {
            buffer.append(piece)
            #expect(try buffer.next() == nil)
        }
        #expect(buffer.byteCount <= Limits.frameBytes)
        buffer.append(piece)
        #expect(try buffer.next()?.count == Limits.frameBytes)
        // What follows would be the length of another.
        buffer.append(piece)
        #expect(throws: ProtocolError.self) { try buffer.next() }
    }

    @Test("keeps nothing of what it has read, however frames and messages are cut")
    func boundedBuffer() throws {
        var buffer = FrameBuffer()
        var frame: [UInt8] = []
        FrameBuffer.write(Array(repeating: 7, count: 200), to: &frame)
        // Every piece ends after the first byte of a length of two.
        buffer.append([frame[0]])
        for _ in 0..<1000 {
            buffer.append(Array(frame.dropFirst()) + [frame[0]])
            #expect(try buffer.next()?.count == 200)
            #expect(try buffer.next() == nil)
        }
        #expect(buffer.byteCount == 1)
    }

    @Test("ends when a peer goes on with the old key after it said that it changes")
    func frameAfterRekey() throws {
        var pair = try connected()
        pair.initiator.enqueue(.rekey)
        pair.initiator.enqueue(.ping)
        pair.runInitiator(pair.initiator.flush(now: pair.now))
        #expect(pair.responderActions.closing?.code == .violation)
    }

    @Test("answers many pings at once with one pong")
    func onePong() throws {
        var pair = try connected()
        for _ in 0..<1000 { pair.initiator.enqueue(.ping) }
        pair.runInitiator(pair.initiator.flush(now: pair.now))
        let answer = try #require(pair.responder.flush(now: pair.now).written.first)
        #expect(answer.count < 64)
    }

    @Test(
        "refuses a frame whose fields say that they are longer than it is",
        arguments: [
            [0x12, 0xff, 0xff, 0xff, 0xff, 0x07], [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            [0x0a, 0x80, 0x80, 0x80, 0x80, 0x10], [0x12, 0x7f], [0x12, 0x02, 0x0a, 0x7f],
        ] as [[UInt8]])
    func hugeField(bytes: [UInt8]) {
        let error = #expect(throws: ProtocolError.self) { try Frame.decode(bytes, from: DeviceID(Bytes32())) }
        #expect(error?.code == .malformed)
    }

    @Test("refuses a frame of groups within groups, and does not follow them down")
    func deepNesting() {
        // Field 100 as a group that begins and never ends.
        let bytes = Array(repeatElement([0xa3, 0x06] as [UInt8], count: Limits.frameBytes / 2).joined())
        let error = #expect(throws: ProtocolError.self) { try Frame.decode(bytes, from: DeviceID(Bytes32())) }
        #expect(error?.code == .malformed)
    }

    @Test("refuses heads that name an end twice")
    func duplicateHeads() {
        var log = HandWrittenLog(by: device("alice"), to: device("bob").userID)
        _ = log.entry("one")
        let frame = Frame.heads(
            HeadsFrame(
                conversationID: log.record.description.conversationID, heads: [log.end, log.end], isComplete: true))
        let error = #expect(throws: ProtocolError.self) {
            try Frame.decode(frame.encoded(), from: DeviceID(Bytes32()))
        }
        #expect(error?.code == .violation)
    }

    @Test("hands over the frames before one that is forbidden, and reads nothing behind it")
    func violation() throws {
        var pair = try connected()
        let log = HandWrittenLog(by: device("alice"), to: device("bob").userID)
        func wanted(_ count: Int) -> Frame {
            let known = Array(repeating: log.head.place, count: count)
            return .wanted(WantedFrame(log: log.record.description, end: log.head.place, known: known))
        }
        pair.initiator.enqueue(wanted(Limits.knownPlaces))
        pair.initiator.enqueue(wanted(Limits.knownPlaces + 1))
        pair.initiator.enqueue(wanted(1))
        pair.runInitiator(pair.initiator.flush(now: pair.now))
        #expect(pair.responderActions.frames == [wanted(Limits.knownPlaces)])
        #expect(pair.responderActions.violation?.code == .violation)
        #expect(pair.responderActions.closing == nil)
    }

    @Test("takes so many receipts in one frame, and refuses one more")
    func manyReceipts() throws {
        let receipt = Receipt(
            logID: LogID(Bytes32()), sequence: 1, chain: ChainHash(Bytes32()), readSequence: 0,
            deviceID: DeviceID(Bytes32()), signature: device("alice").signingKey.signature(for: []))
        func decode(_ count: Int) throws -> Frame? {
            let frame = Frame.receipts(Array(repeating: receipt, count: count))
            return try Frame.decode(frame.encoded(), from: DeviceID(Bytes32()))
        }
        #expect(try decode(Limits.receiptsPerFrame) != nil)
        let error = #expect(throws: ProtocolError.self) { try decode(Limits.receiptsPerFrame + 1) }
        #expect(error?.code == .violation)
    }

    @Test("passes over kinds of frames that it does not know")
    func unknownFrame() throws {
        // Field 100, length-delimited, two bytes.
        #expect(try Frame.decode([0xa2, 0x06, 0x02, 0x08, 0x01], from: DeviceID(Bytes32())) == nil)
    }

    @Test("says why it is closed")
    func closing() throws {
        var pair = try connected()
        pair.runInitiator(pair.initiator.close(.shutdown, now: pair.now))
        #expect(pair.responderActions.closing?.closeReason == .shutdown)
        #expect(!pair.responder.isEstablished)
    }
}
