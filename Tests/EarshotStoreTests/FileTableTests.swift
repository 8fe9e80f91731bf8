import EarshotModel
import GRDB
import Testing

@testable import EarshotStore

@Suite("The table of files")
struct FileTableTests {
    private let store: Store
    private let alice: UserID = identifier(3)
    private let bob: UserID = identifier(4)
    private let small: FileID = identifier(20)
    private let large: FileID = identifier(21)

    init() throws { store = try Store.inMemory() }

    /// Commits one message of Alice's that brings files along.
    private func commit(
        _ files: [(FileID, UInt64)], in conversation: UInt8 = 1, device: UInt8 = 2, author: UInt8 = 3
    ) throws -> SampleLog {
        var log = SampleLog(conversation: conversation, device: device, author: author)
        log.append(at: 1)
        var commit = log.commit(from: 1)
        commit.entries[0].entries[0].attachments = try files.map {
            try Attachment(fileID: $0.0, name: "a", byteCount: $0.1)
        }
        try store.commit(commit)
        return log
    }

    private func toFetch(unaskedUpTo largest: UInt64 = 100, by userID: UserID? = nil) throws -> [FileID] {
        try store.filesToFetch(unaskedUpTo: largest, by: userID ?? bob, after: nil, limit: 10).map(\.file.fileID)
    }

    @Test("knows the messages that bring a file along, and so the conversations where it may be given")
    func messages() throws {
        let log = try commit([(small, 10), (large, 1000)])
        let found = try store.messages(with: large)
        let attachment = try Attachment(fileID: large, name: "a", byteCount: 1000)
        #expect(found == [AttachedFile(attachment, in: log.conversationID, by: alice, log.messageID(1), arrival: 1)])
        #expect(try store.isAttached(small, in: log.conversationID))
        #expect(try !store.isAttached(small, in: identifier(9)))
        #expect(try !store.isAttached(identifier(22), in: log.conversationID))
    }

    @Test("owes a copy once, and only to a folder that a rule names by then")
    func owedCopies() throws {
        _ = try commit([(small, 10)])
        let attachment = try Attachment(fileID: small, name: "a", byteCount: 10)
        try store.note(FileRules([FileRule(.fetch(folder: "/here")), FileRule(.fetch(folder: "/gone"))]))
        try store.note(FileRules([FileRule(.fetch(folder: "/here"))]))
        for folder in ["/here", "/here", "/gone"] {
            #expect(try store.owe(OwedCopy(attachment, in: folder, since: 1), limit: 1))
        }
        #expect(try store.read { try String.fetchAll($0, sql: "SELECT folder FROM owedCopy") } == ["/here"])
        try store.note(FileRules([FileRule(.fetch(folder: "/here")), FileRule(.fetch(folder: "/full"))]))
        #expect(try !store.owe(OwedCopy(attachment, in: "/full", since: 2), limit: 1))
    }

    /// How a file got into a conversation, seen from Bob's node, and whether that conversation's participants may be given it.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let origin: FileOrigin
        /// Who names it in the conversation that is asked about: 3 is Alice, 4 Bob.
        var authors: [UInt8] = [3]
        let isGiven: Bool

        private static let (here, elsewhere): (ConversationID, ConversationID) = (identifier(1), identifier(9))

