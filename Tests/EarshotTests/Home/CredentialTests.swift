import EarshotCrypto
import EarshotProtocol
import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("A home's credential")
struct CredentialTests {
    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
    }

    @Test("is renewed at a start when two thirds of its time are over")
    func renewal() throws {
        try home.create(name: "alice")
        try replaceCredential(notBefore: -21 * Self.day, notAfter: 9 * Self.day)
        #expect(try open().credentialExpiry > Self.now + 29 * Self.day)
    }

    @Test("that has not begun by this clock is renewed at a start: it was issued by a clock that was ahead")
    func notBegun() throws {
        try home.create(name: "alice")
        let expiry = try replaceCredential(notBefore: 364 * Self.day, notAfter: 394 * Self.day)
        #expect(try open().credentialExpiry < expiry)
    }

    @Test("is left as it is before that")
    func noRenewal() throws {
        try home.create(name: "alice")
        let expiry = try replaceCredential(notBefore: -15 * Self.day, notAfter: 15 * Self.day)
        #expect(try open().credentialExpiry == expiry)
    }

    @Test("that has expired is renewed, and the user, the device and the name stay")
    func expired() throws {
        let userID = try home.create(name: "alice")
        try replaceCredential(notBefore: -60 * Self.day, notAfter: -30 * Self.day)
        let node = try open()
        #expect(node.credentialExpiry > Self.now)
        #expect((node.userID, node.name.text) == (userID, "alice"))
    }

    @Test("of a sealed identity serves without the passphrase until it expires")
    func sealed() throws {
        try home.create(name: "alice", passphrase: Self.right)
        #expect(try home.isSealed)
        let expiry = try replaceCredential(notBefore: -29 * Self.day, notAfter: Self.day)
        #expect(try open().credentialExpiry == expiry)
    }

    @Test("of a sealed identity that has expired keeps nobody from the history, and a node says what to do")
    func sealedExpiredStart() async throws {
        let userID = try home.create(name: "alice", passphrase: Self.right)
        let expiry = try replaceCredential(notBefore: -60 * Self.day, notAfter: -30 * Self.day)
        let bob = try TestUser("bob")
        try await bob.start()
        let live = try await LiveNode.start(home, peers: [bob.address])
        let notice = try await live.events.first("the node says that its credential has expired") { event in
            if case .credentialExpired(let notice) = event { notice } else { nil }
        }
        #expect(notice.notAfter == expiry)
        #expect(notice.problem == .sealed)
        #expect(await live.node.status().credentialExpiry == expiry)
        #expect(await live.node.users.all.isEmpty)
        try await live.events.first("Bob refuses Alice") { event in
            event.linkFailure.flatMap { $0.message.contains("expired") ? $0 : nil }
        }
        #expect(await bob.node.users.all.isEmpty)
        #expect(live.node.userID == userID)
        try await live.stop()
    }

    @Test("that is renewed while the node runs serves the next links, and the old ones stay")
    func renewedWhileRunning() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let old = try Credential(decoding: Array(Data(contentsOf: URL(fileURLWithPath: alice.home.credentialFile))))
        let unlocked = try alice.home.unlock(passphrase: nil)
        let renewed = try alice.home.renew(
            old, identity: unlocked.identity, keys: unlocked.keys, now: Self.now + 5 * 60_000)
        await alice.node.shell.renew(renewed)
        let message = try await alice.send("still here", to: bob)
        try await alice.events.state(.delivered, of: message.messageID)
        #expect(await bob.events.events.allSatisfy { $0.linkFailure == nil })
        let carol = try TestUser("carol")
        try await carol.start(peers: [alice.address])
        try await carol.waitForLink(to: alice)
    }

    @Test("that could not be renewed at a start is renewed by the node that runs, and the node says so")
    func renewedByKeeper() async throws {
        try home.create(name: "alice")
        let expiry = try replaceCredential(notBefore: -21 * Self.day, notAfter: 9 * Self.day)
        let obstacle = home.credentialFile + ".new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        let node = try open()
        #expect(node.credentialExpiry == expiry)
        try FileManager.default.removeItem(atPath: obstacle)
        let events = await EventRecorder.observing(node.events)
        let running = Task { try await node.run() }
        let notice = try await events.first("the credential is renewed") { event in
            if case .credentialRenewed(let notice) = event { notice } else { nil }
        }
        #expect(notice.notAfter > expiry)
        #expect(await node.status().credentialExpiry == notice.notAfter)
        running.cancel()
        try await withDeadline("the node stops") { try await running.value }
    }

    @Test("that cannot be written anew at a start stays, and the node starts")
    func unwritable() throws {
        try home.create(name: "alice")
        let expiry = try replaceCredential(notBefore: -21 * Self.day, notAfter: 9 * Self.day)
        try FileManager.default.createDirectory(
            atPath: home.credentialFile + ".new", withIntermediateDirectories: false)
        #expect(try open().credentialExpiry == expiry)
    }

    @Test("of a sealed identity that has expired refuses a wrong passphrase and takes the right one")
    func sealedExpired() async throws {
        let userID = try home.create(name: "alice", passphrase: Self.right)
        try replaceCredential(notBefore: -60 * Self.day, notAfter: -30 * Self.day)
        await expect(.wrongPassphrase) { try open(.cheap("wrong")) }
        let node = try open(Self.right)
        #expect(node.credentialExpiry > Self.now + 29 * Self.day)
        #expect(node.userID == userID)
    }

    @Test("of a sealed identity is renewed whenever the passphrase is given")
    func sealedRenewal() async throws {
        try home.create(name: "alice", passphrase: Self.right)
        try replaceCredential(notBefore: -Self.day, notAfter: 29 * Self.day)
        await expect(.wrongPassphrase) { try open(.cheap("right ")) }
        #expect(try open(Self.right).credentialExpiry > Self.now + 29 * Self.day)
        // The node keeps the identity's key, to renew again.
        let unlocked = try home.unlock(passphrase: Self.right)
        #expect(unlocked.identity.isAtHand)
        #expect(try !home.unlock(passphrase: nil).identity.isAtHand)
    }

    @Test("of an identity without a passphrase needs none: the identity is not sealed")
    func unsealed() throws {
        try home.create(name: "alice")
        #expect(try !home.isSealed)
    }

    private static let day: Int64 = 24 * 3600 * 1000
    private static let right = Passphrase.cheap("right")
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private func open(_ passphrase: Passphrase? = nil) throws -> Node {
        try Node(home: home, configuration: NodeConfiguration(discovery: .off, logger: .quiet), passphrase: passphrase)
    }

    /// Puts a credential for another time in the place of the home's, of the same name and keys.
    /// - Returns: when it expires.
    @discardableResult
    private func replaceCredential(notBefore: Int64, notAfter: Int64) throws -> Int64 {
        let file = URL(fileURLWithPath: home.credentialFile)
        let old = try Credential(decoding: Array(Data(contentsOf: file)))
        let new = Credential.issue(
            name: old.name, identityKey: try identity(), deviceKey: try deviceKey(), agreementKey: old.agreementKey,
            isPrimary: true, notBefore: Self.now + notBefore, notAfter: Self.now + notAfter)
        try Data(new.encoded()).write(to: file)
        return new.notAfter
    }

    private func deviceKey() throws -> SigningKey {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: home.deviceFile)))
        return try SigningKey(seed: SecretBytes(copying: bytes.suffix(64).prefix(32)))
    }

    private func identity() throws -> SigningKey {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: home.identityFile)))
        guard !PassphraseBox.isBox(bytes) else {
            return try SigningKey(seed: PassphraseBox.open(bytes, passphrase: Self.right.secret))
        }
        return try SigningKey(seed: SecretBytes(copying: bytes.suffix(32)))
    }
}
