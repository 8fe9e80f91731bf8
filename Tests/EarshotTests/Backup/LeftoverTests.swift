import Earshot
import Foundation
import TestSupport
import Testing

@Suite("What an interrupted export or import has left")
struct LeftoverTests {
    enum Next: CaseIterable { case node, export, restore }

    private let alice: TestUser
    private let folder: TemporaryFolder
    private let passphrase = Passphrase.cheap("correct horse battery staple")

    init() throws {
        alice = try TestUser("alice")
        folder = try TemporaryFolder()
    }

    private func makeFile(_ path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: url)
    }

    /// Leftovers of a home, and what only looks like them.
    private func leave(for home: Home) throws -> (leftovers: [String], others: [String]) {
        let id = UUID().uuidString
        let leftovers = [
            "/backup-\(id)/history.db", "/backup-\(id).db", "/backup-\(id).db-wal", "/backup-\(UUID()).db-journal",
            ".import-\(id)/identity.key",
        ]
        let others = ["/backup-mine.db", "/backup-\(id).tar", ".import-mine/notes", ".import-20250101/notes"]
        let isThere = FileManager.default.fileExists(atPath: home.path)
        let possible = { (names: [String]) in names.filter { isThere || $0.hasPrefix(".") }.map { home.path + $0 } }
        for path in possible(leftovers) + possible(others) { try makeFile(path) }
        return (possible(leftovers), possible(others))
    }

    private func begin(_ next: Next, at home: Home) async throws {
        switch next {
        case .node:
            try await alice.start()
            try await alice.stop()
        case .export: try home.export(to: folder.file("next.backup"), passphrase: passphrase)
        case .restore: try home.restore(from: folder.file("first.backup"), passphrase: passphrase)
        }
    }

    @Test("goes when the next begins, or a node does, and nothing else goes", arguments: Next.allCases)
    func removed(next: Next) async throws {
        try alice.home.export(to: folder.file("first.backup"), passphrase: passphrase)
        // As a shell completes it.
        let home = next == .restore ? Home(path: folder.file("restored")) : alice.home
        let (leftovers, others) = try leave(for: home)
        try await begin(next, at: next == .restore ? Home(path: home.path + "/") : home)
        let left = try names(in: folder.path) + names(in: (alice.home.path as NSString).deletingLastPathComponent)
        for path in leftovers { #expect(!left.contains { path.hasPrefix($0) }, "\(path)") }
        for path in others { #expect(left.contains { path.hasPrefix($0) }, "\(path)") }
    }

    /// What lies in a directory and in the directories in it that are no leftovers.
    private func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).flatMap { name in
            let path = directory + "/" + name
            return ["home", "restored"].contains(name) ? try names(in: path) : [path]
        }
    }

    @Test("stays for as long as a process holds it", arguments: Next.allCases)
    func held(next: Next) async throws {
        try alice.home.export(to: folder.file("first.backup"), passphrase: passphrase)
        let home = next == .restore ? Home(path: folder.file("restored")) : alice.home
        let (leftovers, _) = try leave(for: home)
        let file = try #require(leftovers.last)
        let descriptor = open((file as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY)
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        try await begin(next, at: home)
        #expect(FileManager.default.fileExists(atPath: file))
        close(descriptor)
    }

    @Test("is nothing where the files of the work were discarded, and then no work begins")
    func discarded() async throws {
        let work = WorkFiles()
        work.discard()
        let error = await expect(.stopped) {
            try alice.home.export(to: folder.file("a.backup"), passphrase: passphrase, work: work)
        }
        #expect(error?.message == "it was interrupted")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
