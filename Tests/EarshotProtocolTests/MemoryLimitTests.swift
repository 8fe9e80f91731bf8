import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

/// What peers send is bounded in memory over all of their links and devices.
@Suite("What waits or is kept of peers")
struct MemoryLimitTests {
    private var pair = MachinePair.linked()
    private var aliceID: DeviceID { pair.alice.local.deviceID }

    /// Alice sends; Bob's disk does nothing.
    private mutating func sendOne(_ request: UInt64 = 1) {
        pair.send("hello", request: request)
        while !pair.alice.commits.isEmpty {
            pair.commitAlice()
            pair.exchange()
        }
    }

    /// Bob has a link to one more device.
    private mutating func meet(_ newcomer: LocalDevice) -> ConnectionID {
        let (connectionID, actions) = pair.bob.machine.accepted(
            from: PeerAddress(host: "10.0.0.9", port: 9), now: pair.now)
        pair.bob.perform(actions)
        let peer = LinkPeer(credential: newcomer.link.credential, run: 1)
        pair.bob.machine.establish(peer, on: connectionID, now: pair.now)
        return connectionID
    }

    private var failure: LinkFailure? {
        pair.bob.events.compactMap { if case .linkFailed(let failure) = $0 { failure } else { nil } }.last
    }

    @Test("is bounded on the disk for all strangers together: what goes beyond is not kept, and ends no link")
    mutating func strangers() throws {
        var snapshot = Snapshot.received(from: device("carol"), by: pair.bob.local)
        snapshot.logs[0].bytes = Limits.strangersBytes - 200
        pair.bob = MachinePair.Side("bob", snapshot: snapshot)
        var author = HandWrittenLog(by: pair.alice.local, to: pair.bob.local.userID)
        var peer = try HandDrivenPeer(pair.alice.local, to: &pair.bob, now: pair.now)
        peer.say(
            [
                .nothingHeld, .entries(author.append("one")),
                .entries(author.append(String(repeating: "x", count: 200))), .entries(author.append("three")),
            ], to: &pair.bob, now: pair.now)
        #expect(pair.bob.machine.replication.logs.incoming(author.logID)?.proved.sequence == 1)
        #expect(failure == nil && !pair.bob.isDisconnected)
    }

    @Test("is no more for a stranger's profile than for their messages")
    mutating func profileOfStranger() throws {
        var snapshot = Snapshot.received(from: device("carol"), by: pair.bob.local)
        snapshot.logs[0].bytes = Limits.strangersBytes - 1_000
        pair.bob = MachinePair.Side("bob", snapshot: snapshot)
        var author = HandWrittenLog(by: pair.alice.local, to: pair.bob.local.userID)
        var peer = try HandDrivenPeer(pair.alice.local, to: &pair.bob, now: pair.now)
        let picture = [UInt8](repeating: 1, count: Limits.pictureBytes)
        peer.say(
            [
                .nothingHeld, .entries(author.append(Profile(friendlyName: "Alice"))),
                .entries(author.append(Profile(picture: picture))),
            ], to: &pair.bob, now: pair.now)
        #expect(pair.bob.machine.replication.logs.incoming(author.logID)?.proved.sequence == 1)
        #expect(failure == nil && !pair.bob.isDisconnected)
    }

    @Test("is a device's window, however many links it makes, and what goes past it leaves no hole behind")
    mutating func window() throws {
        var author = HandWrittenLog(by: pair.alice.local, to: pair.bob.local.userID)
        var peer = try HandDrivenPeer(pair.alice.local, to: &pair.bob, now: pair.now)
        peer.say([.nothingHeld], to: &pair.bob, now: pair.now)
        let text = String(repeating: "x", count: Limits.textBytes / 2)
        var count: UInt64 = 0
        while !pair.bob.isDisconnected, count < 1_000 {
            // Every tenth message comes over another link.
            if count > 0, count.isMultiple(of: 10) {
                peer = try HandDrivenPeer(pair.alice.local, to: &pair.bob, now: pair.now)
                peer.say([.nothingHeld], to: &pair.bob, now: pair.now)
            }
            peer.say([.entries(author.append(text))], to: &pair.bob, now: pair.now)
            count += 1
        }
        #expect(failure?.code == ProtocolError.Code.violation.description)
        #expect(Int(count) * text.utf8.count > Limits.windowBytes)
        // What was refused is not taken for known: the next link brings it again, from its place on.
        #expect(pair.bob.machine.replication.logs.incoming(author.logID)?.proved.sequence == count - 1)
    }

