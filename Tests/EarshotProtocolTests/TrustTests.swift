import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("In deciding whose a name is")
struct TrustTests {
    /// Alice, who has exchanged a message with bob, and an impostor with bob's name.
    private struct Scene {
        var group = MachineGroup()
        let alice, bob, impostor: Int

        init() {
            alice = group.add("alice")
            bob = group.add("bob")
            impostor = group.add("bob", seed: 4711)
            group.dial(alice, bob)
            group.send("hello", from: alice, to: bob)
        }

        var aliceEvents: [Event] { group.members[alice].events }
        var conflicts: [IdentityConflict] {
            aliceEvents.compactMap { if case .identityConflict(let conflict) = $0 { conflict } else { nil } }
        }
        func failures(_ reason: FailureReason) -> Int {
            aliceEvents.count {
                if case .messageFailed(let change) = $0 { change.state == .failed(reason) } else { false }
            }
        }
    }

    @Test("the first message to a user pins the name to the key, on both sides, and a link alone does not")
    func firstUse() {
        var group = MachineGroup()
        let (alice, bob) = (group.add("alice"), group.add("bob"))
        group.dial(alice, bob)
        #expect(group.user(bob, of: alice)?.isPinned == false)
        group.send("hello", from: alice, to: bob)
        #expect(group.user(bob, of: alice)?.isPinned == true)
        #expect(group.user(alice, of: bob)?.isPinned == true)
        #expect(group.members[bob].commits.flatMap(\.users).contains { $0.isPinned })
    }

