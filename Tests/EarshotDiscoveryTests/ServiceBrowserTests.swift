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

    /// Brings one instance to where its lookup stays open.
    private mutating func found(_ instance: String) throws {
        _ = browser.appeared(instance, on: eth0)
        _ = try resolved(instance)
        _ = try address("10.0.0.1", on: eth0)
        _ = browser.elapsed(.settle(instance: instance, attempt: 1))
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
        #expect(actions.contains(.stopResolving(instance: "me #2")))
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

    @Test("reports a new port of the same instance as soon as it hears of it")
    mutating func newPort() throws {
        try found("bob")
        #expect(Self.appearances(try resolved("bob", port: 5000)) == ["eth0 10.0.0.1:5000"])
    }

    @Test("follows an instance to another host")
    mutating func newHost() throws {
        try found("bob")
        let actions = try resolved("bob", host: "other.local.")
        #expect(actions.contains(.stopQuerying(host: "h.local.")))
        #expect(actions.contains(.queryAddresses(host: "other.local.")))
        #expect(Self.appearances(try address("10.0.0.2", on: eth0, of: "other.local.")) == ["eth0 10.0.0.2:4000"])
    }

    @Test("withdraws everything when an instance is gone")
    mutating func goodbye() throws {
        try found("bob")
        let key = ServiceRecord.Key(instance: "bob", interface: "eth0", family: .ipv4)
        #expect(
            browser.disappeared("bob", on: 2) == [
                .stopResolving(instance: "bob"), .stopQuerying(host: "h.local."), .report(.disappeared(key)),
            ])
        #expect(browser.disappeared("bob", on: 2) == [])
    }

    @Test("considers an instance gone only when it is gone in both address families")
    mutating func families() throws {
        _ = browser.appeared("bob", on: eth0)
        try found("bob")
        #expect(browser.disappeared("bob", on: 2) == [])
        #expect(!browser.disappeared("bob", on: 2).isEmpty)
    }

    @Test("withdraws an address only when every family that reported it does")
    mutating func addressFamilies() throws {
        try found("bob")
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
        try found("bob")
        #expect(
            browser.resolveFailed("bob") == [
                .stopResolving(instance: "bob"),
                .wait(.failure(instance: "bob", attempt: 1), ServiceBrowser.failureTime),
            ])
        #expect(Self.reports(browser.elapsed(.failure(instance: "bob", attempt: 1))).count == 1)
        #expect(browser.elapsed(.failure(instance: "bob", attempt: 1)) == [])
    }

    @Test("keeps what it knows of a resting instance, and of one that cannot be looked up now")
    mutating func rest() throws {
        try found("first")
        for number in 0..<LookupSchedule.Bounds.daemon.watch { try found("other \(number)") }
        #expect(browser.elapsed(.rotation).contains(.resolve(instance: "first", interface: 2)))
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
        #expect(browser.resolved("eve", host: "h.local.", port: 1, txt: [3, 0x61]) == [])
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
