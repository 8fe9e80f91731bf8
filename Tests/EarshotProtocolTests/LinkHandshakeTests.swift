import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A link's handshake")
struct LinkHandshakeTests {
    @Test("proves to each end who the other is")
    func provesIdentities() throws {
        let (alice, bob) = (device("alice"), device("bob"))
        var pair = try LinkPair(alice, bob)
        pair.connect()
        #expect(pair.initiator.isEstablished && pair.responder.isEstablished && pair.isConfirmed)
        #expect(pair.initiatorActions.peers.map(\.userID) == [bob.userID])
        #expect(pair.responderActions.peers.map(\.userID) == [alice.userID])
    }

    @Test("works with one network key on both sides")
    func withNetworkKey() throws {
        let key = SecretBytes(copying: Array(repeating: 5 as UInt8, count: 32))
        var pair = try LinkPair(device("alice", networkKey: key), device("bob", networkKey: key))
        pair.connect()
        #expect(pair.initiator.isEstablished && pair.responder.isEstablished)
    }

    @Test("with another network is refused, and both ends hear why")
    func otherNetwork() throws {
        let one = SecretBytes(copying: Array(repeating: 1 as UInt8, count: 32))
        let two = SecretBytes(copying: Array(repeating: 2 as UInt8, count: 32))
        for (a, b) in [(one, two), (nil, one), (one, nil)] as [(SecretBytes?, SecretBytes?)] {
            var pair = try LinkPair(device("alice", networkKey: a), device("bob", networkKey: b))
            pair.connect()
            #expect(pair.initiatorActions.closing?.code == .otherNetwork)
            #expect(pair.responderActions.closing?.code == .otherNetwork)
            let text = pair.responderActions.closing?.message
            #expect(text?.contains(b == nil ? "this node has no network key" : "this node is of the network") == true)
        }
    }

    @Test("that claims the right network tag without the key comes to nothing")
    func stolenTag() throws {
        let key = SecretBytes(copying: Array(repeating: 1 as UInt8, count: 32))
        let bob = device("bob", networkKey: key)
        var hello = Wire.Hello()
        hello.version = LinkConfiguration.protocolVersion
        hello.networkTag = bob.link.networkTag
        var thief = try HandshakeState(
            pattern: .xxpsk3, role: .initiator, prologue: bob.link.prologue,
            staticKey: device("mallory").link.agreementKey,
            ephemeralKey: .generate(), presharedKey: SecretBytes(copying: Array(repeating: 2 as UInt8, count: 32)))
        let now = Moment(wallClock: 1_700_000_000_000, uptime: 1)
        var responder = try LinkMachine(
            role: .responder, configuration: bob.link, ephemeralKey: .generate(), now: now)
        let first = try MessageBuffer.framed(Wire.encode(hello)) + MessageBuffer.framed(thief.writeMessage(payload: []))
        let second = try #require(responder.received(first, now: now).written.first)
        _ = try thief.readMessage(Array(second.dropFirst(2)))
        let third = try thief.writeMessage(payload: Wire.encode(Wire.Introduction()))
        let answer = responder.received(MessageBuffer.framed(third), now: now)
        #expect(answer.closing?.code == .unauthentic)
        #expect(answer.peers.isEmpty)
    }

    @Test("with another version of the protocol is refused with both versions named")
    func otherVersion() throws {
        let bob = device("bob")
        let now = Moment(wallClock: 1, uptime: 1)
        var hello = Wire.Hello()
        hello.version = 1
        var responder = try LinkMachine(
            role: .responder, configuration: bob.link, ephemeralKey: .generate(), now: now)
        let answer = responder.received(MessageBuffer.framed(Wire.encode(hello)), now: now)
        #expect(answer.written == [[0, 0, UInt8(CloseReason.unsupportedVersion.rawValue), 2]])
        #expect(answer.closing?.code == .unsupportedVersion)

        var initiator = try LinkMachine(
            role: .initiator, configuration: bob.link, ephemeralKey: .generate(), now: now)
        _ = initiator.start()
        let refused = initiator.received([0, 0, UInt8(CloseReason.unsupportedVersion.rawValue), 9], now: now)
        #expect(refused.closing?.message.contains("version 9") == true)
    }

