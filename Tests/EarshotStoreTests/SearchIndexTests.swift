import EarshotModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import EarshotStore

@Suite("The search index")
struct SearchIndexTests {
    private let ops: ConversationID = identifier(1)
    private let direct: ConversationID = identifier(2)
    private let alice: UserID = identifier(3)
    private let bob: UserID = identifier(4)
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("search.db")
    }

    private func message(
        _ cursor: Int64, _ text: String, in conversationID: ConversationID? = nil, by authorID: UserID? = nil,
        at milliseconds: Int64? = nil
    ) -> SearchedMessage {
        SearchedMessage(
            cursor: cursor, text: text, conversationID: conversationID ?? ops, authorID: authorID ?? alice,
            timestamp: HybridTimestamp(milliseconds: milliseconds ?? cursor))
    }

    private func position(_ cursor: Int64) -> SearchPosition {
        var position = SearchPosition()
        position.cursor = cursor
        position.chain = identifier(9)
        return position
    }

    private func filled(_ messages: [SearchedMessage], shardPlaces: Int64 = 4) throws -> SearchIndex {
        let index = try SearchIndex(path: path, shardPlaces: shardPlaces)
        try index.fill(messages, gone: [], position: position(messages.map(\.cursor).max() ?? 0))
        return index
    }

    private func find(_ words: String, in index: SearchIndex, limit: Int = 10) throws -> [Int64] {
        try index.search(SearchCriteria(SearchPhrase.phrases(in: words)), limit: limit)
    }

    @Test("finds all words, next to each other where they are quoted, and beginnings of words")
    func words() throws {
        let index = try filled([
            message(1, "See you on Friday"), message(2, "you see, it is Friday"), message(3, "deployment of Éclair"),
        ])
        #expect(try find("friday see", in: index) == [2, 1])
        #expect(try find("\"see you\"", in: index) == [1])
        #expect(try find("deploy", in: index) == [])
        #expect(try find("deploy* eclair", in: index) == [3])
        #expect(try find("see-you", in: index) == [1])
    }

    @Test("takes what FTS5 would read as its own language for words")
    func language() throws {
        let index = try filled([message(1, "a NOT b"), message(2, "text OR scope c1"), message(3, "a AND b")])
        #expect(try find("a NOT b", in: index) == [1])
        #expect(try find("text:scope", in: index) == [])
        #expect(try find("scope:c1", in: index) == [2])
        #expect(try find("^a", in: index) == [3, 1])
        #expect(try find("NEAR(a b)", in: index) == [])
        #expect(try find("a\u{0}b c1*", in: index) == [])
        // The column of users and conversations is not searched for words.
        #expect(try find("u1", in: index) == [])
    }

    @Test("finds parts of sentences in scripts without spaces")
    func unspaced() throws {
        let index = try filled([message(1, SearchText.words(of: "明日会議があります")), message(2, "会 議")])
        #expect(try find("会議", in: index) == [2, 1])
        #expect(try find("議会", in: index) == [])
        #expect(try find("明日会議", in: index) == [1])
    }

    @Test("finds what arrived last first, across shards, page by page")
    func order() throws {
        let index = try filled((1...20).map { message($0, $0 % 2 == 0 ? "even word" : "odd word") })
        #expect(try find("even", in: index, limit: 3) == [20, 18, 16])
        let criteria = SearchCriteria(SearchPhrase.phrases(in: "even"))
        #expect(try index.search(criteria, before: 16, limit: 3) == [14, 12, 10])
        #expect(try index.search(criteria, before: 4, limit: 3) == [2])
    }

    @Test("asks who, where and when")
    func filters() throws {
        let index = try filled([
            message(1, "lunch", in: ops, by: alice, at: 5000), message(2, "lunch", in: direct, by: bob, at: 100),
            message(3, "lunch", in: direct, by: alice, at: 6000), message(9, "lunch", in: ops, by: bob, at: 7000),
        ])
        let lunch = SearchPhrase.phrases(in: "lunch")
        func find(_ criteria: SearchCriteria) throws -> [Int64] { try index.search(criteria, limit: 10) }
        #expect(try find(SearchCriteria(lunch, in: direct)) == [3, 2])
        #expect(try find(SearchCriteria(lunch, by: bob)) == [9, 2])
        #expect(try find(SearchCriteria(lunch, in: ops, by: bob)) == [9])
        #expect(try find(SearchCriteria(lunch, in: identifier(8))) == [])
        let (early, late) = (HybridTimestamp(milliseconds: 5000), HybridTimestamp(milliseconds: 7000))
        #expect(try find(SearchCriteria(lunch, since: early)) == [9, 3, 1])
        #expect(try find(SearchCriteria(lunch, since: early, until: late)) == [3, 1])
        #expect(try find(SearchCriteria(lunch, until: early)) == [2])
    }

    @Test("finds what a message shows now, and no more what it showed")
    func change() throws {
        let index = try filled([message(1, "the first text"), message(2, "the other text")])
        try index.fill([message(1, "changed")], gone: [2], position: position(2))
        #expect(try find("first", in: index) == [])
        #expect(try find("other", in: index) == [])
        #expect(try find("changed", in: index) == [1])
    }

    @Test("holds no word of what is gone in its files")
    func erasure() throws {
        let index = try filled(
            (1...12).map { message($0, $0 == 6 ? "the treasure lies deep" : "nothing special \($0)") })
        #expect(try holds("treasure"))
        try index.fill([], gone: [6], position: position(12))
        #expect(try index.eraseGone())
        #expect(try !holds("treasure") && !holds("reasure"))
        #expect(try holds("special"))
        #expect(try !index.eraseGone())
        #expect(try find("special", in: index).count == 10)
    }

    private func holds(_ text: String) throws -> Bool {
        try SearchIndex.files(path).filter { FileManager.default.fileExists(atPath: $0) }.contains {
            try Data(contentsOf: URL(fileURLWithPath: $0)).range(of: Data(text.utf8)) != nil
        }
    }

    @Test("goes on where it was when it is opened again")
    func reopened() throws {
        let index = try filled([message(7, "word")])
        try index.close()
        let again = try SearchIndex(path: path, shardPlaces: 4)
        #expect(again.position == position(7))
        #expect(try find("word", in: again) == [7])
    }

    @Test("begins anew when its file is damaged, or of another version")
    func damaged() throws {
        let index = try filled([message(7, "word")])
        try index.database.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        try index.close()
        #expect(try SearchIndex(path: path, shardPlaces: 4).position == SearchPosition())
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
        let again = try SearchIndex(path: path, shardPlaces: 4)
        #expect(again.position == SearchPosition())
        #expect(try find("word", in: again) == [])
    }
}

