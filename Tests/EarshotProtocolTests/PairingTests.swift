import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A pairing")
struct PairingTests {
    @Test("gives the new device a credential and the network key, once both users have said yes")
    func pairs() throws {
        var pair = try PairingPair()
        pair.connect()
        guard case .asking(let peer) = pair.host.pairingStatus else {
            Issue.record("the primary device does not ask")
            return
        }
        #expect(peer.deviceID == DeviceID(pair.keys.signing.publicKey) && peer.deviceName == "desktop")
        let offer = try #require(pair.offer)
        #expect(offer.credential.userID == pair.family.primary.userID && !offer.isPrimary)
        pair.accept()
        let gift = try #require(pair.gift)
        #expect(gift.credential.deviceID == peer.deviceID && !gift.credential.isPrimary)
        #expect(gift.credential.userID == pair.family.primary.userID)
        #expect(gift.networkKey == pair.networkKey && gift.identityKey == nil)
        #expect(pair.host.pairingStatus == .accepted(peer))
        pair.write()
        #expect(pair.isJoined && pair.host.pairingStatus == .done(peer))
        #expect(pair.host.ownDevices.first { $0.deviceID == peer.deviceID }?.name.text == "desktop")
        #expect(pair.isDisconnected)
    }

    @Test("gives the identity only where the user of the primary device asked for that")
    func identity() throws {
        var pair = try PairingPair(PairingTerms(isPrimary: true, lifetime: Family.hour))
        pair.connect()
        pair.accept()
        let gift = try #require(pair.gift)
        #expect(gift.credential.isPrimary)
        #expect(gift.identityKey?.publicKey == pair.family.identityKey.publicKey)
    }

    @Test("signs and gives nothing before both have said yes", arguments: [true, false])
    func bothSayYes(isHostFirst: Bool) throws {
        var pair = try PairingPair()
        pair.connect()
        if isHostFirst { pair.decideHost(true) } else { pair.decideJoin(true) }
        #expect(pair.requests.isEmpty && pair.gift == nil)
        if isHostFirst { pair.decideJoin(true) } else { pair.decideHost(true) }
        #expect(pair.requests.count == 1 && pair.gift != nil)
    }

