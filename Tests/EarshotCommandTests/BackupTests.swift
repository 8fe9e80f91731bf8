import Foundation
import Testing

@Suite("earshot export and import")
struct BackupTests {
    private let folder: URL

    init() throws {
        folder = URL(fileURLWithPath: "/tmp/earshot-test-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    private func passphrase(_ text: String) throws -> String {
        let file = folder.appendingPathComponent("passphrase-\(text.count)").path
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data("\(text)\n".utf8), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return file
    }

    @Test("carry a user to another machine: history, trust, and what still waited")
    func carry() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let pair = try await Pair.met()
        #expect(try await pair.alice.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        pair.bobNode.signal(SIGTERM)
        _ = try await pair.bobNode.end()
        #expect(try await pair.alice.run("send", "bob", "are you there?").status == 0)
        let (file, secret) = (folder.appendingPathComponent("a.backup").path, try passphrase("correct horse"))

        let exported = try await pair.alice.run("export", file, "--passphrase-file", secret)
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.output.hasPrefix("wrote \(file): 2 messages of "))
        #expect(exported.output.hasSuffix(", 1 of them not delivered yet\n"))
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
        defer { try? FileManager.default.removeItem(at: folder) }
        let alice = try await TestHome.named("alice")
        let (file, secret) = (folder.appendingPathComponent("a.backup").path, try passphrase("correct horse"))
        #expect(try await alice.run("export", file, "--passphrase-file", secret).status == 0)
        let other = try TestHome()
        let refused = try await other.run("import", file, "--same-device", "--passphrase-file", secret)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--same-device needs a yes"))
        let done = try await other.run("import", file, "--same-device", "--yes", "--json", "--passphrase-file", secret)
        #expect(try done.objects().first?["isSameDevice"] as? Bool == true)
        #expect(try await other.run("import", file, "--yes").status == 64)
    }
}
