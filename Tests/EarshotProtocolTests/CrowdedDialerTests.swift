import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A dialler that finds more peers than there is room for")
struct CrowdedDialerTests {
    private var dialer = Dialer(origin: DeviceID(CrowdedDialerTests.bytes(7)), unaskedLinks: 2)
    private let address = PeerAddress(host: "10.0.0.1", port: 1)

    private static func bytes(_ number: UInt8) -> Bytes32 {
        [UInt8](repeating: number, count: 32).withUnsafeBytes { Bytes32(exactly: $0) }
    }

    private static func device(_ number: UInt8) -> DeviceID { DeviceID(bytes(number)) }
    private static func target(_ number: UInt8) -> Dialer.Target { .device(device(number)) }

    private mutating func advertise(_ numbers: ClosedRange<UInt8>, isFamiliar: Bool = false, now: Int64 = 0) {
        for number in numbers {
            dialer.advertised(
                Self.device(number), addresses: [address], remembered: [], isFirst: true,
                fingerprint: "key \(number)", isFamiliar: isFamiliar, now: now)
        }
    }

    private mutating func dialled(at now: Int64, linked: Int = 0) -> Set<DeviceID> {
        Set(
            dialer.due(now: now, linked: linked).map(\.target).compactMap {
                if case .device(let deviceID) = $0 { deviceID } else { nil }
            })
    }

    /// Two are linked, and the others wait for room.
    private mutating func crowd(_ count: UInt8 = 5) -> [DeviceID] {
        advertise(1...count)
        let linked = dialled(at: 0)
        for deviceID in linked { dialer.linked(.device(deviceID)) }
        #expect(dialled(at: 1, linked: 2).isEmpty)
        return (1...count).map(Self.device).filter { !linked.contains($0) }
    }

    @Test("dials as many as there is room for, and lets the others wait")
    mutating func room() {
        advertise(1...5)
        #expect(dialled(at: 0).count == 2)
        #expect(dialer.takeParked().count == 3)
        #expect(dialer.isCrowded)
        #expect(dialled(at: 10_000).isEmpty, "what is under way counts")
    }

    @Test("dials one more as soon as there is a link less")
    mutating func roomArises() {
        let waiting = crowd()
        dialer.roomArose(linked: 2, now: 5)
        #expect(dialled(at: 5, linked: 2).isEmpty)
        dialer.roomArose(linked: 1, now: 6)
        let next = dialled(at: 6, linked: 1)
        #expect(next.count == 1 && waiting.contains(next.first ?? Self.device(99)))
    }

    @Test("dials whoever this node has something for, at once, however many links there are")
    mutating func needed() {
        let waiting = crowd()
        dialer.reach(.device(waiting[1]), now: 50)
        #expect(dialled(at: 50, linked: 900) == [waiting[1]])
    }

    @Test("does not hasten, for something new, what it dials in vain")
    mutating func neededAgain() {
        let waiting = crowd()
        dialer.reach(.device(waiting[0]), now: 50)
        #expect(dialled(at: 50, linked: 2) == [waiting[0]])
        dialer.failed(.device(waiting[0]), now: 60)
        dialer.reach(.device(waiting[0]), now: 61)
        #expect(dialled(at: 61, linked: 2).isEmpty)
        #expect(dialled(at: 60 + Timing.redialFloor, linked: 2) == [waiting[0]])
    }

    @Test("prefers those whom its user has to do with")
    mutating func familiar() {
        advertise(1...20)
        advertise(21...22, isFamiliar: true)
        #expect(dialled(at: 0) == [Self.device(21), Self.device(22)])
    }

    @Test("prefers others than another node does, and is preferred by whom it prefers")
    func spread() {
        func preferred(by origin: UInt8) -> Set<DeviceID> {
            var dialer = Dialer(origin: Self.device(origin), unaskedLinks: 60)
            for number in 1...120 as ClosedRange<UInt8> where number != origin {
                dialer.advertised(Self.device(number), addresses: [address], remembered: [], isFirst: true, now: 0)
            }
            var chosen: Set<DeviceID> = []
            while case let due = dialer.due(now: 0, linked: chosen.count), !due.isEmpty {
                for case (.device(let deviceID), _) in due {
                    chosen.insert(deviceID)
                    dialer.linked(.device(deviceID))
                }
                dialer.roomArose(linked: chosen.count, now: 0)
            }
            return chosen
        }
        let (first, second) = (preferred(by: 1), preferred(by: 2))
        #expect(first.count == second.count)
        #expect(first.symmetricDifference(second).count > 10)
    }

