import EarshotCrypto
import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("A passphrase")
struct PassphraseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "is the first line of a file, without the line's end",
        arguments: [("word", "word"), ("word\n", "word"), (" two words \nmore\n", " two words "), ("é\r\n", "é\r")])
    func firstLine(content: String, passphrase: String) throws {
        let read = try Passphrase(file: write(content, mode: 0o600))
        #expect(read.secret.withUnsafeBytes { Array($0) } == Array(passphrase.utf8))
    }

    @Test(
        "has at least one byte, and at most 1024", arguments: ["", "\n", "\nword", String(repeating: "a", count: 1025)])
    func length(content: String) async throws {
        let path = try write(content, mode: 0o600)
        await expect(.passphraseNeeded) { try Passphrase(file: path) }
    }

    @Test("may have 1024 bytes, with the line's end or without", arguments: ["", "\n"])
    func longest(end: String) async throws {
        let path = try write(String(repeating: "a", count: 1024) + end, mode: 0o600)
        #expect(try Passphrase(file: path).secret.count == 1024)
    }

    @Test("is not read from a file that others may read")
    func looseFile() async throws {
        let path = try write("word", mode: 0o644)
        let error = await expect(.looseHome) { try Passphrase(file: path) }
        #expect(error?.parameters == .init(path: path, mode: "600"))
    }

    @Test("is not read from a file that is not there")
    func missing() async {
        await expect(.passphraseNeeded) { try Passphrase(file: folder.file("none")) }
    }

    @Test("seals an identity and a backup with three passes over 256 MiB, for whoever guesses at it")
    func cost() throws {
        let moderate: [UInt8] = [0, 0, 0, 3, 0, 4, 0, 0]
        let passphrase = Passphrase(copying: Array("word".utf8))
        let home = Home(path: folder.file("home"))
        try home.create(name: "alice", passphrase: passphrase)
        #expect(try bytes(of: home.identityFile, 12..<20) == moderate)
        try home.export(to: folder.file("backup"), passphrase: Passphrase(file: write("word", mode: 0o600)))
        #expect(try bytes(of: folder.file("backup"), 15..<23) == moderate)
    }

    private func bytes(of file: String, _ range: Range<Int>) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: file))[range])
    }

    private func write(_ content: String, mode: Int) throws -> String {
        let path = folder.file("passphrase")
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
