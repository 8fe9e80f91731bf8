import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("An error of a file that Foundation reports")
struct SystemWordsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("is told in the system's words")
    func words() throws {
        let file = folder.file("a")
        try Data().write(to: URL(filePath: file))
        let attempts: [(String, () throws -> Void)] = [
            ("No such file or directory", { _ = try Data(contentsOf: URL(filePath: file + "b")) }),
            ("No such file or directory", { try FileManager.default.removeItem(atPath: file + "b") }),
            ("No such file or directory", { _ = try FileHandle(forReadingFrom: URL(filePath: file + "b")) }),
            ("File exists", { try Data().write(to: URL(filePath: file), options: .withoutOverwriting) }),
            (
                "Not a directory",
                { try FileManager.default.createDirectory(atPath: file + "/b", withIntermediateDirectories: false) }
            ),
        ]
        for (words, attempt) in attempts {
            #expect {
                try attempt()
            } throws: { error in
                SystemWords.words(for: error) == words
            }
        }
    }
}
