import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("The lock of a home")
struct HomeLockTests {
    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        try home.create(name: "alice")
    }

    @Test("keeps a second node off, and says who holds it")
    func exclusive() async throws {
        let node = try open()
        let error = await expect(.homeInUse) { try open() }
        #expect(error?.message.contains("pid \(getpid())") == true)
        #expect(HomeLock.holder(of: home) == getpid())
        withExtendedLifetime(node) {}
    }

    @Test("is free again when the node is gone")
    func release() throws {
        do { _ = try open() }
        #expect(HomeLock.holder(of: home) == nil)
        _ = try open()
    }

    @Test("is free when the node lets go, also while a new child process still has the file open")
    func child() throws {
        var lock: HomeLock? = try HomeLock(home)
        // As between a fork and the start of the child's program.
        let inherited = try #require(descriptors(of: home.lockFile).first.map { dup($0) })
        defer { close(inherited) }
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try HomeLock(home)
    }

    /// This process's own descriptors of a file.
    private func descriptors(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return target == path
        }.compactMap { Int32($0) }
    }

    @Test("is not held by a file that a dead process left", arguments: ["", "1\n", "999999\n", "nonsense"])
    func staleFile(content: String) throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: home.lockFile))
        #expect(HomeLock.holder(of: home) == nil)
        let lock = try HomeLock(home)
        #expect(HomeLock.holder(of: home) == getpid())
        withExtendedLifetime(lock) {}
    }

    @Test("is not a symbolic link")
    func symbolicLink() async throws {
        try FileManager.default.createSymbolicLink(atPath: home.lockFile, withDestinationPath: folder.file("victim"))
        await expect(.unusableHome) { try open() }
        #expect(!FileManager.default.fileExists(atPath: folder.file("victim")))
    }

    @Test("is never in the way of a node because somebody asks who holds it")
    func asking() async throws {
        let home = self.home
        // Neither lets go of its thread: the tasks of other tests need those that they share.
        let isOver = Watched(false)
        async let asking = onThread("it was asked") { while !isOver.value { _ = HomeLock.holder(of: home) } }
        defer { isOver.update { $0 = true } }
        try await onThread("the home was locked") { for _ in 0..<20_000 { _ = try HomeLock(home) } }
        isOver.update { $0 = true }
        try await asking
    }

    private func open() throws -> Node {
        try Node(home: home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
    }
}
