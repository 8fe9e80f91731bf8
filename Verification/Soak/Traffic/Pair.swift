import EarshotGateway
import EarshotModel
import Foundation
import Glibc

/// The two nodes of a phase, what goes between them, and what is known of it.
///
/// It stops and starts the nodes, gives numbers to the lanes, and looks at both disks. All counting happens here, in
/// one place and one thing at a time.
actor Pair {
    private let laboratory: Laboratory
    private var nodes: [Side: NodeProcess] = [:]
    private var databases: [Side: NodeDatabase<Numbered>] = [:]
    let homes: [Side: String]

    private(set) var ledger = PairLedger()
    /// The side whose database was replaced by a copy, and has not yet got back what it had.
    private var recovering: Side?
    /// Faults found on the disks; the ledger has those of the readers.
    private var found = Faults.none
    /// Deliveries that each side's node reported of its own messages.
    private var delivered: [Side: Claims] = [:]
    /// Messages of its peer that each side's node reported as received.
    private var received: [Side: Claims] = [:]

    // The gate of each side: closed while its node is dead and nobody has looked at its disk.
    private var openGates: Set<Side> = []
    private var isSending = false
    private var isEnding = false
    private var inFlight: [Side: Int] = [:]
    private var doubtful: [Lane: Numbered] = [:]
    private(set) var refusals: [Side: Int] = [:]
    private(set) var refusalReasons: [Side: Set<String>] = [:]
    private(set) var eventsLost = 0
    private(set) var events = 0
    private(set) var kills = 0
    private(set) var repeated = 0

    init(_ laboratory: Laboratory, homes: [Side: String]) throws {
        self.laboratory = laboratory
        self.homes = homes
        for side in Side.allCases {
            guard let home = homes[side] else { throw SoakError("\(side.name) has no home") }
            nodes[side] = try NodeProcess(home: home) { try laboratory.node(on: side, home: home, log: $0) }
            databases[side] = NodeDatabase(path: home + "/history.db")
        }
    }

    var faults: Faults {
        var sum = ledger.faults
        sum += found
        return sum
    }
    var accepted: Int { ledger.accepted }
    /// Messages that were on the other disk at the last look.
    var arrived: Int { Side.allCases.reduce(0) { $0 + ledger.seen(of: $1, by: .disk($1.other)) } }
    var surprises: Int { nodes.values.reduce(0) { $0 + $1.surprises } }
    func note(_ faults: Faults) { found += faults }
    func see(_ message: Numbered, by reader: PairLedger.Reader) { ledger.see(message, by: reader) }
    func seeForeign() { ledger.seeForeign() }
    func inFlightCount(of side: Side) -> Int { inFlight[side, default: 0] }

    // MARK: - Nodes

    func start(_ side: Side) throws {
        try nodes[side]?.start()
        openGates.insert(side)
    }

    func pid(of side: Side) -> Int32? { nodes[side]?.pid }
    func isRunning(_ side: Side) -> Bool { nodes[side]?.isRunning ?? false }
    func lastWords(of side: Side) -> String { nodes[side]?.lastWords ?? "" }
    func signal(_ number: Int32, to side: Side) { nodes[side]?.signal(number) }

    /// Ends nodes at once with `kill -9`, and looks at the disks as they left them.
    func kill(_ sides: [Side]) async throws {
        for side in sides where nodes[side]?.signal(SIGKILL) == true { kills += 1 }
        try await ended(sides)
    }

    /// Ends nodes as `earshot up` is ended by its user.
    func stop(_ sides: [Side]) async throws {
        for side in sides where isRunning(side) { nodes[side]?.signal(SIGTERM) }
        try await ended(sides)
    }

    private func ended(_ sides: [Side]) async throws {
        openGates.subtract(sides)
        try await wait("a node that was ended is gone, and its requests with it") {
            sides.allSatisfy { !isRunning($0) && inFlight[$0, default: 0] == 0 }
        }
        try look()
        for side in sides { try decide(side) }
    }

    /// Decides about a message that a side's node could no longer answer: if the node has it, it counts as accepted;
    /// else it is sent again.
    private func decide(_ side: Side) throws {
        let messages = doubtful.values.filter { $0.lane.author == side }
        guard !messages.isEmpty, let path = databases[side]?.path else { return }
        // Nobody looks at a disk that is recovering; afterwards all of it is read.
        let held = recovering == nil ? nil : Set(try NodeDatabase<Numbered>.messages(in: path))
        for message in messages {
            doubtful[message.lane] = nil
            let isHeld = held?.contains(message) ?? ledger.hasSeen(message, by: .disk(side))
            if isHeld { ledger.accept(message) } else { repeated += 1 }
        }
    }

    private func wait(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard ContinuousClock.now < deadline else { throw SoakError("this took too long: \(what)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    // MARK: - Lanes

    func setSending(_ isSending: Bool) { self.isSending = isSending }
    func end() { isEnding = true }

    /// The next message of a lane. Waits while the lane may send nothing.
    /// - Returns: `nil` once there is nothing more to send.
    func next(on lane: Lane) async throws -> Numbered? {
        while !isSending || !openGates.contains(lane.author) || doubtful[lane] != nil {
            guard !isEnding else { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
        guard !isEnding else { return nil }
        inFlight[lane.author, default: 0] += 1
        return ledger.next(on: lane)
    }

    func accepted(_ message: Numbered) {
        inFlight[message.lane.author, default: 0] -= 1
        ledger.accept(message)
    }

    /// The node said that it did not take it, or there was no node.
    func refused(_ message: Numbered, reason: String?) {
        let side = message.lane.author
        inFlight[side, default: 0] -= 1
        guard let reason else { return }
        refusals[side, default: 0] += 1
        refusalReasons[side, default: []].insert(reason)
    }

    /// The answer was lost with the node.
    func doubted(_ message: Numbered) {
        inFlight[message.lane.author, default: 0] -= 1
        doubtful[message.lane] = message
    }

    /// Lanes whose answer was lost although their node lives.
    var lanesInDoubt: Int { doubtful.count }

    // MARK: - Events

    func heard(_ event: GatewayEvent, by side: Side) {
        events += 1
        switch event.name {
        case "messageDelivered":
            guard let change = event.stateChange, let id = MessageID(change.messageID) else { break }
            delivered[side, default: Claims()].note(id.log, through: id.sequence)
        case "messageReceived":
            guard let message = event.message, let id = MessageID(message.id) else { break }
            received[side, default: Claims()].note(id.log, through: id.sequence)
            if let numbered = Numbered(message.text) {
                ledger.see(numbered, by: .events(side))
            } else {
                ledger.seeForeign()
            }
        case "eventsLost": eventsLost += event.count ?? 0
        default: break
        }
    }

    // MARK: - Disks

    /// Looks at both disks. The side that calls something delivered is asked before the disk that must hold it.
    func look() throws {
        guard recovering == nil else { return }
        let alice = try look(at: .alice)
        let bob = try look(at: .bob)
        _ = try look(at: .alice)
        hold(alice, of: .alice)
        hold(bob, of: .bob)
        for side in Side.allCases {
            let heads = databases[side]?.heads ?? [:]
            found.toldEarly += received[side, default: Claims()].beyond(heads)
            found.lost += ledger.missing(of: side, by: .disk(side))
        }
    }

    private func look(at side: Side) throws -> NodeDatabase<Numbered>.Look {
        guard let look = try databases[side]?.look() else { return NodeDatabase<Numbered>.Look() }
        for message in look.messages {
            if let message { ledger.see(message, by: .disk(side)) } else { ledger.seeForeign() }
        }
        found.holes += look.holes
        return look
    }

    /// Compares what a side's node says about its messages with what it said before, and with its peer's disk.
    private func hold(_ look: NodeDatabase<Numbered>.Look, of side: Side) {
        // Each log has one recipient.
        let heads = look.delivered.compactMapValues { $0.values.max() }
        found.retreated += delivered[side, default: Claims()].beyond(heads)
        delivered[side, default: Claims()].note(heads)
        found.falselyDelivered += delivered[side, default: Claims()].beyond(databases[side.other]?.heads ?? [:])
    }
}

// MARK: - Databases that are put back

extension Pair {
    /// Replaces the database of a node that does not run by an older copy. Nobody looks at the disks until `recovered`,
    /// because the copy lacks what was delivered after it was made.
    func restore(_ copy: String, to side: Side) throws {
        guard let path = databases[side]?.path else { return }
        try DatabaseFile.restore(copy, to: path)
        recovering = side
        delivered[side] = nil
        received[side] = nil
        ledger.restart(.events(side))
    }

    /// The node has got back what it had: from now on its disk is held to everything again, from its first row.
    func recovered() throws {
        guard let side = recovering, let path = databases[side]?.path else { return }
        databases[side] = NodeDatabase(path: path, isRestored: true)
        ledger.restart(.disk(side))
        recovering = nil
        try look()
    }
}
