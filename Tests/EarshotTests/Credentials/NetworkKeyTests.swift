import EarshotCrypto
import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("A network key")
struct NetworkKeyTests {
    /// The one of the test vectors (docs/PROTOCOL.md, section 10), and its text, which was worked out apart from this code.
    private static let example = NetworkKey(secret: SecretBytes(copying: (0..<32).map { 255 - $0 }))
    private static let exampleText =
        "earshot-network-1-zzzfv-z7vzb-wzhxz-pyqtf-7wqhy-3qyxv-fcxfn-ekt77-wvjy9-rz2w7-g3f7t-hqryg"

    @Test("has one text, which reads as the same key")
    func text() throws {
        #expect(Self.example.text == Self.exampleText)
        #expect(try NetworkKey(typed: Self.exampleText) == Self.example)
        for _ in 0..<100 {
            let key = NetworkKey.generate()
            let read = try NetworkKey(typed: key.text)
            #expect(read == key)
            #expect(read.tag == key.tag)
        }
    }

    @Test("has the text that the test vectors say")
    func vector() throws {
        let file = PackageFolder.root.appending(path: "docs/vectors.json")
        let vectors = try JSONDecoder().decode([String: [String: String]].self, from: Data(contentsOf: file))
        #expect(vectors["network"]?["text"] == Self.example.text)
    }

    @Test("is another one each time")
    func generate() { #expect(NetworkKey.generate() != NetworkKey.generate()) }

    @Test(
        "reads however it was copied",
        arguments: [
            { $0.uppercased() }, { " \n" + $0 + "\r\n" }, { $0.replacing("-", with: " ") },
            { $0.replacing("-", with: "") }, { $0.replacing("-", with: "\u{2013}") },
            { $0.replacing("-", with: "-\n> ".filter { $0 != ">" }) }, { $0.replacing("-", with: "\u{2011}\u{200B}") },
            { $0.replacing("0", with: "o").replacing("1", with: "l") },
            { $0.replacing("0", with: "O").replacing("1", with: "I") },
            { String($0.dropFirst("earshot-network-1-".count)) },
        ] as [@Sendable (String) -> String])
    func forgiving(change: @Sendable (String) -> String) throws {
        #expect(try NetworkKey(typed: change(Self.exampleText)) == Self.example)
    }

    @Test("with any one character changed, or two exchanged, is refused")
    func mistyped() async throws {
        let key = NetworkKey.generate()
        let text = Array(key.text)
        for index in text.indices where index >= SecretText.networkKey.prefix.count && text[index] != "-" {
            var changed = text
            changed[index] = text[index] == "7" ? "8" : "7"
            await expect(.invalidNetworkKey) { try NetworkKey(typed: String(changed)) }
            var exchanged = text
            guard index + 1 < text.count, text[index + 1] != "-", text[index] != text[index + 1] else { continue }
            exchanged.swapAt(index, index + 1)
            await expect(.invalidNetworkKey) { try NetworkKey(typed: String(exchanged)) }
        }
    }

    @Test(
        "is not read from what is none, and the error repeats nothing of it",
        arguments: [
            "", "-", "earshot-network-1-", "hunter2", "earshot-network-2-" + exampleText.dropFirst(18),
            exampleText + "0", String(exampleText.dropLast()), exampleText.replacing("z", with: "u"),
            exampleText.replacing("z", with: "\u{1F511}"), String(repeating: "0", count: 60),
        ])
    func invalid(text: String) async throws {
        let error = await expect(.invalidNetworkKey) { try NetworkKey(typed: text) }
        #expect(error?.parameters.detail == .mistyped)
        if text.count > SecretText.networkKey.prefix.count {
            #expect(error?.description.contains(text.suffix(5)) == false)
        }
    }

    @Test("shows nothing of itself by chance")
    func redacted() {
        #expect("\(Self.example)" == "<network key \(Self.example.tag)>")
        var dumped = ""
        dump(Self.example, to: &dumped)
        #expect(!dumped.contains("earshot-network"))
    }

    @Test("is read from a file that is its owner's alone, however its lines are broken")
    func file() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("key")
        let wrapped = Self.exampleText.prefix(40) + "\n" + Self.exampleText.dropFirst(40) + "\n"
        try Data(wrapped.utf8).write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, 0o644) == 0)
        let error = await expect(.looseHome) { try NetworkKey(file: path) }
        #expect(error?.parameters == .init(path: path, mode: "600"))
        #expect(chmod(path, 0o600) == 0)
        #expect(try NetworkKey(file: path) == Self.example)
        try Data(count: 5000).write(to: URL(fileURLWithPath: path))
        await expect(.invalidNetworkKey) { try NetworkKey(file: path) }
        await expect(.invalidNetworkKey) { try NetworkKey(file: folder.file("none")) }
    }
}

@Suite("A home's network key")
struct HomeNetworkTests {
    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        try home.create(name: "alice")
    }

    @Test("is its owner's alone, and the one that was made")
    func create() throws {
        #expect(try home.networkKey() == nil)
        let key = try home.createNetworkKey()
        #expect(try home.networkKey() == key)
        var status = stat()
        #expect(stat(home.networkFile, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try open().networkTag == key.tag)
    }

    @Test("is not lost by another unless that is said")
    func replace() async throws {
        let (first, second) = (try home.createNetworkKey(), NetworkKey.generate())
        await expect(.networkKeyExists) { try home.createNetworkKey() }
        let error = await expect(.networkKeyExists) { try home.joinNetwork(second) }
        #expect(error?.parameters.path == home.path)
        #expect(try home.networkKey() == first)
        #expect(try home.joinNetwork(first) == false)
        #expect(try home.joinNetwork(second, replacing: true))
        #expect(try home.networkKey() == second)
    }

    @Test("is gone when the network was left, and leaving again is no error")
    func leave() throws {
        try home.createNetworkKey()
        #expect(try home.leaveNetwork())
        #expect(try home.leaveNetwork() == false)
        #expect(try home.networkKey() == nil)
        #expect(try open().networkTag == nil)
    }

    @Test("that is damaged keeps the node from starting in a network it was not in")
    func damaged() async throws {
        try home.createNetworkKey()
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: home.networkFile))
        await expect(.unusableHome) { try open() }
        await expect(.unusableHome) { try home.networkKey() }
        // It can be left all the same.
        #expect(try home.leaveNetwork())
    }

    @Test("whose file cannot be read is an error, and never no key: a link to nothing, one to itself, a directory")
    func unreadable() async throws {
        for target in [folder.file("nothing"), home.networkFile, home.path] {
            try FileManager.default.createSymbolicLink(atPath: home.networkFile, withDestinationPath: target)
            await expect(.unusableHome) { try home.networkKey() }
            await expect(.unusableHome) { try open() }
            #expect(try home.leaveNetwork())
        }
        try FileManager.default.createDirectory(
            atPath: home.networkFile, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        await expect(.unusableHome) { try home.networkKey() }
        await expect(.unusableHome) { try open() }
    }

    @Test("needs an identity first")
    func notInitialized() async throws {
        let other = Home(path: folder.file("other"))
        await expect(.notInitialized) { try other.createNetworkKey() }
        await expect(.notInitialized) { try other.leaveNetwork() }
    }

    private func open() throws -> Node {
        try Node(home: home, configuration: NodeConfiguration(discovery: .off, logger: .quiet))
    }
}
