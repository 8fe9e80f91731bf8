import EarshotModel
import GRDB
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A database from the time when all programs shared their names")
struct NamesOfProgramsMigrationTests {
    @Test("gives each token names of its own; what is set aside goes along, and the owner's stay common as they were")
    func names() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.db")
        let database = try DatabaseQueue(path: path)
        var migrator = DatabaseMigrator()
        for migration in Schema.migrations.prefix(while: { $0.identifier != Migration.namesOfPrograms.identifier }) {
            migrator.registerMigration(migration.identifier, migrate: migration.migrate)
        }
        try migrator.migrate(database)
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO consumer (name, cursor, createdAt, token) VALUES
                        ('bot', 7, 1, NULL), ('mine', 8, 2, 'ci'), ('other', 9, 3, 'ops');
                    INSERT INTO setAside (consumer, cursor, reason, time) VALUES
                        ('bot', 3, 'b', 1), ('mine', 4, 'm', 2), ('mine', 5, '', 3), ('gone', 6, 'g', 4);
                    """)
        }
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO entry (log, sequence, timestamp, expiry, kind, isDeleted, chain, body, key) VALUES
                        (1, 1, 65536 * 5000 + 7, 9, 1, 0, x'00', x'00', x'01'),
                        (1, 2, 65536 * 9000, 9, 1, 0, x'00', x'00', NULL);
                    """)
        }
        try database.close()
        let snapshot = try Store(path: path).snapshot()
        // Only what has a key counts.
        #expect(snapshot.sharedKeysEnd == 5001)
        #expect(try Store(path: folder.file("new.db")).snapshot().sharedKeysEnd == 0)
        let consumers = snapshot.consumers
        #expect(consumers.map(\.name) == ["bot", "ci/mine", "ops/other"])
        #expect(consumers.map(\.plainName) == ["bot", "mine", "other"])
        #expect(consumers.map(\.cursor) == [7, 8, 9])
        #expect(consumers.map(\.isShared) == [true, false, false])
        #expect(consumers.map(\.setAside) == [[3], [4], []] && consumers.map(\.again) == [[], [5], []])
    }
}