    @Test("between two versions is refused, and each end says which versions met")
    func twoVersions() throws {
        let now = Moment(wallClock: 1, uptime: 1)
        var newer = try LinkMachine(
            role: .initiator, configuration: device("alice").link, ephemeralKey: .generate(), now: now)
        var older = try LinkMachine(
            role: .responder, configuration: device("bob").link, ephemeralKey: .generate(), now: now)
        var hello = Wire.Hello()
        hello.version = LinkConfiguration.protocolVersion + 1
        _ = newer.start()
        let refusal = older.received(MessageBuffer.framed(Wire.encode(hello)), now: now)
        #expect(refusal.closing?.message.contains("this node 2") == true)
        #expect(refusal.closing?.message.contains("version 3") == true)
        let told = newer.received(refusal.written.flatMap { $0 }, now: now)
        #expect(told.closing?.code == .unsupportedVersion && told.closing?.message.contains("version 2") == true)
    }

    @Test("that begins with a length of zero is over at once, without a wait for what follows")
    func zeroLength() throws {
        let now = Moment(wallClock: 1, uptime: 1)
        var responder = try LinkMachine(
            role: .responder, configuration: device("bob").link, ephemeralKey: .generate(), now: now)
        #expect(responder.received([0, 0], now: now).closing?.code == .violation)
    }

