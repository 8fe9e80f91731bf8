import EarshotCrypto
import EarshotModel
import TestSupport
import Testing

@testable import EarshotProtocol

/// A link between the devices of the test vectors, byte for byte as it goes over TCP. Alice dials.
struct Transcript {
    private(set) var values: [String: String] = [:]
    private var alice: LinkMachine
    private var bob: LinkMachine
    private static let start = Moment(wallClock: VectorDevice.now, uptime: 0)

    init(networkKey: [UInt8]?, entries: EntriesFrame) throws {
        let (aliceKeys, bobKeys) = (try VectorDevice.alice(), try VectorDevice.bob())
        let configuration = try aliceKeys.local(networkKey: networkKey).link
        alice = try LinkMachine(
            role: .initiator, configuration: configuration, ephemeralKey: aliceKeys.ephemeralKey(), now: Self.start)
        bob = try LinkMachine(
            role: .responder, configuration: try bobKeys.local(networkKey: networkKey).link,
            ephemeralKey: bobKeys.ephemeralKey(), now: Self.start)
        values["prologue"] = Hex.text(configuration.prologue)
        try shakeHands()
        try exchangeFrames(entries)
    }

    private mutating func shakeHands() throws {
        let first = try written(alice.start(), as: "helloAndMessage1")
        let second = try written(bob.received(first, now: Self.start), as: "message2")
        #expect(alice.received(second, now: Self.start).count == 1)
        let third = try written(alice.accept(now: Self.start), as: "message3")
        #expect(bob.received(third, now: Self.start).count == 1)
        #expect(bob.accept(now: Self.start).count == 1)
    }

    private mutating func exchangeFrames(_ entries: EntriesFrame) throws {
        // The responder speaks first: its message proves to the initiator that the keys agree.
        bob.enqueue(.heads(HeadsFrame(conversationID: entries.log.conversationID, heads: [], isComplete: true)))
        let answer = try written(bob.flush(now: Self.start), as: "responderHeads")
        #expect(alice.received(answer, now: Self.start).count == 2)
        alice.enqueue(.heads(HeadsFrame(conversationID: entries.log.conversationID, heads: [], isComplete: true)))
        let heads = try written(alice.flush(now: Self.start), as: "initiatorHeads")
        #expect(bob.received(heads, now: Self.start).count == 1)

        alice.enqueue(.entries(entries))
        let run = try written(alice.flush(now: Self.start), as: "initiatorEntries")
        #expect(bob.received(run, now: Self.start).count == 1)

        // Ten minutes on, the next frame takes a `Rekey` along, and the one after it has the next key.
        let later = Moment(wallClock: VectorDevice.now, uptime: Timing.rekeyInterval)
        alice.enqueue(.ping)
        let ping = try written(alice.flush(now: later), as: "initiatorPingAndRekey")
        #expect(bob.received(ping, now: later).isEmpty)
        _ = try written(bob.flush(now: later), as: "responderPongAndRekey")
        alice.enqueue(.close(.shutdown))
        let goodbye = try written(alice.flush(now: later), as: "initiatorCloseAfterRekey")
        #expect(bob.received(goodbye, now: later).count == 1)
    }

    /// The one thing that is written.
    private mutating func written(_ actions: [LinkMachine.Action], as name: String) throws -> [UInt8] {
        let bytes = try #require(actions.count == 1 ? actions.first : nil, "\(name): \(actions)")
        guard case .write(let bytes) = bytes else { throw Unexpected(description: "\(name): \(actions)") }
        values[name] = Hex.text(bytes)
        return bytes
    }

    private struct Unexpected: Error {
        let description: String
    }
}
