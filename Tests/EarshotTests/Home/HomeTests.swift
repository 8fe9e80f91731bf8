import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("A home directory")
struct HomeTests {
    @Test(
        "knows where a file lies, also one with a name of one letter",
        arguments: [("c", "."), ("/c", "/"), ("a/b", "a"), ("/a/b", "/a"), ("./c", ".")])
    func directory(path: String, directory: String) {
        #expect(PrivateFile.directory(of: path) == directory)
    }

    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("deep/home"))
    }

    @Test("and the files in it are their owner's alone")
    func modes() throws {
        try home.create(name: "alice")
        #expect(try mode(of: home.path) == 0o700)
        let files = try FileManager.default.contentsOfDirectory(atPath: home.path)
        #expect(Set(files) == ["identity.key", "device.key", "credential"])
        for file in files { #expect(try mode(of: home.path + "/" + file) == 0o600) }
    }

    @Test("and the history that a node writes there are their owner's alone")
    func historyModes() throws {
        try home.create(name: "alice")
        let node = try Node(home: home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
        let files = try FileManager.default.contentsOfDirectory(atPath: home.path)
        #expect(files.contains("history.db"))
        #expect(files.contains("files"))
        for file in files {
            #expect(try mode(of: home.path + "/" + file) == (file == "files" ? 0o700 : 0o600), "\(file)")
        }
        withExtendedLifetime(node) {}
    }

    @Test("is made once, and a second identity changes nothing of the first")
    func createdOnce() async throws {
        try home.create(name: "alice")
        let before = try contents()
        await expect(.alreadyInitialized) { try home.create(name: "bob") }
        #expect(try contents() == before)
    }

    @Test("is not made for what is no name", arguments: ["", " ", "a\nb", String(repeating: "a", count: 64)])
    func invalidName(name: String) async throws {
        await expect(.invalidName) { try home.create(name: name) }
        #expect(!FileManager.default.fileExists(atPath: home.path))
    }

    @Test("gives each user another key, and the same one every time")
    func identity() throws {
        let userID = try home.create(name: "Zoe\u{308}")
        let other = try Home(path: folder.file("other")).create(name: "Zo\u{EB}")
        #expect(userID != other)
        let node = try open()
        #expect((node.userID, node.name.text) == (userID, "Zo\u{EB}"))
    }

    @Test("without an identity is refused as such")
    func notInitialized() async throws {
        let error = await expect(.notInitialized) { try open() }
        #expect(error?.parameters.path == home.path)
    }

    @Test("that others may enter is refused with the mode that it should have", arguments: [0o755, 0o710, 0o701])
    func looseDirectory(mode: Int) async throws {
        try home.create(name: "alice")
        try setMode(mode, of: home.path)
        let error = await expect(.looseHome) { try open() }
        #expect(error?.parameters == .init(path: home.path, mode: "700"))
        try setMode(0o700, of: home.path)
        _ = try open()
    }

    @Test("that exists and is loose is refused before a key is written to it")
    func looseBefore() async throws {
        try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
        try setMode(0o755, of: home.path)
        await expect(.looseHome) { try home.create(name: "alice") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
    }

    @Test(
        "with a file that others may read is refused with the mode that it should have",
        arguments: ["device.key", "credential"], [0o640, 0o604, 0o660])
    func looseFile(name: String, mode: Int) async throws {
        try home.create(name: "alice")
        try setMode(mode, of: home.path + "/" + name)
        let error = await expect(.looseHome) { try open() }
        #expect(error?.parameters == .init(path: "\(home.path)/\(name)", mode: "600"))
    }

    @Test("with a symbolic link in the place of a file is refused", arguments: ["device.key", "credential"])
    func symbolicLink(name: String) async throws {
        try home.create(name: "alice")
        let file = home.path + "/" + name
        try FileManager.default.moveItem(atPath: file, toPath: folder.file(name))
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: folder.file(name))
        await expect(.unusableHome) { try open() }
    }

    @Test("does not follow a symbolic link to another identity")
    func symbolicIdentity() async throws {
        try home.create(name: "alice")
        let file = home.path + "/identity.key"
        try FileManager.default.moveItem(atPath: file, toPath: folder.file("identity.key"))
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: folder.file("identity.key"))
        await expect(.unusableHome) { try home.isSealed }
    }

    @Test(
        "with a file that does not hold what it should is refused, and the file stays as it is",
        arguments: ["device.key", "credential"],
        [Data(), Data("nonsense".utf8), Data(count: 4097), Data("earshot device 1\n".utf8) + Data(count: 63)])
    func malformedFile(name: String, bytes: Data) async throws {
        try home.create(name: "alice")
        let file = URL(fileURLWithPath: home.path + "/" + name)
        try bytes.write(to: file)
        await expect(.unusableHome) { try open() }
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("that is a file, or lies in one, is not called missing")
    func isNoDirectory() async throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        for path in [folder.file("file"), folder.file("file") + "/home"] {
            let error = await expect(.unusableHome) { try open(Home(path: path)) }
            #expect(error?.parameters.path == path)
        }
    }

    @Test(
        "is not made for a name that means something else where a user is named",
        arguments: ["a@b", "#cafe", "a,b", "a/b", "me", "Me"])
    func reservedCharacter(name: String) async throws {
        let error = await expect(.invalidName) { try home.create(name: name) }
        #expect(error?.parameters == .init(.reservedCharacter, name: name))
        #expect(!home.isInitialized)
    }

    @Test("that is a file is refused")
    func notADirectory() async throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        await expect(.unusableHome) { try Home(path: folder.file("file")).create(name: "alice") }
    }

    @Test("whose database is damaged is refused, and the database left byte for byte")
    func damagedStore() async throws {
        try home.create(name: "alice")
        let file = URL(fileURLWithPath: home.databaseFile)
        let bytes = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
        try bytes.write(to: file)
        await expect(.storeDamaged) { try open() }
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("is where the environment says, in this order")
    func standard() {
        let all = ["EARSHOT_HOME": "/a", "XDG_DATA_HOME": "/b", "HOME": "/c"]
        #expect(Home.standard(environment: all).path == "/a")
        #expect(Home.standard(environment: ["XDG_DATA_HOME": "/b", "HOME": "/c"]).path == "/b/earshot")
        #expect(Home.standard(environment: ["EARSHOT_HOME": "", "HOME": "/c"]).path == "/c/.local/share/earshot")
        #expect(Home.standard(environment: ["XDG_DATA_HOME": "b", "HOME": "/c"]).path == "/c/.local/share/earshot")
    }

    private func open(_ other: Home? = nil) throws -> Node {
        try Node(home: other ?? home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
    }

    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: home.path) {
            contents[file] = try Data(contentsOf: URL(fileURLWithPath: home.path + "/" + file))
        }
        return contents
    }

    private func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