    @Test(
        "does not dial for a while whose link ended because there were too many, except when it has something for them")
    mutating func crowdedOut() throws {
        let waiting = crowd(2)
        #expect(waiting.isEmpty)
        dialer.failed(Self.target(1), .crowded, now: 100)
        dialer.failed(Self.target(2), .crowded, now: 100)
        advertise(1...2, now: 200)
        dialer.retryAll(now: 200)
        #expect(dialled(at: 200).isEmpty, "being advertised anew changes nothing about that")
        dialer.reach(Self.target(1), delay: 500, now: 200)
        dialer.reach(Self.target(1), now: 210)
        #expect(dialled(at: 699).isEmpty, "not sooner because more waits")
        #expect(dialled(at: 700) == [Self.device(1)])
        #expect(dialled(at: 100 + Timing.crowdedOut) == [Self.device(2)])
    }

    @Test("dials each of those that wait in turn, though there is no room")
    mutating func roams() {
        let waiting = crowd(8)
        var met: Set<DeviceID> = []
        var now: Int64 = 1
        for _ in 0..<waiting.count * 2 {
            now += Timing.roaming
            for deviceID in dialled(at: now, linked: 2) {
                met.insert(deviceID)
                dialer.linked(.device(deviceID))
                dialer.failed(.device(deviceID), .crowded, now: now + 1)
            }
        }
        #expect(met == Set(waiting))
    }

    @Test("says who is there, and has no link only because there are too many")
    mutating func rests() {
        let waiting = crowd(4)
        #expect(dialer.takeRestNews().filter(\.isResting).map(\.deviceID) == waiting)
        dialer.linked(.device(waiting[0]))
        #expect(dialer.takeRestNews().map(\.isResting) == [false])
        dialer.failed(.device(waiting[0]), .crowded, now: 10)
        #expect(dialer.takeRestNews().map(\.isResting) == [true])
        dialer.lost(.device(waiting[0]), now: 20)
        #expect(dialer.takeRestNews().map(\.isResting) == [false])
        dialer.reach(.device(waiting[1]), now: 30)
        #expect(dialled(at: 30, linked: 2) == [waiting[1]])
        #expect(dialer.takeRestNews().isEmpty, "as long as it is not known to be away")
        dialer.failed(.device(waiting[1]), now: 40)
        #expect(dialer.takeRestNews().map(\.isResting) == [false])
    }

    @Test("finds the devices that are advertised as those of a user")
    mutating func advertisedDevices() {
        let userID = UserID(Self.bytes(3))
        let fingerprint = userID.fingerprint.filter { $0 != " " }
        for number in 1...3 as ClosedRange<UInt8> {
            dialer.advertised(
                Self.device(number), addresses: [address], remembered: [], isFirst: true,
                fingerprint: number == 2 ? "other" : fingerprint, now: 0)
        }
        #expect(dialer.devices(advertisedFor: userID) == [Self.device(1), Self.device(3)])
        #expect(dialer.fingerprint(of: Self.device(2)) == "other")
    }
}

@Suite("Roaming")
struct RoamingTests {
    @Test("lets those never met and the others take turns, and is quicker while somebody was never met")
    func turns() {
        var roaming = Roaming()
        let pick: (Bool, Bool) -> String? = { isMet, isAdvertised in isAdvertised ? (isMet ? "met" : "new") : nil }
        #expect(roaming.next(now: 0, first: pick) == nil)
        #expect(roaming.due == Timing.roaming)
        var now = roaming.due
        var chosen: [String?] = []
        for _ in 0..<4 {
            chosen.append(roaming.next(now: now, first: pick))
            #expect(roaming.due == now + Timing.roamingToNew)
            now = roaming.due
        }
        #expect(chosen == ["new", "met", "new", "met"])
        #expect(roaming.next(now: now) { isMet, _ in isMet ? "met" : nil } == "met")
        #expect(roaming.due == now + Timing.roaming)
    }

    @Test("leaves those that are not advertised for the end")
    func lost() {
        var roaming = Roaming()
        _ = roaming.next(now: 0) { _, _ in "x" }
        #expect(
            roaming.next(now: roaming.due) { isMet, isAdvertised in "\(isMet) \(isAdvertised)" }?.hasSuffix("true")
                == true)
        #expect(roaming.next(now: roaming.due) { _, isAdvertised in isAdvertised ? nil : "lost" } == "lost")
    }

    @Test("stops when nobody waits")
    func stops() {
        var roaming = Roaming()
        _ = roaming.next(now: 0) { _, _ in "x" }
        #expect(roaming.isOn)
        roaming.stop()
        #expect(!roaming.isOn)
    }
}
