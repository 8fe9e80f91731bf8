import Earshot
import EarshotModel
import EarshotProtocol
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("An audit")
struct AuditTests {
    private let alice: TestUser
    private let bob: TestUser
    private static let count: UInt64 = 5

    init() throws {
        alice = try TestUser("alice")
        bob = try TestUser("bob")
    }

    /// Each writes five messages, every one a group of its own, and both nodes stop.
    private func exchange() async throws {
        try await TestUser.meet(alice, bob)
        for number in 1...Self.count {
            for (sender, recipient) in [(alice, bob), (bob, alice)] {
                let message = try await sender.send("message \(number)", to: recipient)
                try await sender.events.state(.delivered, of: message.messageID)
            }
        }
        try await alice.stop()
        try await bob.stop()
    }

    private func change(_ body: (Database) throws -> Void) throws {
        let database = try DatabaseQueue(path: alice.home.path + "/history.db", configuration: .patient)
        try database.write(body)
        try database.close()
    }

    /// What does not hold, as `kind` or `kind sequence`, of the log that a user has written.
    private func mismatches(in author: TestUser) throws -> [String] {
        let audit = try alice.home.audit(with: bob.userID)
        #expect(audit.isSound == audit.logs.allSatisfy { $0.mismatches.isEmpty })
        let log = try #require(audit.logs.first { $0.log.authorID == author.userID })
        return log.mismatches.map { mismatch in
            mismatch.name + (mismatch.sequence.map { " \($0)" } ?? "")
        }
    }

