import EarshotCrypto
import EarshotModel
import Foundation
import TestSupport
import Testing

@testable import EarshotFiles

@Suite("The contents of files")
struct FileStoreTests {
    private let folder: TemporaryFolder
    private let store: FileStore

    init() throws {
        folder = try TemporaryFolder()
        store = try FileStore(folder.file("files"))
    }

    private func file(_ content: [UInt8], _ name: String = "source") throws -> String {
        let path = folder.file(name)
        try Data(content).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Different in every chunk, and in every byte of one.
    private static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / FileShape.chunkBytes) }
    }

    private static let sizes = [
        0, 1, FileShape.chunkBytes - 1, FileShape.chunkBytes, FileShape.chunkBytes + 1,
        70 * FileShape.chunkBytes + 17,
    ]

    @Test("hold what was taken in, whatever its size", arguments: sizes)
    func takenIn(count: Int) throws {
        let content = Self.content(count)
        let (fileID, byteCount) = try store.add(try file(content))
        #expect(byteCount == UInt64(count))
        let held = try #require(try store.held(fileID))
        #expect(try held.bytes(at: 0..<count) == content)
        #expect(try store.all() == [fileID])
    }

    @Test("have one id, whether they come as a file or piece by piece, and whatever the pieces are")
    func pieces() throws {
        let content = Self.content(3 * FileShape.chunkBytes + 5)
        let (fileID, _) = try store.add(try file(content))
        let other = try FileStore(folder.file("other"))
        let incoming = try other.receive()
        for start in stride(from: 0, to: content.count, by: 100_000) {
            try incoming.append(Array(content[start..<min(start + 100_000, content.count)]))
        }
        let (again, byteCount) = try incoming.finish()
        #expect(again == fileID && byteCount == UInt64(content.count))
    }

    @Test(
        "are what can be read of a file, whatever size it says",
        arguments: ["/proc/sys/kernel/ostype": "Linux\n", "/sys/kernel/fscaps": "1\n"])
    func madeUp(path: String, content: String) throws {
        guard FileManager.default.isReadableFile(atPath: path) else { return }
        let added = try store.add(path)
        #expect(added.byteCount == UInt64(content.utf8.count))
        let held = try #require(try store.held(added.fileID))
        #expect(try held.bytes(at: 0..<content.utf8.count) == Array(content.utf8))
    }

    @Test("are gone when they did not come to their end")
    func unfinished() throws {
        do {
            let incoming = try store.receive()
            try incoming.append(Self.content(1000))
        }
        #expect(try store.all().isEmpty)
        #expect(try Folder.names(in: folder.file("files/work")).isEmpty)
    }

    @Test("are there once, however often they are taken in, and leave nothing of the work behind")
    func once() throws {
        let path = try file(Self.content(1000))
        #expect(try store.add(path).fileID == (try store.add(path)).fileID)
        #expect(try store.all().count == 1)
        #expect(try Folder.names(in: folder.file("files/work")).isEmpty)
    }

    @Test("have an id that the size and every byte change")
    func ids() throws {
        let content = Self.content(1000)
        var other = content
        other[999] ^= 1
        let ids = try [content, other, content + [0], []].map { try store.add(try file($0)).fileID }
        #expect(Set(ids).count == 4)
    }

    @Test("are those of files, and not of folders, devices and what is not there")
    func notFiles() throws {
        #expect(throws: FilesError.self) { try store.add(folder.path) }
        #expect(throws: FilesError.self) { try store.add("/dev/null") }
        do throws(FilesError) {
            _ = try store.add(folder.file("nothing"))
            Issue.record("nothing was taken in")
        } catch { #expect(error.code == .missing) }
    }

    // MARK: - What is on its way

    /// Gives a file's parts to a partial one.
    private func fill(_ partial: inout PartialFile, from held: HeldFile, chunks: Range<Int>) throws {
        if !partial.hasLists { try partial.take(lists: try held.lists()) }
        for list in 0..<held.shape.listCount { try partial.take(try held.hashes(ofList: list), ofList: list) }
        for chunk in chunks { try partial.take(try held.chunk(chunk), ofChunk: chunk) }
    }

    private func source(_ count: Int) throws -> HeldFile {
        let sender = try FileStore(folder.file("sender"))
        return try #require(try sender.held(try sender.add(try file(Self.content(count))).fileID))
    }

    /// A large one, which is quick to make.
    private func largeSource() throws -> HeldFile {
        let path = try file([])
        try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: UInt64(300 * FileShape.chunkBytes))
        let sender = try FileStore(folder.file("sender"))
        return try #require(try sender.held(try sender.add(path).fileID))
    }

    @Test(
        "are whole when all parts came, in any order, and not before", arguments: [0, 1, 5 * FileShape.chunkBytes + 9])
    func received(count: Int) throws {
        let held = try source(count)
        var partial = try store.begin(held.fileID, shape: held.shape)
        let chunks = held.shape.chunkCount
        for chunk in (0..<chunks).reversed() {
            #expect(!partial.isWhole)
            try fill(&partial, from: held, chunks: chunk..<chunk + 1)
        }
        if chunks == 0 { try fill(&partial, from: held, chunks: 0..<0) }
        #expect(partial.isWhole && partial.receivedBytes == UInt64(count))
        #expect(try store.held(held.fileID) == nil)
        try store.finish(partial)
        #expect(try store.held(held.fileID)?.bytes(at: 0..<count) == Self.content(count))
        #expect(try Folder.names(in: folder.file("files/partial")).isEmpty)
    }

    @Test("take no part that is not the file's, wherever it is wrong")
    func wrongParts() throws {
        let held = try source(3 * FileShape.chunkBytes)
        var partial = try store.begin(held.fileID, shape: held.shape)
        var wrong = try held.lists()
        wrong[0] ^= 1
        #expect(throws: FilesError.self) { try partial.take(lists: wrong) }
        try partial.take(lists: try held.lists())
        var hashes = try held.hashes(ofList: 0)
        hashes[5] ^= 1
        #expect(throws: FilesError.self) { try partial.take(hashes, ofList: 0) }
        try partial.take(try held.hashes(ofList: 0), ofList: 0)
        var chunk = try held.chunk(1)
        chunk[100] ^= 1
        #expect(throws: FilesError.self) { try partial.take(chunk, ofChunk: 1) }
        #expect(throws: FilesError.self) { try partial.take(try held.chunk(2), ofChunk: 1) }
        #expect(throws: FilesError.self) { try partial.take(Array(try held.chunk(1).dropLast()), ofChunk: 1) }
        #expect(partial.chunks.isEmpty)
        try partial.take(try held.chunk(1), ofChunk: 1)
        #expect(partial.chunks == SequenceSet(1...1))
    }

    @Test("go on after a crash with what was noted, and need the rest again")
    func resumed() throws {
        let held = try source(10 * FileShape.chunkBytes)
        var partial = try store.begin(held.fileID, shape: held.shape)
        try fill(&partial, from: held, chunks: 2..<5)
        try partial.noteChunks()
        try fill(&partial, from: held, chunks: 5..<7)
        // The one before is not used any more, as after a crash.
        let resumed = try store.begin(held.fileID, shape: held.shape)
        #expect(resumed.hasLists && resumed.lists == [0])
        #expect(resumed.chunks == SequenceSet(2...4))
    }

    /// What a folder takes of the disk, with all that is in it.
    private static func takenBytes(_ path: String) throws -> Int {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        guard status.st_mode & S_IFMT == S_IFDIR else { return Int(status.st_blocks) * 512 }
        return try Folder.names(in: path).reduce(0) { $0 + (try takenBytes("\(path)/\($1)")) }
    }

    /// Begins with a content of which only hashes are known, which cost nothing to make.
    private func claim(_ number: UInt8, chunks count: Int) throws -> PartialFile {
        let shape = try #require(FileShape(byteCount: UInt64(count * FileShape.chunkBytes)))
        let hashes = [UInt8](repeating: number, count: count * Bytes32.count)
        let list = hashes.withUnsafeBytes { FileHash.list($0, at: 0) }
        let lists = list.bytes
        let fileID = lists.withUnsafeBytes { FileHash.file($0, byteCount: shape.byteCount) }
        var partial = try store.begin(fileID, shape: shape)
        try partial.take(lists: Array(lists))
        try partial.take(hashes, ofList: 0)
        return partial
    }

    @Test("take no more of the disk than came of them, whatever size was claimed")
    func claimed() throws {
        for number in 0..<32 { _ = try claim(UInt8(number), chunks: 256) }
        #expect(try Self.takenBytes(folder.file("files/partial")) < 32 * 64 * 1024)
        let held = try source(20 * FileShape.chunkBytes)
        var partial = try store.begin(held.fileID, shape: held.shape)
        try fill(&partial, from: held, chunks: 15..<17)
        try partial.noteChunks()
        let taken = try Self.takenBytes(folder.file("files/partial/\(held.fileID)-\(held.shape.byteCount)"))
        #expect((2 * FileShape.chunkBytes..<3 * FileShape.chunkBytes).contains(taken))
    }

    @Test("stay on the disk for a later start only where some of the content has come")
    func remembered() throws {
        for number in 0..<4 { _ = try claim(UInt8(number), chunks: 256) }
        let held = try source(10 * FileShape.chunkBytes)
        var partial = try store.begin(held.fileID, shape: held.shape)
        try fill(&partial, from: held, chunks: 2..<3)
        try partial.noteChunks()
        let again = try FileStore(folder.file("files"))
        #expect(try Folder.names(in: folder.file("files/partial")) == ["\(held.fileID)-\(held.shape.byteCount)"])
        #expect(try again.begin(held.fileID, shape: held.shape).chunks == SequenceSet(2...2))
    }

    @Test("are not on their way any more once the same content was taken in, also where the process died meanwhile")
    func takenInMeanwhile() throws {
        let held = try source(10 * FileShape.chunkBytes)
        for isRestarted in [true, false] {
            var partial = try store.begin(held.fileID, shape: held.shape)
            try fill(&partial, from: held, chunks: 2..<5)
            try partial.noteChunks()
            let content = try held.bytes(at: 0..<10 * FileShape.chunkBytes)
            #expect(try store.add(try file(content)).fileID == held.fileID)
            if isRestarted { _ = try FileStore(folder.file("files")) }
            try store.removeHeldPartials(except: [held.fileID])
            #expect(try store.partials() == (isRestarted ? [] : [held.fileID]))
            try store.removeHeldPartials(except: [])
            #expect(try store.partials().isEmpty && store.unfinishedBytes() == 0)
            try store.remove(held.fileID)
        }
    }

    @Test("go when nothing has come of them for long, or others came later, unless they are fetched")
    func old() throws {
        var partials: [PartialFile] = []
        for number in 0..<4 {
            let held = try source((number + 1) * FileShape.chunkBytes)
            var partial = try store.begin(held.fileID, shape: held.shape)
            try fill(&partial, from: held, chunks: 0..<1)
            try partial.noteChunks()
            let path = folder.file("files/partial/\(held.fileID)-\(held.shape.byteCount)")
            for name in try Folder.names(in: path) {
                let times = [timeval(tv_sec: 1000 + number, tv_usec: 0), timeval(tv_sec: 1000 + number, tv_usec: 0)]
                #expect(utimes("\(path)/\(name)", times) == 0)
            }
            partials.append(partial)
        }
        let ids = partials.map(\.fileID)
        #expect(try store.unfinishedBytes() >= UInt64(4 * FileShape.chunkBytes))
        #expect(try store.removePartials(before: 1001, limit: 9, except: [ids[0]]).isEmpty)
        #expect(try store.removePartials(before: 1001, limit: 9, except: []) == [ids[0]])
        #expect(try store.removePartials(before: 0, limit: 2, except: []) == [ids[1]])
        #expect(try store.partials() == [ids[2], ids[3]])
    }

    @Test("of which a message says another size lose nothing by that")
    func anotherSize() throws {
        let held = try source(3 * FileShape.chunkBytes)
        var partial = try store.begin(held.fileID, shape: held.shape)
        try fill(&partial, from: held, chunks: 0..<2)
        try partial.noteChunks()
        for byteCount in [UInt64(1), 5 * UInt64(FileShape.chunkBytes)] {
            var other = try store.begin(held.fileID, shape: try #require(FileShape(byteCount: byteCount)))
            #expect(throws: FilesError.self) { try other.take(lists: try held.lists()) }
            try store.discard(other)
        }
        var resumed = try store.begin(held.fileID, shape: held.shape)
        #expect(resumed.chunks == SequenceSet(0...1))
        try fill(&resumed, from: held, chunks: 2..<3)
        _ = try store.begin(held.fileID, shape: try #require(FileShape(byteCount: 7)))
        try store.finish(resumed)
        #expect(try store.held(held.fileID)?.shape == held.shape)
        #expect(try Folder.names(in: folder.file("files/partial")).isEmpty)
    }

    @Test("come on while it is noted which parts are there, and those are not noted with them")
    func noted() throws {
        let held = try largeSource()
        var partial = try store.begin(held.fileID, shape: held.shape)
        try fill(&partial, from: held, chunks: 0..<255)
        #expect(try partial.checkpointIfDue() == nil)
        try fill(&partial, from: held, chunks: 255..<256)
        let checkpoint = try #require(try partial.checkpointIfDue())
        try fill(&partial, from: held, chunks: 256..<257)
        #expect(try partial.checkpointIfDue() == nil)
        try checkpoint.note()
        #expect(try store.begin(held.fileID, shape: held.shape).chunks == SequenceSet(0...255))
        try fill(&partial, from: held, chunks: 257..<300)
        try store.finish(partial)
        #expect(try store.held(held.fileID)?.chunk(299) == held.chunk(299))
    }

    @Test("are not called whole, nor noted any more, once the disk has failed to take what came")
    func lost() throws {
        let held = try largeSource()
        var partial = try store.begin(held.fileID, shape: held.shape)
        try fill(&partial, from: held, chunks: 0..<256)
        let checkpoint = try #require(try partial.checkpointIfDue())
        // Where what is there is noted, nothing can be written.
        let chunks = folder.file("files/partial/\(held.fileID)-\(held.shape.byteCount)/\(FileNames.chunks)")
        try FileManager.default.createDirectory(atPath: chunks, withIntermediateDirectories: false)
        #expect(throws: FilesError.self) { try checkpoint.note() }
        try FileManager.default.removeItem(atPath: chunks)
        try fill(&partial, from: held, chunks: 256..<300)
        #expect(throws: FilesError.self) { _ = try partial.checkpointIfDue() }
        #expect(throws: FilesError.self) { try partial.noteChunks() }
        #expect(throws: FilesError.self) { try store.finish(partial) }
        #expect(try store.held(held.fileID) == nil)
    }

    @Test("are refused where the disk has no room for them, before a byte of them is written")
    func full() throws {
        #expect(throws: FilesError.self) { try store.checkRoom(for: 1 << 60) }
    }

    // MARK: - Saving

    @Test("are saved under another name where there is one already")
    func saved() throws {
        let content = Self.content(1000)
        let (fileID, _) = try store.add(try file(content))
        let names = try (0..<3).map { _ in
            URL(fileURLWithPath: try store.save(fileID, as: SavedName("a.tar.gz"), in: folder.path)).lastPathComponent
        }
        #expect(names == ["a.tar.gz", "a.tar (2).gz", "a.tar (3).gz"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("a.tar (3).gz"))) == Data(content))
    }
}
