import EarshotCrypto
import EarshotModel

@testable import EarshotProtocol

/// Two nodes' machines over one connection, with disks that obey the test: a commit is done when the test says so.
struct MachinePair {
    struct Side {
        let local: LocalDevice
        var machine: NodeMachine
        var connectionID = ConnectionID(1)
        /// Bytes that were written and not yet carried over.
        var output: [UInt8] = []
        var commits: [Commit] = []
        var reads: [EntriesRead] = []
        var chainReads: [ChainsRead] = []
        var events: [Event] = []
        var completions: [RequestID: Result<RequestAnswer, ProtocolError>] = [:]
        var isDisconnected = false

        init(_ name: String, snapshot: Snapshot = Snapshot()) {
            local = device(name)
            machine = NodeMachine(local: local, snapshot: snapshot, now: MachinePair.start) { .generate() }
        }

        /// The receipts that this side has signed and that are on its disk.
        var receipts: [Receipt] {
            machine.replication.logs.incomingIDs.compactMap {
                machine.replication.deliveries.committed(DeliveryKey(logID: $0, recipientID: local.userID))?.receipt
            }
        }

        /// The log that this side writes to a user.
        func log(to userID: UserID) -> OwnLog {
            machine.replication.logs.logForMessages(
                in: .direct(local.userID, userID), now: MachinePair.start)
        }

        mutating func perform(_ actions: [NodeAction]) {
            for action in actions {
                switch action {
                case .connect(let connectionID, _): self.connectionID = connectionID
                case .write(_, let bytes): output += bytes
                case .disconnect: isDisconnected = true
                case .commit(let commit): commits.append(commit)
                case .read(let read): reads.append(read)
                case .readChains(let read): chainReads.append(read)
                case .seek, .findExpired, .findKeys, .probe, .reachability, .device, .file, .renamed: break
                case .complete(let requestID, let result): completions[requestID] = result
                case .accepted(let calls): for call in calls { completions[call.requestID] = .success(call.answer) }
                case .post(let event): events.append(event)
                case .postRun(let run): events += run.events
                }
            }
        }
    }

    var alice = Side("alice")
    var bob = Side("bob")
    static let start = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)
    var now = start

    /// Links the two, who have given each other their names, both disks obeying at once.
    static func linked(alice: Snapshot = Snapshot(), bob: Snapshot = Snapshot()) -> MachinePair {
        var pair = MachinePair()
        pair.alice = Side("alice", snapshot: alice)
        pair.bob = Side("bob", snapshot: bob)
        let address = PeerAddress(host: "10.0.0.2", port: 7)
        pair.alice.perform(pair.alice.machine.addStaticPeer(address, now: pair.now))
        let (accepted, actions) = pair.bob.machine.accepted(from: address, now: pair.now)
        pair.bob.connectionID = accepted
        pair.bob.perform(actions)
        pair.alice.perform(pair.alice.machine.connected(pair.alice.connectionID, to: address, now: pair.now))
        pair.settle()
        let (alice, bob) = (pair.alice.local.userID, pair.bob.local.userID)
        let requestID = RequestID(.max)
        pair.alice.perform(pair.alice.machine.decide(.accept, about: bob, requestID: requestID, now: pair.now))
        pair.bob.perform(pair.bob.machine.decide(.accept, about: alice, requestID: requestID, now: pair.now))
        pair.settle()
        pair.alice.events = []
        pair.alice.completions = [:]
        pair.bob.completions = [:]
        pair.bob.events = []
        return pair
    }

    /// Carries over all that was written. The disks do nothing.
    mutating func exchange() {
        while !alice.output.isEmpty || !bob.output.isEmpty {
            let (fromAlice, fromBob) = (alice.output, bob.output)
            alice.output = []
            bob.output = []
            if !fromAlice.isEmpty { bob.perform(bob.machine.received(fromAlice, on: bob.connectionID, now: now)) }
            if !fromBob.isEmpty { alice.perform(alice.machine.received(fromBob, on: alice.connectionID, now: now)) }
        }
    }

    /// Lets everything happen until nothing is left to do, what may wait for company included.
    mutating func settle() {
        for _ in 0..<50 {
            exchange()
            if !alice.commits.isEmpty { commitAlice() }
            if !bob.commits.isEmpty { commitBob() }
            now.uptime += Timing.lazyCommit
            alice.perform(alice.machine.tick(now: now))
            bob.perform(bob.machine.tick(now: now))
            if alice.output.isEmpty, bob.output.isEmpty, alice.commits.isEmpty, bob.commits.isEmpty { return }
        }
    }

    mutating func commitAlice() {
        alice.commits.removeFirst()
        alice.perform(alice.machine.committed(now: now))
    }

    mutating func commitBob() {
        bob.commits.removeFirst()
        bob.perform(bob.machine.committed(now: now))
    }

    mutating func send(_ text: String, request: UInt64 = 1) {
        alice.perform(
            alice.machine.send(
                [MessageDraft(text)], to: bob.local.userID, requestID: RequestID(request), now: now))
    }
}

extension [Event] {
    var names: [EventName] { map(\.name) }
}
