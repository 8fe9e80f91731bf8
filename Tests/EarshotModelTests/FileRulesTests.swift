import Testing

@testable import EarshotModel

@Suite("Rules for files")
struct FileRulesTests {
    private let alice: UserID? = UserID(Bytes32())
    private let bob = UserID(bytes: [UInt8](repeating: 4, count: 32))

    private func file(by sender: UserID?, _ mediaType: String = "image/png", bytes: UInt64 = 50) throws -> AttachedFile
    {
        AttachedFile(
            try Attachment(
                fileID: FileID(Bytes32()), name: "a", mediaType: mediaType, byteCount: bytes),
            in: ConversationID(Bytes32()), by: try #require(sender),
            MessageID(log: LogID(Bytes32()), sequence: 1))
    }

    private func decision(
        on file: AttachedFile, by rules: [FileRule], isStranger: Bool = false
    ) -> FileRule.Decision {
        FileRulesInForce(FileRules(rules)).decision(on: file, isStranger: isStranger, smallBytes: 100)
    }

    @Test("leave small files of those whom the user knows to be fetched, and all others to be asked for")
    func withoutRules() throws {
        #expect(decision(on: try file(by: alice), by: []) == .fetch(folder: nil))
        #expect(decision(on: try file(by: alice, bytes: 101), by: []) == .ask)
        #expect(decision(on: try file(by: alice), by: [], isStranger: true) == .ask)
    }

    @Test("decide by user, type and size, and the first that fits wins")
    func first() throws {
        let rules = [
            FileRule(.fetch(folder: "/p"), sender: alice, mediaType: "image/*", largest: 1000),
            FileRule(.refuse, mediaType: "image/png"), FileRule(.ask, sender: alice),
        ]
        #expect(decision(on: try file(by: alice, bytes: 1000), by: rules) == .fetch(folder: "/p"))
        #expect(decision(on: try file(by: alice, "IMAGE/gif"), by: rules) == .fetch(folder: "/p"))
        #expect(decision(on: try file(by: alice, bytes: 1001), by: rules) == .refuse)
        #expect(decision(on: try file(by: alice, "image/gif", bytes: 1001), by: rules) == .ask)
        #expect(decision(on: try file(by: bob, "Image/PNG"), by: rules) == .refuse)
        #expect(decision(on: try file(by: bob, "text/plain"), by: rules) == .fetch(folder: nil))
    }

    @Test("fetch nothing of a stranger unless they name them")
    func strangers() throws {
        let all = FileRule(.fetch(folder: nil))
        #expect(decision(on: try file(by: alice), by: [all], isStranger: true) == .ask)
        let named = FileRule(.fetch(folder: nil), sender: alice)
        #expect(decision(on: try file(by: alice), by: [named], isStranger: true) == .fetch(folder: nil))
        #expect(decision(on: try file(by: alice), by: [FileRule(.refuse)], isStranger: true) == .refuse)
    }

    @Test("say how large the largest file is that may be fetched unasked")
    func largest() {
        #expect(FileRules([FileRule(.ask)]).largestFetched(smallBytes: 7) == 7)
        #expect(FileRules([FileRule(.fetch(folder: nil), largest: 9)]).largestFetched(smallBytes: 7) == 9)
        #expect(FileRules([FileRule(.fetch(folder: nil))]).largestFetched(smallBytes: 7) == Limits.fileBytes)
    }

    @Test("are refused for types and folders that there are not", arguments: ["image", "*/*", "/", "", "a/b/*"])
    func invalid(type: String) {
        #expect(throws: FileRule.Invalid.self) { try FileRule(.ask, mediaType: type).check() }
        #expect(throws: FileRule.Invalid.self) { try FileRule(.fetch(folder: "Pictures")).check() }
        #expect(throws: Never.self) { try FileRule(.fetch(folder: "/p"), mediaType: "image/*").check() }
    }

    @Test("are for files that came since they were set")
    func starts() throws {
        let rules = FileRulesInForce(FileRules([FileRule(.refuse), FileRule(.ask)]), starts: [7, 6])
        for (arrival, expected) in [(5, FileRule.Decision.fetch(folder: nil)), (6, .ask), (7, .refuse)] {
            let first = try file(by: alice)
            let file = AttachedFile(
                first.attachment, in: first.conversationID, by: first.senderID, first.messageID, arrival: Int64(arrival)
            )
            #expect(rules.decision(on: file, isStranger: false, smallBytes: 100) == expected)
        }
    }
}
