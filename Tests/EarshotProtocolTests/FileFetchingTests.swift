import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What is fetched of files")
struct FileFetchingTests {
    private let file: FileID
    private let talk: ConversationID
    private let shape: FileShape
    private let alice = ConnectionID(1)
    private let bob = ConnectionID(2)
    private var fetching = FileFetching()

    init() throws {
        (file, talk) = (try Self.id(1), try Self.id(2))
        shape = try #require(FileShape(byteCount: UInt64(100 * FileShape.chunkBytes)))
    }

    private static func id<ID: Identifier>(_ number: UInt8) throws -> ID {
        try #require(ID(bytes: [UInt8](repeating: number, count: Bytes32.count)))
    }

    /// What each link is asked for.
    private mutating func asked(
        of links: [ConnectionID], at now: Int64 = 0
    ) -> [(ConnectionID, WantedFile.Parts)] {
        fetching.advance(now: now) { _ in links }.compactMap { action in
            guard case .send(.wantedFile(let wanted), let link) = action else { return nil }
            return (link, wanted.parts)
        }
    }

    private mutating func begin(_ inventory: FileInventory = FileInventory(hasLists: true, lists: [0])) {
        _ = fetching.begin(file, shape: shape, in: talk)
        fetching.opened(file, inventory)
    }

    private mutating func come(_ part: FilePart, on link: ConnectionID, _ result: FileWriteResult = .kept) {
        _ = fetching.received(part, of: file, [1], on: link, now: 0)
        _ = fetching.written(part, of: file, from: link, result)
    }

    private static func chunks(_ parts: [(ConnectionID, WantedFile.Parts)], of link: ConnectionID) -> [Int] {
        parts.flatMap { asked, parts -> [Int] in
            guard asked == link, case .chunks(let range) = parts else { return [] }
            return Array(range)
        }
    }

    @Test("is asked for when the disk has said what is here, hashes before what they prove")
    mutating func order() {
        #expect(fetching.begin(file, shape: shape, in: talk) == [.task(.open(file, shape))])
        #expect(asked(of: [alice]).isEmpty)
        fetching.opened(file, FileInventory())
        #expect(asked(of: [alice, bob]).map(\.1) == [.lists])
        come(.lists, on: alice)
        #expect(asked(of: [alice]).map(\.1) == [.hashes(ofLists: 0..<1)])
        come(.hashes(ofList: 0), on: alice)
        #expect(Self.chunks(asked(of: [alice]), of: alice) == Array(0..<16))
    }

    @Test("is asked of each link up to a limit, and never of two at once")
    mutating func shared() {
        begin()
        let parts = asked(of: [alice, bob])
        #expect(Self.chunks(parts, of: alice) == Array(0..<16))
        #expect(Self.chunks(parts, of: bob) == Array(16..<32))
        #expect(fetching.load.chunks == Limits.askedChunksPerLink)
        #expect(asked(of: [alice, bob]).isEmpty)
    }

