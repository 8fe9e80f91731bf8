import EarshotGateway
import EarshotModel
import Foundation
import Glibc

/// The nodes of all devices of a group, what goes between them, and what is known of it.
///
/// As `Pair` for two: all counting happens here, in one place and one thing at a time.
actor SoakCrowd {
    typealias Database = NodeDatabase<GroupMessage>
    typealias GroupLedger = Ledger<GroupMessage, GroupDevice>

    /// How far a log is delivered to a recipient.
    private struct Delivery: Hashable {
        let logID: LogID
        let recipientID: UserID
    }

    /// Those that are judged, and with those that are not.
    let devices: [GroupDevice]
    let all: [GroupDevice]
    private var nodes: [GroupDevice: NodeProcess]
    private var databases: [GroupDevice: Database] = [:]
    /// The user of each key.
    private var users: [UserID: Int] = [:]

    private var ledger = GroupLedger()
    /// Faults found on the disks; the ledger has those of the readers.
    private var found = Faults.none
    /// What each node has called delivered.
    private var delivered: [GroupDevice: [Delivery: UInt64]] = [:]

    /// The devices whose node runs, and whose disk somebody has looked at since the last one died.
    private var open: Set<GroupDevice> = []
    private var isSending = false
    private var isEnding = false
    private var inFlight: [GroupDevice: Int] = [:]
    private var doubtful: [GroupLane: GroupMessage] = [:]
    private(set) var refusals: Set<String> = []
    private(set) var refused = 0
    private(set) var kills = 0
    private(set) var repeated = 0
    /// Messages that were taken back, and what each is called.
    private(set) var withdrawn: [String: Withdrawn] = [:]
    /// How many each device has begun to send and take back, and how many of all are under way.
    private var withdrawals: [GroupDevice: Int] = [:]
    private(set) var withdrawalsUnderWay = 0
    private var hasSent = false
    /// Messages that were taken back and that a device does not show at all, in words.
    private(set) var notShown: [String] = []
    /// Which messages a device shows as taken back.
    private var retracted: [GroupDevice: Set<String>] = [:]
    /// Messages beside the lanes, why some were refused, and what was decided.
    private var asides = AsideCounts()

    /// - Parameter unjudged: a device that is revoked: nobody says what it shows in the end.
    init(_ nodes: [GroupDevice: NodeProcess], unjudged: Set<GroupDevice> = []) {
        self.nodes = nodes
        all = nodes.keys.sorted { ($0.user, $0.number) < ($1.user, $1.number) }
        devices = all.filter { !unjudged.contains($0) }
        for (device, node) in nodes { databases[device] = Database(path: node.databasePath) }
    }

    var faults: Faults {
        var sum = ledger.faults
        sum += found
        return sum
    }
    var accepted: Int { ledger.accepted }
    var surprises: Int { nodes.values.reduce(0) { $0 + $1.surprises } }
    var lanesInDoubt: Int { doubtful.count }
    /// Whether no send is under way.
    var isQuiet: Bool { inFlight.values.allSatisfy { $0 == 0 } }

    func knows(_ userID: UserID, as user: Int) { users[userID] = user }
    func note(_ faults: Faults) { found += faults }

    // MARK: - Nodes

    func start(_ device: GroupDevice) throws {
        try nodes[device]?.start()
        open.insert(device)
    }

    func home(of device: GroupDevice) -> String { nodes[device]?.home ?? "" }
    func lastWords(of device: GroupDevice) -> String { nodes[device]?.lastWords ?? "" }

    /// Ends nodes at once with `kill -9`, and looks at the disks as they left them.
    func kill(_ devices: [GroupDevice]) async throws {
        for device in devices where nodes[device]?.signal(SIGKILL) == true { kills += 1 }
        try await ended(devices)
    }

    /// Ends all nodes as `earshot up` is ended by its user.
    func stop() async throws {
        let running = all.filter { nodes[$0]?.isRunning == true }
        for device in running { nodes[device]?.signal(SIGTERM) }
        try await ended(running)
    }

    private func ended(_ devices: [GroupDevice]) async throws {
        open.subtract(devices)
        let deadline = ContinuousClock.now + .seconds(60)
        while devices.contains(where: { nodes[$0]?.isRunning == true || inFlight[$0, default: 0] > 0 }) {
            guard ContinuousClock.now < deadline else {
                throw SoakError("this took too long: a node that was ended is gone, and its requests with it")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        try look()
        for device in devices { decide(device) }
    }

    /// Decides about a message that a node could no longer answer: if its disk has it, it counts as accepted; else it is
    /// sent again.
    private func decide(_ device: GroupDevice) {
        for message in doubtful.values where message.lane.author == device {
            doubtful[message.lane] = nil
            if ledger.hasSeen(message, by: .disk(device)) { ledger.accept(message) } else { repeated += 1 }
        }
    }

    // MARK: - Lanes

    func setSending(_ isSending: Bool) {
        self.isSending = isSending
        hasSent = hasSent || isSending
    }

    func end() { isEnding = true }

    /// The next message of a lane. Waits while the lane may send nothing.
    /// - Returns: `nil` once there is nothing more to send.
    func next(on lane: GroupLane) async throws -> GroupMessage? {
        while !isSending || !open.contains(lane.author) || doubtful[lane] != nil {
            guard !isEnding else { return nil }
            try await Task.sleep(for: .milliseconds(10))
        }
        guard !isEnding else { return nil }
        inFlight[lane.author, default: 0] += 1
        return ledger.next(on: lane)
    }

    func accepted(_ message: GroupMessage) {
        inFlight[message.lane.author, default: 0] -= 1
        ledger.accept(message)
    }

    /// The node said that it did not take it, or there was no node.
    func refused(_ message: GroupMessage, reason: String?) {
        inFlight[message.lane.author, default: 0] -= 1
        guard let reason else { return }
        refused += 1
        refusals.insert(reason)
    }

    /// The answer was lost with the node.
    func doubted(_ message: GroupMessage) {
        inFlight[message.lane.author, default: 0] -= 1
        doubtful[message.lane] = message
    }

    // MARK: - What is taken back

    /// - Returns: the number of a device's next message that is taken back; `nil` once no more are sent.
    func nextWithdrawal(by device: GroupDevice) async throws -> Int? {
        while !isSending {
            guard !hasSent, !isEnding else { return nil }
            try await Task.sleep(for: .milliseconds(10))
        }
        withdrawals[device, default: 0] += 1
        withdrawalsUnderWay += 1
        return withdrawals[device]
    }

    func withdrew(_ message: Withdrawn, id: String, isTakenBack: Bool) {
        withdrawalsUnderWay -= 1
        withdrawn[id] = message
        if !isTakenBack { found.kept += 1 }
    }

    /// How many texts that were taken back are on disks.
    func withdrawnTexts() throws -> Int { try devices.reduce(0) { try $0 + Withdrawn.count(in: home(of: $1)) } }

    // MARK: - Beside the lanes

    var counts: AsideCounts { asides }

    /// Waits until messages are sent.
    /// - Returns: whether they still are.
    func goesOn() async throws -> Bool {
        while !isSending {
            guard !hasSent, !isEnding else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Whether no device of a user runs just now.
    func isAway(_ user: Int) -> Bool { !open.contains { $0.user == user } }

    /// Whether no other device of a device's user runs just now.
    func isAlone(_ device: GroupDevice) -> Bool {
        open.contains(device) && open.allSatisfy { $0.user != device.user || $0 == device }
    }

    /// Whether no other device runs just now, of anybody, but for one that is revoked.
    func isLeftAlone(_ device: GroupDevice) -> Bool {
        open.intersection(devices) == [device]
    }

    func asidesBegin() { asides.running += 1 }
    func asidesEnd() { asides.running -= 1 }
    func asideSent() { asides.sent += 1 }
    func asideRefused(_ code: String) { asides.refused[code, default: 0] += 1 }
    func decided(_ what: String) { asides.decided[what, default: 0] += 1 }

    // MARK: - Disks

    /// Looks at all disks. What a node calls delivered is asked before the disks of which one must hold it.
    func look() throws {
        for device in devices { hold(try look(at: device), of: device) }
        for device in all { _ = try look(at: device) }
        for device in devices {
            found.lost += ledger.missing(on: { $0.author == device }, by: .disk(device))
            found.falselyDelivered += falselyDelivered(by: device)
        }
    }

    /// How many messages are not yet on a disk that must come to hold them.
    var missing: Int {
        devices.reduce(0) { sum, device in
            sum + ledger.missing(on: { $0.reaches(device.user) }, by: .disk(device))
        }
    }

    /// Those of a device that miss some, and how many.
    var backlog: String {
        devices.compactMap { device in
            let count = ledger.missing(on: { $0.reaches(device.user) }, by: .disk(device))
            return count == 0 ? nil : "\(device.name) lacks \(count)"
        }.joined(separator: ", ")
    }

    private func look(at device: GroupDevice) throws -> Database.Look {
        guard let look = try databases[device]?.look() else { return Database.Look() }
        for message in look.messages {
            if let message { ledger.see(message, by: .disk(device)) } else { ledger.seeForeign() }
        }
        found.holes += look.holes
        return look
    }

    private func hold(_ look: Database.Look, of device: GroupDevice) {
        var now: [Delivery: UInt64] = [:]
        for (logID, recipients) in look.delivered {
            for (userID, sequence) in recipients { now[Delivery(logID: logID, recipientID: userID)] = sequence }
        }
        for (delivery, before) in delivered[device] ?? [:] where now[delivery, default: 0] < before {
            found.retreated += 1
        }
        delivered[device] = now
    }

    /// How many messages a node calls delivered to a user of whose disks none holds them.
    private func falselyDelivered(by device: GroupDevice) -> Int {
        (delivered[device] ?? [:]).reduce(0) { sum, claim in
            guard let user = users[claim.key.recipientID] else { return sum }
            let held =
                all.filter { $0.user == user }.compactMap { databases[$0]?.heads[claim.key.logID] }.max() ?? 0
            return sum + (claim.value > held ? Int(clamping: claim.value - held) : 0)
        }
    }

    // MARK: - Histories

    /// Reads a history of a device to its end.
    func read(_ history: [HistoryLine<GroupMessage>], of device: GroupDevice) {
        for line in history {
            if line.isWithdrawn {
                if let id = line.retractedID { retracted[device, default: []].insert(id) } else { found.kept += 1 }
                continue
            }
            guard let message = line.message else {
                ledger.seeForeign()
                continue
            }
            ledger.see(message, by: .history(device))
            if message.lane.author == device, !line.isDelivered { found.lost += 1 }
        }
    }

    /// What no history of a device shows, though one must.
    func judgeHistories() {
        for device in devices {
            found.lost += ledger.missing(on: { $0.reaches(device.user) }, by: .history(device))
            // A device must show them, too, if it was away all the time.
            let shown = retracted[device] ?? []
            let hidden = withdrawn.filter { $0.value.reaches(device.user) && !shown.contains($0.key) }
            found.lost += hidden.count
            notShown += hidden.values.map { "\(device.name) shows nothing of \($0.text)" }
        }
    }
}
