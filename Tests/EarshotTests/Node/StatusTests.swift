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
        for record in records { try await source.report(.appeared(record)) }
        try await eventually("three are seen, of whom two are to be dialled") {
            let status = await node.status()
            return (status.devices, status.dialTargets) == (3, 2)
        }
        #expect(await node.status().discoveryOperations == source.operationCount)
        for record in records { try await source.report(.disappeared(record.key)) }
        try await eventually("nobody is left") {
            let status = await node.status()
            return (status.devices, status.dialTargets) == (0, 0)
        }
    }
}
