import EarshotModel
import EarshotStore
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Earshot

@Suite("The disk of a node")
struct StoreDiskTests {
    private let folder: TemporaryFolder
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    init() throws { folder = try TemporaryFolder() }

    private func commit(userNumber: UInt8) throws -> Commit {
        let userID = try #require(UserID(bytes: [UInt8](repeating: userNumber, count: Bytes32.count)))
        var commit = Commit()
        commit.users = [
            UserRecord(
                userID: userID, name: try UserName("user"), trust: .unverified, isPinned: false, firstSeen: 1,
                lastSeen: 1)
        ]
        return commit
    }

    /// Writes a commit.
    /// - Returns: whether it was done when the call returned, and how many users the disk had when it was answered.
    private func write(_ commit: Commit, isAlone: Bool, pace: CommitPace) async throws -> (isDone: Bool, users: Int) {
        let store = try Store(path: folder.file("history.db"))
        let disk = StoreDisk(store, loop: loop, pace: pace)
        let answered = loop.makePromise(of: Int.self)
        let isDone = loop.submit {
            disk.commit(commit, isAlone: isAlone) { result in
                answered.completeWith(
                    Result { try result.get() }.flatMap { Result { try store.snapshot().users.count } })
            }
            // Another thread would have only begun.
            return store.isIdle
        }
        return (try await isDone.get(), try await answered.futureResult.get())
    }

    @Test("writes a small commit that is alone while the loop waits, where it is quick")
    func alone() async throws {
        let written = try await write(try commit(userNumber: 1), isAlone: true, pace: CommitPace(wanted: 0))
        #expect(written == (true, 1))
    }

    @Test("answers every commit when it is written, and not before", arguments: [true, false], [0, 16])
    func answers(isAlone: Bool, wanted: Int) async throws {
        let written = try await write(try commit(userNumber: 2), isAlone: isAlone, pace: CommitPace(wanted: wanted))
        #expect(written.users == 1)
    }
}
