import CLinuxNetwork
import Glibc
import Testing

@testable import EarshotDiscovery

@Suite("Changes of this machine's network")
struct NetworkChangeFilterTests {
    private let start = ContinuousClock.now
    private let before = Self.snapshot(running: true)
    private var filter = NetworkChangeFilter(Self.snapshot(running: true))

    private static func snapshot(running: Bool) -> NetworkSnapshot {
        let flags = Int(IFF_UP) | (running ? Int(IFF_RUNNING) : 0)
        guard let link = LinkMessage(KernelMessage.link("eth0", flags: flags)) else { return NetworkSnapshot() }
        return NetworkSnapshot(interfaces: [HostInterface(link, [])])
    }

    @Test("are not looked for until the kernel says something")
    func quiet() {
        #expect(filter.deadline == nil)
    }

    @Test("make one report for a burst, one window after its beginning")
    mutating func burst() {
        for step in 0..<50 { filter.heard(isOverrun: false, at: start.advanced(by: .milliseconds(step))) }
        #expect(filter.deadline == start.advanced(by: NetworkChangeFilter.window))
        let after = Self.snapshot(running: false)
        #expect(filter.closed(with: after) == true)
        #expect(filter.deadline == nil)
        filter.heard(isOverrun: false, at: start.advanced(by: .seconds(1)))
        #expect(filter.closed(with: after) == false)
    }

    @Test("make no report if everything important is as it was")
    mutating func nothing() {
        filter.heard(isOverrun: false, at: start)
        #expect(filter.closed(with: before) == false)
    }

    @Test("are reported once if messages were lost, even if everything seems as it was")
    mutating func overrun() {
        filter.heard(isOverrun: true, at: start)
        filter.heard(isOverrun: false, at: start)
        #expect(filter.closed(with: before) == true)
        filter.heard(isOverrun: false, at: start.advanced(by: .seconds(1)))
        #expect(filter.closed(with: before) == false)
    }

    @Test("are reported when the kernel stops answering, and when it answers again")
    mutating func unknown() {
        filter.heard(isOverrun: false, at: start)
        #expect(filter.closed(with: nil) == true)
        #expect(filter.deadline == nil)
        filter.heard(isOverrun: false, at: start)
        #expect(filter.closed(with: nil) == true)
        filter.heard(isOverrun: false, at: start)
        #expect(filter.closed(with: before) == true)
        filter.heard(isOverrun: false, at: start)
        #expect(filter.closed(with: before) == false)
    }

    @Test("include a new route")
    mutating func route() throws {
        let route = try #require(NetworkRoute(KernelMessage.route(type: RTN_UNICAST)))
        filter.heard(isOverrun: false, at: start)
        #expect(filter.closed(with: NetworkSnapshot(interfaces: before.interfaces, routes: [route])) == true)
    }
}

@Suite("The watch over the clocks")
struct ClockWatchTests {
    private var reading = ClockReading(
        realtime: .seconds(1_700_000_000), boottime: .seconds(5000), monotonic: .seconds(4000))
    private lazy var watch = ClockWatch(reading)

    private mutating func pass(_ time: Duration, asleep: Duration = .zero, set: Duration = .zero) -> [NetworkChange] {
        _ = watch
        reading.realtime += time + asleep + set
        reading.boottime += time + asleep
        reading.monotonic += time
        return watch.read(reading)
    }

    @Test("reports nothing while time passes")
    mutating func passing() {
        #expect(pass(.seconds(86_400)) == [])
        #expect(pass(.milliseconds(1), asleep: .microseconds(30), set: .microseconds(-20)) == [])
    }

    @Test("reports how long the machine slept")
    mutating func sleep() {
        #expect(pass(.seconds(1), asleep: .seconds(3600)) == [.resumed(sleptFor: .seconds(3600))])
        #expect(pass(.seconds(1)) == [])
        #expect(pass(.seconds(1), asleep: .seconds(2)) == [.resumed(sleptFor: .seconds(2))])
    }

    @Test("reports that the wall clock was set, forwards and back")
    mutating func set() {
        #expect(pass(.seconds(1), set: .seconds(60)) == [.clockChanged])
        #expect(pass(.seconds(1)) == [])
        #expect(pass(.seconds(1), set: .seconds(-3600)) == [.clockChanged])
    }

    @Test("reports both if the wall clock stood still in the meantime")
    mutating func both() {
        let changes = pass(.seconds(1), asleep: .seconds(100), set: .seconds(-100))
        #expect(changes == [.resumed(sleptFor: .seconds(100)), .clockChanged])
    }

    @Test("reports small steps when they have added up")
    mutating func smallSteps() {
        #expect(pass(.seconds(1), set: .milliseconds(300)) == [])
        #expect(pass(.seconds(1), set: .milliseconds(300)) == [.clockChanged])
    }

    @Test("reads the clocks as the system has them")
    func real() {
        let reading = ClockReading.now()
        #expect(reading.boottime >= reading.monotonic)
        #expect(reading.realtime > reading.boottime)
    }

    @Test("has a timer that stays silent while no clock is set")
    func timer() throws {
        let timer = try ClockSetTimer()
        for _ in 0..<2 {
            var polled = [pollfd(fd: timer.fileDescriptor, events: Int16(POLLIN), revents: 0)]
            #expect(poll(&polled, 1, 0) == 0)
            // Does not block when there is nothing to acknowledge.
            timer.acknowledge()
        }
    }
}
