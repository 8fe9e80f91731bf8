import Earshot
import EarshotDiscovery
import TestSupport
import Testing

@Suite("The status of a node")
struct StatusTests {
    @Test("counts the devices that are seen and those to dial as they come and go, and what discovery has open")
    func discovery() async throws {
        let alice = try TestUser("alice")
        let source = TestSource()
        try await alice.start(sources: [source])
        let node = alice.node
        let records = try [
            source.record("near", seed: 1, tag: nil), source.record("near", seed: 2, tag: nil),
            source.record("of another network", seed: 3, tag: "aaaa"),
        ]
        for record in records { try await source.report(.appeared(record), to: alice) }
        let full = await node.status()
        #expect((full.devices, full.dialTargets) == (3, 2))
        #expect(full.discoveryOperations == source.operationCount)
        for record in records { try await source.report(.disappeared(record.key), to: alice) }
        let empty = await node.status()
        #expect((empty.devices, empty.dialTargets) == (0, 0))
    }
}
