import EarshotSimulation
import Testing

@Suite("Nodes under virtual time")
struct SimulationTests {
    /// A run that failed once.
    struct Regression: CustomTestStringConvertible {
        let nodes: Int
        let seed: UInt64
        let reason: String

        var testDescription: String { "seed \(seed), \(nodes) nodes: \(reason)" }
    }

    static let regressions = [
        Regression(nodes: 2, seed: 10, reason: "events of users gathered without end while the disk was full"),
        Regression(nodes: 5, seed: 40, reason: "and so did those of links that ended because a commit failed"),
        Regression(nodes: 5, seed: 6108, reason: "the run ended while a message that had expired was on its way"),
    ]

    @Test(
        "lose, double and reorder nothing, whatever the network and the disk do",
        arguments: zip([2, 3, 5, 8], 1...4 as ClosedRange<UInt64>))
    func keepsPromises(nodes: Int, seed: UInt64) throws {
        let configuration = SimulationConfiguration(nodes: nodes)
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    @Test("keep their promises with the real store, too")
    func keepsPromisesInSQLite() throws {
        var configuration = SimulationConfiguration(nodes: 4)
        configuration.storage = .real
        #expect(try Simulation.run(seed: 7, configuration: configuration).violations == [])
    }

    @Test("are many, each of whom finds some others")
    func scales() throws {
        var configuration = SimulationConfiguration(nodes: 40)
        configuration.messagesPerNode = 4
        let outcome = try Simulation.run(seed: 1, configuration: configuration)
        #expect(outcome.violations == [])
        #expect(outcome.messages > 40)
    }

    @Test(
        "lose, double and reorder nothing where each may have fewer links than there are others",
        arguments: [false, true])
    func reachesOnDemand(hasGroups: Bool) throws {
        var configuration = SimulationConfiguration(nodes: 6)
        configuration.links = 2
        configuration.messagesPerNode = 6
        configuration.hasGroups = hasGroups
        let outcome = try Simulation.run(seed: hasGroups ? 2 : 1, configuration: configuration)
        #expect(outcome.violations == [])
        #expect(outcome.messages > 12)
    }

    @Test(
        "show, hand out and pass on nothing of what others write who may not, tell them nothing, and end up with the same",
        arguments: [
            // A stranger's control log was passed on by a node that knew nothing of the conversation yet.
            1,
            // Bodies were missing for good where somebody hostile had written a control log.
            2,
            // What nobody could give was asked for first, again and again.
            3,
        ] as [UInt64])
    func hostileAuthors(seed: UInt64) throws {
        var configuration = SimulationConfiguration(nodes: 5)
        (configuration.hasGroups, configuration.hasPrivateGroup, configuration.contacts) = (true, true, 3)
        configuration.hostileAuthors = 4
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    @Test("do not fail again where they once did", arguments: regressions)
    func staysRepaired(_ regression: Regression) throws {
        let configuration = SimulationConfiguration(nodes: regression.nodes)
        #expect(try Simulation.run(seed: regression.seed, configuration: configuration).violations == [])
    }

    @Test(
        "lose, double and reorder nothing that some disk holds, when disks are replaced by older copies of themselves",
        arguments: zip([2, 2, 4], 1...3 as ClosedRange<UInt64>))
    func keepsPromisesWhenRestored(nodes: Int, seed: UInt64) throws {
        var configuration = SimulationConfiguration(nodes: nodes)
        configuration.faults.append(.restoredDisk)
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    @Test(
        "keep the order of each sender's messages, when disks are replaced and the clocks of their hosts are behind",
        arguments: [23, 69, 98, 180] as [UInt64])
    func keepsOrderWhenRestored(seed: UInt64) throws {
        var configuration = SimulationConfiguration(nodes: 3)
        configuration.faults = [
            .connectionsBreak, .halfOpen, .partition, .crash, .crashBetweenActions, .powerCut, .clockJump,
            .restoredDisk,
            .slowDisk, .fullDisk, .unreadableDisk, .sleep,
        ]
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    @Test(
        "have each message answered once by a program that dies as it likes, and send once what has a key or a time",
        arguments: zip([2, 3, 5], 1...3 as ClosedRange<UInt64>))
    func servesPrograms(nodes: Int, seed: UInt64) throws {
        var configuration = SimulationConfiguration(nodes: nodes)
        configuration.hasPrograms = true
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    @Test(
        "show of a session of 100 messages by several authors one message and 99 summaries, and all the same",
        arguments: zip([2, 5], [.real, .model] as [SimulationConfiguration.Storage]))
    func showsSessionsAlike(nodes: Int, storage: SimulationConfiguration.Storage) throws {
        var configuration = SimulationConfiguration(nodes: nodes)
        configuration.messagesPerNode = 2
        configuration.hasGroups = true
        configuration.sessionMoves = 100
        configuration.storage = storage
        #expect(try Simulation.run(seed: UInt64(nodes), configuration: configuration).violations == [])
    }

    @Test(
        "show on two devices of a user the same of a branch, whose author had been out when it was written",
        arguments: [1592])
    func showsBranchesAlike(seed: UInt64) throws {
        var configuration = SimulationConfiguration(nodes: 4)
        configuration.hasGroups = true
        configuration.hasPrivateGroup = true
        configuration.devicesPerUser = 2
        configuration.contacts = 3
        configuration.faults = Fault.allCases
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    @Test(
        "show what was taken back in a group as that, and have its text on no disk", arguments: [2, 3, 30, 43, 59, 101])
    func takeBack(seed: UInt64) throws {
        var configuration = SimulationConfiguration(nodes: 4)
        configuration.messagesPerNode = 6
        configuration.hasGroups = true
        configuration.contacts = 3
        configuration.retractions = 3
        #expect(try Simulation.run(seed: seed, configuration: configuration).violations == [])
    }

    @Test("survive a process that dies before any one action")
    func survivesEveryCrash() throws {
        var configuration = SimulationConfiguration(nodes: 2)
        configuration.faults = []
        configuration.commitFailureOdds = .max
        configuration.messagesPerNode = 2
        configuration.trouble = 4_000_000
        configuration.storage = .model
        let fleet = Fleet(nodes: 2)
        let actions = try Simulation.run(seed: 1, configuration: configuration, fleet: fleet).actions
        #expect(actions > 50)
        for action in 0..<actions {
            configuration.crashesBeforeAction = action
            let outcome = try Simulation.run(seed: 1, configuration: configuration, fleet: fleet)
            #expect(outcome.violations == [], "the process died before action \(action)")
        }
    }

    @Test("notice every kind of fault", arguments: Fault.allCases)
    func survivesOnly(_ fault: Fault) throws {
        var configuration = SimulationConfiguration(nodes: 3)
        configuration.faults = [fault]
        let outcome = try Simulation.run(seed: 1, configuration: configuration)
        #expect(outcome.violations == [])
        #expect(outcome.faults > 10)
    }

    @Test("take the same course for the same seed, and another for another")
    func repeats() throws {
        let configuration = SimulationConfiguration(nodes: 5)
        let first = try Simulation.run(seed: 5, configuration: configuration)
        #expect(try Simulation.run(seed: 5, configuration: configuration).digest == first.digest)
        #expect(try Simulation.run(seed: 6, configuration: configuration).digest != first.digest)
        #expect(first.faults > 0 && first.messages > 0)
    }

    @Test("take the same course with either store", arguments: [false, true])
    func storesAgree(areDisksRestored: Bool) throws {
        var configuration = SimulationConfiguration(nodes: 3)
        if areDisksRestored { configuration.faults.append(.restoredDisk) }
        configuration.storage = .real
        let real = try Simulation.run(seed: 9, configuration: configuration)
        configuration.storage = .model
        #expect(try Simulation.run(seed: 9, configuration: configuration).digest == real.digest)
    }
}