    private static func number(of author: TestUser, _ db: Database) throws -> Int64 {
        try #require(
            try Int64.fetchOne(db, sql: "SELECT number FROM log WHERE authorID = ?", arguments: [author.userID.data]))
    }

    @Test("of an honest history proves all of it, also while the node runs")
    func honest() async throws {
        try await exchange()
        try await alice.start()
        for audit in [
            try alice.home.audit(with: bob.userID), try await alice.conversation(with: bob).audit(),
        ] {
            #expect(audit.isSound)
            #expect(Set(audit.logs.map(\.log.authorID)) == [alice.userID, bob.userID])
            for log in audit.logs {
                #expect(log.entryCount == Self.count)
                #expect(log.isAuthorProved)
                #expect(log.provedSequence == Self.count)
                #expect(log.receiptSequence == Self.count)
                #expect(log.isReceiptProved)
                #expect(log.withheldCount == 0 && log.deletedCount == 0)
            }
        }
        try await alice.stop()
    }

    @Test("says how far the recipient's receipt goes")
    func receipt() async throws {
        try await exchange()
        try await alice.start()
        _ = try await alice.send("waiting", to: bob)
        try await alice.stop()
        let audit = try alice.home.audit(with: bob.userID)
        let own = try #require(audit.logs.first { $0.log.authorID == alice.userID })
        #expect(audit.isSound)
        #expect(own.provedSequence == Self.count + 1)
        #expect(own.receiptSequence == Self.count)
    }

    @Test("of somebody never written to finds nothing")
    func empty() async throws {
        try await alice.start()
        try await alice.stop()
        #expect(try alice.home.audit(with: bob.userID).logs.isEmpty)
    }

    @Test("names the entry whose text was changed, whoever wrote it", arguments: [true, false])
    func text(isOwn: Bool) async throws {
        try await exchange()
        let author = isOwn ? alice : bob
        try change { db in
            let log = try Self.number(of: author, db)
            let body = try #require(
                try Data.fetchOne(db, sql: "SELECT body FROM entry WHERE log = ? AND sequence = 2", arguments: [log]))
            let text = String(decoding: body, as: Unicode.ASCII.self)
            #expect(text.contains("message 2"))
            let forged = Data(Array(body).map { $0 == UInt8(ascii: "2") ? UInt8(ascii: "9") : $0 })
            try db.execute(
                sql: "UPDATE entry SET body = ? WHERE log = ? AND sequence = 2", arguments: [forged, log])
        }
        #expect(try mismatches(in: author).contains("chain 2"))
        #expect(try mismatches(in: author).allSatisfy { $0.hasSuffix(" 2") })
        #expect(try mismatches(in: isOwn ? bob : alice).isEmpty)
    }

    @Test("names the place of an entry that was removed")
    func removed() async throws {
        try await exchange()
        try change { db in
            let log = try Self.number(of: bob, db)
            try db.execute(sql: "DELETE FROM entry WHERE log = ? AND sequence = 3", arguments: [log])
        }
        #expect(try mismatches(in: bob) == ["missing 3"])
    }

    @Test("notices entries that were removed from the end, by the receipt that the other side has signed")
    func tail() async throws {
        try await exchange()
        try change { db in
            let log = try Self.number(of: alice, db)
            try db.execute(sql: "DELETE FROM entry WHERE log = ? AND sequence > 3", arguments: [log])
            try db.execute(
                sql: """
                    UPDATE log SET headSequence = 3,
                        headChain = (SELECT chain FROM entry WHERE log = number AND sequence = 3),
                        headTimestamp = (SELECT timestamp FROM entry WHERE log = number AND sequence = 3)
                    WHERE number = ?
                    """, arguments: [log])
        }
        #expect(try mismatches(in: alice) == ["receiptBeyondHead 5"])
    }

    @Test("names entries that have changed places")
    func swapped() async throws {
        try await exchange()
        try change { db in
            let log = try Self.number(of: bob, db)
            for (old, new) in [(2, 100), (3, 2), (100, 3)] {
                try db.execute(
                    sql: "UPDATE entry SET sequence = ? WHERE log = ? AND sequence = ?", arguments: [new, log, old])
            }
        }
        let found = try mismatches(in: bob)
        #expect(Set(["chain 2", "chain 3", "chain 4", "checkpoint 2", "checkpoint 3"]).isSubset(of: found))
        #expect(!found.contains { $0.hasSuffix(" 1") || $0.hasSuffix(" 5") })
    }

    @Test("names signatures that stand in another's place")
    func signatures() async throws {
        try await exchange()
        try change { db in
            let log = try Self.number(of: bob, db)
            let signatures = try Data.fetchAll(
                db, sql: "SELECT checkpoint FROM entry WHERE log = ? AND sequence IN (2, 3) ORDER BY sequence",
                arguments: [log])
            for (sequence, signature) in zip([3, 2], signatures) {
                try db.execute(
                    sql: "UPDATE entry SET checkpoint = ? WHERE log = ? AND sequence = ?",
                    arguments: [signature, log, sequence])
            }
        }
        #expect(try mismatches(in: bob) == ["checkpoint 2", "checkpoint 3"])
    }

    @Test("finds out a forger who has worked out the whole chain anew, and has no key", arguments: [true, false])
    func forger(isOwn: Bool) async throws {
        try await exchange()
        let author = isOwn ? alice : bob
        try change { db in try Self.forge(author, db) }
        let found = try mismatches(in: author)
        #expect(found == ["checkpoint 2", "checkpoint 3", "checkpoint 4", "checkpoint 5", "receiptChain 5"])
        let audit = try alice.home.audit(with: bob.userID)
        let log = try #require(audit.logs.first { $0.log.authorID == author.userID })
        #expect(log.provedSequence == 1)
        #expect(!log.isReceiptProved)
    }

    /// Gives entry 2 another text, and makes everything fit that needs no key.
    private static func forge(_ author: TestUser, _ db: Database) throws {
        let log = try number(of: author, db)
        let id: Data = try #require(
            try Data.fetchOne(db, sql: "SELECT logID FROM log WHERE number = ?", arguments: [log]))
        var chain = ChainHash.origin(of: try #require(LogID(bytes: id)))
        for sequence in 1...Int64(count) {
            let row = try #require(
                try Row.fetchOne(
                    db, sql: "SELECT body FROM entry WHERE log = ? AND sequence = ?", arguments: [log, sequence]))
            var body = Array(row[0] as Data)
            if sequence == 2 {
                let old = try EntryBody(decoding: body)
                body = EntryBody(
                    timestamp: old.timestamp, expiry: old.expiry, content: .text("I owe you 1000", headers: [:])
                ).encoded()
            }
            chain = chain.appending(EntryContent.body(body).hash)
            try db.execute(
                sql: "UPDATE entry SET body = ?, chain = ? WHERE log = ? AND sequence = ?",
                arguments: [Data(body), chain.data, log, sequence])
        }
        try db.execute(sql: "UPDATE log SET headChain = ? WHERE number = ?", arguments: [chain.data, log])
    }

    @Test("finds out a credential of somebody else, and one that is changed", arguments: [true, false])
    func credential(isOfAnother: Bool) async throws {
        try await exchange()
        let carol = try TestUser("carol")
        let file = isOfAnother ? carol.home.path : bob.home.path
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file + "/credential"))
        if !isOfAnother { bytes[bytes.count - 1] ^= 1 }
        try change { try $0.execute(sql: "UPDATE device SET credential = ?", arguments: [bytes]) }
        #expect(try mismatches(in: bob) == ["credential"])
        // Bob's device has signed for Alice's log.
        #expect(try mismatches(in: alice) == ["receiptCredential 5"])
    }

    @Test("names times that are not the author's, and entries behind the end")
    func rows() async throws {
        try await exchange()
        try change { db in
            let log = try Self.number(of: bob, db)
            try db.execute(
                sql: "UPDATE entry SET expiry = expiry + 1 WHERE log = ? AND sequence = 4", arguments: [log])
            try db.execute(
                sql: """
                    INSERT INTO entry (log, sequence, timestamp, expiry, kind, chain, body, isDeleted)
                    SELECT log, 6, timestamp + 1, expiry, kind, chain, body, isDeleted FROM entry WHERE log = ? AND sequence = 5
                    """, arguments: [log])
        }
        #expect(try mismatches(in: bob) == ["time 4", "beyondHead 6"])
    }
}

extension Identifier {
    fileprivate var data: Data { Data(bytes) }
}
