import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A node's dialler")
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

    @Test("leaves a peer alone that asked for too much until it may again, however often they were linked")
    func excessive() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        var now: Int64 = 0
        for _ in 0..<3 {
            #expect(dialer.due(now: now).count == 1)
            dialer.linked(target)
            dialer.failed(target, .excessive, now: now)
            dialer.found(target, addresses: addresses, now: now)
            #expect(dialer.deadline == now + Timing.excessive)
            now = dialer.deadline
        }
        #expect(Timing.excessive * Int64(Limits.peerRequestsPerSecond) / 1000 >= Limits.peerRequests)
        #expect(Timing.excessive * Int64(Limits.strangerRequestsPerSecond) / 1000 >= Limits.strangerRequests)
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

    @Test("does not begin anew with a peer that was refused and is seen again, but when all may have changed")
    func seenAgainAfterRefusal() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses, now: 0)
        _ = dialer.due(now: 0)
        dialer.failed(target, .refused, now: 0)
        dialer.found(target, addresses: addresses, now: 1)
        #expect(dialer.due(now: 1).isEmpty)
        #expect(dialer.due(now: Timing.redialFloor).count == 1)
        dialer.found(target, addresses: addresses, now: 300)
        dialer.failed(target, .refused, now: 300)
        #expect(dialer.deadline == 300 + 2 * Timing.redialFloor)
        dialer.retryAll(now: 310)
        #expect(dialer.due(now: 310).count == 1)
        // Another failure says nothing of that.
        dialer.failed(target, now: 320)
        dialer.found(target, addresses: addresses, now: 321)
        #expect(dialer.due(now: 321).count == 1)
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

    @Test(
        "holds nothing against an address that accepted a dial which was given up because everything may be another way"
    )
    func forgivenWhileItHangs() {
        var dialer = Dialer()
        dialer.found(target, addresses: addresses + [PeerAddress(host: "10.9.9.9", port: 9)], now: 0)
        _ = dialer.due(now: 0)
        dialer.reached(target, at: addresses[0])
        dialer.retryAll(now: 100_000)
        #expect(dialer.due(now: 100_000).first?.addresses.count == addresses.count + 1)
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

    // MARK: - Forged advertisements

    private static func address(_ number: Int) -> PeerAddress { PeerAddress(host: "10.0.9.\(number)", port: 1) }

    private static func device(_ number: Int) -> Dialer.Target {
        let bytes = [UInt8(number >> 8), UInt8(number & 0xff)] + [UInt8](repeating: 0, count: 30)
        guard let deviceID = DeviceID(bytes: bytes) else { preconditionFailure("thirty-two bytes are an identifier") }
        return .device(deviceID)
    }

    /// The addresses of the next dial, which is due now and ends so: with somebody at one of them, or nobody.
    private static func dial(
        _ target: Dialer.Target, of dialer: inout Dialer, now: inout Int64, meets wrong: PeerAddress? = nil
    ) -> [PeerAddress] {
        now = max(now, dialer.deadline)
        let addresses = dialer.due(now: now).first { $0.target == target }?.addresses ?? []
        if let wrong, addresses.contains(wrong) { dialer.reached(target, at: wrong) }
        dialer.failed(target, now: now)
        return addresses
    }

    @Test("dials those first that have waited longest, whatever their ids")
    func fair() {
        var dialer = Dialer()
        let last = Self.device(60_000)
        dialer.found(last, addresses: addresses, now: 0)
        for number in 0..<100 { dialer.found(Self.device(number), addresses: addresses, now: 1) }
        #expect(dialer.due(now: 2).first?.target == last)
    }

    @Test("dials everybody in turn where more are advertised than can be dialled at once, and none of them answers")
    func everybody() {
        var dialer = Dialer()
        let targets = (0..<150).map(Self.device)
        for target in targets { dialer.found(target, addresses: addresses, now: 0) }
        var dialled: Set<Dialer.Target> = []
        var now: Int64 = 0
        for _ in 0..<10 {
            let due = dialer.due(now: now).map(\.target)
            dialled.formUnion(due)
            now += Timing.handshake
            for target in due {
                dialer.failed(target, now: now)
                // It is advertised anew at once.
                dialer.found(target, addresses: addresses, now: now)
            }
        }
        #expect(dialled.count == targets.count)
    }

    @Test("keeps places for those that were linked or given, however many are advertised")
    func keptPlaces() {
        var dialer = Dialer()
        for number in 0..<200 { dialer.found(Self.device(number), addresses: addresses, now: 0) }
        #expect(dialer.due(now: 0).count == Limits.concurrentDials - Limits.keptDials)
        let (linked, known) = (Self.device(60_000), Self.device(60_001))
        dialer.recalled(linked, addresses: addresses, delay: 0, now: 10)
        dialer.found(known, addresses: addresses, remembered: addresses, now: 10)
        dialer.found(target, addresses: addresses, now: 10)
        #expect(Set(dialer.due(now: 250).map(\.target)) == [linked, known, target])
    }

    @Test("does not let a dial that hangs begin anew while others wait for its place")
    func hangingPlaces() {
        var dialer = Dialer()
        for number in 0..<100 { dialer.found(Self.device(number), addresses: addresses, now: 0) }
        let first = dialer.due(now: 0).map(\.target)
        for target in first { dialer.found(target, addresses: addresses, now: 1) }
        #expect(dialer.due(now: Timing.dialPatience).isEmpty)
        dialer.failed(first[0], now: 600)
        let next = dialer.due(now: 750).map(\.target)
        #expect(next.count == 1)
        #expect(Set(next).isDisjoint(with: first))
    }

    @Test("dials where it was linked first, whatever is advertised")
    func provedFirst() {
        var dialer = Dialer()
        let (target, proved) = (Self.device(1), Self.address(99))
        let forged = (0..<Limits.advertisedAddresses).map(Self.address)
        dialer.found(target, addresses: [proved], now: 0)
        _ = dialer.due(now: 0)
        dialer.linked(target)
        dialer.proved(target, at: proved)
        dialer.found(target, addresses: forged, now: 1)
        dialer.failed(target, now: 2)
        let dialled = dialer.due(now: 1_000).first?.addresses
        #expect(dialled == [proved] + forged.prefix(Limits.addressesPerDevice - 1))
    }

    @Test("dials where it was linked in an earlier run, whatever is advertised")
    func rememberedFirst() {
        var dialer = Dialer()
        let (known, late) = (Self.device(1), Self.device(2))
        dialer.found(known, addresses: [Self.address(1)], remembered: [Self.address(7)], now: 0)
        dialer.found(late, addresses: [Self.address(1)], now: 0)
        dialer.recalled(late, addresses: [Self.address(8), Self.address(9)], delay: 0, now: 0)
        let dialled = Dictionary(uniqueKeysWithValues: dialer.due(now: 0).map { ($0.target, $0.addresses) })
        #expect(dialled[known] == [Self.address(7), Self.address(1)])
        #expect(dialled[late] == [Self.address(8), Self.address(9), Self.address(1)])
    }

    @Test("leaves out where somebody else has answered, and tries one address after the other until it is reached")
    func rotates() {
        var dialer = Dialer()
        let target = Self.device(1)
        let places = (0..<4).map(Self.address)
        dialer.found(target, addresses: places, now: 0)
        var now: Int64 = 0
        #expect(Self.dial(target, of: &dialer, now: &now, meets: places[0]) == places)
        let singles = (0..<8).map { _ in Self.dial(target, of: &dialer, now: &now, meets: places[1]) }
        #expect(singles == [1, 2, 3, 0, 1, 2, 3, 0].map { [places[$0]] })
        now = dialer.deadline
        _ = dialer.due(now: now)
        dialer.proved(target, at: places[2])
        dialer.linked(target)
        dialer.failed(target, now: now)
        #expect(
            Self.dial(target, of: &dialer, now: &now) == [places[2], places[3]],
            "the others are known for somebody else's")
        #expect(Set(Self.dial(target, of: &dialer, now: &now)) == Set(places), "unless nobody else answers")
    }

    @Test("dials an only address again, whoever answered there")
    func onlyAddress() {
        var dialer = Dialer()
        var now: Int64 = 0
        dialer.found(target, addresses: addresses, now: 0)
        for _ in 0..<3 { #expect(Self.dial(target, of: &dialer, now: &now, meets: addresses[0]) == addresses) }
    }

    @Test("dials where it was linked every other time, however many addresses somebody else answers at")
    func provedAlternates() {
        var dialer = Dialer()
        let (target, proved) = (Self.device(1), Self.address(99))
        let forged = (0..<Limits.advertisedAddresses).map(Self.address)
        dialer.found(target, addresses: forged, remembered: [proved], now: 0)
        var now: Int64 = 0
        _ = Self.dial(target, of: &dialer, now: &now, meets: forged[0])
        let singles = (0..<6).map { _ in Self.dial(target, of: &dialer, now: &now) }
        #expect(singles == [proved, forged[1], proved, forged[2], proved, forged[3]].map { [$0] })
    }

    @Test("comes to every address, though fresh ones are advertised all the time at which somebody else answers")
    func freshAddresses() {
        var dialer = Dialer()
        let (target, honest) = (Self.device(1), Self.address(200))
        var now: Int64 = 0
        var dials = 0
        for number in 0..<20 {
            let fresh = (0..<4).map { Self.address(number * 4 + $0) }
            dialer.found(target, addresses: fresh + [honest], now: now)
            let dialled = Self.dial(target, of: &dialer, now: &now, meets: fresh.first)
            dials += dialled == [honest] ? 1 : 0
        }
        #expect(dials > 0)
    }

    @Test("tries elsewhere when it gives up a dial that hangs where somebody has accepted it")
    func hangsElsewhere() {
        var dialer = Dialer()
        let target = Self.device(1)
        let places = (0..<2).map(Self.address)
        dialer.found(target, addresses: places, now: 0)
        _ = dialer.due(now: 0)
        dialer.reached(target, at: places[0])
        dialer.found(target, addresses: places, now: 1)
        #expect(dialer.due(now: Timing.dialPatience).map(\.addresses) == [[places[1]]])
    }
}
