import EarshotModel
import Testing

@testable import EarshotDiscovery

private let lo = NetworkInterface(index: 1, name: "lo")
private let eth0 = NetworkInterface(index: 2, name: "eth0")
private let wlan0 = NetworkInterface(index: 3, name: "wlan0")

@Suite("The browser of a DNS-SD daemon")
struct ServiceBrowserTests {
    private var browser = ServiceBrowser(ownInstance: "me", capacity: 100)

    private static func reports(_ actions: [ServiceBrowser.Action]) -> [SourceReport] {
        actions.compactMap { action in
            switch action {
            case .report(let report): report
            case .resolve, .stopResolving, .queryAddresses, .stopQuerying, .wait: nil
            }
        }
    }

    private static func appearances(_ actions: [ServiceBrowser.Action]) -> [String] {
        reports(actions).compactMap { report in
            switch report {
            case .appeared(let record):
                "\(record.key.interface) \(record.addresses.map(\.description).joined(separator: " "))"
            case .available, .unavailable, .disappeared, .malformed: nil
            }
        }
    }

    private mutating func resolved(_ instance: String, host: String = "h.local.", port: UInt16 = 4000) throws
        -> [ServiceBrowser.Action]
    {
        let txt = try advertisement("bob", seed: 1).txtRecord().encoded
        return browser.resolved(instance, host: host, port: port, txt: txt)
    }

    private mutating func address(_ literal: String, on interface: NetworkInterface, of host: String = "h.local.")
        throws -> [ServiceBrowser.Action]
    {
        let address = try #require(IPAddress(literal: literal))
        return browser.addressAppeared(address.bytes, of: host, on: interface.index)
    }

    /// Brings one instance to where it is known, and its lookup has ended.
    private mutating func found(_ instance: String) throws {
        _ = browser.appeared(instance, on: eth0)
        try answer(instance)
    }

    private mutating func answer(_ instance: String) throws {
        _ = try resolved(instance)
        _ = try address("10.0.0.1", on: eth0)
        _ = browser.elapsed(.settle(instance: instance, attempt: browser.attemptCount))
    }

    /// Brings one instance to where its second lookup stays open for a while.
    private mutating func watched(_ instance: String) throws {
        try found(instance)
        _ = browser.sought(deviceID(1))
        try answer(instance)
    }

