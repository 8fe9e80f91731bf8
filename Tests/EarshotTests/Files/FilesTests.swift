import EarshotModel
import EarshotStore
import Foundation
import TestSupport
import Testing

@testable import Earshot

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
        for (name, saved) in [(".bash_profile", "_bash_profile"), ("-rf", "_rf"), ("con", "_con"), ("a:b. ", "a_b__")] {
            let named = try Attachment(fileID: attachment.fileID, name: name, byteCount: attachment.byteCount)
            #expect(try await alice.node.files.save(named, to: folder.path) == folder.file(saved))
        }
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

    @Test("are fetched, refused and copied as rules say", .timeLimit(.minutes(2)))
    func rules() async throws {
        let (alice, bob) = try await Self.acquainted()
        let pictures = folder.file("pictures")
        try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
        try await bob.node.files.setRules(
            FileRules([
                FileRule(.fetch(folder: pictures), sender: alice.userID, mediaType: "image/*"),
                FileRule(.refuse, mediaType: "text/html"), FileRule(.ask, largest: 5),
            ]))
        var draft = MessageDraft("")
        for (name, count) in [("a.png", 10), ("b.html", 11), ("c.txt", 4), ("d.txt", 12)] {
            draft.attachments.append(try await alice.node.files.add(try file(name, bytes: count).path))
        }
        _ = try await alice.node.messages.send(draft, to: bob.userID)
        try await waitUntilHeld(draft.attachments[0].fileID, by: bob)
        try await waitUntilHeld(draft.attachments[3].fileID, by: bob)
        try await bob.events.until("the copy") { FileManager.default.fileExists(atPath: "\(pictures)/a.png") }
        #expect(try await bob.node.files.state(of: draft.attachments[1].fileID) == .declined)
        #expect(try await bob.node.files.state(of: draft.attachments[2].fileID) == .waiting)
        let shared = try await bob.node.files.shared()
        #expect(shared.map(\.attachment.name) == ["a.png", "b.html", "c.txt", "d.txt"])
        await expect(.invalidRule) { try await bob.node.files.setRules(FileRules([FileRule(.ask, mediaType: "x")])) }
        try await alice.stop()
        try await bob.stop()
    }

    @Test("are copied once where one message brings a content along under many names", .timeLimit(.minutes(2)))
    func copiedOnce() async throws {
        let (alice, bob) = try await Self.acquainted()
        let copies = folder.file("copies")
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        try await bob.node.files.setRules(FileRules([FileRule(.fetch(folder: copies), sender: alice.userID)]))
        for (name, count) in [("many.bin", 100_000), ("last.bin", 11)] {
            let path = try file(name, bytes: count).path
            let attachment = try await alice.node.files.add(path)
            var draft = MessageDraft("")
            draft.attachments = try (0..<(name == "many.bin" ? Limits.attachments : 1)).map { number in
                let name = number == 0 ? name : "\(number) \(name)"
                return try Attachment(fileID: attachment.fileID, name: name, byteCount: UInt64(count))
            }
            _ = try await alice.node.messages.send(draft, to: bob.userID)
            try await bob.events.until("the copy") { FileManager.default.fileExists(atPath: "\(copies)/\(name)") }
        }
        // Copies are made one after the other, so all of the first content are there by now.
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies).sorted() == ["last.bin", "many.bin"])
        // However often it is found to be here; also where the folder came late.
        let shared = try #require(try await bob.node.files.shared().first)
        let (late, again) = (folder.file("late"), FileCopies())
        let rules = FileRules([FileRule(.fetch(folder: late), sender: alice.userID)])
        try bob.node.store.note(rules, areForWaiting: true)
        let inForce = try bob.node.store.fileRules()
        try await again.put(shared.attachment.fileID, by: inForce, of: bob.node)
        try FileManager.default.createDirectory(atPath: late, withIntermediateDirectories: true)
        for _ in 0..<3 { try await again.put(shared.attachment.fileID, by: inForce, of: bob.node) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: late).count == 1)
        try await alice.stop()
        try await bob.stop()
    }

    @Test("hold up no others where one of them lies damaged on the disk, or cannot be copied", .timeLimit(.minutes(2)))
    func poisoned() async throws {
        let (alice, bob) = try await Self.acquainted()
        let copies = folder.file("copies")
        try FileManager.default.createDirectory(atPath: "\(copies)/folder", withIntermediateDirectories: true)
        try await bob.node.files.setRules(
            FileRules([
                FileRule(.fetch(folder: folder.file("nowhere")), sender: alice.userID, mediaType: "image/png"),
                FileRule(.fetch(folder: copies), sender: alice.userID),
            ]))
        // Its folder is there, and nothing in it.
        let damaged = try await alice.node.files.add(try file("damaged.bin", bytes: 1000).path)
        try FileManager.default.createDirectory(
            atPath: "\(bob.node.home.filesFolder)/held/\(damaged.fileID)", withIntermediateDirectories: true)
        var draft = MessageDraft("")
        draft.attachments = [damaged]
        for (name, count) in [("a.png", 1001), ("b.bin", 1002)] {
            draft.attachments.append(try await alice.node.files.add(try file(name, bytes: count).path))
        }
        _ = try await alice.node.messages.send(draft, to: bob.userID)
        try await bob.events.until("the copy of the last") {
            FileManager.default.fileExists(atPath: "\(copies)/b.bin")
        }
        let refused = try await bob.events.first("the refusal of a copy") { event -> FileID? in
            guard case .fileUpdated(let update) = event, case .failed = update.copy else { return nil }
            return update.fileID
        }
        #expect(refused == draft.attachments[1].fileID)
        guard case .failed(let reason) = try await bob.node.files.state(of: damaged.fileID) else {
            Issue.record("it is not said that the damaged one cannot be read")
            return
        }
        #expect(reason.contains("remove it"))
        try await alice.stop()
        try await bob.stop()
    }

    @Test("are owed as copies to a folder that takes none, also over a restart, until it does", .timeLimit(.minutes(2)))
    func owedCopies() async throws {
        let (alice, bob) = try await Self.acquainted()
        let late = folder.file("late")
        try await bob.node.files.setRules(FileRules([FileRule(.fetch(folder: late), sender: alice.userID)]))
        var draft = MessageDraft("")
        draft.attachments = [try await alice.node.files.add(try file("a.png", bytes: 1001).path)]
        _ = try await alice.node.messages.send(draft, to: bob.userID)
        _ = try await bob.events.first("the refusal of a copy") { event -> FileID? in
            guard case .fileUpdated(let update) = event, case .failed = update.copy else { return nil }
            return update.fileID
        }
        let owed = try #require(try await bob.node.files.owedCopies().first)
        #expect(owed.attachment == draft.attachments[0] && owed.folder == late && owed.reason != nil)
        #expect(try await bob.node.files.shared().first?.owedCopies == [owed])
        let finding = try #require(await bob.node.findings().first { $0.code == .copiesOwed })
        #expect(finding.what.contains(late))

        try await bob.stop()
        try FileManager.default.createDirectory(atPath: late, withIntermediateDirectories: true)
        try await bob.start()
        try await bob.events.until("the copy") { FileManager.default.fileExists(atPath: "\(late)/a.png") }
        try await bob.events.until("it is owed no more") { try await bob.node.files.owedCopies().isEmpty }
        #expect(try FileManager.default.contentsOfDirectory(atPath: late) == ["a.png"])
        try await alice.stop()
        try await bob.stop()
    }

    @Test("are owed as copies while their rule is there, and tried at once by a fetch", .timeLimit(.minutes(2)))
    func noLongerOwed() async throws {
        let (alice, bob) = try await Self.acquainted()
        let (late, never) = (folder.file("late"), folder.file("never"))
        try await bob.node.files.setRules(
            FileRules([
                FileRule(.fetch(folder: never), sender: alice.userID, mediaType: "image/png"),
                FileRule(.fetch(folder: late), sender: alice.userID),
            ]))
        var draft = MessageDraft("")
        for name in ["a.png", "b.bin"] {
            draft.attachments.append(try await alice.node.files.add(try file(name, bytes: 1001).path))
        }
        _ = try await alice.node.messages.send(draft, to: bob.userID)
        try await bob.events.until("both are owed") { try await bob.node.files.owedCopies().count == 2 }
        try await bob.node.files.setRules(FileRules([FileRule(.fetch(folder: late), sender: alice.userID)]))
        #expect(try await bob.node.files.owedCopies().allSatisfy { $0.folder == late })
        try FileManager.default.createDirectory(atPath: late, withIntermediateDirectories: true)
        try await bob.node.files.fetch(draft.attachments[1].fileID)
        try await bob.events.until("the copy") { FileManager.default.fileExists(atPath: "\(late)/b.bin") }
        try await alice.stop()
        try await bob.stop()
    }

    @Test("that wait go on waiting when a rule is added, unless it is added for them, too")
    func addedRule() async throws {
        let (alice, bob) = try await Self.acquainted()
        try await bob.node.files.setRules(FileRules([FileRule(.ask)]))
        var ids: [FileID] = []
        func send(_ name: String) async throws {
            var draft = MessageDraft("")
            draft.attachments = [try await alice.node.files.add(try file(name, bytes: 1000 + ids.count).path)]
            ids.append(draft.attachments[0].fileID)
            try await alice.events.state(.delivered, of: alice.node.messages.send(draft, to: bob.userID).id)
        }
        try await send("old.txt")
        let rule = FileRule(.fetch(folder: nil), sender: alice.userID)
        try await bob.node.files.setRules(FileRules([rule, FileRule(.ask)]))
        try await send("new.txt")
        try await waitUntilHeld(ids[1], by: bob)
        #expect(try await bob.node.files.state(of: ids[0]) == .waiting)
        try await bob.node.files.setRules(FileRules([FileRule(.ask)]))
        try await bob.node.files.setRules(FileRules([rule, FileRule(.ask)]), areForWaiting: true)
        try await waitUntilHeld(ids[0], by: bob)
        try await alice.stop()
        try await bob.stop()
    }

    @Test("do not go over the quota, say so, and come once there is room")
    func quota() async throws {
        let (alice, bob) = try await Self.acquainted()
        try await bob.node.files.setRules(FileRules(quotaBytes: 1000))
        var ids: [FileID] = []
        for (name, count) in [("a.txt", 600), ("b.txt", 601)] {
            var draft = MessageDraft("")
            draft.attachments = [try await alice.node.files.add(try file(name, bytes: count).path)]
            ids.append(draft.attachments[0].fileID)
            _ = try await alice.node.messages.send(draft, to: bob.userID)
            if count == 600 { try await waitUntilHeld(ids[0], by: bob) }
        }
        let node = bob.node
        try await bob.events.until("the refusal") { [ids] in
            if case .failed(let reason) = try? await node.files.state(of: ids[1]) {
                reason.contains("quota")
            } else {
                false
            }
        }
        #expect(try await node.files.usage().byteCount == 600)
        let upload = try await node.files.upload(name: "c.txt")
        await expect(.storeFull) { try await upload.append([UInt8](repeating: 1, count: 401)) }
        try await node.files.remove(ids[0])
        #expect(try await node.files.state(of: ids[0]) == .declined)
        try await node.files.fetch(ids[1])
        try await waitUntilHeld(ids[1], by: bob)
        try await alice.stop()
        try await bob.stop()
    }

    @Test("count in the quota with what came of those that are not whole, and a copy that does not fit is told of")
    func everythingCounts() async throws {
        let (alice, bob) = try await Self.acquainted()
        let copies = folder.file("copies")
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        let upload = try await bob.node.files.upload(name: "part.bin")
        try await upload.append([UInt8](repeating: 7, count: 300_000))
        #expect(try await (262_144..<400_000).contains(Int(bob.node.files.usage().byteCount)))
        let node = bob.node
        let rule = FileRule(.fetch(folder: copies), sender: alice.userID)
        try await node.files.setRules(FileRules([rule], quotaBytes: 500_000))
        var draft = MessageDraft("")
        draft.attachments = [try await alice.node.files.add(try file("a.bin", bytes: 150_000).path)]
        _ = try await alice.node.messages.send(draft, to: bob.userID)
        let reason = try await bob.events.first("the refusal of the copy") { event -> String? in
            guard case .fileUpdated(let update) = event, case .failed(let reason) = update.copy else { return nil }
            return reason
        }
        #expect(reason.contains("quota"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies).isEmpty)
        _ = try await upload.finish()
        try await alice.stop()
        try await bob.stop()
    }

    @Test("that a program uploads have room of its own until a message brings them along, however many come at once")
    func uploads() async throws {
        let alice = try TestUser("alice")
        try await alice.start()
        let files = alice.node.files
        let (one, other) = (Uploader(token: "one", limit: 1000), Uploader(token: "other", limit: 1000))
        func upload(_ byte: UInt8, _ count: Int, _ uploader: Uploader) async throws -> FileUpload {
            let upload = try await files.upload(name: "a.bin", mediaType: nil, by: uploader)
            try await upload.append([UInt8](repeating: byte, count: count))
            return upload
        }
        // Two at once have no more room than one after the other.
        let attachment: EarshotModel.Attachment
        do {
            let first = try await upload(1, 600, one)
            await expect(.storeFull) { _ = try await upload(2, 401, one) }
            attachment = try await first.finish()
        }
        _ = try await upload(3, 400, one).finish()
        await expect(.storeFull) { _ = try await files.upload(name: "a.bin", mediaType: nil, by: one) }
        _ = try await upload(4, 1000, other)
        _ = try await files.upload(name: "a.bin").append([UInt8](repeating: 5, count: 5000))
        // What was sent counts for its messages.
        var draft = MessageDraft("")
        draft.attachments = [attachment]
        _ = try await alice.node.messages.send(draft, to: alice.userID)
        await expect(.storeFull) { _ = try await upload(6, 601, one) }
        _ = try await upload(6, 600, one).finish()
        try await alice.stop()
    }

    @Test("are neither given nor fetched once their message was taken back")
    func retracted() async throws {
        let (alice, bob) = try await Self.acquainted()
        try await bob.node.files.setRules(FileRules([FileRule(.ask)]))
        var draft = MessageDraft("look")
        draft.attachments = [try await alice.node.files.add(try file("a.txt", bytes: 10).path)]
        let sent = try await alice.node.messages.send(draft, to: bob.userID)
        try await alice.events.state(.delivered, of: sent.id)
        try await alice.node.messages.retract(sent.id)
        try await bob.events.until("the retraction") {
            (try? await bob.node.messages.message(sent.id).isRetracted) == true
        }
        let fileID = draft.attachments[0].fileID
        await expect(.unknownFile) { try await bob.node.files.fetch(fileID) }
        try await alice.stop()
        try await bob.stop()
    }

    @Test("are fetched no longer once their message was taken back")
    func stopped() async throws {
        let (alice, bob) = try await Self.acquainted()
        try await bob.node.files.setRules(FileRules([FileRule(.ask)]))
        var draft = MessageDraft("look")
        draft.attachments = [try await alice.node.files.add(try file("a.txt", bytes: 10).path)]
        let fileID = draft.attachments[0].fileID
        let sent = try await alice.node.messages.send(draft, to: bob.userID)
        try await alice.events.state(.delivered, of: sent.id)
        // Nobody has it, so it is fetched until something ends that.
        try await alice.node.files.remove(fileID)
        try await bob.node.files.fetch(fileID)
        #expect(try await bob.node.files.state(of: fileID) == .fetching(receivedBytes: 0))
        let node = bob.node
        try await alice.node.messages.retract(sent.id)
        try await bob.events.until("it is neither known nor fetched") {
            let isKnown = (try? await node.files.state(of: fileID)) != nil
            return !isKnown && node.fileKeeper.receivedBytes(of: fileID) == nil
        }
        try await alice.stop()
        try await bob.stop()
    }

    @Test("may be folders, which come as archives of them")
    func folders() async throws {
        let (alice, bob) = try await Self.acquainted()
        let plans = folder.file("plans")
        try FileManager.default.createDirectory(atPath: "\(plans)/old", withIntermediateDirectories: true)
        try Data("one".utf8).write(to: URL(fileURLWithPath: "\(plans)/a.txt"))
        try Data("two".utf8).write(to: URL(fileURLWithPath: "\(plans)/old/b.txt"))
        let attachment = try await alice.node.files.add(plans)
        #expect(attachment.name == "plans.tar" && attachment.mediaType == "application/x-tar")
        let content = try await alice.node.files.bytes(of: attachment.fileID, 0..<Int(attachment.byteCount))
        let text = String(decoding: content, as: UTF8.self)
        #expect(text.contains("plans/a.txt") && text.contains("plans/old/b.txt") && text.contains("two"))
        // The same folder is the same content, also by another way that leads to it.
        #expect(try await alice.node.files.add(plans).fileID == attachment.fileID)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: plans)
        let linked = try await alice.node.files.add(folder.file("link"))
        #expect(linked.name == "link.tar" && linked.fileID == attachment.fileID)
        // Nobody sends their keys with everything else.
        let home = alice.node.home.path
        for path in [home, "/", (home as NSString).deletingLastPathComponent] {
            await expect(.unusableFile) { try await alice.node.files.add(path) }
        }
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
        await expect(.unusableFile) { try await alice.node.files.add("/dev/null") }
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

    @Test("go to nobody who only names their hash, and to their author again who sent them")
    func named() async throws {
        let (alice, carol) = try await Self.acquainted()
        let mallory = try TestUser("mallory")
        try await mallory.start(peers: [alice.address])
        try await mallory.waitForLink(to: alice)
        let secret = try await carol.node.files.add(try file("secret.txt", bytes: 700_000).path)
        var draft = MessageDraft("for you alone")
        draft.attachments = [secret]
        _ = try await carol.node.messages.send(draft, to: alice.userID)
        try await waitUntilHeld(secret.fileID, by: alice)
        // Mallory says that he sends it, and has none of it, by a conversation of two and by one of many.
        let group = try await mallory.node.conversations.join(named: "plans")
        _ = try await alice.node.conversations.join(named: "plans")
        draft.attachments = [try await mallory.node.files.add(folder.file("secret.txt"))]
        let sent = try await mallory.node.messages.send(draft, to: alice.userID)
        let again = try await mallory.node.messages.send(draft, to: group)
        try await mallory.events.state(.delivered, of: sent.id)
        try await alice.events.until("the message") { (try? await alice.node.messages.message(again.id)) != nil }
        try await mallory.node.files.remove(secret.fileID)
        try await mallory.node.files.fetch(secret.fileID)
        // What he is sent comes after it, and comes.
        var gift = MessageDraft("for you")
        gift.attachments = [try await alice.node.files.add(try file("gift.txt", bytes: 900_000).path)]
        _ = try await alice.node.messages.send(gift, to: mallory.userID)
        let given = gift.attachments[0].fileID
        try await mallory.events.until("the message") { (try? await mallory.node.files.state(of: given)) != nil }
        try await mallory.node.files.fetch(given)
        try await waitUntilHeld(given, by: mallory)
        #expect(try await mallory.node.files.state(of: secret.fileID) == .fetching(receivedBytes: 0))
        // Carol has lost hers, and alice has it from her.
        try await carol.node.files.remove(secret.fileID)
        try await carol.node.files.fetch(secret.fileID)
        try await waitUntilHeld(secret.fileID, by: carol)
        for user in [alice, carol, mallory] { try await user.stop() }
    }
}
