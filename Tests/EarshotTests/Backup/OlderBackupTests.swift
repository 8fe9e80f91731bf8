import EarshotModel
import EarshotProtocol
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Earshot
@testable import EarshotStore

@Suite("A backup of the version before conversations had records")
struct OlderBackupTests {
    private let alice: TestUser
    private let bob: TestUser
    private let folder: TemporaryFolder
    private let passphrase = Passphrase(copying: Array("correct horse battery staple".utf8))

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
        folder = try TemporaryFolder()
    }

    /// Writes what that version would have: its tables, and in them one message to Bob that he has not acknowledged.
    private func writeBackup(to path: String) throws {
        let device = try alice.home.readCredential().deviceID
        let history = folder.file("older.db")
        let database = try DatabaseQueue(path: history)
        var migrator = DatabaseMigrator()
        for migration in Schema.migrations.prefix(3) {
            migrator.registerMigration(migration.identifier, migrate: migration.migrate)
        }
        try migrator.migrate(database)
        try database.write { db in try writeMessage(by: device, db) }
        try database.close()

        let writer = try BackupWriter(path: path, passphrase: passphrase, work: WorkFiles())
        let manifest = BackupManifest(
            createdAt: 1, userID: alice.userID, deviceID: device)
        try writer.append(.manifest, manifest.encoded())
        for part in [BackupPart.identity, .device, .credential] {
            let file = try #require(part.file(of: alice.home))
            try writer.append(part, try PrivateFile.read(file))
        }
        try writer.append(.history, file: history)
        try writer.finish()
    }

    private func writeMessage(by device: DeviceID, _ db: Database) throws {
        let log = LogDescription(conversationID: .direct(alice.userID, bob.userID), deviceID: device, epoch: 7)
        let body = EntryBody(
            timestamp: HybridTimestamp(milliseconds: 5), expiry: .max, content: .text("from before", headers: [:]))
        let chain = ChainHash.origin(of: log.logID).appending(EntryContent.body(body.encoded()).hash)
        try db.execute(
            sql: """
                INSERT INTO log VALUES (1, :log, :conversation, :device, 7, :author, :peer, 1, :chain, :time, :expiry);
                INSERT INTO entry (log, sequence, timestamp, expiry, chain, body)
                    VALUES (1, 1, :time, :expiry, :chain, :body);
                """,
            arguments: [
                "log": log.logID.data, "conversation": log.conversationID.data, "device": device.data,
                "author": alice.userID.data, "peer": bob.userID.data, "chain": chain.data,
                "time": Int64(body.timestamp.rawValue), "expiry": Int64.max, "body": Data(body.encoded()),
            ])
    }

    @Test("is imported with its history, as a new device and as the same", arguments: [RestoredDevice.new, .same])
    func imported(device: RestoredDevice) async throws {
        let path = folder.file("alice.backup")
        try writeBackup(to: path)
        let home = Home(path: folder.file("restored"))
        let summary = try home.restore(from: path, passphrase: passphrase, as: device)
        #expect(summary.entryCount == 1 && summary.undelivered.map(\.recipientID) == [bob.userID])
        let restored = TestUser(restored: home, userID: alice.userID, in: folder)
        try await restored.start()
        let history = try await restored.conversation(with: bob).history()
        #expect(history.map(\.text) == ["from before"])
        let state = device == .new ? DeliveryState.failed(.deviceReplaced) : .queued
        #expect(history.map(\.states) == [[bob.userID: state]])
    }
}
