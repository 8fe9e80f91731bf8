import GRDB

/// One step from the tables of a version to those of the next. A migration that shipped is never edited.
struct Migration: Sendable {
    /// A database lists the identifiers of the migrations that it has had.
    let identifier: String
    let migrate: @Sendable (Database) throws -> Void

    init(_ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void) {
        self.identifier = identifier
        self.migrate = migrate
    }
}

/// The tables, as the migrations make them.
enum Schema {
    static let migrations: [Migration] = [
        .firstTables, .pinnedNames, .deletedContents, .conversations, .journal, .journalTimes, .consumersOfTokens,
        .failures, .marks, .branches, .unread, .relations, .openConversations, .handled, .devices, .missingBodies,
        .logBytes, .privateConversations, .profiles, .carriedReceipts, .changedContents,
        .notifications, .drafts, .files, .fileRules, .namesOfPrograms, .fileOrigins, .claimedNames,
        .formerDevices, .owedCopies, .startsOfFileRules, .decidingDevices, .withheldEntries,
    ]

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.identifier, migrate: migration.migrate)
        }
        return migrator
    }
}
