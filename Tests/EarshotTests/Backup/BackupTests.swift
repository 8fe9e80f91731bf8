import Foundation
import GRDB
import TestSupport
import Testing

@testable import Earshot
@testable import EarshotStore

@Suite("A backup")
struct BackupTests {
    private let alice: TestUser
    private let bob: TestUser
    private let folder: TemporaryFolder
    private let passphrase = Passphrase.cheap("correct horse battery staple")

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
        folder = try TemporaryFolder()
    }

    private var file: String { folder.file("alice.backup") }

    private func restored(_ device: RestoredDevice = .new, name: String = "restored") throws -> (
        TestUser, BackupSummary
    ) {
        let home = Home(path: folder.file(name))
        let summary = try home.restore(from: file, passphrase: passphrase, as: device)
        return (TestUser(restored: home, userID: alice.userID, in: folder), summary)
    }

    /// Both have met and written to each other; Bob's node has stopped, and one message waits for him.
    private func exchangeAndPart() async throws -> UInt16 {
        try await TestUser.meet(alice, bob)
        for (sender, recipient) in [(alice, bob), (bob, alice)] {
            let message = try await sender.send("delivered", to: recipient)
            try await sender.events.state(.delivered, of: message.messageID)
        }
        try await alice.node.users.decide(.verify, about: bob.userID)
        let port = try await bob.stop()
        _ = try await alice.send("waiting", to: bob)
        return port
    }

    @Test("of a node that runs is restored as a new device: same user, same trust, whole history, no fork")
    func newDevice() async throws {
        let port = try await exchangeAndPart()
        let written = try alice.home.export(to: file, passphrase: passphrase)
        // What alice decided about bob is an entry, too, for devices of hers that come later.
        #expect(written.entryCount == 4 && written.undeliveredCount == 1)
        #expect(written.undelivered.map(\.text) == ["waiting"])
        let oldDevice = alice.node.deviceID

        let (restored, summary) = try restored()
        #expect(summary == written)
        try await restored.start()
        #expect(restored.node.userID == alice.userID)
        #expect(restored.node.deviceID != oldDevice)
        #expect(await restored.node.users.user(bob.userID)?.trust == .verified)
        let history = try await restored.conversation(with: bob).history()
        #expect(history.map(\.text) == ["delivered", "delivered", "waiting"])
        // It is the old device's to deliver, and here nobody pretends that it is on its way.
        #expect(history[2].states == [bob.userID: .failed(.deviceReplaced)])
        #expect(await restored.node.status().undeliveredMessages == 0)
        let audit = try restored.home.audit(with: bob.userID)
        #expect(audit.isSound && audit.logs.allSatisfy { $0.isAuthorProved && $0.isReceiptProved })

        // Old and new run beside each other: what waited comes once, and both can write.
        try await bob.start(port: port)
        try await restored.waitForLink(to: bob)
        let fromNew = try await restored.send("from the new one", to: bob)
        try await restored.events.state(.delivered, of: fromNew.messageID)
        try await alice.waitForLink(to: bob)
        let fromOld = try await alice.send("from the old one", to: bob)
        try await alice.events.state(.delivered, of: fromOld.messageID)
        #expect(fromNew.messageID.log != fromOld.messageID.log)
        let received = try await bob.conversation(with: alice).history().filter { $0.senderID == alice.userID }
        #expect(
            received.map(\.text).sorted() == ["delivered", "from the new one", "from the old one", "waiting"])
        #expect(try bob.home.audit(with: alice.userID).isSound)
    }

    @Test("restored as a new device gets from others what came after the backup")
    func missed() async throws {
        try await TestUser.meet(alice, bob)
        let first = try await bob.send("before", to: alice)
        try await bob.events.state(.delivered, of: first.messageID)
        try alice.home.export(to: file, passphrase: passphrase)
        let second = try await bob.send("after", to: alice)
        try await bob.events.state(.delivered, of: second.messageID)
        try await alice.stop()

        let (restored, _) = try restored()
        try await restored.start(peers: [bob.address])
        try await restored.events.first("what came later") { $0.received?.text == "after" ? true : nil }
        #expect(try await restored.conversation(with: bob).history().map(\.text) == ["before", "after"])
        #expect(try restored.home.audit(with: bob.userID).isSound)
    }

    @Test("restored as a new device is one more device of its user: both list each other, and show the same")
    func oneMoreDevice() async throws {
        let port = try await exchangeAndPart()
        try alice.home.export(to: file, passphrase: passphrase)
        let after = try await alice.send("after the backup", to: bob)
        let (restored, _) = try restored()
        try await restored.start(peers: [alice.address])
        try await bob.start(port: port)
        try await alice.events.state(.delivered, of: after.messageID)
        let fromNew = try await restored.send("from the new one", to: bob)
        try await restored.events.state(.delivered, of: fromNew.messageID)
        let texts = ["after the backup", "delivered", "delivered", "from the new one", "waiting"]
        let mine = Set([alice.node.deviceID, restored.node.deviceID])
        for user in [alice, restored] {
            try await user.events.until("what the other device has sent, and what became of it") { [bob] in
                let history = try await user.conversation(with: bob).history()
                return history.map(\.text).sorted() == texts
                    && history.allSatisfy { $0.states[bob.userID]?.isDelivered ?? true }
            }
            let devices = await user.node.devices.all
            #expect(Set(devices.map(\.deviceID)) == mine && devices.allSatisfy(\.isPrimary))
        }
    }

    @Test(
        "of an owner whose machine is lost decides about their group, once that machine is revoked, and all who are in stay in"
    )
    func ownersGroup() async throws {
        let carol = try TestUser("carol")
        try await carol.start()
        try await TestUser.meet(alice, bob)
        let crew = try await alice.node.conversations.create(
            ConversationDraft(uniqueName: "crew", givesHistory: true, invited: [bob.userID]))
        try await bob.events.until("an invitation") { await !bob.node.conversations.invitations.isEmpty }
        let bobs = try #require(await bob.node.conversations.invitations.first)
        try await bobs.join()
        try await alice.events.until("bob is in") {
            do {
                return try await crew.participants().contains { $0.userID == bob.userID && $0.status == .joined }
            } catch {
                return false
            }
        }
        try alice.home.export(to: file, passphrase: passphrase)
        let lost = alice.node.deviceID
        try await alice.stop()

        let (restored, _) = try restored()
        try await restored.start(peers: [bob.address, carol.address])
        try await restored.waitForLink(to: bob)
        try await restored.waitForLink(to: carol)
        let crewAgain = try await restored.node.conversations.named("#crew")
        await expect(.decidedElsewhere) { try await crewAgain.invite([carol.userID]) }
        #expect(await restored.node.devices.all.map(\.deviceID).contains(lost))
        try await restored.node.devices.revoke(lost)
        try await crewAgain.invite([carol.userID])
        try await crewAgain.update(friendlyName: "The crew")
        try await carol.events.until("an invitation") { await !carol.node.conversations.invitations.isEmpty }
        try await #require(await carol.node.conversations.invitations.first).join()
        try await bob.events.until("carol is in") {
            do {
                return try await bobs.participants().contains { $0.userID == carol.userID && $0.status == .joined }
            } catch {
                return false
            }
        }
        #expect(await bobs.details?.friendlyName == "The crew")
        // Those who are in see that it is another device.
        let changes = try await bob.events.first("that another device decides") { event in
            guard case .conversationUpdated(let update) = event else { return nil as Set<ConversationChange>? }
            return update.changes.contains(.decidingDevice) ? update.changes : nil
        }
        #expect(!changes.contains(.owner) && !changes.contains(.status))
        let message = try await bobs.send("to all")
        for user in [restored, carol] {
            try await bob.events.until("delivered") {
                do {
                    return try await bob.node.messages.message(message.messageID).states[user.userID]?.isDelivered
                        == true
                } catch { return false }
            }
        }
        try await crewAgain.remove(bob.userID)
        try await bob.events.until("bob is out") { await bobs.status == .removed }
        try await crewAgain.close()
    }

    @Test("restored as the same device delivers what waited, once, and writes on in a log of its own")
    func sameDevice() async throws {
        let port = try await exchangeAndPart()
        try alice.home.export(to: file, passphrase: passphrase)
        let oldDevice = alice.node.deviceID
        let oldLog = try #require(try await alice.conversation(with: bob).history().last).messageID.log
        try await alice.stop()

        let (restored, summary) = try restored(.same)
        #expect(summary.undeliveredCount == 1)
        try await restored.start()
        #expect(restored.node.deviceID == oldDevice)
        #expect(await restored.node.status().undeliveredMessages == 1)
        try await bob.start(port: port)
        let next = try await restored.send("next", to: bob)
        try await restored.events.state(.delivered, of: next.messageID)
        #expect(next.messageID.log != oldLog)
        try await restored.events.until("what waited is delivered") {
            await restored.node.status().undeliveredMessages == 0
        }
        let history = try await bob.conversation(with: alice).history()
        #expect(history.map(\.text).sorted() == ["delivered", "delivered", "next", "waiting"])
        #expect(try bob.home.audit(with: alice.userID).isSound)
    }

    @Test("restored as the same device has its messages read in both of its logs when the last one is read")
    func readInBothLogs() async throws {
        try await TestUser.meet(alice, bob)
        let first = try await alice.send("before", to: bob)
        try await alice.events.state(.delivered, of: first.messageID)
        try alice.home.export(to: file, passphrase: passphrase)
        try await alice.stop()

        let (restored, _) = try restored(.same)
        try await restored.start(peers: [bob.address])
        let last = try await restored.send("after", to: bob)
        try await restored.events.state(.delivered, of: last.messageID)
        #expect(last.messageID.log != first.messageID.log)
        try await bob.node.messages.markRead(last.messageID)
        try await restored.events.state(.read, of: last.messageID)
        try await restored.events.state(.read, of: first.messageID)
    }

    @Test(
        "restored gets back from its recipients what was sent after it, as the same device and as a new one of the user"
    )
    func sentAfter() async throws {
        let port = try await exchangeAndPart()
        try alice.home.export(to: file, passphrase: passphrase)
        try await bob.start(port: port)
        try await alice.waitForLink(to: bob)
        let later = try await alice.send("after the backup", to: bob)
        try await alice.events.state(.delivered, of: later.messageID)
        try await alice.stop()
        let texts = ["delivered", "delivered", "waiting", "after the backup"]

        let (same, _) = try restored(.same, name: "same")
        try await same.start(peers: [bob.address])
        let recovery = try await same.events.first("its history is back") { event in
            if case .historyRecovered(let recovery) = event { recovery } else { nil }
        }
        #expect(recovery == HistoryRecovery(userID: bob.userID, count: 1, renamed: []))
        #expect(try await same.conversation(with: bob).history().map(\.text) == texts)
        #expect(try same.home.audit(with: bob.userID).isSound)
        try await same.stop()

        let (new, _) = try restored(.new, name: "new")
        try await new.start(peers: [bob.address])
        try await new.waitForLink(to: bob)
        try await new.events.first("the other device's message is here") { event in
            if case .messageQueued(let message) = event, message.text == "after the backup" { message } else { nil }
        }
        let next = try await new.send("next", to: bob)
        try await new.events.state(.delivered, of: next.messageID)
        let own = try await new.conversation(with: bob).history()
        #expect(own.map(\.text) == texts + ["next"])
        #expect(try new.home.audit(with: bob.userID).isSound)
        #expect(try bob.home.audit(with: alice.userID).isSound)
    }

    @Test("holds what is scheduled, which only the same device sends", arguments: [true, false])
    func scheduled(isSameDevice: Bool) async throws {
        try await TestUser.meet(alice, bob)
        try await alice.node.messages.schedule(
            MessageDraft("later"), to: bob.userID, notBefore: Date(timeIntervalSinceNow: 3600))
        #expect(try alice.home.export(to: file, passphrase: passphrase).scheduledCount == 1)
        let (restored, summary) = try restored(isSameDevice ? .same : .new)
        #expect(summary.scheduledCount == 1)
        try await restored.start()
        #expect(await restored.node.messages.scheduled().count == (isSameDevice ? 1 : 0))
    }

    @Test("gives each home that is restored from it a journal of its own")
    func generations() async throws {
        try await TestUser.meet(alice, bob)
        try await alice.stop()
        try alice.home.export(to: file, passphrase: passphrase)
        func generation(_ home: Home) throws -> Int64 {
            let store = try Store(path: home.databaseFile)
            let generation = try #require(
                try store.read { try Int64.fetchOne($0, sql: "SELECT generation FROM journalGeneration") })
            try store.close()
            return generation
        }
        let homes = [alice.home] + (try ["first", "second"].map { try restored(name: $0).0.home })
        #expect(Set(try homes.map(generation)).count == 3)
    }

    @Test("without any history is restored, too, and keeps the network key")
    func young() throws {
        try alice.home.createNetworkKey()
        try alice.home.export(to: file, passphrase: passphrase)
        let (restored, summary) = try restored()
        #expect(summary.entryCount == 0)
        #expect(try restored.home.networkKey() == alice.home.networkKey())
    }

    @Test("keeps a sealed identity sealed, and asks for its passphrase where that is another")
    func sealed() throws {
        let home = Home(path: folder.file("sealed"))
        let own = Passphrase.cheap("another one")
        try home.create(name: "alice", passphrase: own)
        try home.export(to: file, passphrase: passphrase)
        let target = Home(path: folder.file("target"))
        #expect(code { try target.restore(from: file, passphrase: passphrase) } == .passphraseNeeded)
        #expect(
            code { try target.restore(from: file, passphrase: passphrase, identityPassphrase: passphrase) }
                == .wrongPassphrase)
        try target.restore(from: file, passphrase: passphrase, identityPassphrase: own)
        #expect(try target.isSealed)
    }

    private func code<R>(_ body: () throws -> R) -> EarshotError.Code? {
        do { _ = try body() } catch { return (error as? EarshotError)?.code }
        return nil
    }

    @Test("that is not whole, was changed, is newer or opens with another passphrase leaves nothing behind")
    func damaged() async throws {
        try await TestUser.meet(alice, bob)
        // More than one chunk.
        for _ in 1...3 { _ = try await alice.send(String(repeating: "x", count: 60_000), to: bob) }
        try await alice.stop()
        try alice.home.export(to: file, passphrase: passphrase)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        try #require(whole.count > 150_000)
        let target = Home(path: folder.file("target"))
        func outcome(_ data: Data, _ passphrase: Passphrase? = nil) throws -> EarshotError.Code? {
            try data.write(to: URL(fileURLWithPath: folder.file("changed")))
            let code = code {
                try target.restore(from: folder.file("changed"), passphrase: passphrase ?? self.passphrase)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.sorted() == ["alice.backup", "changed"])
            return code
        }
        #expect(try outcome(whole, .cheap("wrong")) == .wrongPassphrase)
        for count in [0, 10, 63, 80, 1000, 65_640, whole.count - 1] {
            #expect(try outcome(whole.prefix(count)) == .backupDamaged, "\(count) bytes")
        }
        // A whole chunk less.
        #expect(try outcome(whole.prefix(80 + 65_553)) == .backupDamaged)
        for index in [90, 70_000, whole.count - 1] {
            var changed = whole
            changed[index] ^= 1
            #expect(try outcome(changed) == .backupDamaged, "byte \(index)")
        }
        #expect(try outcome(whole + [0]) == .backupDamaged)
        #expect(try outcome(Data("something else altogether".utf8)) == .backupDamaged)
        var newer = whole
        newer[14] = 9
        #expect(try outcome(newer) == .backupNewer)
    }

    @Test("is written over no file, and restored into no home that holds something")
    func nothingIsOverwritten() throws {
        try alice.home.export(to: file, passphrase: passphrase)
        #expect(code { try alice.home.export(to: file, passphrase: passphrase) } == .fileExists)
        #expect(code { try bob.home.restore(from: file, passphrase: passphrase) } == .alreadyInitialized)
        let empty = folder.file("empty")
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        // As a shell completes it.
        try Home(path: empty + "/").restore(from: file, passphrase: passphrase)
        let mode = try FileManager.default.attributesOfItem(atPath: empty)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o700)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber == 0o600)
    }

    @Test("holds nothing that can be read without the passphrase")
    func sealedContents() async throws {
        try await TestUser.meet(alice, bob)
        _ = try await alice.send("the treasure lies under the old oak", to: bob)
        try await alice.stop()
        try alice.home.export(to: file, passphrase: passphrase)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        for text in ["treasure", "alice", "earshot identity", "SQLite format"] {
            #expect(whole.range(of: Data(text.utf8)) == nil)
        }
        // Nor does its making leave a copy of the history in the home.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: alice.home.path).allSatisfy { !$0.hasPrefix("backup") })
    }
}