@Suite("What a search index is fed with")
struct SearchFeedTests {
    private let store: Store
    private var log = SampleLog()

    init() throws { store = try Store.inMemory() }

    private func write(_ log: SampleLog, from first: UInt64) throws { try store.commit(log.commit(from: first)) }

    private func feed(after position: SearchPosition, limit: Int = 10, bytes: Int = 1000) throws -> SearchFeed {
        try #require(try store.searchFeed(after: position, limit: limit, byteLimit: bytes))
    }

    @Test("is every message once, in steps, in the order of arrival")
    mutating func steps() throws {
        for time in 1...5 { log.append(at: Int64(time)) }
        try write(log, from: 1)
        let first = try feed(after: SearchPosition(), limit: 3)
        #expect(first.rows.map(\.entry.sequence) == [1, 2, 3] && !first.isComplete)
        let second = try feed(after: first.position, limit: 3)
        #expect(second.rows.map(\.entry.sequence) == [4, 5] && second.isComplete)
        let third = try feed(after: second.position)
        #expect(third.rows.isEmpty && third.isComplete && third.position == second.position)
    }

    @Test("stops where a step would hold more bytes than it may, and goes on there")
    mutating func bytes() throws {
        for time in 1...3 { log.append(at: Int64(time), body: [UInt8](repeating: 1, count: 400)) }
        try write(log, from: 1)
        let first = try feed(after: SearchPosition())
        #expect(first.rows.map(\.entry.sequence) == [1, 2] && !first.isComplete)
        #expect(try feed(after: first.position).rows.map(\.entry.sequence) == [3])
        // One at least.
        #expect(try feed(after: SearchPosition(), bytes: 1).rows.map(\.entry.sequence) == [1])
    }

    @Test("is what was erased behind the position, until it is forgotten")
    mutating func erased() throws {
        for time in 1...3 { log.append(at: Int64(time)) }
        try write(log, from: 1)
        let known = try feed(after: SearchPosition()).position
        // Of another device: nothing of it may still have to leave.
        _ = try store.deleteContents(of: [log.messageID(2)], deviceID: identifier(99))
        let news = try feed(after: known)
        #expect(news.rows.isEmpty && news.gone == [2])
        #expect(try feed(after: news.position).gone.isEmpty)
        try store.forgetChanges(through: news.position.change)
        #expect(try feed(after: news.position).gone.isEmpty)
        // A position that knows of nothing sees nothing of it either.
        #expect(try feed(after: SearchPosition()).rows.map(\.entry.sequence) == [1, 3])
    }

    @Test("is refused to a position of another history")
    mutating func otherHistory() throws {
        for time in 1...3 { log.append(at: Int64(time)) }
        try write(log, from: 1)
        var position = try feed(after: SearchPosition()).position
        position.cursor += 1
        #expect(try store.searchFeed(after: position, limit: 10, byteLimit: 1000) == nil)
        position.cursor -= 1
        position.generation += 1
        #expect(try store.searchFeed(after: position, limit: 10, byteLimit: 1000) == nil)
        position.generation -= 1
        position.change += 1
        #expect(try store.searchFeed(after: position, limit: 10, byteLimit: 1000) == nil)
        position.change -= 1
        position.chain = identifier(77)
        #expect(try store.searchFeed(after: position, limit: 10, byteLimit: 1000) == nil)
    }
}
