import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What is given of files")
struct FileGivingTests {
    private let file: FileID
    private let other: FileID
    private let talk: ConversationID
    private let shape: FileShape
    private let link = ConnectionID(1)
    private var giving = FileGiving()

    init() throws {
        (file, other, talk) = (try Self.id(1), try Self.id(2), try Self.id(3))
        shape = try #require(FileShape(byteCount: UInt64(100 * FileShape.chunkBytes)))
    }

    private static func id<ID: Identifier>(_ number: UInt8) throws -> ID {
        try #require(ID(bytes: [UInt8](repeating: number, count: Bytes32.count)))
    }

    private func wanted(_ chunks: Range<Int>, of fileID: FileID? = nil) -> WantedFile {
        WantedFile(fileID: fileID ?? file, shape: shape, conversationID: talk, parts: .chunks(chunks))
    }

    private static func reads(_ actions: [FileGiving.Action]) -> [FileRead] {
        actions.compactMap { if case .task(.read(let read)) = $0 { read } else { nil } }
    }

    @Test("is read a few parts ahead, and the next when one has left")
    mutating func pace() throws {
        let reads = Self.reads(try giving.asked(wanted(0..<16), on: link))
        #expect(reads.map(\.part) == (0..<Limits.chunksAheadPerLink).map { .chunk($0) })
        let chunk = FileChunk(fileID: file, index: 0, content: [7])
        #expect(giving.read(reads[0], [7]) == [.send(.fileChunk(chunk), link), .task(.notifyWritten(link))])
        #expect(Self.reads(giving.written(link)).map(\.part) == [.chunk(Limits.chunksAheadPerLink)])
        #expect(giving.load.ahead == Limits.chunksAheadPerLink)
    }

    @Test("is refused at once where it is not here, with all that was asked of that file, and of no other")
    mutating func absent() throws {
        let reads = Self.reads(try giving.asked(wanted(0..<16), on: link))
        _ = try giving.asked(wanted(16..<32), on: link)
        _ = try giving.asked(wanted(0..<2, of: other), on: link)
        let answer = giving.read(reads[0], nil)
        #expect(answer.first == .send(.fileNews(FileNews(fileID: file, conversationID: talk, state: .absent)), link))
        #expect(Self.reads(answer).map(\.fileID) == [other])
    }

    @Test("is refused with one word, however many parts of it were being read, and none of these leaves after that")
    mutating func refusedOnce() throws {
        let reads = Self.reads(try giving.asked(wanted(0..<16), on: link))
        let refusal = FileGiving.Action.send(
            .fileNews(FileNews(fileID: file, conversationID: talk, state: .absent)), link)
        #expect(reads.count > 2)
        #expect(giving.read(reads[0], nil) == [refusal])
        // Asked again before the rest of the first question has come to its end: that is another question.
        let again = Self.reads(try giving.asked(wanted(0..<1), on: link))
        let late = giving.read(reads[1], [7]) + reads.dropFirst(2).flatMap { giving.read($0, nil) }
        #expect(!late.contains(refusal) && !late.contains(.task(.notifyWritten(link))))
        #expect(again.count == 1)
        for read in again { #expect(giving.read(read, nil) == [refusal]) }
        #expect(giving.isIdle)
    }

    @Test("ends when the peer wants no more of it, and with the link")
    mutating func unwanted() throws {
        let reads = Self.reads(try giving.asked(wanted(0..<16), on: link))
        giving.unwanted(file, on: link)
        for read in reads { _ = giving.read(read, [1]) }
        #expect((0..<reads.count).allSatisfy { _ in Self.reads(giving.written(link)).isEmpty })
        #expect(giving.isIdle)
        _ = try giving.asked(wanted(0..<16), on: link)
        giving.linkEnded(link)
        #expect(giving.isIdle)
    }

    @Test("ends with a link, as what was asked of it does")
    mutating func linkEnds() throws {
        var files = FileTransfers()
        _ = files.begin(other, shape: shape, in: talk)
        files.opened(other, FileInventory())
        let ask = { (files: inout FileTransfers, now: Int64) in
            files.advance(now: now) { _ in [ConnectionID(1)] }
        }
        let asked = ask(&files, 0)
        _ = try files.asked(wanted(0..<16), on: link)
        #expect(asked.count == 1 && ask(&files, 0).isEmpty)
        files.linkEnded(link)
        #expect(!files.isGiving)
        #expect(ask(&files, 0) == asked)
    }

    @Test("is bounded: a peer that asks and takes nothing breaks the protocol")
    mutating func bounded() throws {
        for _ in 0..<Limits.fileQuestionsPerLink { _ = try giving.asked(wanted(0..<16), on: link) }
        #expect(throws: ProtocolError.self) { try giving.asked(wanted(0..<16), on: link) }
    }
}
