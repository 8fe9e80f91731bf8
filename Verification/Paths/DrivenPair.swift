import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotSimulation
import EarshotStore
import Foundation

/// Two nodes over one connection that loses nothing.
struct DrivenPair {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// One of them: its machine, its store, and what it has not yet been told or not yet sent.
    struct Side {
        let local: LocalDevice
        let store: Store
        var machine: NodeMachine
        var connectionID = ConnectionID(1)
        var output: [[UInt8]] = []
        var commits: [Commit] = []
        var answered = 0
        var delivered = 0

        init(_ name: String, path: String, now: Moment, using generator: inout SeededGenerator) throws {
            local = .generated(name: name, using: &generator)
            store = try Store(path: path)
            machine = NodeMachine(local: local, snapshot: try store.snapshot(), now: now) { .ephemeral() }
        }

        mutating func perform(_ actions: [NodeAction]) throws {
            for action in actions {
                switch action {
                case .connect(let connectionID, _): self.connectionID = connectionID
                case .write(_, let bytes): output.append(bytes)
                case .disconnect: throw Failure(description: "a link was closed")
                case .commit(let commit): commits.append(commit)
                case .complete(_, let result): _ = try result.get()
                case .accepted(let calls): answered += calls.count
                case .postRun(let run): if run.name == .messageDelivered { delivered += run.count }
                case .read, .readChains, .findExpired, .findKeys, .probe, .reachability, .seek, .device, .file,
                    .renamed, .post:
                    break
                }
            }
        }

        /// Writes what waits for the disk.
        mutating func commit(now: Moment) throws {
            while !commits.isEmpty {
                try store.commit(commits.removeFirst())
                try perform(machine.committed(now: now))
            }
        }
    }

    /// How many calls a node takes at once (`Asking`).
    private static let turn = 256

    private var sender: Side
    private var recipient: Side
    private var now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)
    private var requests: UInt64 = 0

    init(in folder: URL) throws {
        var generator = SeededGenerator(seed: 1)
        sender = try Side("alice", path: folder.appending(path: "alice.sqlite").path, now: now, using: &generator)
        recipient = try Side("bob", path: folder.appending(path: "bob.sqlite").path, now: now, using: &generator)
        let address = PeerAddress(host: "10.0.0.2", port: 7)
        try sender.perform(sender.machine.addStaticPeer(address, now: now))
        let (accepted, actions) = recipient.machine.accepted(from: address, now: now)
        recipient.connectionID = accepted
        try recipient.perform(actions)
        try sender.perform(sender.machine.connected(sender.connectionID, to: address, now: now))
        try settle()
        try sender.perform(
            sender.machine.decide(.accept, about: recipient.local.userID, requestID: request(), now: now))
        try recipient.perform(
            recipient.machine.decide(.accept, about: sender.local.userID, requestID: request(), now: now))
        try settle()
    }

    var delivered: Int { sender.delivered }

    mutating func send(_ count: Int, inGroupsOf size: Int) throws {
        let text = String(repeating: "x", count: 92)
        let peer = recipient.local.userID
        var sent = 0
        while sent < count {
            let end = min(count, sent + size)
            while sent < end {
                let turn = sent..<min(end, sent + Self.turn)
                let calls = turn.map { number in
                    let draft = MessageDraft(String(1_000_000 + number) + " " + text)
                    return SendCall(requestID: request(), drafts: [.message(draft)])
                }
                try sender.perform(sender.machine.send(calls, to: .user(peer), now: now))
                sent = turn.upperBound
            }
            try run { pair in pair.sender.delivered >= end }
        }
    }

    func close() throws {
        try sender.store.close()
        try recipient.store.close()
    }

    private mutating func request() -> RequestID {
        requests += 1
        return RequestID(requests)
    }

    /// Carries over what was written, and writes what waits, until something holds.
    private mutating func run(until isDone: (DrivenPair) -> Bool) throws {
        for _ in 0..<10_000 where !isDone(self) {
            now.uptime += 1
            now.wallClock += 1
            try sender.commit(now: now)
            try exchange()
            try recipient.commit(now: now)
            try exchange()
            guard sender.output.isEmpty, recipient.output.isEmpty, sender.commits.isEmpty, recipient.commits.isEmpty
            else { continue }
            try sender.perform(sender.machine.tick(now: now))
            try recipient.perform(recipient.machine.tick(now: now))
        }
        guard isDone(self) else { throw Failure(description: "nothing more happens") }
    }

    private mutating func exchange() throws {
        let (sent, answers) = (sender.output, recipient.output)
        (sender.output, recipient.output) = ([], [])
        for bytes in sent {
            try recipient.perform(recipient.machine.received(bytes, on: recipient.connectionID, now: now))
        }
        for bytes in answers { try sender.perform(sender.machine.received(bytes, on: sender.connectionID, now: now)) }
    }

    /// Lets what may wait for company be written too.
    private mutating func settle() throws {
        for _ in 0..<50 {
            try exchange()
            try sender.commit(now: now)
            try recipient.commit(now: now)
            now.uptime += Timing.lazyCommit
            try sender.perform(sender.machine.tick(now: now))
            try recipient.perform(recipient.machine.tick(now: now))
        }
    }
}