    @Test("does not wait for a larger file of the same peer that began before it")
    mutating func smallFirst() throws {
        begin()
        _ = asked(of: [alice])
        let alice = alice
        let (small, one) = (try Self.id(3) as FileID, try #require(FileShape(byteCount: 7)))
        _ = fetching.begin(small, shape: one, in: talk)
        fetching.opened(small, FileInventory())
        func wanted(_ fetching: inout FileFetching) -> [FileID: [WantedFile.Parts]] {
            fetching.advance(now: 0) { _ in [alice] }.reduce(into: [:]) { parts, action in
                guard case .send(.wantedFile(let wanted), _) = action else { return }
                parts[wanted.fileID, default: []].append(wanted.parts)
            }
        }
        func come(_ part: FilePart, _ fetching: inout FileFetching) {
            _ = fetching.received(part, of: small, [1], on: alice, now: 0)
            _ = fetching.written(part, of: small, from: alice, .kept)
        }
        #expect(wanted(&fetching) == [small: [.lists]], "hashes need no room")
        come(.lists, &fetching)
        #expect(wanted(&fetching) == [small: [.hashes(ofLists: 0..<1)]])
        come(.hashes(ofList: 0), &fetching)
        #expect(wanted(&fetching).isEmpty, "there is no room for a chunk")
        self.come(.chunk(0), on: alice)
        #expect(wanted(&fetching) == [small: [.chunks(0..<1)]])
    }

    @Test("leaves out what is here already")
    mutating func resumed() {
        begin(FileInventory(hasLists: true, lists: [0], chunks: SequenceSet(3...97)))
        #expect(Self.chunks(asked(of: [alice]), of: alice) == [0, 1, 2, 98, 99])
    }

    @Test("counts in the limit until it is on the disk, so a slow disk holds the peer up")
    mutating func slowDisk() {
        begin()
        _ = asked(of: [alice])
        for chunk in 0..<8 { _ = fetching.received(.chunk(chunk), of: file, [1], on: alice, now: 0) }
        #expect(asked(of: [alice]).isEmpty)
        for chunk in 0..<8 { _ = fetching.written(.chunk(chunk), of: file, from: alice, .kept) }
        #expect(Self.chunks(asked(of: [alice]), of: alice) == Array(16..<24))
    }

    @Test("is not asked for anew while the disk takes it, hashes as little as chunks")
    mutating func onItsWayToTheDisk() {
        begin(FileInventory())
        #expect(asked(of: [alice, bob]).map(\.1) == [.lists])
        _ = fetching.received(.lists, of: file, [1], on: alice, now: 0)
        #expect(asked(of: [alice, bob]).isEmpty)
        _ = fetching.written(.lists, of: file, from: alice, .kept)
        #expect(asked(of: [alice, bob]).map(\.1) == [.hashes(ofLists: 0..<1)])
        _ = fetching.received(.hashes(ofList: 0), of: file, [1], on: alice, now: 0)
        #expect(asked(of: [alice, bob]).isEmpty)
        _ = fetching.written(.hashes(ofList: 0), of: file, from: alice, .wrong)
        #expect(asked(of: [alice, bob]).map(\.0) == [bob])
    }

    @Test("is asked of the next peer where the first is silent, and of the first again later")
    mutating func silence() {
        begin()
        _ = asked(of: [alice])
        #expect(fetching.deadline == Timing.fetchPatience)
        let later = asked(of: [alice, bob], at: Timing.fetchPatience)
        #expect(Self.chunks(later, of: alice).isEmpty && Self.chunks(later, of: bob) == Array(0..<16))
        let again = asked(of: [alice, bob], at: Timing.fetchPatience + Timing.fileAbsence)
        #expect(!Self.chunks(again, of: alice).isEmpty)
    }

    @Test("is asked of somebody who had none of it as soon as they say that they have it")
    mutating func news() {
        begin()
        _ = asked(of: [alice])
        fetching.heard(.absent, of: file, on: alice, now: 0)
        #expect(asked(of: [alice]).isEmpty)
        fetching.heard(.held, of: file, on: alice, now: 1)
        #expect(!asked(of: [alice], at: 1).isEmpty)
    }

    @Test("is not asked again of who gave something else, and what they gave is asked of another")
    mutating func wrong() {
        begin()
        _ = asked(of: [alice])
        come(.chunk(0), on: alice, .wrong)
        fetching.heard(.held, of: file, on: alice, now: 0)
        let parts = asked(of: [alice, bob])
        #expect(Self.chunks(parts, of: alice).isEmpty && Self.chunks(parts, of: bob) == Array(0..<16))
    }

    @Test(
        "is nothing that was not asked for, whatever number it has",
        arguments: [0, 1 << 31, 1 << 53, UInt64(Int64.max), 1 << 63, UInt64.max])
    mutating func unasked(number: UInt64) throws {
        begin()
        let bytes = Wire.bytes(file)
        let chunk = try FileChunk(Wire.FileChunk(fileID: bytes, index: number, content: [1]))
        let hashes = try FileHashes(
            Wire.FileHashes(fileID: bytes, part: 1, list: number, hashes: [UInt8](repeating: 1, count: 32)))
        for (part, content) in [(FilePart.chunk(chunk.index), chunk.content), (hashes.part, hashes.hashes)] {
            #expect(fetching.received(part, of: file, content, on: alice, now: 0) == [.credit(-1, alice)])
        }
    }

    @Test("is asked of a link by one conversation at a time, which is noted with what comes")
    mutating func oneConversation() throws {
        let other: ConversationID = try Self.id(3)
        begin()
        _ = fetching.begin(file, shape: shape, in: other)
        let questions = fetching.advance(now: 0) { [alice, bob, talk] in $0 == talk ? [alice] : [alice, bob] }
        for action in questions {
            guard case .send(.wantedFile(let wanted), let link) = action else { continue }
            #expect(wanted.conversationID == (link == alice ? talk : other))
        }
        for (chunk, link, conversation) in [(0, alice, talk), (16, bob, other)] {
            let tasks = fetching.received(.chunk(chunk), of: file, [1], on: link, now: 0)
            #expect(tasks.contains(.task(.write(file, .chunk(chunk), [1], from: link, in: conversation))))
        }
    }

    @Test("is asked of another link when one ends")
    mutating func linkEnds() {
        begin()
        _ = asked(of: [alice])
        fetching.linkEnded(alice)
        #expect(Self.chunks(asked(of: [bob]), of: bob) == Array(0..<16))
    }

    @Test("costs a peer that sends what was not asked for, and keeps none of it")
    mutating func unasked() {
        begin()
        #expect(fetching.received(.chunk(0), of: file, [1], on: bob, now: 0) == [.credit(-1, bob)])
        _ = asked(of: [alice])
        #expect(fetching.received(.chunk(99), of: file, [1], on: alice, now: 0) == [.credit(-1, alice)])
        come(.chunk(0), on: alice)
        #expect(fetching.received(.chunk(0), of: file, [1], on: alice, now: 0) == [.credit(-1, alice)])
    }

    @Test("ends when all parts are on the disk, and not before")
    mutating func whole() {
        begin(FileInventory(hasLists: true, lists: [0], chunks: SequenceSet(1...99)))
        _ = asked(of: [alice])
        _ = fetching.received(.chunk(0), of: file, [1], on: alice, now: 0)
        #expect(fetching.advance(now: 0) { _ in [] }.isEmpty)
        _ = fetching.written(.chunk(0), of: file, from: alice, .kept)
        #expect(fetching.advance(now: 0) { _ in [] } == [.task(.finish(file))])
        #expect(fetching.advance(now: 0) { _ in [] }.isEmpty)
    }

    @Test("ends where the disk takes no more, and those who were asked are told")
    mutating func failed() {
        begin()
        _ = asked(of: [alice])
        _ = fetching.received(.chunk(0), of: file, [1], on: alice, now: 0)
        let news = FileNews(fileID: file, conversationID: talk, state: .unwanted)
        #expect(
            fetching.written(.chunk(0), of: file, from: alice, .failed) == [.send(.fileNews(news), alice)])
        #expect(fetching.isIdle)
    }

    @Test("has nothing to ask for of an empty file but the hashes that prove it")
    mutating func empty() throws {
        let shape = try #require(FileShape(byteCount: 0))
        _ = fetching.begin(file, shape: shape, in: talk)
        fetching.opened(file, FileInventory())
        #expect(asked(of: [alice]).map(\.1) == [.lists])
        come(.lists, on: alice)
        #expect(fetching.advance(now: 0) { _ in [alice] } == [.task(.finish(file))])
    }
}
