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

    @Test("is neither kept nor answered once the file was given up, so a new try does not fail for it")
    func lateParts() async throws {
        let store = try Store.inMemory()
        let fetched = FetchedFiles(try FileStore(folder.file("files")), store: store, loop: loop)
        let fileID = try #require(FileID(bytes: [UInt8](repeating: 7, count: Bytes32.count)))
        let shape = try #require(FileShape(byteCount: 1_000_000))
        let answers = Mutex<[String]>([])
        fetched.open(fileID, shape) { _ in answers.withLock { $0.append("opened") } }
        fetched.close(fileID, isKept: false)
        // By now the disk knows nothing of the file.
        await fetched.drain()
        fetched.write(.chunk(0), of: fileID, [1, 2, 3]) { _ in answers.withLock { $0.append("chunk") } }
        fetched.write(.lists, of: fileID, [1, 2, 3]) { _ in answers.withLock { $0.append("lists") } }
        await fetched.drain()
        try await loop.submit {}.get()
        #expect(answers.withLock { $0 } == ["opened"])
    }
}
