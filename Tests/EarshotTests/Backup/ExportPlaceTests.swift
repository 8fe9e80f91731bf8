import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("The place an export writes to")
struct ExportPlaceTests {
    private let alice: TestUser
    private let folder: TemporaryFolder
    private let passphrase = Passphrase.cheap("correct horse battery staple")

    init() throws {
        alice = try TestUser("alice")
        folder = try TemporaryFolder()
    }

    @Test("is one export's at a time: a second one is refused, and leaves the file of the first as it is")
    func held() async throws {
        let path = folder.file("a.backup")
        let first = WorkFiles()
        let descriptor = try first.makeFile(path + ".part")
        #expect(write(descriptor, "half", 4) == 4)
        let error = await expect(.fileExists) { try alice.home.export(to: path, passphrase: passphrase) }
        #expect(error?.message == "another export to \(path) is under way")
        #expect(error?.parameters.detail == .underWay)
        #expect(try String(contentsOfFile: path + ".part", encoding: .utf8) == "half")
        // Until here it is held.
        first.discard()
    }

    @Test("gets rid of what an export has left there that ended in the middle")
    func abandoned() throws {
        let path = folder.file("a.backup")
        try Data("half".utf8).write(to: URL(fileURLWithPath: path + ".part"))
        try alice.home.export(to: path, passphrase: passphrase)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.backup"])
    }

    @Test("is refused where something else is in the way, and that stays")
    func occupied() async throws {
        let path = folder.file("a.backup")
        try FileManager.default.createDirectory(atPath: path + ".part/mine", withIntermediateDirectories: true)
        await expect(.unusableFile) { try alice.home.export(to: path, passphrase: passphrase) }
        #expect(FileManager.default.fileExists(atPath: path + ".part/mine"))
    }

    @Test("is not cleared of a file that is another's by now", arguments: [false, true])
    func discarded(all: Bool) throws {
        let path = folder.file("a.backup.part")
        let work = WorkFiles()
        _ = try work.makeFile(path)
        try FileManager.default.removeItem(atPath: path)
        let other = WorkFiles()
        _ = try other.makeFile(path)
        if all { work.discard() } else { work.discard(path) }
        #expect(FileManager.default.fileExists(atPath: path))
        other.discard()
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