    @Test("is forgotten when the disk does not take it")
    mutating func refused() {
        sendOne()
        #expect(pair.bob.machine.load.allReceivedBytes > 0)
        pair.bob.commits = []
        pair.bob.perform(pair.bob.machine.commitFailed("no", now: pair.now))
        #expect(pair.bob.machine.load.allReceivedBytes == 0)
    }

    @Test("may come again over another link before it is on the disk, and is not held against the peer")
    mutating func again() throws {
        sendOne()
        let run = try #require(pair.bob.commits.first?.entries.first)
        let log = try #require(pair.bob.machine.replication.logs.incoming(run.logID))
        let checkpoint = try #require(run.entries.last?.checkpoint)
        let frame = EntriesFrame(
            log: log.description, firstSequence: 1, previousChain: .origin(of: run.logID),
            contents: run.entries.map(\.content), checkpoint: checkpoint)
        for _ in 0..<2 * Limits.peerRequests {
            pair.alice.machine.send(.entries(frame), on: pair.alice.connectionID)
            let output = pair.alice.machine.peers.flush(pair.alice.connectionID, now: pair.now)
            for bytes in output.written {
                pair.bob.perform(pair.bob.machine.received(bytes, on: pair.bob.connectionID, now: pair.now))
            }
        }
        #expect(!pair.bob.isDisconnected)
        #expect(pair.bob.commits.count == 1)
    }

    @Test("is not written again of a device that was forgotten while the disk refused it")
    mutating func forgottenMeanwhile() throws {
        var generator = SeededGenerator(seed: 4)
        let identity = generator.signingKey()
        for _ in 0..<4 * Limits.devicesPerUser {
            let newcomer = LocalDevice.generated(name: "mallory", identityKey: identity, using: &generator)
            let connectionID = meet(newcomer)
            // The first devices are in the first commit, which does not end before all others were met.
            pair.bob.perform(pair.bob.machine.disconnected(connectionID, now: pair.now))
            pair.now.uptime += 1_000
        }
        pair.bob.perform(pair.bob.machine.commitFailed("no", now: pair.now))
        pair.now.uptime += Timing.commitRetry
        pair.bob.perform(pair.bob.machine.tick(now: pair.now))
        let next = try #require(pair.bob.commits.last)
        let written = Set(next.devices.map(\.deviceID))
        #expect(!written.isEmpty && written.isSubset(of: pair.bob.machine.trust.directory.devices.keys))
        #expect(!next.forgottenDevices.isEmpty && written.isDisjoint(with: next.forgottenDevices))
    }

    @Test("are so many devices of a user, beside those that have written or have a link")
    mutating func devices() throws {
        var generator = SeededGenerator(seed: 3)
        let identity = generator.signingKey()
        var connections: [ConnectionID] = []
        var others = generator
        let writer = LocalDevice.generated(name: "mallory", identityKey: identity, using: &others)
        pair = .linked(bob: .received(from: writer, by: pair.bob.local))
        for number in 0..<3 * Limits.devicesPerUser {
            let newcomer = LocalDevice.generated(name: "mallory", identityKey: identity, using: &generator)
            connections.append(meet(newcomer))
            pair.now.uptime += 1_000
            guard number > 0 else { continue }
            pair.bob.perform(pair.bob.machine.disconnected(connections.removeFirst(), now: pair.now))
        }
        let malloryID = UserID(identity.publicKey)
        let kept = pair.bob.machine.trust.directory.devices.values.filter { $0.userID == malloryID }.map(\.deviceID)
        #expect(kept.count <= Limits.devicesPerUser + 2)
        #expect(kept.contains(writer.deviceID))
        #expect(pair.bob.machine.load.exceeded == [])
        var forgotten: Set<DeviceID> = []
        while let commit = pair.bob.commits.first {
            forgotten.formUnion(commit.forgottenDevices)
            pair.commitBob()
        }
        #expect(forgotten.count >= 3 * Limits.devicesPerUser - kept.count)
        #expect(forgotten.isDisjoint(with: kept))
    }
}
