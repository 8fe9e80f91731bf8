import EarshotFiles
import EarshotModel
import EarshotProtocol
import EarshotStore
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Earshot

@Suite("What is on its way to a node")
struct FetchedFilesTests {
    private let folder: TemporaryFolder
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    init() throws { folder = try TemporaryFolder() }

    private func id<ID: Identifier>(_ number: UInt8) throws -> ID {
        try #require(ID(bytes: [UInt8](repeating: number, count: Bytes32.count)))
    }

    @Test("is neither kept nor answered once the file was given up, so a new try does not fail for it")
    func lateParts() async throws {
        let store = try Store.inMemory()
        let fetched = FetchedFiles(
            try FileStore(folder.file("files")), store: store, of: try id(1), loop: loop)
        let (fileID, talk): (FileID, ConversationID) = (try id(7), try id(8))
        let shape = try #require(FileShape(byteCount: 1_000_000))
        let answers = Mutex<[String]>([])
        fetched.open(fileID, shape) { _ in answers.withLock { $0.append("opened") } }
        fetched.close(fileID, isKept: false)
        // By now the disk knows nothing of the file.
        await fetched.drain()
        fetched.write(.chunk(0), of: fileID, [1, 2, 3], in: talk) { _ in answers.withLock { $0.append("chunk") } }
        fetched.write(.lists, of: fileID, [1, 2, 3], in: talk) { _ in answers.withLock { $0.append("lists") } }
        await fetched.drain()
        try await loop.submit {}.get()
        #expect(answers.withLock { $0 } == ["opened"])
    }
}
