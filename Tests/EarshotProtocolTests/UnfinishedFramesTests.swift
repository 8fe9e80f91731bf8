import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A frame that a peer leaves unfinished")
struct UnfinishedFramesTests {
    private struct Host: NodeHost {
        var machine: NodeMachine
        var closed: [ConnectionID] = []

        mutating func input(_ body: (inout NodeMachine) -> [NodeAction]) -> [NodeAction] {
            let actions = body(&machine)
            for case .disconnect(let connectionID) in actions { closed.append(connectionID) }
            return actions
        }

        /// What the links of the machine hold.
        var unfinishedBytes: Int {
            machine.peers.links.established.reduce(0) { $0 + ($1.connection.machine.unfinished?.byteCount ?? 0) }
        }
    }

    private static let size = 1_000_000
    private var now = MachinePair.start

    private func bytes(of peer: inout HandDrivenPeer, count: Int = Self.size) -> [UInt8] {
        let content = [UInt8](repeating: 7, count: count)
        return peer.bytes(of: [.fileChunk(FileChunk(fileID: FileID(Bytes32()), index: 0, content: content))], now: now)
    }

    private func leave(_ bytes: ArraySlice<UInt8>, of peer: HandDrivenPeer, to host: inout Host) {
        host.input { $0.received(Array(bytes), on: peer.connectionID, now: now) }
    }

    @Test("takes no more memory than strangers together have, and the one that began first gives way with its link")
    mutating func strangers() throws {
        var host = Host(machine: NodeMachine(local: device("alice"), snapshot: Snapshot(), now: now) { .generate() })
        var order: [ConnectionID] = []
        for number in 0..<40 as Range<UInt64> {
            now.uptime += 1000
            var stranger = try HandDrivenPeer(device("stranger", seed: 1000 + number), beside: &host, now: now)
            leave(bytes(of: &stranger).dropLast(60_000), of: stranger, to: &host)
            order.append(stranger.connectionID)
            #expect(host.unfinishedBytes <= Limits.strangersFrameBytes)
        }
        let kept = Limits.strangersFrameBytes / Self.size
        #expect(host.closed.count >= 40 - kept - 2 && host.closed.count <= 40 - kept + 2)
        #expect(host.closed == Array(order.prefix(host.closed.count)))
    }

    @Test("of somebody whom the node's user has written to stays, and one that goes on coming is taken")
    mutating func others() throws {
        let (alice, bob) = (device("alice"), device("bob"))
        let snapshot = Snapshot.met(bob, by: alice, hasWritten: true)
        var host = Host(machine: NodeMachine(local: alice, snapshot: snapshot, now: now) { .generate() })
        var friend = try HandDrivenPeer(bob, beside: &host, now: now)
        leave(bytes(of: &friend).dropLast(60_000), of: friend, to: &host)
        var honest: [HandDrivenPeer] = []
        for number in 0..<100 as Range<UInt64> {
            now.uptime += 1000
            var stranger = try HandDrivenPeer(device("stranger", seed: 1000 + number), beside: &host, now: now)
            let all = bytes(of: &stranger, count: 250_000)
            for part in stride(from: 0, to: all.count, by: 100_000) {
                leave(all[part..<min(part + 100_000, all.count)], of: stranger, to: &host)
            }
            honest.append(stranger)
        }
        #expect(host.closed.isEmpty && honest.count == 100)
    }

    @Test("counts from where it began, not from where the one before it did")
    func order() {
        var frames = UnfinishedFrames()
        let half = Limits.strangersFrameBytes / 2
        frames.note(.init(number: 0, byteCount: half), on: ConnectionID(1), now: 1)
        frames.note(.init(number: 0, byteCount: half), on: ConnectionID(2), now: 2)
        #expect(frames.surplus == nil && frames.byteCount == 2 * half)
        frames.note(.init(number: 1, byteCount: half), on: ConnectionID(1), now: 3)
        frames.note(.init(number: 0, byteCount: half + 1), on: ConnectionID(2), now: 4)
        #expect(frames.surplus == ConnectionID(2))
        frames.note(.init(number: 1, byteCount: 0), on: ConnectionID(2), now: 5)
        #expect(frames.surplus == nil && frames.byteCount == half)
        frames.forget(ConnectionID(1))
        #expect(frames.byteCount == 0)
    }
}
