import ArgumentParser
import EarshotModel
package import EarshotSimulation
import Foundation

extension SimulationConfiguration.Storage: ExpressibleByArgument {}
extension Fault: ExpressibleByArgument {}

/// Runs the protocol and the store under virtual time, many times, each with another seed.
@main
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Nodes on a network that loses, delays and parts, with disks that fail and processes that die.",
        version: Build.present.named("simulate"))

    @Option(help: "How many seeds.") var seeds: UInt64 = 100
    @Option(help: "The first of them.") var first: UInt64 = 1
    @Option(help: "How many nodes, 2 to 200.") var nodes = 2
    @Option(help: "Only this seed, twice: both runs must take the same course.") var seed: UInt64?
    @Option(help: "Messages that each node sends, answers left out; by the number of nodes if not given.")
    var messages: Int?
    @Option(help: "How many others each node finds; by the number of nodes if not given.") var contacts: Int?
    @Option(help: "How many links a node may have: with fewer than it finds others, it links with some on demand.")
    var links: Int?
    @Option(help: "The store of the nodes: real, model, or mixed.") var storage = SimulationConfiguration.Storage.mixed
    @Option(parsing: .upToNextOption, help: "Only these faults.") var faults: [Fault] = []
    @Option(help: "The process that is about to do this action, counted over all nodes, dies instead.")
    var crash: Int?
    @Flag(help: "With --seed: say on standard error what happens.") var log = false
    @Flag(help: "Programs on the nodes answer what comes, and send with keys and for later.") var programs = false
    @Flag(help: "All nodes belong to one conversation; each finds few others, so that they carry each other's entries.")
    var groups = false

    @Flag(help: "With --groups: a private conversation, too, whose owner invites, removes and hands over.")
    var `private` = false
    @Option(
        help:
            "With --private: so many users put every kind of entry into every kind of log, where it counts for nothing."
    )
    var hostile = 0
    @Option(help: "With --groups: so many messages of one session, of which one is to stand for everybody.")
    var moves = 0
    @Option(help: "With --groups: so many files, which everybody wants.") var files = 0
    @Option(help: "With --groups: so many of its messages each node takes back; with the real store.")
    var retractions = 0
    @Option(help: "How many devices each user has; the number of nodes is a multiple of it.") var devices = 1
    @Flag(help: "Print one hash over all frames, commits and events of all seeds.") var digest = false
    @Flag(help: "Print one object, before the last line.") var json = false

    func validate() throws {
        guard (2...200).contains(nodes) else { throw ValidationError("--nodes is a number from 2 to 200") }
        guard devices > 0, nodes.isMultiple(of: devices), nodes > devices else {
            throw ValidationError("--nodes is a multiple of --devices, and greater")
        }
        guard links.map({ $0 > 0 }) ?? true else { throw ValidationError("--links is at least 1") }
        guard seeds > 0 else { throw ValidationError("--seeds is at least 1") }
        guard contacts.map({ $0 > 0 }) ?? true else { throw ValidationError("--contacts is at least 1") }
        guard moves == 0 || groups && moves > 0 else {
            throw ValidationError("--moves is not negative, and needs --groups")
        }
        guard files == 0 || groups && files > 0 else {
            throw ValidationError("--files is not negative, and needs --groups")
        }
        guard retractions == 0 || groups && retractions > 0 else {
            throw ValidationError("--retractions is not negative, and needs --groups")
        }
        guard hostile == 0 || groups && `private` && (1...200).contains(hostile) else {
            throw ValidationError("--hostile is a number up to 200, and needs --groups --private")
        }
        guard messages.map({ $0 >= 0 }) ?? true else { throw ValidationError("--messages is not negative") }
    }

    private var simulation: SimulationConfiguration {
        var configuration = SimulationConfiguration(nodes: nodes)
        if let messages { configuration.messagesPerNode = messages }
        configuration.hasGroups = groups
        configuration.hasPrivateGroup = groups && `private`
        configuration.hostileAuthors = hostile
        configuration.sessionMoves = moves
        configuration.files = files
        configuration.retractions = retractions
        configuration.devicesPerUser = devices
        if groups { configuration.contacts = min(3, nodes - 1) }
        if let contacts { configuration.contacts = contacts }
        if let links { configuration.links = links }
        configuration.storage = storage
        configuration.crashesBeforeAction = crash
        configuration.hasPrograms = programs
        return configuration
    }

    /// When disks are replaced by older copies, what no disk holds is lost, and the nodes can promise less. So that
    /// happens only in one seed of four, unless faults are chosen.
    private func simulation(of seed: UInt64) -> SimulationConfiguration {
        var configuration = simulation
        if !faults.isEmpty {
            configuration.faults = faults
        } else if seed.isMultiple(of: 4) {
            configuration.faults = Fault.allCases
        }
        return configuration
    }

    func run() async throws {
        if let seed {
            try repeatExactly(seed)
            return
        }
        let campaign = Campaign(nodes: nodes, seeds: first..<first + seeds, configuration: simulation(of:))
        let start = Date()
        let tally = try await campaign.run()
        let seconds = Date().timeIntervalSince(start)
        print("\(tally.messages) messages, \(tally.faults) faults, \(String(format: "%.1f", seconds)) s")
        let digest = tally.digest.description
        if self.digest { print("digest \(digest)") }
        if json {
            print(
                "{\"nodes\":\(nodes),\"passed\":\(tally.passed),\"failed\":\(tally.failed),"
                    + "\"messages\":\(tally.messages),\"faults\":\(tally.faults),\"seconds\":\(seconds),\"digest\":\"\(digest)\"}"
            )
        }
        print(Build.present.driven)
        print("\(tally.passed) passed, \(tally.failed) failed")
        if tally.failed > 0 { throw ExitCode.failure }
    }

    private func repeatExactly(_ seed: UInt64) throws {
        let quiet = simulation(of: seed)
        var logged = quiet
        if log { logged.log = { FileHandle.standardError.write(Data("\($0)\n".utf8)) } }
        let first = try Simulation.run(seed: seed, configuration: logged)
        let second = try Simulation.run(seed: seed, configuration: quiet)
        for violation in first.violations { print(violation) }
        print(
            "seed \(seed), \(nodes) nodes: \(first.messages) messages, \(first.faults) faults, \(first.actions) actions, "
                + "\(first.duration / 1000) ms of virtual time, digest \(EntryHash(first.digest))")
        let isSame = first.digest == second.digest
        print(isSame ? "the second run took the same course" : "the second run took another course")
        let isPassed = isSame && first.violations.isEmpty
        if json {
            print(
                "{\"nodes\":\(nodes),\"seed\":\(seed),\"digest\":\"\(EntryHash(first.digest))\","
                    + "\"passed\":\(isPassed ? 1 : 0),\"failed\":\(isPassed ? 0 : 1)}")
        }
        print(Build.present.driven)
        print(isPassed ? "1 passed, 0 failed" : "0 passed, 1 failed")
        guard isPassed else { throw ExitCode.failure }
    }
}
