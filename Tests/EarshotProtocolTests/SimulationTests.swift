import EarshotTesting
import Testing

@Suite("Two nodes under virtual time")
struct SimulationTests {
    @Test(
        "lose, double and reorder nothing, whatever the network and the disk do",
        arguments: 1...12 as ClosedRange<UInt64>)
    func keepsPromises(_ seed: UInt64) throws {
        #expect(try Simulation.run(seed: seed).violations == [])
    }

    @Test(
        "lose, double and reorder nothing that some disk holds, when disks are replaced by older copies of themselves",
        arguments: 1...12 as ClosedRange<UInt64>)
    func keepsPromisesWhenRestored(_ seed: UInt64) throws {
        var configuration = SimulationConfiguration()
        configuration.restoreOdds = 2
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    // What failed at these seeds once: entries were lost with a commit, and the peer went on over another link than the
    // one that was closed; a crash came between the commit of a message and its sender's hearing of it.
    @Test("do not fail again where they once did", arguments: [102, 137] as [UInt64])
    func regressions(_ seed: UInt64) throws {
        #expect(try Simulation.run(seed: seed).violations == [])
    }

    @Test("take the same course for the same seed, and another for another")
    func repeats() throws {
        let first = try Simulation.run(seed: 5)
        #expect(try Simulation.run(seed: 5).trace == first.trace)
        #expect(try Simulation.run(seed: 6).trace != first.trace)
        #expect(first.faults > 0 && first.messages > 0)
    }
}
