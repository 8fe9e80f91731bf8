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
}