    @Test("another key with a pinned name is refused, listed as in conflict, and told of once")
    func impostor() {
        var scene = Scene()
        scene.group.dial(scene.impostor, scene.alice)
        #expect(!scene.group.isLinked(scene.alice, scene.impostor))
        let claimant = scene.group.user(scene.impostor, of: scene.alice)
        #expect(claimant?.isPinned == false)
        #expect(claimant?.conflictingID == scene.group.userID(scene.bob))
        scene.group.pass(60_000)
        #expect(
            scene.conflicts == [
                IdentityConflict(
                    name: scene.group.members[scene.bob].local.name, pinnedID: scene.group.userID(scene.bob),
                    claimedBy: scene.group.userID(scene.impostor))
            ])
        #expect(scene.group.isLinked(scene.alice, scene.bob))
    }

    @Test("the impostor is told why it is refused")
    func impostorIsTold() {
        var scene = Scene()
        scene.group.dial(scene.impostor, scene.alice)
        let failures = scene.group.members[scene.impostor].events.compactMap {
            if case .linkFailed(let failure) = $0 { failure.message } else { nil }
        }
        #expect(failures.contains { $0.contains("pinned to another key") })
    }

    @Test("nothing can be sent to a key in conflict, and the holder of the name gets what is sent")
    func sendInConflict() throws {
        var scene = Scene()
        scene.group.dial(scene.impostor, scene.alice)
        let refused = scene.group.send("for whom?", from: scene.alice, to: scene.impostor)
        #expect(throws: ProtocolError.self) { try refused?.get() }
        if case .failure(let error) = refused { #expect(error.code == .identityConflict) }
        #expect(throws: Never.self) { try scene.group.send("for bob", from: scene.alice, to: scene.bob)?.get() }
    }

    @Test("when the user accepts another key, what waits for the old one fails as identityChanged, and the two link")
    func accept() throws {
        var scene = Scene()
        scene.group.cut(scene.bob)
        scene.group.members[scene.bob].machine = NodeMachine(
            local: scene.group.members[scene.bob].local, snapshot: Snapshot(), now: scene.group.now
        ) { .generate() }
        _ = scene.group.send("waits 1", from: scene.alice, to: scene.bob)
        _ = scene.group.send("waits 2", from: scene.alice, to: scene.bob)
        scene.group.dial(scene.impostor, scene.alice)
        _ = try scene.group.decide(.accept, by: scene.alice, about: scene.impostor)?.get()
        #expect(scene.failures(.identityChanged) == 2)
        #expect(scene.group.user(scene.impostor, of: scene.alice)?.isPinned == true)
        #expect(scene.group.user(scene.bob, of: scene.alice)?.conflictingID == scene.group.userID(scene.impostor))
        scene.group.pass(Timing.redialCeiling)
        #expect(scene.group.isLinked(scene.alice, scene.impostor))
        #expect(throws: Never.self) { try scene.group.send("hi", from: scene.alice, to: scene.impostor)?.get() }
    }

    @Test("two users with one name, of whom none was talked to, are both let in until one is chosen")
    func twoUnknown() throws {
        var group = MachineGroup()
        let (alice, first, second) = (group.add("alice"), group.add("bob"), group.add("bob", seed: 4711))
        group.dial(alice, first)
        group.dial(alice, second)
        #expect(group.isLinked(alice, first) && group.isLinked(alice, second))
        // A message from one of them chooses nobody: who writes first is no better than who does not.
        group.send("I am bob", from: second, to: alice)
        #expect(group.user(second, of: alice)?.isPinned == false)
        // Nor does an answer: a program that answers whoever writes has decided nothing.
        _ = try group.send("which of you?", from: alice, to: second)?.get()
        #expect(group.user(second, of: alice)?.isPinned == false)
        _ = try group.decide(.accept, by: alice, about: first)?.get()
        #expect(group.user(first, of: alice)?.isPinned == true)
        #expect(group.user(second, of: alice)?.conflictingID == group.userID(first))
        #expect(!group.isLinked(alice, second))
    }

    @Test("who takes a pinned name while linked is shut out on that link too, and what waits for them fails")
    func renamedOnALink() throws {
        var scene = Scene()
        let identity = SigningKey.generate()
        func mallory(named name: String, run: UInt64) throws -> LocalDevice {
            var generator = SeededGenerator(seed: 5)
            let (signing, agreement) = (generator.signingKey(), generator.agreementKey())
            let credential = Credential.issue(
                name: try UserName(name), identityKey: identity, deviceKey: signing,
                agreementKey: agreement.publicKey, notBefore: 0, notAfter: 4_000_000_000_000)
            let link = LinkConfiguration(agreementKey: agreement, credential: credential, networkKey: nil, run: run)
            return LocalDevice(signingKey: signing, link: link)
        }
        let first = scene.group.add(try mallory(named: "mallory", run: 1))
        scene.group.dial(first, scene.alice)
        #expect(scene.group.isLinked(first, scene.alice))
        let second = scene.group.add(try mallory(named: "bob", run: 2))
        scene.group.dial(second, scene.alice)
        #expect(scene.group.user(first, of: scene.alice)?.isOnline == false)
        #expect(scene.group.user(first, of: scene.alice)?.conflictingID == scene.group.userID(scene.bob))
    }

    @Test("with a network key, nothing is noted of who is dialled and has not proved to have it")
    func claimsOfOutsiders() throws {
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let alice = device("alice", networkKey: key)
        let outsider = device("bob", seed: 9)
        let bob = UserRecord(
            userID: device("bob").userID, name: outsider.name, trust: .unverified, isPinned: true, firstSeen: 0,
            lastSeen: 0)
        var snapshot = Snapshot()
        snapshot.users = [bob]
        let now = MachinePair.start
        var machine = NodeMachine(local: alice, snapshot: snapshot, now: now) { .generate() }
        let address = PeerAddress(host: "10.0.0.9", port: 7)
        _ = machine.addStaticPeer(address, now: now)
        let connectionID = ConnectionID(1)
        let hello = machine.connected(connectionID, to: address, now: now).flatMap { action -> [UInt8] in
            if case .write(_, let bytes) = action { bytes } else { [] }
        }
        // The outsider knows the network's tag, as anybody does, and answers with a key of its own.
        var input = MessageBuffer()
        input.append(hello)
        _ = try input.next(limit: 2048, isRefusalAllowed: true)
        guard case .noise(let first) = try input.next(limit: 2048, isRefusalAllowed: true) else {
            throw CancellationError()
        }
        var handshake = try HandshakeState(
            pattern: .xxpsk3, role: .responder, prologue: alice.link.prologue, staticKey: outsider.link.agreementKey,
            ephemeralKey: .generate(), presharedKey: SecretBytes(copying: [UInt8](repeating: 8, count: 32)))
        _ = try handshake.readMessage(first)
        var introduction = Wire.Introduction()
        introduction.credential = outsider.link.credential.wire
        introduction.run = 1
        let reply = MessageBuffer.framed(try handshake.writeMessage(payload: Wire.encode(introduction)))
        let actions = machine.received(reply, on: connectionID, now: now)
        #expect(machine.users.map(\.userID) == [bob.userID])
        #expect(machine.peerClocks.isEmpty)
        for case .post(.identityConflict) in actions { Issue.record("told of a conflict that nobody has proved") }
        for case .commit in actions { Issue.record("wrote what nobody has proved") }
    }

    @Test("a pinned user who takes another's name does not hold it")
    func rename() throws {
        let identity = SigningKey.generate()
        func mallory(named name: String) throws -> LinkPeer {
            let credential = Credential.issue(
                name: try UserName(name), identityKey: identity, deviceKey: .generate(),
                agreementKey: AgreementKey.generate().publicKey, notBefore: 0, notAfter: 1)
            return LinkPeer(credential: credential, run: 1)
        }
        var directory = UserDirectory(users: [], devices: [])
        _ = directory.met(LinkPeer(credential: device("bob").link.credential, run: 1), now: MachinePair.start)
        _ = directory.met(try mallory(named: "mallory"), now: MachinePair.start)
        _ = directory.pin(UserID(identity.publicKey))
        _ = directory.met(try mallory(named: "mal"), now: MachinePair.start)
        #expect(directory.users[UserID(identity.publicKey)]?.isPinned == true)
        let renamed = directory.met(try mallory(named: "bob"), now: MachinePair.start)
        #expect(renamed.changes == [.claimedName])
        #expect(renamed.user.name.text == "mallory" && renamed.user.isPinned && renamed.user.claimedName?.text == "bob")
    }

    /// Somebody whom alice has verified as bob, and who comes back by another name.
    private func renamed(to name: String) throws -> (scene: Scene, again: Int) {
        var scene = Scene()
        _ = try scene.group.decide(.verify, by: scene.alice, about: scene.bob)?.get()
        let old = scene.group.members[scene.bob].local
        let credential = Credential.issue(
            name: try UserName(name), identityKey: identityKey(of: "bob"), deviceKey: old.signingKey,
            agreementKey: old.link.agreementKey.publicKey, notBefore: 0, notAfter: 4_000_000_000_000)
        let link = LinkConfiguration(
            agreementKey: old.link.agreementKey, credential: credential, networkKey: nil, run: 9)
        let again = scene.group.add(LocalDevice(signingKey: old.signingKey, link: link))
        #expect(scene.group.userID(again) == scene.group.userID(scene.bob))
        scene.group.dial(again, scene.alice)
        return (scene, again)
    }

    @Test(
        "who has a name here keeps it with another, is told of, and is called so once this node's user agrees",
        arguments: ["carol", "robert"])
    func claimed(name: String) throws {
        var (scene, again) = try renamed(to: name)
        let carol = scene.group.add("carol")
        func bob() -> User? { scene.group.user(again, of: scene.alice) }
        #expect(bob()?.name.text == "bob" && bob()?.trust == .verified && bob()?.claimedName?.text == name)
        #expect(bob()?.isOnline == true && bob()?.conflictingID == nil)
        let told = scene.aliceEvents.count {
            if case .userUpdated(let user, let changes) = $0 {
                user.claimedName?.text == name && changes.contains(.claimedName)
            } else {
                false
            }
        }
        #expect(told == 1)
        // Whoever has that name in truth gets it.
        scene.group.dial(carol, scene.alice)
        scene.group.send("I am carol", from: carol, to: scene.alice)
        #expect(scene.group.user(carol, of: scene.alice)?.isPinned == true)
        #expect(scene.group.isLinked(scene.alice, again))
        // A decision about another name than the one that was seen is none.
        let (rob, other) = (try UserName("rob"), try UserName(name))
        let wrong = scene.group.decide(.accept, by: scene.alice, about: again, name: rob)
        #expect(throws: ProtocolError.self) { try wrong?.get() }
        _ = try scene.group.decide(.accept, by: scene.alice, about: again, name: bob()?.name)?.get()
        #expect(bob()?.name.text == "bob" && bob()?.claimedName?.text == name)
        _ = try scene.group.decide(.accept, by: scene.alice, about: again, name: other)?.get()
        #expect(bob()?.name.text == name && bob()?.claimedName == nil && bob()?.isPinned == true)
        #expect(bob()?.trust == .verified)
        #expect(scene.group.user(carol, of: scene.alice)?.isPinned == (name != "carol"))
        let written = scene.group.members[scene.alice].commits.flatMap(\.users).last { $0.userID == bob()?.userID }
        #expect(written?.name.text == name && written?.claimedName == nil)
    }

    @Test("who takes back their name claims none any more")
    func takenBack() throws {
        var (scene, _) = try renamed(to: "robert")
        let old = scene.group.add(device("bob"))
        scene.group.pass(60_000)
        scene.group.dial(old, scene.alice)
        #expect(scene.group.user(old, of: scene.alice)?.claimedName == nil)
        #expect(scene.group.user(old, of: scene.alice)?.name.text == "bob")
    }

    @Test("a blocked user's link is closed, what waits for them fails, and nothing goes either way until unblocked")
    func block() throws {
        var scene = Scene()
        _ = try scene.group.decide(.block, by: scene.alice, about: scene.bob)?.get()
        #expect(!scene.group.isLinked(scene.alice, scene.bob))
        let refused = scene.group.send("no", from: scene.alice, to: scene.bob)
        if case .failure(let error) = refused { #expect(error.code == .blocked) } else { Issue.record("it was sent") }
        scene.group.pass(Timing.redialCeiling)
        #expect(!scene.group.isLinked(scene.alice, scene.bob))
        _ = try scene.group.decide(.unblock, by: scene.alice, about: scene.bob)?.get()
        scene.group.pass(Timing.redialCeiling)
        #expect(scene.group.isLinked(scene.alice, scene.bob))
    }

    @Test("a user is verified only where the name is theirs")
    func verify() throws {
        var scene = Scene()
        scene.group.dial(scene.impostor, scene.alice)
        let refused = scene.group.decide(.verify, by: scene.alice, about: scene.impostor)
        if case .failure(let error) = refused {
            #expect(error.code == .identityConflict)
        } else {
            Issue.record("verified")
        }
        _ = try scene.group.decide(.verify, by: scene.alice, about: scene.bob)?.get()
        #expect(scene.group.user(scene.bob, of: scene.alice)?.trust == .verified)
    }

    @Test("strangers are forgotten, the one not seen for the longest time first, when there are too many")
    func strangers() throws {
        var directory = UserDirectory(users: [], devices: [])
        var met: [UserID] = []
        for number in 0..<4 {
            let peer = LinkPeer(credential: device("user \(number)").link.credential, run: 1)
            met.append(peer.userID)
            _ = directory.met(peer, now: Moment(wallClock: Int64(number), uptime: 0))
        }
        #expect(directory.forgetSurplus(limit: 4, except: met[3]) { _ in true } == nil)
        _ = directory.pin(met[0])
        #expect(directory.forgetSurplus(limit: 3, except: met[3]) { _ in true } == nil)
        #expect(directory.forgetSurplus(limit: 2, except: met[3]) { _ in true } == met[1])
        #expect(Set(directory.users.keys) == [met[0], met[2], met[3]])
    }
}