    @Test(
        "with an expired credential is refused, and both ends hear that it must be renewed", arguments: [true, false])
    func expired(isInitiator: Bool) throws {
        let old = device("alice", notBefore: 0, notAfter: 1_000)
        var pair = isInitiator ? try LinkPair(old, device("bob")) : try LinkPair(device("bob"), old)
        pair.connect()
        let (refuser, refused) =
            isInitiator
            ? (pair.responderActions, pair.initiatorActions) : (pair.initiatorActions, pair.responderActions)
        #expect(refuser.closing?.code == .credentialExpired)
        #expect(
            refuser.closing?.message
                == "the credential of alice expired 19676 days ago and was not renewed: alice must renew it")
        #expect(refused.closing?.closeReason == .credentialExpired)
        #expect(refused.closing?.message.hasSuffix("this node's credential has expired: renew it") == true)
    }

    /// What both ends say where a clock is wrong: who refuses, and who is refused.
    private static let days: Int64 = 24 * 3600 * 1000

    @Test("with a clock that is a year behind is refused, and both ends hear how far the clocks are apart")
    func clockBehind() throws {
        let start: Int64 = 1_700_000_000_000
        // Issued by a clock that stands a year back; the other end's credential has not begun by that clock.
        let late = device("bob", notBefore: start - 365 * Self.days, notAfter: start - 335 * Self.days)
        var pair = try LinkPair(device("alice"), late)
        pair.responderAhead = -365 * Self.days
        pair.connect()
        #expect(pair.initiatorActions.closing?.code == .credentialExpired)
        #expect(
            pair.initiatorActions.closing?.message
                == "the credential of bob expired 335 days ago by this machine's clock; bob's clock is 365 days "
                + "behind this one's: set one of the two clocks right")
        #expect(pair.responderActions.closing?.closeReason == .credentialExpired)
        #expect(
            pair.responderActions.closing?.message
                == "the peer refused this node: this node's credential has expired by the peer's clock, which is "
                + "365 days ahead of this one's: set one of the two clocks right")
    }

    @Test(
        "with a credential of a clock that is ahead is refused by the responder, and the initiator hears of the clock")
    func clockAhead() throws {
        let start: Int64 = 1_700_000_000_000
        let early = device("alice", notBefore: start, notAfter: start + 30 * Self.days)
        var pair = try LinkPair(early, device("bob"))
        pair.responderAhead = -10 * Self.days
        pair.connect()
        #expect(
            pair.responderActions.closing?.message
                == "the credential of alice begins 10 days from now by this machine's clock; alice's clock is 10 days "
                + "ahead of this one's: set one of the two clocks right")
        #expect(pair.initiatorActions.closing?.closeReason == .credentialNotYetValid)
        #expect(
            pair.initiatorActions.closing?.message.hasSuffix(
                "is not yet valid by the peer's clock, which is 10 days behind this one's: "
                    + "set one of the two clocks right") == true)
    }

    @Test("tells each end how far the other's clock is away", arguments: [0, 90_000, -86_400_000] as [Int64])
    func clockOffset(_ ahead: Int64) throws {
        var pair = try LinkPair(device("alice"), device("bob"))
        pair.responderAhead = ahead
        pair.connect()
        #expect(pair.initiatorActions.peers.map(\.clockOffset) == [ahead])
        #expect(pair.responderActions.peers.map(\.clockOffset) == [-ahead])
    }

    @Test(
        "takes a clock that cannot be for one that was not told",
        arguments: [0, -1, .min, .max, Credential.times.upperBound + 1] as [Int64])
    func absurdClock(_ clock: Int64) {
        #expect(ClockOffset.of(clock, at: 1_700_000_000_000) == nil)
        #expect(ClockOffset.of(1_700_000_000_000, at: clock) == nil)
        #expect(ClockOffset.shifted(Int64.min, by: 1) == nil)
    }

    @Test("with a credential that has not begun is refused")
    func notYetValid() throws {
        let early = device("alice", notBefore: 1_900_000_000_000)
        var pair = try LinkPair(early, device("bob"))
        pair.connect()
        #expect(pair.responderActions.closing?.code == .credentialNotYetValid)
    }

    @Test("with somebody else's credential is refused")
    func stolenCredential() throws {
        let alice = device("alice")
        let mallory = device("mallory")
        // Mallory's own Noise key with Alice's credential.
        let stolen = LinkConfiguration(
            agreementKey: mallory.link.agreementKey, credential: alice.link.credential, networkKey: nil, run: 1)
        let now = Moment(wallClock: 1_700_000_000_000, uptime: 1)
        var pair = try LinkPair(alice, device("bob"))
        pair.initiator = try LinkMachine(
            role: .initiator, configuration: stolen, ephemeralKey: .generate(), now: now)
        pair.connect()
        #expect(pair.responderActions.closing?.code == .unauthentic)
        #expect(pair.responderActions.peers.isEmpty)
    }

    @Test("with a credential whose times cannot be counted with is refused", arguments: [Int64.min, Int64.max, -1])
    func absurdTimes(_ time: Int64) {
        let (identity, signing) = (SigningKey.generate(), SigningKey.generate())
        let credential = Credential.issue(
            name: device("alice").name, identityKey: identity, deviceKey: signing,
            agreementKey: AgreementKey.generate().publicKey, notBefore: 0, notAfter: time)
        let error = #expect(throws: ProtocolError.self) { try Credential(decoding: credential.encoded()) }
        #expect(error?.code == .malformed)
    }

    @Test(
        "with a name that has control or bidirectional characters is refused",
        arguments: ["a\nb", "a\u{1B}[2J", "a\u{9B}b", "\u{202E}bob", "a\u{2066}b", "a\u{200F}b", "a\0"])
    func deceptiveName(text: String) throws {
        var wire = device("bob").link.credential.wire
        var body = try Wire.decode(Wire.CredentialBody.self, from: wire.body, as: "a credential")
        body.name = text
        wire.body = Wire.encode(body)
        let error = #expect(throws: ProtocolError.self) { try Credential(wire: wire) }
        #expect(error?.code == .malformed)
        #expect(error?.message.contains(text) == false)
    }

    @Test("with a credential that names somebody else's device is refused")
    func otherDevice() throws {
        let (alice, mallory) = (device("alice"), device("mallory"))
        // Mallory's own identity and Noise key, and Alice's device, which she cannot sign for.
        var wire = mallory.link.credential.wire
        var body = try Wire.decode(Wire.CredentialBody.self, from: wire.body, as: "a credential")
        body.deviceSigningKey = Wire.bytes(alice.deviceID)
        wire.body = Wire.encode(body)
        let identity = SigningKey.generate()
        body.identityKey = Wire.bytes(identity.publicKey)
        wire.body = Wire.encode(body)
        let signed = SignedBytes(label: "earshot credential v1").adding(wire.body).bytes
        wire.signature = identity.signature(for: signed).bytes
        let countersigned = SignedBytes(label: "earshot credential device v1").adding(wire.body).bytes
        wire.deviceSignature = mallory.signingKey.signature(for: countersigned).bytes
        let error = #expect(throws: ProtocolError.self) { try Credential(wire: wire) }
        #expect(error?.code == .unauthentic)
        #expect(error?.message.contains("device") == true)
    }

    @Test("makes no link to a responder that knows the network's tag and not its key")
    func responderWithoutKey() throws {
        let key = SecretBytes(copying: Array(repeating: 1 as UInt8, count: 32))
        let (alice, mallory) = (device("alice", networkKey: key), device("mallory"))
        let now = Moment(wallClock: 1_700_000_000_000, uptime: 1)
        var initiator = try LinkMachine(
            role: .initiator, configuration: alice.link, ephemeralKey: .generate(), now: now)
        var thief = try HandshakeState(
            pattern: .xxpsk3, role: .responder, prologue: alice.link.prologue, staticKey: mallory.link.agreementKey,
            ephemeralKey: .generate(), presharedKey: SecretBytes(copying: Array(repeating: 2 as UInt8, count: 32)))
        let first = try #require(initiator.start().written.first)
        let helloBytes = 2 + Int(first[1])
        _ = try thief.readMessage(Array(first.dropFirst(helloBytes + 2)))
        var introduction = Wire.Introduction()
        introduction.credential = mallory.link.credential.wire
        let second = try thief.writeMessage(payload: Wire.encode(introduction))
        #expect(initiator.received(MessageBuffer.framed(second), now: now).peers.count == 1)
        let accepted = initiator.accept(now: now)
        #expect(!accepted.contains { if case .established = $0 { true } else { false } })
        #expect(!initiator.isEstablished)
        let answer = initiator.received(
            MessageBuffer.framed(Array(repeating: 0, count: 40)), now: now)
        #expect(answer.closing?.code == .unauthentic)
        #expect(!answer.contains { if case .established = $0 { true } else { false } })
    }

    @Test("is given up after ten seconds")
    func timeout() throws {
        var pair = try LinkPair(device("alice"), device("bob"))
        pair.now.uptime += Timing.handshake - 1
        #expect(pair.responder.tick(now: pair.now).isEmpty)
        pair.now.uptime += 1
        #expect(pair.responder.tick(now: pair.now).closing?.code == .timeout)
    }

    @Test(
        "with something that does not speak the protocol ends at once",
        arguments: ["GET / HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{5}hello", "\u{0}\u{0}\u{0}\u{0}"])
    func garbage(_ text: String) throws {
        var pair = try LinkPair(device("alice"), device("bob"))
        let answer = pair.responder.received(Array(text.utf8), now: pair.now)
        #expect(answer.closing != nil)
        #expect(answer.peers.isEmpty)
    }

    @Test("with an over-long first message ends as soon as its length is known, and nothing of it is kept")
    func overlongMessage() throws {
        var pair = try LinkPair(device("alice"), device("bob"))
        let length = Limits.handshakeMessageBytes + 1
        let answer = pair.responder.received([UInt8(length >> 8), UInt8(length & 0xff)], now: pair.now)
        #expect(answer.closing?.code == .malformed)
        #expect(pair.responder.received([UInt8](repeating: 0xff, count: 1 << 20), now: pair.now).isEmpty)
    }

    @Test("changed in any byte on its way comes to nothing")
    func tampering() throws {
        var reference = try LinkPair(device("alice"), device("bob"))
        let first = try #require(reference.initiator.start().written.first)
        let second = try #require(reference.responder.received(first, now: reference.now).written.first)
        for index in stride(from: 2, to: second.count, by: 7) {
            var initiator = reference.initiator
            var changed = second
            changed[index] ^= 0x40
            let answer = initiator.received(changed, now: reference.now)
            #expect(answer.closing?.code == .unauthentic, "byte \(index)")
        }
    }
}
