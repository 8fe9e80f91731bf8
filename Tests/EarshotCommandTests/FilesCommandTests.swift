import EarshotGateway
import Foundation
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("earshot send --file and earshot save", .keepsWhatItStarts)
struct FilesCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, to name: String) throws -> String {
        let path = folder.file(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("bring files along and save them, and say in the history which there are")
    func saved() async throws {
        let pair = try await Pair.met()
        let (plan, list) = (try write("the plan", to: "plan.pdf"), try write("", to: "list.txt"))
        let sent = try await pair.alice.run("send", "bob", "--file", plan, "--file", list, "--wait", "delivered")
        #expect(sent.status == 0)
        let message = try #require(try await pair.bob.run("history", "alice", "--json").objects().last)
        let shown = try await pair.bob.run("history", "alice")
        #expect(shown.lines.last?.hasSuffix("alice: [plan.pdf, 8 bytes] [list.txt, 0 bytes]") == true)
        let id = try #require(message["id"] as? String)
        let target = folder.file("saved")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        for _ in 1...2 { #expect(try await pair.bob.run("save", id, target).status == 0) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: target).sorted()
                == ["list (2).txt", "list.txt", "plan (2).pdf", "plan.pdf"])
        #expect(try String(contentsOfFile: target + "/plan (2).pdf", encoding: .utf8) == "the plan")
    }

    @Test("send nothing where a file cannot be read, and say which")
    func unreadable() async throws {
        let pair = try await Pair.met()
        let result = try await pair.alice.run("send", "bob", "look", "--file", folder.file("nothing.pdf"))
        #expect(result.status != 0 && result.errors.contains("nothing.pdf"))
        #expect(try await pair.alice.run("send", "bob", "look", "--file", "/dev/null").errors.contains("device"))
        #expect(try await pair.alice.run("history", "bob", "--json").objects().isEmpty)
    }

    @Test("save nothing of a message that brings nothing along")
    func nothing() async throws {
        let pair = try await Pair.met()
        let sent = try await pair.alice.run("send", "bob", "hello", "--json").objects()
        let id = try #require(sent.first?["id"] as? String)
        #expect(try await pair.alice.run("save", id).errors.contains("brings no files along"))
    }

    @Test(
        "show how a file comes: its share, its size, its speed and the time that is left",
        arguments: [
            (0, 1000, 0, 0.0, "0 %  0 bytes of 1.00 kB, waiting for somebody who has it"),
            (500, 1000, 0, 0.1, "50 %  500 bytes of 1.00 kB"),
            (1_000_000_000, 4_000_000_000, 500_000_000, 5.0, "25 %  1.00 GB of 4.00 GB  100 MB/s  0:30 left"),
        ])
    func progress(bytes: UInt64, of byteCount: UInt64, moved: UInt64, seconds: Double, text: String) {
        #expect(TransferLine.text(bytes, of: byteCount, moved: moved, in: .seconds(seconds)) == text)
    }
}