    @Test("ends with nothing given where one of the two says no", arguments: [true, false])
    func no(isHost: Bool) throws {
        var pair = try PairingPair()
        pair.connect()
        if isHost { pair.decideHost(false) } else { pair.decideJoin(false) }
        #expect(pair.requests.isEmpty && pair.gift == nil)
        guard case .failed = pair.host.pairingStatus else {
            Issue.record("the pairing goes on: \(pair.host.pairingStatus)")
            return
        }
        if isHost { #expect(pair.failure != nil) }
    }

    @Test("that has ended well does not fail through what comes behind the end")
    func end() throws {
        var pair = try PairingPair()
        pair.connect()
        pair.accept()
        pair.write()
        // A whole message, of which nothing can be opened.
        pair.hear(MessageBuffer.framed([UInt8](repeating: 1, count: 40)))
        #expect(pair.isJoined && pair.failure == nil)
    }

    @Test("code is dead once a handshake with it succeeded")
    func once() throws {
        var pair = try PairingPair()
        pair.connect()
        var second = pair
        second.host = pair.host
        try second.begin(code: pair.code, connection: 7)
        second.exchange()
        #expect(second.failure?.closeReason == .noPairing)
    }

    @Test("code is good for ten minutes")
    func expires() throws {
        var pair = try PairingPair()
        pair.now.uptime += Timing.pairing - 1
        pair.tick()
        #expect(pair.host.pairingStatus == .waiting(until: PairingPair.start.uptime + Timing.pairing))
        pair.now.uptime += 1
        pair.tick()
        #expect(pair.host.pairingStatus != .waiting(until: PairingPair.start.uptime + Timing.pairing))
        pair.connect()
        #expect(pair.failure?.closeReason == .noPairing && pair.offer == nil)
    }

    @Test("code that is another one finds nobody")
    func otherCode() throws {
        var pair = try PairingPair()
        try pair.begin(code: PairingCode(secret: SecretBytes(copying: [UInt8](repeating: 9, count: 16))), connection: 5)
        pair.exchange()
        #expect(pair.failure?.closeReason == .noPairing && pair.offer == nil)
    }

    @Test("code is dead after some wrong guesses, of which there is one a second")
    func guesses() throws {
        var pair = try PairingPair()
        for guess in 0..<Limits.pairingFailures {
            #expect(pair.host.pairingStatus == .waiting(until: PairingPair.start.uptime + Timing.pairing))
            try pair.guess(connection: UInt64(100 + guess))
            #expect(pair.failure != nil && pair.offer == nil)
            if guess == 0 {
                // The next one comes too early, and is not even begun.
                try pair.guess(connection: 50)
                #expect(pair.failure?.closeReason == .noPairing)
            }
            pair.now.uptime += Timing.pairingPause
        }
        try pair.begin(code: pair.code, connection: 3)
        pair.exchange()
        #expect(pair.failure?.closeReason == .noPairing)
    }

    @Test("that is played back to the primary device opens nothing")
    func replay() throws {
        var pair = try PairingPair()
        let fresh = pair.host
        pair.connect()
        var replayed = try PairingPair()
        replayed.host = fresh
        replayed.play(pair.sent, connection: 9)
        #expect(replayed.host.pairingStatus == .waiting(until: PairingPair.start.uptime + Timing.pairing))
    }

    @Test("is not offered by a linked device")
    func linked() throws {
        let family = Family()
        var machine = NodeMachine(local: family.linked, snapshot: Snapshot(), now: PairingPair.start) { .generate() }
        let actions = machine.beginPairing(
            .generate(), PairingTerms(isPrimary: false, lifetime: 1), deviceName: "", requestID: RequestID(1),
            now: PairingPair.start)
        let results = actions.compactMap { if case .complete(_, let result) = $0 { result } else { nil } }
        #expect(results.count == 1)
        for case .failure(let error) in results { #expect(error.code == .needsPrimary) }
    }

    @Test("code is replaced by the next one, and what was begun with it ends")
    func replaced() throws {
        var host = PairingHost()
        let family = Family()
        let (first, second) = (PairingCode.generate(), PairingCode.generate())
        let terms = PairingTerms(isPrimary: false, lifetime: Family.hour)
        _ = host.begin(first, terms, deviceName: "laptop", now: 0)
        let keys = family.linked.link.agreementKey
        var join = try PairingChannel(
            asking: first, Wire.PairingRequest(), staticKey: keys, ephemeralKey: .generate())
        _ = try join.start(tag: first.tag)
        _ = host.connected(
            ConnectionID(1), tag: first.tag, input: MessageBuffer(), staticKey: family.primary.link.agreementKey,
            ephemeralKey: { .generate() }, now: 1)
        #expect(host.owns(ConnectionID(1)))
        let ended = host.begin(second, terms, deviceName: "laptop", now: 2)
        #expect(!host.owns(ConnectionID(1)) && host.status == .waiting(until: 2 + Timing.pairing))
        let closed = ended.compactMap { if case .disconnect(let connectionID) = $0 { connectionID } else { nil } }
        #expect(closed == [ConnectionID(1)])
        _ = host.connected(
            ConnectionID(2), tag: first.tag, input: MessageBuffer(), staticKey: family.primary.link.agreementKey,
            ephemeralKey: { .generate() }, now: 3)
        #expect(!host.owns(ConnectionID(2)))
    }

    @Test("with a device that only claims the code's owner's identity is refused by the new device")
    func notPrimary() throws {
        // Somebody who has seen the code, and has a linked device of the user, offers a pairing of their own.
        var pair = try PairingPair(isPrimary: false)
        pair.connect()
        #expect(pair.offer == nil && pair.failure?.code == .unauthentic)
    }
}

/// A primary device's node and a new device, over one connection.
private struct PairingPair {
    static let start = Moment(wallClock: Family.now, uptime: 1_000)

    let family = Family()
    let networkKey = SecretBytes(copying: [UInt8](repeating: 3, count: 32))
    let code = PairingCode(secret: SecretBytes(copying: Array(1...16)))
    let keys: (signing: SigningKey, agreement: AgreementKey)
    var host: NodeMachine
    var join: PairingJoin
    var now = start
    var connectionID = ConnectionID(0)
    /// Bytes on their way.
    var toHost: [UInt8] = []
    var toJoin: [UInt8] = []
    /// What the new device has sent.
    var sent: [UInt8] = []
    var offer: PairingOffer?
    var gift: PairingGift?
    var failure: ProtocolError?
    var isJoined = false
    var isDisconnected = false
    var requests: [CredentialRequest] = []

    init(
        _ terms: PairingTerms = PairingTerms(isPrimary: false, lifetime: 90 * 24 * Family.hour), isPrimary: Bool = true
    ) throws {
        keys = (.generate(), .generate())
        var local = family.primary
        local.link.networkKey = networkKey
        host = NodeMachine(local: local, snapshot: Snapshot(), now: Self.start) { .generate() }
        join = try PairingJoin(
            code, signingKey: keys.signing, agreementKey: keys.agreement, deviceName: "desktop",
            ephemeralKey: .generate())
        _ = host.beginPairing(code, terms, deviceName: "laptop", requestID: RequestID(1), now: now)
        if !isPrimary {
            // It is one no more by the time that somebody connects.
            let credential = Credential.issue(
                name: local.name, identityKey: family.identityKey, deviceKey: local.signingKey,
                agreementKey: local.link.agreementKey.publicKey, notBefore: 0, notAfter: 4_000_000_000_000)
            _ = host.renew(credential, now: now)
        }
    }

    mutating func begin(code: PairingCode, connection: UInt64) throws {
        join = try PairingJoin(
            code, signingKey: keys.signing, agreementKey: keys.agreement, deviceName: "desktop",
            ephemeralKey: .generate())
        accept(join.start())
    }

    private mutating func accept(_ actions: [PairingJoin.Action]) {
        let (connectionID, answer) = host.accepted(from: nil, now: now)
        self.connectionID = connectionID
        offer = nil
        failure = nil
        toHost = []
        toJoin = []
        run(answer)
        run(actions)
    }

    mutating func connect() {
        accept(join.start())
        exchange()
    }

    /// A guess of a code with the tag that was overheard.
    mutating func guess(connection: UInt64) throws {
        let wrong = PairingCode(secret: SecretBytes(copying: [UInt8](repeating: UInt8(connection), count: 16)))
        var guesser = try PairingChannel(
            asking: wrong, Wire.PairingRequest(), staticKey: keys.agreement, ephemeralKey: .generate())
        let (connectionID, answer) = host.accepted(from: nil, now: now)
        self.connectionID = connectionID
        offer = nil
        failure = nil
        toJoin = []
        run(answer)
        run(host.received(try guesser.start(tag: code.tag), on: connectionID, now: now))
        do throws(ProtocolError) {
            for case .write(let bytes) in try guesser.received(toJoin) {
                run(host.received(bytes, on: connectionID, now: now))
            }
            failure = isDisconnected ? ProtocolError(.unauthentic, "") : nil
        } catch { failure = error }
    }

    mutating func play(_ bytes: [UInt8], connection: UInt64) {
        let (connectionID, answer) = host.accepted(from: nil, now: now)
        self.connectionID = connectionID
        run(answer)
        run(host.received(bytes, on: connectionID, now: now))
    }

    mutating func accept() {
        decideHost(true)
        decideJoin(true)
    }

    mutating func decideHost(_ isAccepted: Bool) {
        run(host.decidePairing(isAccepted, now: now))
        exchange()
    }

    mutating func decideJoin(_ isAccepted: Bool) {
        run(join.decide(isAccepted))
        exchange()
    }

    mutating func write() {
        run(join.written())
        exchange()
    }

    /// Bytes come to the new device.
    mutating func hear(_ bytes: [UInt8]) { run(join.received(bytes)) }

    mutating func tick() { run(host.tick(now: now)) }

    mutating func exchange() {
        while !toHost.isEmpty || !toJoin.isEmpty {
            let (up, down) = (toHost, toJoin)
            (toHost, toJoin) = ([], [])
            if !up.isEmpty { run(host.received(up, on: connectionID, now: now)) }
            if !down.isEmpty { run(join.received(down)) }
        }
    }

    private mutating func run(_ actions: [NodeAction]) {
        for action in actions {
            switch action {
            case .write(let connectionID, let bytes): if connectionID == self.connectionID { toJoin += bytes }
            case .disconnect(let connectionID): if connectionID == self.connectionID { isDisconnected = true }
            case .device(.issue(let request, let withIdentity)):
                requests.append(request)
                let grant = CredentialGrant.issue(request, identityKey: family.identityKey)
                run(host.issued(request, grant, identity: withIdentity ? family.identityKey.seed : nil, now: now))
            default: break
            }
        }
    }

    private mutating func run(_ actions: [PairingJoin.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes):
                toHost += bytes
                sent += bytes
            case .ask(let offer): self.offer = offer
            case .take(let gift): self.gift = gift
            case .joined: isJoined = true
            case .failed(let error): failure = error
            }
        }
    }
}
