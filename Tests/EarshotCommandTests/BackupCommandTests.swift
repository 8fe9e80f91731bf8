import Foundation
import GRDB
import TestSupport
import Testing

@Suite("earshot export and import", .keepsWhatItStarts)
struct BackupCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func passphrase(_ text: String) throws -> String {
        let file = folder.file("passphrase-\(text.count)")
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data("\(text)\n".utf8), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return file
    }

    @Test("carry a user to another machine: history, trust, and what still waited")
    func carry() async throws {
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        #expect(try await pair.alice.run("send", "bob", "are you there?").status == 0)
        let (file, secret) = (folder.file("a.backup"), try passphrase("correct horse"))

        let exported = try await pair.alice.run("export", file, "--passphrase-file", secret)
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.output.hasPrefix("wrote \(file): 2 messages as of "))
        #expect(exported.output.contains(", 1 of them not delivered yet; the files "))
        let again = try await pair.alice.run("export", file, "--passphrase-file", secret)
        #expect(again.status == 8)
        #expect(again.errors.contains("there is a file \(file) already"))

        let other = try TestHome()
        let wrong = try await other.run("import", file, "--passphrase-file", try passphrase("wrong"))
        #expect(wrong.status == 4)
        #expect(!FileManager.default.fileExists(atPath: other.path))
        let imported = try await other.run("import", file, "--passphrase-file", secret)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.lines.contains("this is a new device of the same user"))
        #expect(imported.output.contains("stay with the old machine; if it is gone, send them again:\n"))
        #expect(imported.output.contains("  to bob: are you there?\n"))
        #expect(try await other.userID() == pair.alice.userID())
        let history = try await other.run("history", "bob").lines
        #expect(history.count == 2)
        #expect(history[0].hasSuffix("alice: hello  ✓✓"))
        #expect(history[1].hasSuffix("alice: are you there?  ✗ left on the old device"))
        #expect(try await other.run("import", file, "--passphrase-file", secret).status == 1)
    }

    @Test("go on as the same device only for whoever says that the old machine is gone")
    func sameDevice() async throws {
        let alice = try await TestHome.named("alice")
        let (file, secret) = (folder.file("a.backup"), try passphrase("correct horse"))
        #expect(try await alice.run("export", file, "--passphrase-file", secret).status == 0)
        let other = try TestHome()
        let refused = try await other.run("import", file, "--same-device", "--passphrase-file", secret)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--same-device needs a yes"))
        let done = try await other.run("import", file, "--same-device", "--yes", "--json", "--passphrase-file", secret)
        #expect(try done.objects().first?["isSameDevice"] as? Bool == true)
        #expect(try await other.run("import", file, "--yes").status == 64)
    }

    // MARK: - Interrupted

    private func names(in directory: String, _ prefix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix(prefix) }
    }

    /// Begins an export that waits in its middle: somebody keeps the history to themselves.
    private func exportInTheMiddle(of home: TestHome, to file: String, _ secret: String) async throws -> (
        RunningProgram, DatabaseQueue
    ) {
        let (node, _) = try await home.up()
        node.signal(SIGTERM)
        _ = try await node.end()
        var configuration = Configuration.patient
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let database = try DatabaseQueue(path: home.path + "/history.db", configuration: configuration)
        try await database.write { try $0.execute(sql: "PRAGMA user_version = 0") }
        let program = try RunningProgram(["export", file, "--passphrase-file", secret, "--home", home.path])
        try await FolderWatch.waitForName(in: home.path) { $0.hasPrefix("backup-") }
        return (program, database)
    }

    @Test("leave nothing of an export that is interrupted", arguments: [SIGINT, SIGTERM, SIGHUP])
    func exportInterrupted(signal: Int32) async throws {
        let alice = try await TestHome.named("alice")
        let (file, secret) = (folder.file("a.backup"), try passphrase("correct horse"))
        let (program, database) = try await exportInTheMiddle(of: alice, to: file, secret)
        program.signal(signal)
        let result = try await program.end()
        #expect(result.status == 128 + signal && result.errors == "")
        #expect(try names(in: alice.path, "backup-").isEmpty)
        #expect(try names(in: folder.path, "a.backup").isEmpty)
        try database.close()
    }

    @Test("remove what an export has left that was killed", arguments: ["status", "export"])
    func exportKilled(next: String) async throws {
        let alice = try await TestHome.named("alice")
        let (file, secret) = (folder.file("a.backup"), try passphrase("correct horse"))
        let (program, database) = try await exportInTheMiddle(of: alice, to: file, secret)
        program.signal(SIGKILL)
        _ = try await program.end()
        try database.close()
        #expect(try names(in: alice.path, "backup-").count == 1)
        let arguments = next == "export" ? ["export", file, "--passphrase-file", secret] : ["status"]
        let result = try await alice.run(arguments)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try names(in: alice.path, "backup-").isEmpty)
    }

    /// Begins an import that waits in its middle: the rest of the file does not come.
    /// - Returns: it, and the end of the pipe that it reads from, to be closed when it has ended.
    private func importInTheMiddle(of file: String, to home: TestHome, _ secret: String) async throws -> (
        RunningProgram, FileHandle
    ) {
        let pipe = folder.file("pipe")
        guard mkfifo(pipe, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        let program = try RunningProgram(["import", pipe, "--passphrase-file", secret, "--home", home.path])
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        // Both ways, so that it does not wait for a reader.
        let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        let writer = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try writer.write(contentsOf: whole.prefix(100))
        let staging = Self.staging(home)
        try await FolderWatch.waitForName(in: home.folder) { $0.hasPrefix(staging) }
        return (program, writer)
    }

    private static func staging(_ home: TestHome) -> String {
        (home.path as NSString).lastPathComponent + ".import-"
    }

    private func exported(_ secret: String) async throws -> String {
        let file = folder.file("a.backup")
        try #require(try await TestHome.named("alice").run("export", file, "--passphrase-file", secret).status == 0)
        return file
    }

    @Test("leave nothing of an import that is interrupted", arguments: [SIGINT, SIGTERM, SIGHUP])
    func importInterrupted(signal: Int32) async throws {
        let (secret, other) = (try passphrase("correct horse"), try TestHome())
        let (program, writer) = try await importInTheMiddle(of: try await exported(secret), to: other, secret)
        program.signal(signal)
        let result = try await program.end()
        try writer.close()
        #expect(result.status == 128 + signal && result.errors == "")
        #expect(try names(in: other.folder, Self.staging(other)).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test("remove what an import has left that was killed")
    func importKilled() async throws {
        let (secret, other) = (try passphrase("correct horse"), try TestHome())
        let file = try await exported(secret)
        let (program, writer) = try await importInTheMiddle(of: file, to: other, secret)
        program.signal(SIGKILL)
        _ = try await program.end()
        try writer.close()
        #expect(try names(in: other.folder, Self.staging(other)).count == 1)
        #expect(try await other.run("import", file, "--passphrase-file", secret).status == 0)
        #expect(try names(in: other.folder, Self.staging(other)).isEmpty)
    }
}
