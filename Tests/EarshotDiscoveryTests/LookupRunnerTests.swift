import EarshotModel
import Testing

@testable import EarshotDiscovery

/// A DNS-SD implementation that only takes note of what it is asked.
private final class NotingProvider: LookupProvider {
    final class Operation {}
    var begun: [Lookup] = []

    func begin(_ lookup: Lookup, on interface: UInt32?) throws(DiscoveryError) -> Operation {
        begun.append(lookup)
        return Operation()
    }
}

@Suite("The runner of lookups")
struct LookupRunnerTests {
    @Test("asks again for the addresses of a host when that lookup fails, and withdraws nothing in the meantime")
    func addressesFailed() throws {
        let provider = NotingProvider()
        var reports: [SourceReport] = []
        let runner = LookupRunner(
            provider: provider, browser: ServiceBrowser(ownInstance: "me"), configuration: DiscoveryConfiguration()
        ) { reports.append($0) }
        let txt = try advertisement("bob", seed: 1).txtRecord().encoded
        let resolved = LookupEvent.resolved(host: "h.local.", port: 4000, txt: txt)
        let addresses = Lookup.addresses(host: "h.local.", .ipv4)
        try runner.start()
        try runner.handle(.appeared(instance: "bob", interface: 1), of: .instances)
        try runner.handle(resolved, of: .instance("bob"))
        try runner.handle(.addressAppeared([10, 0, 0, 1], interface: 1), of: addresses)
        #expect(reports.count == 1)

        try runner.handle(.failed, of: addresses)
        #expect(runner.operations[addresses] == nil)
        runner.fireTimers()
        #expect(runner.operations[.instance("bob")] == nil, "only after the pause")
        runner.fireTimers(at: .now.advanced(by: ServiceBrowser.pauseTime))
        #expect(runner.operations[.instance("bob")] != nil)
        try runner.handle(resolved, of: .instance("bob"))
        #expect(provider.begun.count { $0 == addresses } == 2)
        #expect(runner.operations[addresses] != nil)
        #expect(reports.count == 1)
    }

    @Test("holds no lookup but that for instances once all are answered, and asks again for whom is sought")
    func ends() throws {
        let provider = NotingProvider()
        let runner = LookupRunner(
            provider: provider, browser: ServiceBrowser(ownInstance: "me", bounds: .embedded),
            configuration: DiscoveryConfiguration()
        ) { _ in }
        try runner.start()
        func answer(_ seed: UInt8) throws {
            let (name, host) = ("node \(seed)", "h\(seed).local.")
            let txt = try advertisement("node", seed: seed).txtRecord().encoded
            try runner.handle(.resolved(host: host, port: 4000, txt: txt), of: .instance(name))
            try runner.handle(.addressAppeared([10, 0, 0, seed], interface: 1), of: .addresses(host: host, .ipv4))
            for family in AddressFamily.allCases {
                try runner.handle(.exhausted, of: .addresses(host: host, family))
            }
        }
        let seeds = 0..<UInt8(LookupSchedule.Bounds.embedded.search)
        for seed in seeds {
            try runner.handle(.appeared(instance: "node \(seed)", interface: 1), of: .instances)
            try answer(seed)
        }
        #expect(Array(runner.operations.keys) == [.instances])
        runner.fireTimers(at: .now.advanced(by: ServiceBrowser.reviewTime))
        #expect(Set(runner.operations.keys) == [.instances, .instance("node 0")])
        try answer(0)
        #expect(Array(runner.operations.keys) == [.instances])

        runner.seek([deviceID(7)])
        #expect(runner.operations[.instance("node 7")] != nil)
        #expect(provider.begun.count { $0 == .instance("node 7") } == 2)
    }
}

@Suite("Devices that are sought")
struct SoughtDevicesTests {
    @Test("ring once for any number of them, and are taken together")
    func ring() throws {
        let (sought, bell) = (SoughtDevices(), try Bell())
        sought.announce(by: bell)
        for seed in [2, 1, 2] as [UInt8] { sought.add(deviceID(seed)) }
        #expect(try Polling.readable([bell.fileDescriptor], milliseconds: 0) == [true])
        #expect(sought.take() == [deviceID(1), deviceID(2)])
        #expect(try Polling.readable([bell.fileDescriptor], milliseconds: 0) == [false])
        #expect(sought.take() == [])
        sought.add(deviceID(3))
        #expect(try Polling.readable([bell.fileDescriptor], milliseconds: 0) == [true])
        #expect(sought.take() == [deviceID(3)])
    }

    @Test("are forgotten while nobody takes them, and are a bounded number")
    func bounds() throws {
        let (sought, bell) = (SoughtDevices(), try Bell())
        sought.add(deviceID(1))
        sought.announce(by: bell)
        #expect(sought.take() == [])
        for number in 0...SoughtDevices.limit {
            let bytes = [UInt8(number >> 8), UInt8(number & 0xff)] + [UInt8](repeating: 0, count: Bytes32.count - 2)
            sought.add(DeviceID(try #require(Bytes32(bytes))))
        }
        #expect(sought.take().count == SoughtDevices.limit)
        sought.add(deviceID(1))
        sought.announce(by: nil)
        #expect(sought.take() == [])
    }
}
