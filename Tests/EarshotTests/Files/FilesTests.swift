import Earshot
import Foundation
import TestSupport
import Testing

@Suite("Files of messages")
struct FilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, bytes count: Int) throws -> (path: String, content: Data) {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 1000) })
        try content.write(to: URL(fileURLWithPath: folder.file(name)))
        return (folder.file(name), content)
    }

    private func waitUntilHeld(_ fileID: FileID, by user: TestUser) async throws {
        let node = user.node
        try await user.events.until("the file is held") { (try? await node.files.state(of: fileID)) == .held }
    }

    /// Two who have written to each other, so that neither is a stranger.
    private static func acquainted() async throws -> (alice: TestUser, bob: TestUser) {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let hello = try await alice.send("hello", to: bob)
        try await alice.events.state(.delivered, of: hello.id)
        let answer = try await bob.send("hello", to: alice)
        try await bob.events.state(.delivered, of: answer.id)
        return (alice, bob)
    }

    @Test("come with their message, and can be saved", arguments: [0, 1, 3_000_000])
    func come(count: Int) async throws {
        let (alice, bob) = try await Self.acquainted()
        let (path, content) = try file("plan.png", bytes: count)
        let attachment = try await alice.node.files.add(path)
        #expect(attachment.mediaType == "image/png" && attachment.byteCount == UInt64(count))
        var draft = MessageDraft("")
        draft.attachments = [attachment]
        let sent = try await alice.node.messages.send(draft, to: bob.userID)
        #expect(sent.attachments == [attachment])
        try await waitUntilHeld(attachment.fileID, by: bob)
        let received = try await bob.node.messages.message(sent.id)
        #expect(received.attachments == [attachment])
        let saved = try await bob.node.files.save(received.attachments[0], to: folder.path)
        #expect(saved == folder.file("plan (2).png"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: saved)) == content)
        try await alice.stop()
        try await bob.stop()
    }

    @Test("are saved by names that show their ends")
    func misleadingName() async throws {
        let alice = try TestUser("alice")
        try await alice.start()
        let attachment = try await alice.node.files.add(
            try file("a", bytes: 10).path, name: "bill\u{202e}fdp.\u{200f}\u{e0041}exe")
        #expect(try await alice.node.files.save(attachment, to: folder.path) == folder.file("bill_fdp.__exe"))
        try await alice.stop()
    }

    @Test("of strangers, and large ones, wait until somebody asks for them")
    func waiting() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        try await TestUser.meet(alice, bob)
        let attachment = try await alice.node.files.add(try file("a.txt", bytes: 10).path)
        var draft = MessageDraft("look")
        draft.attachments = [attachment]
        let sent = try await alice.node.messages.send(draft, to: bob.userID)
        try await bob.events.until("the message") { (try? await bob.node.messages.message(sent.id)) != nil }
        #expect(try await bob.node.files.state(of: attachment.fileID) == .waiting)
        await expect(.fileMissing) { try await bob.node.files.save(attachment, to: folder.path) }
        try await bob.node.files.fetch(attachment.fileID)
        try await waitUntilHeld(attachment.fileID, by: bob)
        try await alice.stop()
        try await bob.stop()
    }

    @Test("that nobody added are brought along by no message, and known to nobody")
    func unknown() async throws {
        let alice = try TestUser("alice")
        try await alice.start()
        let (path, _) = try file("a.txt", bytes: 10)
        let attachment = try await alice.node.files.add(path)
        var draft = MessageDraft("look")
        draft.attachments = [
            try Attachment(fileID: attachment.fileID, name: "a.txt", byteCount: attachment.byteCount + 1)
        ]
        await expect(.unknownFile) { try await alice.node.messages.send(draft, to: alice.userID) }
        await expect(.unusableFile) { try await alice.node.files.add(folder.path) }
        try await alice.stop()
    }

    @Test("go on where they were when a node comes back, and come from a third who has them while their author is away")
    func fromAThird() async throws {
        let (alice, bob) = try await Self.acquainted()
        let carol = try TestUser("carol")
        let conversation = try await alice.node.conversations.join(named: "plans")
        _ = try await bob.node.conversations.join(named: "plans")
        let attachment = try await alice.node.files.add(try file("plan.pdf", bytes: 5_000_000).path)
        var draft = MessageDraft("the plan")
        draft.attachments = [attachment]
        let sent = try await alice.node.messages.send(draft, to: conversation)
        try await waitUntilHeld(attachment.fileID, by: bob)
        try await alice.stop()
        try await carol.start(peers: [bob.address])
        try await carol.waitForLink(to: bob)
        _ = try await carol.node.conversations.join(named: "plans")
        try await carol.events.until("the message") { (try? await carol.node.messages.message(sent.id)) != nil }
        try await carol.node.files.fetch(attachment.fileID)
        try await waitUntilHeld(attachment.fileID, by: carol)
        try await bob.stop()
        try await carol.stop()
    }
}
