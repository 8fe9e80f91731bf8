import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Dialling")
struct DialerTests {
    private let target = Dialer.Target.address(PeerAddress(host: "10.0.0.1", port: 1))
    private let addresses = [PeerAddress(host: "10.0.0.1", port: 1)]

    @Test("keeps track of ten thousand devices and no more, and dials a few at a time")
    func flood() {
        var dialer = Dialer()
        for number in 0...UInt64(Limits.discoveredDevices) {
            let address = PeerAddress(host: "10.0.\(number >> 8).\(number & 0xff)", port: 1)
            dialer.found(.address(address), addresses: [address], now: 0)
        }
        #expect(dialer.count == Limits.discoveredDevices)
        #expect(dialer.due(now: 0).count == Limits.concurrentDials)
        #expect(dialer.due(now: 1).isEmpty)
    }

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
        dialer.lost(target, now: 10)
        #expect(dialer.due(now: 100).isEmpty)
        #expect(dialer.count == 0)
    }

    @Test("forgets a peer that was lost while it was dialled, when the dial fails")
    func forgetsWhenDialFails() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        _ = dialer.due(now: 0)
        dialer.lost(target, now: 10)
        dialer.failed(target, now: 20)
        #expect(dialer.count == 0)
    }

    @Test("tries a peer that was linked and is advertised no more for a day after its link ended, and then forgets it")
    func remembers() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        _ = dialer.due(now: 0)
        dialer.linked(target)
        dialer.lost(target, now: 10)
        let end = 3 * Timing.remembered
        dialer.failed(target, now: end)
        #expect(dialer.deadline == end + Timing.redialFloor)
        var dials = 0
        var last = end
        while dialer.count > 0, dials < 10_000 {
            last = dialer.deadline
            #expect(dialer.due(now: last).count == 1)
            dialer.failed(target, now: last)
            dials += 1
        }
        #expect((end + Timing.remembered..<end + Timing.remembered + Timing.redialCeiling).contains(last))
    }

    @Test("remembers no more than so many, the latest lost")
    func boundsRemembered() {
        var dialer = Dialer()
        let targets = (0..<Limits.rememberedDevices + 10).map {
            Dialer.Target.address(PeerAddress(host: "10.0.1.\($0)", port: 1))
        }
        for (index, target) in targets.enumerated() {
            dialer.recalled(target, addresses: addresses, delay: 0, now: Int64(index))
        }
        #expect(dialer.count == Limits.rememberedDevices)
        dialer.lost(targets[0], now: 1000)
        dialer.found(targets[0], addresses: addresses, now: 1000)
        #expect(dialer.count == Limits.rememberedDevices + 1)
    }

    @Test("begins everything that waits at once when all may have changed, and the waits anew")
    func retriesAll() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        for now in 0..<6 as Range<Int64> {
            _ = dialer.due(now: now * 100_000)
            dialer.failed(target, now: now * 100_000)
        }
        dialer.retryAll(now: 500_001)
        #expect(dialer.due(now: 500_001).count == 1)
        dialer.failed(target, now: 500_002)
        #expect(dialer.deadline == 500_002 + Timing.redialFloor)
    }

    @Test("gives up a dial that hangs when its peer is seen again, and not before it had its time")
    func restarts() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        _ = dialer.due(now: 0)
        dialer.found(target, addresses: addresses, now: 100)
        #expect(dialer.due(now: 100).isEmpty)
        #expect(dialer.deadline == Timing.dialPatience)
        #expect(dialer.due(now: Timing.dialPatience).count == 1)
        #expect(dialer.due(now: 10_000).isEmpty)
        dialer.found(target, addresses: addresses, now: 10_000)
        #expect(dialer.due(now: 10_000).count == 1)
    }

    @Test("tries a peer beside a link that is in doubt, and leaves it alone when it is linked anew")
    func doubted() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        _ = dialer.due(now: 0)
        let isTooEarly = !dialer.doubted(target, delay: 0, now: 5)
        #expect(isTooEarly)
        dialer.linked(target)
        let isDialled = dialer.doubted(target, delay: 0, now: 10)
        #expect(isDialled)
        #expect(dialer.due(now: 10).count == 1)
        dialer.linked(target)
        #expect(dialer.due(now: 100_000).isEmpty)
    }
}