        static let all: [Way] = [
            Way(testDescription: "it came by it", origin: .conversation(here), isGiven: true),
            Way(
                testDescription: "it came by another, and one names it", origin: .conversation(elsewhere),
                isGiven: false),
            Way(
                testDescription: "it came by another, and two who may know each other name it",
                origin: .conversation(elsewhere), authors: [3, 5], isGiven: false),
            Way(testDescription: "parts of it came by another", origin: .several, isGiven: false),
            Way(
                testDescription: "the user has it from this machine, and another names it", origin: .nowhere,
                isGiven: false),
            Way(
                testDescription: "it came by another, and the user has sent it on", origin: .conversation(elsewhere),
                authors: [3, 4], isGiven: true),
            Way(testDescription: "the user has sent it", origin: .nowhere, authors: [4], isGiven: true),
            Way(
                testDescription: "it came by it, and nothing names it any more", origin: .conversation(here),
                authors: [], isGiven: false),
        ]
    }

    @Test(
        "gives a file only in a conversation by which it came, or into which the user has sent it", arguments: Way.all)
    func given(_ way: Way) throws {
        for author in way.authors { _ = try commit([(small, 10)], device: 10 + author, author: author) }
        try store.note(way.origin, of: small)
        #expect(try store.origin(of: small) == way.origin)
        #expect(try store.mayGive(small, in: identifier(1), by: bob) == way.isGiven)
        #expect(try !store.mayGive(large, in: identifier(1), by: bob))
        #expect(try !store.mayGive(small, in: identifier(9), by: bob))
        let named: Set<ConversationID> = way.authors.isEmpty ? [] : [identifier(1)]
        #expect(try store.audience(of: small, by: bob) == FileAudience(given: way.isGiven ? named : [], named: named))
    }

    @Test("takes a file that several conversations gave parts of for one of none of them")
    func origins() {
        let (one, other): (ConversationID, ConversationID) = (identifier(1), identifier(2))
        #expect(FileOrigin.nowhere.adding(one) == .conversation(one))
        #expect(FileOrigin.conversation(one).adding(one) == .conversation(one))
        #expect(FileOrigin.conversation(one).adding(other) == .several)
        #expect(FileOrigin.several.adding(one) == .several)
    }

    @Test("takes files of the version before for such as came by the conversation of their first message")
    func migration() throws {
        _ = try commit([(small, 10)], in: 8)
        _ = try commit([(small, 10), (large, 1000)], in: 7)
        try store.database.write { db in
            try db.execute(sql: "DROP TABLE fileOrigin; ALTER TABLE file DROP COLUMN token")
            try Migration.fileOrigins.migrate(db)
        }
        #expect(try store.origin(of: small) == .conversation(identifier(8)))
        #expect(try store.origin(of: large) == .conversation(identifier(7)))
    }

    @Test("is read from the attachments on: a long history without any is not looked through")
    func cost() throws {
        for query in [Store.unfetched, "\(Store.attached) ORDER BY entry.cursor DESC LIMIT 1"] {
            let plan = try store.database.read { db in
                let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(query)")
                let arguments = StatementArguments(repeatElement(0, count: query.count { $0 == "?" }))
                return try Row.fetchAll(statement, arguments: arguments).map { $0["detail"] as String }
            }
            #expect(plan.first?.hasPrefix("SCAN attachment") == true)
            #expect(plan.contains { $0.hasPrefix("SEARCH entry USING INDEX entryOfLog (log=? AND sequence=?") })
        }
    }

    @Test("names small files and the user's own as to be fetched, until something was decided about them")
    func undecided() throws {
        _ = try commit([(small, 10), (large, 1000)])
        #expect(try toFetch() == [small])
        #expect(try toFetch(unaskedUpTo: 0) == [])
        #expect(try toFetch(unaskedUpTo: 0, by: alice) == [small, large])
        try store.note(FileRecord(small, byteCount: 10, .held, changedAt: 1))
        try store.note(FileRecord(large, byteCount: 1000, .wanted, changedAt: 1))
        #expect(try toFetch() == [large])
        for state in [FileRecord.State.declined, .failed(reason: "the disk is full")] {
            try store.note(FileRecord(large, byteCount: 1000, state, changedAt: 2))
            #expect(try toFetch().isEmpty)
            #expect(try store.file(large)?.state == state)
        }
        try store.forget(small)
        #expect(try toFetch() == [small])
    }

    @Test("goes on behind a file, so that those which wait keep none from being looked at")
    func pages() throws {
        _ = try commit([(small, 10), (large, 20), (identifier(22), 30)])
        var found: [FileID] = []
        var place: FilePlace?
        repeat {
            let page = try store.filesToFetch(unaskedUpTo: 100, by: bob, after: place, limit: 1)
            found += page.map(\.file.fileID)
            place = page.last?.place
        } while place != nil && found.count < 10
        #expect(found == [small, large, identifier(22)])
    }

    @Test("knows how much room the files take that are here")
    func room() throws {
        _ = try commit([(small, 10), (large, 1000)])
        #expect(try store.heldFileBytes() == (0, 0))
        try store.note(FileRecord(small, byteCount: 10, .held, changedAt: 1))
        try store.note(FileRecord(large, byteCount: 1000, .declined, changedAt: 1))
        #expect(try store.heldFileBytes() == (1, 10))
        let listed = try store.attachedFiles(limit: 1)
        #expect(listed.map(\.file.fileID) == [small] && listed.first?.record?.state == .held)
    }

    @Test("keeps the rules for files, in their order, and the quota")
    func rules() throws {
        #expect(try store.fileRules().rules == FileRules())
        let rules = FileRules(
            [
                FileRule(.fetch(folder: "/home/bob/Pictures"), sender: alice, mediaType: "image/*", largest: 5),
                FileRule(.fetch(folder: nil)), FileRule(.ask), FileRule(.refuse, sender: bob),
            ], quotaBytes: 20_000_000_000)
        try store.note(rules)
        #expect(try store.fileRules().rules == rules)
        try store.note(FileRules([FileRule(.ask)]))
        #expect(try store.fileRules().rules == FileRules([FileRule(.ask)]))
    }

    @Test("sets new rules for files that come later, and leaves those that were there before as they were")
    func starts() throws {
        _ = try commit([(small, 10)])
        let (old, new, late) = (FileRule(.ask), FileRule(.refuse), FileRule(.fetch(folder: nil)))
        func decision() throws -> FileRule.Decision {
            let file = try #require(try store.messages(with: small).first)
            return try store.fileRules().decision(on: file, isStranger: true, smallBytes: 0)
        }
        try store.note(FileRules([old]), areForWaiting: true)
        try store.note(FileRules([new, old]))
        #expect(try decision() == .ask)
        try store.note(FileRules([new, old, late]), areForWaiting: true)
        #expect(try decision() == .ask)
        try store.note(FileRules([old]))
        try store.note(FileRules([new]), areForWaiting: true)
        #expect(try decision() == .refuse)
    }

    @Test("forgets a file with the content of the last message that brings it along")
    func erased() throws {
        let log = try commit([(small, 10)])
        try store.note(FileRecord(small, byteCount: 10, .held, changedAt: 1))
        #expect(try store.unnamedFiles(before: 2).isEmpty && store.heldFiles() == [small])
        _ = try store.deleteContents(of: [log.messageID(1)], deviceID: identifier(99))
        #expect(try store.messages(with: small).isEmpty && !store.isAttached(small, in: log.conversationID))
        #expect(try store.unnamedFiles(before: 2) == [small])
        #expect(try store.unnamedFiles(before: 1).isEmpty)
    }
}
