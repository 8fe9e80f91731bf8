import Foundation
import GRDB
import TestSupport
import Testing

@Suite("earshot audit and erase", .keepsWhatItStarts)
struct AuditCommandTests {
    @Test("prove a history, and name what somebody has changed in it")
    func audit() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "I owe you 10", "--wait", "delivered").status == 0)
        let sound = try await pair.bob.run("audit", "alice")
        #expect(sound.status == 0)
        #expect(sound.lines.contains("  proved    that device wrote entry 1, and none is missing"))
        #expect(sound.lines.contains("  proved    you signed for entry 1"))
        #expect(sound.lines.last == "everything that was checked holds")

        let database = try DatabaseQueue(path: pair.bob.path + "/history.db", configuration: .patient)
        try await database.write { db in
            let body = try #require(try Data.fetchOne(db, sql: "SELECT body FROM entry"))
            let forged = Data(body.map { $0 == UInt8(ascii: "1") ? UInt8(ascii: "9") : $0 })
            try db.execute(sql: "UPDATE entry SET body = ?", arguments: [forged])
        }
        let found = try await pair.bob.run("audit", "alice")
        #expect(found.status == 13)
        #expect(found.output.contains("  WRONG     entry 1: the content was changed, or stands in another place"))
        let object = try #require(try await pair.bob.run("audit", "alice", "--json").objects().first)
        #expect(object["isSound"] as? Bool == false)
    }

    @Test("delete only here, keep the place, and count what was deleted")
    func delete() async throws {
        let pair = try await Pair.met()
        for text in ["one", "two", "three"] {
            #expect(try await pair.alice.run("send", "bob", text, "--wait", "delivered").status == 0)
        }
        let ids = try await pair.bob.run("history", "alice", "--json").objects().compactMap { $0["id"] as? String }
        let deleted = try await pair.bob.run("erase", ids[0], ids[1], "--yes")
        #expect(deleted.lines == ["erased here: the contents of 2 messages"])
        let lines = try await pair.bob.run("history", "alice").lines
        #expect(lines.map { $0.split(separator: " ").last.map(String.init) } == ["(deleted)", "(deleted)", "three"])
        let audit = try await pair.bob.run("audit", "alice")
        #expect(audit.status == 0)
        #expect(audit.output.contains("2 contents deleted: only the hash is left"))
        #expect(try await pair.alice.run("history", "bob").output.contains("one"))

        #expect(
            try await pair.bob.run("erase", "--conversation", "alice", "--yes").lines
                == ["erased here: the contents of 1 message with alice; alice keeps what they have"])
        #expect(
            try await pair.bob.run("history", "alice", "--json").objects().allSatisfy {
                $0["isDeleted"] as? Bool == true
            })
    }

    @Test("say so if a reader keeps deleted contents in the files")
    func reader() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "secret", "--wait", "delivered").status == 0)
        let history = try await pair.bob.run("history", "alice", "--json").objects()
        let id = try #require(history.first?["id"] as? String)
        var configuration = Configuration.patient
        configuration.allowsUnsafeTransactions = true
        let database = try DatabaseQueue(path: pair.bob.path + "/history.db", configuration: configuration)
        try await database.writeWithoutTransaction { db in
            try db.beginTransaction(.deferred)
            _ = try Row.fetchAll(db, sql: "SELECT * FROM entry")
        }
        let deleted = try await pair.bob.run("erase", id, "--yes")
        #expect(deleted.status == 0)
        #expect(deleted.errors.contains("the contents are still in its files"))
        try await database.writeWithoutTransaction { try $0.rollback() }
        #expect(try await pair.bob.run("delete", id, "--yes").errors == "")
    }

    @Test("keep undelivered messages, and say what to do")
    func undelivered() async throws {
        let pair = try await Pair.met()
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        #expect(try await pair.alice.run("send", "bob", "waiting").status == 0)
        let id = try #require(try await pair.alice.run("history", "bob", "--json").objects().first?["id"] as? String)
        let refused = try await pair.alice.run("erase", id, "--yes")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("try: take it back first: earshot cancel \(id)"))
        let kept = try await pair.alice.run("erase", "--conversation", "bob", "--yes")
        #expect(kept.status == 1)
        #expect(kept.errors.contains("1 message is not delivered to bob yet, and kept"))
        #expect(try await pair.alice.run("erase").status == 64)
    }

    @Test("delete several messages or none of them")
    func allOrNone() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "delivered", "--wait", "delivered").status == 0)
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        #expect(try await pair.alice.run("send", "bob", "waiting").status == 0)
        let ids = try await pair.alice.run("history", "bob", "--json").objects().compactMap { $0["id"] as? String }
        let refused = try await pair.alice.run(["erase", "--yes"] + ids)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the message \(ids[1]) is not delivered yet"))
        #expect(try await pair.alice.run("history", "bob").output.contains("delivered"))
        #expect(try await pair.alice.run("cancel", ids[1]).status == 0)
        let deleted = try await pair.alice.run(["erase", "--yes", "--json"] + ids).objects()
        #expect(deleted.compactMap { $0["id"] as? String } == ids)
        #expect(deleted.allSatisfy { $0["isDeleted"] as? Bool == true })
    }

    @Test("delete nothing without --yes if nobody can be asked", arguments: [true, false])
    func unasked(isOne: Bool) async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        let id = try #require(try await pair.alice.run("history", "bob", "--json").objects().first?["id"] as? String)
        let refused = try await pair.alice.run(["erase"] + (isOne ? [id] : ["--conversation", "bob"]))
        #expect(refused.status == 1)
        #expect(refused.errors.contains("there is no terminal to ask on, and nothing was erased\n  try: "))
        #expect(refused.errors.contains("--yes"))
        #expect(try await pair.alice.run("history", "bob").output.contains("hello"))
    }

    @Test("ask at a terminal, and delete nothing without a yes")
    func question() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        let asked = try Terminal.run(["erase", "--conversation", "bob", "--home", pair.alice.path])
        try await asked.expect("They cannot be brought back")
        asked.write(Data("n\n".utf8))
        #expect(try await asked.end().status == 1)
        #expect(try await pair.alice.run("history", "bob").output.contains("hello"))
    }
}