    @Test("resolves a new instance at once, then asks for the host's addresses, and reports the first to arrive")
    mutating func lookup() throws {
        #expect(
            browser.appeared("bob", on: eth0) == [
                .wait(.deadline(instance: "bob", attempt: 1), ServiceBrowser.searchTime),
                .resolve(instance: "bob", interface: 2),
            ])
        #expect(browser.appeared("bob", on: eth0) == [], "the other address family")
        #expect(try resolved("bob") == [.queryAddresses(host: "h.local.")])
        let actions = try address("10.0.0.1", on: eth0)
        #expect(Self.appearances(actions) == ["eth0 10.0.0.1:4000"])
        #expect(actions.last == .wait(.settle(instance: "bob", attempt: 1), ServiceBrowser.settleTime))
        #expect(Self.appearances(try address("fe80::1", on: eth0)) == ["eth0 [fe80::1%eth0]:4000"])
    }

    @Test("does not look up its own instance")
    mutating func own() { #expect(browser.appeared("me", on: eth0) == []) }

    @Test("looks up the owner of its old name after a rename, and forgets the instance that is now its own")
    mutating func renamed() throws {
        #expect(browser.appeared("me", on: eth0) == [])
        try found("me #2")
        let actions = browser.registered(as: "me #2")
        #expect(Self.reports(actions).count == 1)
        #expect(actions.contains(.resolve(instance: "me", interface: 2)))
        #expect(browser.registered(as: "me #2") == [])
    }

    @Test("accepts addresses only on interfaces where the instance is seen, and loopback ones only on the loopback")
    mutating func credibleAddresses() throws {
        _ = browser.appeared("bob", on: eth0)
        _ = browser.appeared("bob", on: lo)
        _ = try resolved("bob")
        #expect(Self.reports(try address("127.0.0.1", on: eth0)).isEmpty)
        #expect(Self.reports(try address("10.9.0.1", on: wlan0)).isEmpty)
        #expect(Self.appearances(try address("127.0.0.1", on: lo)) == ["lo 127.0.0.1:4000"])
    }

    @Test("asks once for the addresses of a host with many nodes, and stops when the last one goes")
    mutating func sharedHost() throws {
        _ = browser.appeared("a", on: eth0)
        _ = browser.appeared("b", on: eth0)
        #expect(try resolved("a").contains(.queryAddresses(host: "h.local.")))
        _ = try address("10.0.0.1", on: eth0)
        let second = try resolved("b")
        #expect(!second.contains(.queryAddresses(host: "h.local.")))
        #expect(Self.appearances(second) == ["eth0 10.0.0.1:4000"])
        #expect(!browser.disappeared("a", on: 2).contains(.stopQuerying(host: "h.local.")))
        #expect(browser.disappeared("b", on: 2).contains(.stopQuerying(host: "h.local.")))
    }

    @Test("reports a new port of the same instance as soon as it hears of it, while it is sought")
    mutating func newPort() throws {
        try watched("bob")
        #expect(Self.appearances(try resolved("bob", port: 5000)) == ["eth0 10.0.0.1:5000"])
    }

    @Test("follows an instance to another host")
    mutating func newHost() throws {
        try watched("bob")
        let actions = try resolved("bob", host: "other.local.")
        #expect(actions.contains(.stopQuerying(host: "h.local.")))
        #expect(actions.contains(.queryAddresses(host: "other.local.")))
        #expect(Self.appearances(try address("10.0.0.2", on: eth0, of: "other.local.")) == ["eth0 10.0.0.2:4000"])
    }

    @Test("withdraws everything when an instance is gone")
    mutating func goodbye() throws {
        try found("bob")
        let key = ServiceRecord.Key(instance: "bob", interface: "eth0", family: .ipv4)
        #expect(browser.disappeared("bob", on: 2) == [.report(.disappeared(key))])
        #expect(browser.disappeared("bob", on: 2) == [])
        browser = ServiceBrowser(ownInstance: "me", capacity: 100)
        try watched("bob")
        #expect(
            browser.disappeared("bob", on: 2) == [
                .stopResolving(instance: "bob"), .stopQuerying(host: "h.local."), .report(.disappeared(key)),
            ])
    }

    @Test("considers an instance gone only when it is gone in both address families")
    mutating func families() throws {
        _ = browser.appeared("bob", on: eth0)
        try found("bob")
        let later = ServiceBrowser.Timer.again(instance: "bob", attempt: 1)
        #expect(
            browser.disappeared("bob", on: 2) == [.wait(later, ServiceBrowser.patience)],
            "it may be gone in both, and not every goodbye be heard")
        #expect(!Self.reports(browser.disappeared("bob", on: 2)).isEmpty)
    }

    @Test("withdraws an address only when every family that reported it does")
    mutating func addressFamilies() throws {
        try watched("bob")
        _ = try address("10.0.0.1", on: eth0)
        let bytes = try #require(IPAddress(literal: "10.0.0.1")).bytes
        #expect(browser.addressDisappeared(bytes, of: "h.local.", on: 2) == [])
        #expect(Self.reports(browser.addressDisappeared(bytes, of: "h.local.", on: 2)).count == 1)
    }

    @Test("begins anew on another interface when the one of the lookup is gone")
    mutating func interfaceGone() throws {
        _ = browser.appeared("bob", on: eth0)
        _ = browser.appeared("bob", on: wlan0)
        #expect(
            browser.disappeared("bob", on: 2) == [
                .stopResolving(instance: "bob"),
                .wait(.deadline(instance: "bob", attempt: 2), ServiceBrowser.searchTime),
                .resolve(instance: "bob", interface: 3),
            ])
    }

    @Test("gives up an unanswered search, and tries again later")
    mutating func deadline() {
        _ = browser.appeared("bob", on: eth0)
        #expect(
            browser.elapsed(.deadline(instance: "bob", attempt: 1)) == [
                .stopResolving(instance: "bob"), .wait(.rotation, ServiceBrowser.rotationTime),
            ])
        #expect(browser.elapsed(.rotation).contains(.resolve(instance: "bob", interface: 2)))
        #expect(browser.elapsed(.deadline(instance: "bob", attempt: 1)) == [], "a timer of the first search")
    }

    @Test("withdraws an instance that no longer resolves, but not at once: the daemon may be gone instead")
    mutating func resolveFailed() throws {
        try watched("bob")
        #expect(
            browser.resolveFailed("bob") == [
                .stopResolving(instance: "bob"),
                .wait(.failure(instance: "bob", attempt: 2), ServiceBrowser.failureTime),
            ])
        #expect(Self.reports(browser.elapsed(.failure(instance: "bob", attempt: 2))).count == 1)
        #expect(browser.elapsed(.failure(instance: "bob", attempt: 2)) == [])
    }

    @Test("ends a lookup that is answered, looks again for addresses that come late, and keeps what it knows")
    mutating func ends() throws {
        browser = ServiceBrowser(ownInstance: "me", bounds: .embedded)
        _ = browser.appeared("bob", on: eth0)
        _ = try resolved("bob")
        #expect(try address("10.0.0.1", on: eth0).contains(.wait(.review, ServiceBrowser.reviewTime)))
        #expect(
            browser.elapsed(.settle(instance: "bob", attempt: 1)) == [
                .stopResolving(instance: "bob"), .stopQuerying(host: "h.local."),
            ])
        #expect(browser.elapsed(.review).contains(.resolve(instance: "bob", interface: 2)))
        _ = try resolved("bob")
        _ = try address("10.0.0.1", on: eth0)
        #expect(Self.appearances(try address("fe80::1", on: eth0)) == ["eth0 [fe80::1%eth0]:4000"], "it came late")
        #expect(
            browser.elapsed(.settle(instance: "bob", attempt: 2)) == [
                .stopResolving(instance: "bob"), .stopQuerying(host: "h.local."),
            ])
        #expect(browser.elapsed(.rotation) == [])
        #expect(Self.reports(browser.disappeared("bob", on: 2)).count == 2)
    }

    @Test("looks in turn at all that is known, ever more seldom while nothing is new")
    mutating func review() throws {
        for instance in ["a", "b"] { try found(instance) }
        func wait(_ actions: [ServiceBrowser.Action]) -> Duration? {
            actions.compactMap { if case .wait(.review, let time) = $0 { time } else { nil } }.first
        }
        var waits: [Duration] = []
        for instance in ["a", "b", "a", "b", "a", "b", "a", "b", "a"] {
            let actions = browser.elapsed(.review)
            #expect(actions.contains(.resolve(instance: instance, interface: 2)))
            waits.append(try #require(wait(actions)))
            try answer(instance)
        }
        #expect(waits == [4, 8, 16, 32, 64, 128, 256, 450, 450].map { .seconds($0) })
        #expect(browser.elapsed(.review).contains(.resolve(instance: "b", interface: 2)))
        #expect(wait(try resolved("b", port: 5000)) == nil)
        #expect(wait(try address("10.0.0.1", on: eth0)) == ServiceBrowser.reviewTime, "it has moved")
    }

    @Test("looks no more often than every few seconds, however many are known")
    mutating func reviewCeiling() throws {
        for number in 0..<100 { try found("node \(number)") }
        for _ in 0..<10 {
            _ = browser.elapsed(.review)
            try answer("node \(browser.attemptCount - 101)")
        }
        #expect(browser.elapsed(.review).contains(.wait(.review, .seconds(9))))
    }

    @Test("waits for the addresses that it had before, though others are known at once")
    mutating func partlyKnown() throws {
        browser = ServiceBrowser(ownInstance: "me", bounds: .embedded)
        _ = browser.appeared("bob", on: eth0)
        _ = try resolved("bob")
        for literal in ["10.0.0.1", "fe80::1"] { _ = try address(literal, on: eth0) }
        _ = browser.elapsed(.settle(instance: "bob", attempt: 1))
        _ = browser.elapsed(.review)
        _ = try resolved("bob")
        _ = try address("10.0.0.1", on: eth0)
        #expect(browser.exhausted("h.local.", .ipv4) == [])
        let actions = browser.exhausted("h.local.", .ipv6)
        #expect(actions == [.wait(.settle(instance: "bob", attempt: 2), ServiceBrowser.settleTime)])
    }

    @Test("does not take the timers of an instance that was there before for those of one that has its name now")
    mutating func oldTimers() throws {
        _ = browser.appeared("bob", on: eth0)
        _ = browser.disappeared("bob", on: 2)
        _ = browser.appeared("bob", on: eth0)
        #expect(browser.elapsed(.deadline(instance: "bob", attempt: 1)) == [])
        #expect(!browser.elapsed(.deadline(instance: "bob", attempt: 2)).isEmpty)
    }

    @Test("ends a lookup at once that is answered from what was known before, so that nothing goes over the network")
    mutating func cached() throws {
        for instance in ["a", "b"] {
            _ = browser.appeared(instance, on: eth0)
            _ = try resolved(instance)
        }
        _ = try address("10.0.0.1", on: eth0)
        #expect(browser.exhausted("h.local.", .ipv4) == [])
        let actions = browser.exhausted("h.local.", .ipv6)
        #expect(actions.contains(.stopQuerying(host: "h.local.")))
        #expect(browser.elapsed(.settle(instance: "a", attempt: 1)) == [], "it has ended before")
    }

    @Test("only glances at a new instance first, and asks others for it if its records do not follow")
    mutating func glance() throws {
        browser = ServiceBrowser(ownInstance: "me", bounds: .embedded)
        let glance = ServiceBrowser.Timer.glance(instance: "bob", attempt: 1)
        let resolve = ServiceBrowser.Action.resolve(instance: "bob", interface: 2)
        #expect(browser.appeared("bob", on: eth0) == [.wait(glance, ServiceBrowser.glanceTime), resolve])
        let later = ServiceBrowser.Timer.again(instance: "bob", attempt: 1)
        #expect(
            browser.elapsed(glance) == [
                .stopResolving(instance: "bob"), .wait(.review, ServiceBrowser.reviewTime),
                .wait(later, ServiceBrowser.patience),
            ])
        let deadline = ServiceBrowser.Timer.deadline(instance: "bob", attempt: 2)
        #expect(browser.elapsed(later) == [.wait(deadline, ServiceBrowser.searchTime), resolve])
        _ = try resolved("bob")
        _ = try address("10.0.0.1", on: eth0)
        #expect(browser.elapsed(glance) == [], "it was the first search's")
    }

    @Test("leaves it at a glance when everything is known")
    mutating func glanceOnly() throws {
        browser = ServiceBrowser(ownInstance: "me", bounds: .embedded)
        _ = browser.appeared("bob", on: eth0)
        _ = try resolved("bob")
        _ = try address("10.0.0.1", on: eth0)
        for family in AddressFamily.allCases { _ = browser.exhausted("h.local.", family) }
        #expect(browser.elapsed(.glance(instance: "bob", attempt: 1)) == [])
    }

    @Test("asks others at once for whom is sought")
    mutating func soughtWithoutGlance() throws {
        browser = ServiceBrowser(ownInstance: "me", bounds: .embedded)
        try found("bob")
        let deadline = ServiceBrowser.Timer.deadline(instance: "bob", attempt: 2)
        #expect(browser.sought(deviceID(1)).contains(.wait(deadline, ServiceBrowser.searchTime)))
    }

    @Test("waits for the rest of an answer that comes from the network")
    mutating func uncached() throws {
        _ = browser.appeared("bob", on: eth0)
        _ = try resolved("bob")
        for family in AddressFamily.allCases { #expect(browser.exhausted("h.local.", family) == []) }
        let actions = try address("10.0.0.1", on: eth0)
        #expect(actions.last == .wait(.settle(instance: "bob", attempt: 1), ServiceBrowser.settleTime))
        #expect(browser.exhausted("other.local.", .ipv4) == [])
    }

    @Test("looks an instance up again when its device is not where it was found, and takes over its new address")
    mutating func sought() throws {
        try found("bob")
        let bob = deviceID(1)
        #expect(browser.sought(deviceID(2)) == [], "nobody has that one")
        let again = ServiceBrowser.Action.resolve(instance: "bob", interface: 2)
        let actions = browser.sought(bob)
        #expect(actions.contains(again))
        #expect(actions.last == .wait(.seeking, ServiceBrowser.seekingTime))
        #expect(try resolved("bob", port: 5000) == [.queryAddresses(host: "h.local.")])
        #expect(Self.appearances(try address("10.0.0.7", on: eth0)) == ["eth0 10.0.0.7:5000"])
        _ = browser.elapsed(.settle(instance: "bob", attempt: 2))
        _ = browser.elapsed(.watch(instance: "bob", attempt: 1))
        #expect(Self.appearances(try address("10.0.0.8", on: eth0)).count == 1, "that was the first lookup's timer")
    }

    @Test("withdraws an instance that is sought and found no more")
    mutating func soughtInVain() throws {
        try found("bob")
        _ = browser.sought(deviceID(1))
        #expect(Self.reports(browser.elapsed(.deadline(instance: "bob", attempt: 2))).count == 1)
        _ = browser.elapsed(.seeking)
        #expect(browser.sought(deviceID(1)).contains(.resolve(instance: "bob", interface: 2)), "it may be back")
    }

    @Test("looks again for one instance at a time, however many devices are sought")
    mutating func soughtAtOnce() throws {
        for instance in ["a", "b", "c"] { try found(instance) }
        #expect(browser.sought(deviceID(1)).count { if case .resolve = $0 { true } else { false } } == 1)
        #expect(browser.sought(deviceID(1)) == [])
        #expect(browser.elapsed(.seeking).contains(.resolve(instance: "b", interface: 2)))
        #expect(browser.elapsed(.seeking).contains(.resolve(instance: "c", interface: 2)))
        #expect(browser.elapsed(.seeking) == [])
        #expect(browser.sought(deviceID(1)) == [], "all three are being searched")
    }

    @Test("keeps a lookup open for a while whose device was sought, and for another if it is sought meanwhile")
    mutating func soughtWhileOpen() throws {
        try watched("bob")
        #expect(browser.sought(deviceID(1)) == [])
        let watch = ServiceBrowser.Timer.watch(instance: "bob", attempt: 2)
        #expect(browser.elapsed(watch) == [.wait(watch, ServiceBrowser.watchTime)])
        #expect(browser.elapsed(watch).contains(.stopResolving(instance: "bob")))
    }

    @Test(
        "keeps a search open for a while that has ended, if its device was sought meanwhile: the answer may be an old one"
    )
    mutating func soughtWhileSearching() throws {
        _ = browser.appeared("bob", on: eth0)
        _ = try resolved("bob")
        _ = browser.sought(deviceID(1))
        _ = try address("10.0.0.1", on: eth0)
        let watch = ServiceBrowser.Timer.watch(instance: "bob", attempt: 1)
        #expect(browser.elapsed(.settle(instance: "bob", attempt: 1)) == [.wait(watch, ServiceBrowser.watchTime)])
        #expect(Self.appearances(try resolved("bob", port: 5000)) == ["eth0 10.0.0.1:5000"])
    }

    @Test("looks again for what has said goodbye on one of its interfaces: it may be gone on all of them")
    mutating func partialGoodbye() throws {
        _ = browser.appeared("bob", on: lo)
        try found("bob")
        let actions = browser.disappeared("bob", on: 2)
        #expect(Self.reports(actions).count == 1)
        let later = ServiceBrowser.Timer.again(instance: "bob", attempt: 1)
        #expect(actions.last == .wait(later, ServiceBrowser.patience))
        let search = browser.elapsed(later)
        #expect(search.contains(.resolve(instance: "bob", interface: 1)))
        #expect(search.contains(.wait(.deadline(instance: "bob", attempt: 2), ServiceBrowser.goodbyeTime)))
    }

    @Test("keeps a lookup open until its search ends: the answer may be an old one")
    mutating func oldAnswer() throws {
        browser = ServiceBrowser(ownInstance: "me", bounds: .embedded)
        _ = browser.appeared("bob", on: eth0)
        #expect(try resolved("bob") == [.queryAddresses(host: "h.local.")])
        #expect(try resolved("bob", port: 5000) == [])
        #expect(Self.appearances(try address("10.0.0.1", on: eth0)) == ["eth0 10.0.0.1:5000"])
    }

    @Test("looks up anew what appears on another interface, though its lookup has ended")
    mutating func anotherInterface() throws {
        try found("bob")
        #expect(browser.appeared("bob", on: wlan0).contains(.resolve(instance: "bob", interface: 2)))
        _ = try resolved("bob")
        #expect(Self.appearances(try address("10.9.0.1", on: wlan0)) == ["wlan0 10.9.0.1:4000"])
    }

    @Test("does not mistake a device for one that has its instance's name now")
    mutating func otherDevice() throws {
        try watched("bob")
        let txt = try advertisement("carol", seed: 2).txtRecord().encoded
        _ = browser.resolved("bob", host: "h.local.", port: 4000, txt: txt)
        _ = browser.elapsed(.watch(instance: "bob", attempt: 2))
        _ = browser.elapsed(.seeking)
        #expect(browser.sought(deviceID(1)) == [])
        #expect(!browser.sought(deviceID(2)).isEmpty)
    }

    @Test("looks again and again at an instance that claims to be this node's own device, to know when it is gone")
    mutating func copy() throws {
        browser = ServiceBrowser(ownInstance: "me #2", ownDevice: deviceID(1))
        try found("me")
        #expect(browser.elapsed(.rotation).contains(.resolve(instance: "me", interface: 2)))
        #expect(Self.reports(browser.elapsed(.deadline(instance: "me", attempt: 2))).count == 1)
    }

    @Test("looks less and less often for what is not found, and soon again when something new is missing")
    mutating func rotationTime() throws {
        _ = browser.appeared("gone", on: eth0)
        var attempt = 1
        func wait(_ actions: [ServiceBrowser.Action]) -> Duration? {
            actions.compactMap { if case .wait(.rotation, let time) = $0 { time } else { nil } }.first
        }
        var waits: [Duration] = []
        for _ in 0..<5 {
            waits.append(try #require(wait(browser.elapsed(.deadline(instance: "gone", attempt: attempt)))))
            _ = browser.elapsed(.rotation)
            attempt += 1
        }
        #expect(waits == [2, 4, 8, 16, 16].map { .seconds($0) })
        try found("bob")
        #expect(wait(browser.elapsed(.deadline(instance: "gone", attempt: attempt))) == .seconds(2))
    }

    @Test("keeps what it knows of one that cannot be looked up now")
    mutating func refusedAgain() throws {
        try found("first")
        _ = browser.sought(deviceID(1))
        #expect(Self.reports(browser.resolveRefused("first")).isEmpty)
        #expect(Self.reports(browser.disappeared("first", on: 2)).count == 1)
    }

    @Test("pauses when it is refused, then asks again")
    mutating func refusal() {
        _ = browser.appeared("bob", on: eth0)
        #expect(
            browser.resolveRefused("bob") == [
                .stopResolving(instance: "bob"), .wait(.pause, ServiceBrowser.pauseTime),
            ])
        #expect(browser.elapsed(.pause).contains(.resolve(instance: "bob", interface: 2)))
    }

    @Test("reports an unreadable TXT record once, and the instance when it becomes readable")
    mutating func malformed() throws {
        _ = browser.appeared("eve", on: eth0)
        let garbage = browser.resolved("eve", host: "h.local.", port: 1, txt: [3, 0x61])
        guard case .malformed("eve", _) = Self.reports(garbage).first else {
            Issue.record("no complaint: \(garbage)")
            return
        }
        for _ in 0..<2 {
            #expect(browser.elapsed(.rotation).contains(.resolve(instance: "eve", interface: 2)))
            let again = browser.resolved("eve", host: "h.local.", port: 1, txt: [3, 0x61])
            #expect(Self.reports(again).isEmpty)
        }
        #expect(browser.elapsed(.rotation).contains(.resolve(instance: "eve", interface: 2)))
        _ = try resolved("eve")
        #expect(Self.appearances(try address("10.0.0.1", on: eth0)) == ["eth0 10.0.0.1:4000"])
    }

    @Test("looks up a few of ten thousand users at a time, and ignores one more")
    mutating func flood() {
        browser = ServiceBrowser(ownInstance: "me")
        var resolving = 0
        for number in 0..<Limits.discoveredDevices {
            for action in browser.appeared("i\(number)", on: eth0) {
                if case .resolve = action { resolving += 1 }
                if case .stopResolving = action { resolving -= 1 }
            }
        }
        #expect(resolving > 0 && resolving <= 64)
        #expect(browser.appeared("one more", on: eth0) == [])
    }

    @Test("keeps track of a bounded number of instances and addresses")
    mutating func bounds() throws {
        for number in 0..<100 { _ = browser.appeared("i\(number)", on: eth0) }
        #expect(browser.appeared("one more", on: eth0) == [])
        #expect(browser.disappeared("one more", on: 2) == [])
        _ = try resolved("i0")
        let addresses = try (0..<ServiceBrowser.addressesPerHost).flatMap { try address("10.0.1.\($0)", on: eth0) }
        #expect(!addresses.isEmpty)
        #expect(try address("10.0.2.1", on: eth0) == [])
    }
}
