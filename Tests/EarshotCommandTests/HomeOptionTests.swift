import Foundation
import Testing

@Suite("The home directory", .keepsWhatItStarts)
struct HomeOptionTests {
    @Test("without an identity is an error of its own, which names the remedy", arguments: ["up", "status", "users"])
    func notInitialized(command: String) async throws {
        let result = try await TestHome().run(command)
        #expect(result.status == 3)
        #expect(result.errors.contains("earshot init"))
    }

    @Test("that others may read is refused, and the remedy is the command to type")
    func loose() async throws {
        let home = try await TestHome.named("alice")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path)
        let result = try await home.run("status")
        #expect(result.status == 8)
        #expect(result.errors.contains("chmod 700"))
    }

    @Test("takes one node: a second is told the pid of the first")
    func second() async throws {
        let home = try await TestHome.named("alice")
        let (node, _) = try await home.up()
        let result = try await home.run("up", "--no-discovery")
        #expect(result.status == 7)
        #expect(result.errors.contains("pid \(node.pid)"))
    }

    @Test("with a damaged database is refused, and the file stays as it is, byte for byte")
    func damaged() async throws {
        let home = try await TestHome.named("alice")
        #expect(try await home.run("users").status == 0)
        let rubbish = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        // Left behind where nothing was tidied up, and the whole database is in it: SQLite would not look at the rubbish.
        for end in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: home.path + "/history.db" + end) {
            try FileManager.default.removeItem(atPath: home.path + "/history.db" + end)
        }
        try rubbish.write(to: URL(fileURLWithPath: home.path + "/history.db"))
        let result = try await home.run("up", "--no-discovery")
        #expect(result.status == 8)
        #expect(result.errors.contains("try: "))
        #expect(FileManager.default.contents(atPath: home.path + "/history.db") == rubbish)
    }

    @Test("that was moved to too long a path for a socket is refused with the remedy")
    func longPath() async throws {
        let home = try await TestHome.named("alice")
        let path = home.path + String(repeating: "d", count: 100)
        try FileManager.default.moveItem(atPath: home.path, toPath: path)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        let result = try await Program.run("up", "--no-discovery", "--home", path)
        #expect(result.status == 1)
        #expect(result.errors.contains("the system's limit is 107"))
        #expect(result.errors.contains("--home"))
    }
}
