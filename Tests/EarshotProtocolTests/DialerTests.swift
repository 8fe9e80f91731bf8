import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Dialling")
struct DialerTests {
    private let target = Dialer.Target.address(PeerAddress(host: "10.0.0.1", port: 1))
    private let addresses = [PeerAddress(host: "10.0.0.1", port: 1)]

    @Test("begins at once when a peer is found")
    func atOnce() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 100)
        #expect(dialer.deadline == 100)
        #expect(dialer.due(now: 100).map(\.target) == [target])
        #expect(dialer.due(now: 100).isEmpty)
    }

    @Test("waits twice as long after each failure, up to a ceiling")
    func backsOff() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        var now: Int64 = 0
        var waits: [Int64] = []
        for _ in 0..<10 {
            #expect(dialer.due(now: now).count == 1)
            dialer.failed(target, now: now)
            waits.append(dialer.deadline - now)
            #expect(dialer.due(now: dialer.deadline - 1).isEmpty)
            now = dialer.deadline
        }
        #expect(waits.first == Timing.redialFloor)
        #expect(waits[1] == 2 * Timing.redialFloor)
        #expect(waits.last == Timing.redialCeiling)
    }

    @Test("begins anew, without the waiting, when the peer is seen again")
    func seenAgain() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        for now in 0..<6 as Range<Int64> {
            _ = dialer.due(now: now * 100_000)
            dialer.failed(target, now: now * 100_000)
        }
        dialer.found(target, addresses: addresses, now: 500_001)
        #expect(dialer.due(now: 500_001).count == 1)
    }

    @Test("leaves a linked peer alone, and the node itself for ever")
    func leavesAlone() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        _ = dialer.due(now: 0)
        dialer.linked(target)
        dialer.found(target, addresses: addresses, now: 5)
        #expect(dialer.due(now: 100_000).isEmpty)
        dialer.dropped(target)
        dialer.found(target, addresses: addresses, now: 200_000)
        #expect(dialer.due(now: 300_000).isEmpty)
    }

    @Test("forgets a peer that is advertised no more")
    func forgets() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, delay: 50, now: 0)
        dialer.lost(target)
        #expect(dialer.due(now: 100).isEmpty)
    }
}
