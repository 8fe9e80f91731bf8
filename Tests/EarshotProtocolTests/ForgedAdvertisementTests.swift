import EarshotModel
import Testing

@testable import EarshotProtocol

/// Somebody advertises devices that are not theirs, at addresses that accept every connection and say nothing.
@Suite("Forged advertisements")
struct ForgedAdvertisementTests {
    private var network = MachineNetwork(["alice", "bob"])
    private let trap = PeerAddress(host: "10.6.6.6", port: 1)

    private mutating func see(_ index: Int, by other: Int, at addresses: [PeerAddress]) {
        let deviceID = network.nodes[index].local.deviceID
        network.input(other) { $0.found(deviceID, addresses: addresses, now: $1) }
    }

    @Test("do not keep two nodes apart that were never linked")
    mutating func strangers() throws {
        network.silent = [trap]
        for (index, other) in [(0, 1), (1, 0)] { see(index, by: other, at: [trap, network.nodes[index].address]) }
        let time = try #require(network.time { $0.isLinked(0) && $0.isLinked(1) })
        #expect(time <= Timing.handshake + 2 * Timing.redialFloor)
    }

    @Test("do not keep a node from a peer that is advertised at the node's own address, too")
    mutating func ownAddress() throws {
        see(1, by: 0, at: [network.nodes[0].address, network.nodes[1].address])
        let time = try #require(network.time { $0.isLinked(1) })
        #expect(time <= 2 * Timing.redialFloor)
    }

    @Test("do not keep two nodes apart whose own advertisements are gone, where they were linked before")
    mutating func acquaintances() throws {
        network = .linkedPair()
        network.silent = [trap]
        for (index, other) in [(0, 1), (1, 0)] { see(index, by: other, at: [trap]) }
        network.cutSilently()
        _ = try #require(network.time { !$0.isLinked(0) && !$0.isLinked(1) })
        let time = try #require(network.time { $0.isLinked(0) && $0.isLinked(1) })
        // The wait after the link's end, a dial that meets the trap, and the wait after that.
        #expect(time <= Timing.handshake + 3 * Timing.redialFloor)
    }

    @Test("of a crowd do not keep a node from dialling those who were there before, or come after")
    mutating func crowd() throws {
        network.silent = [trap]
        for number in 0..<150 as Range<UInt8> {
            let deviceID = try #require(DeviceID(bytes: [0, 0, 0, number] + [UInt8](repeating: 0, count: 28)))
            network.input(0) { [trap] in $0.found(deviceID, addresses: [trap], now: $1) }
        }
        network.run(for: 1_000)
        // Only this node knows of the other.
        network.see(1, by: 0)
        let time = try #require(network.time { $0.isLinked(1) })
        let rounds = Int64(150 / (Limits.concurrentDials - Limits.keptDials) + 1)
        #expect(time <= rounds * (Timing.handshake + Timing.redialFloor))
    }
}
