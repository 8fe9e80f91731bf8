import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("A path that cannot be used")
struct HomePathTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Everything that is given a path of somebody's own choice.
    private static let uses: [(String, @Sendable (String) throws -> Void)] = [
        ("create", { try Home(path: $0).create(name: "alice") }),
        ("restore", { try Home(path: $0).restore(from: "/dev/null", passphrase: Passphrase(copying: "a".utf8)) }),
        ("passphrase", { _ = try Passphrase(file: $0) }), ("network key", { _ = try NetworkKey(file: $0) }),
    ]

    @Test("is said to be empty if it is, with what to name instead", arguments: uses.indices)
    func empty(index: Int) {
        let error = #expect(throws: EarshotError.self) { try Self.uses[index].1("") }
        #expect(error?.message.contains("is empty: name a file or a directory") == true, "\(Self.uses[index].0)")
        #expect(error?.parameters.detail == .empty)
    }

    @Test("is named with the system's words for the reason, never with Foundation's", arguments: [0, 2, 3])
    func words(index: Int) throws {
        let file = folder.path + "/file"
        try Data().write(to: URL(filePath: file))
        let error = #expect(throws: EarshotError.self) { try Self.uses[index].1(file + "/below") }
        let message = try #require(error?.message)
        #expect(message.contains(file) && message.contains("Not a directory"), "\(message)")
        #expect(error?.parameters.systemError == ENOTDIR)
        for foreign in ["NSCocoaErrorDomain", "couldn’t", "operation could not", "Error Domain"] {
            #expect(!message.contains(foreign))
        }
    }

    @Test("may have directories that are missing: a home is made with them, for its owner alone")
    func missing() throws {
        let path = folder.path + "/a/b/home"
        try Home(path: path).create(name: "alice")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o700)
    }
}
