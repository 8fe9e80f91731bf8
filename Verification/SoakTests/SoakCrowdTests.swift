import EarshotModel
import Foundation
import TestSupport
import Testing

@testable import EarshotSoak

@Suite("What a soak of a group finds")
struct SoakCrowdTests {
    private let folder: TemporaryFolder
    /// Of user 1, whose key is `Disk`'s own user's, and of user 2, who is its bob.
    private let author = GroupDevice(user: 1, number: 1)
    private let other = GroupDevice(user: 1, number: 2)
    private let reader = GroupDevice(user: 2, number: 1)

    init() throws { folder = try TemporaryFolder() }

    /// None of the nodes ever runs: a test writes what they would have left.
    private func crowd(unjudged: Set<GroupDevice> = []) async throws -> SoakCrowd {
        let nodes = try [author, other, reader].map { device in
            (device, try NodeProcess(home: folder.file(device.name)) { _ in Process() })
        }
        let crowd = SoakCrowd(Dictionary(uniqueKeysWithValues: nodes), unjudged: unjudged)
        let bob = try #require(UserID(bytes: [UInt8](repeating: 9, count: 32)))
        await crowd.knows(bob, as: reader.user)
        for device in [author, other, reader] { try await crowd.start(device) }
        await crowd.setSending(true)
        return crowd
    }

    private func lane(to recipient: Int? = nil) -> GroupLane {
        GroupLane(author: author, index: 0, recipient: recipient)
    }

    /// A message that the author's node has accepted, and that is on its disk.
    private func send(_ crowd: SoakCrowd, to recipient: Int? = nil) async throws -> (message: GroupMessage, disk: Disk)
    {
        let disk = try Disk(in: folder, home: author.name)
        let message = try #require(try await crowd.next(on: lane(to: recipient)))
        await crowd.accepted(message)
        try disk.append(message.text, log: 1, sequence: 1)
        return (message, disk)
    }

    /// The message is on the disk of user 2.
    private func receive(_ message: GroupMessage) throws {
        let disk = try Disk(in: folder, home: reader.name)
        try disk.write("DELETE FROM delivery")
        try disk.append(message.text, log: 1, sequence: 1)
    }

    @Test("is no message that a device of its recipient holds which is revoked, and so not judged")
    func heldByRevoked() async throws {
        let crowd = try await crowd(unjudged: [reader])
        let (message, _) = try await send(crowd)
        let disk = try Disk(in: folder, home: reader.name)
        try disk.write("DELETE FROM delivery")
        for sequence in 1...2 { try disk.append(message.text, log: 1, sequence: sequence) }
        try await crowd.look()
        #expect(await crowd.faults.falselyDelivered == 0)
        #expect(await crowd.devices == [author, other])
    }

    @Test("beside the lanes are texts in the files of a home")
    func asides() async throws {
        let home = folder.file("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let (first, second) = (Aside(author: author, number: 1), Aside(author: other, number: 23))
        try Data("xx\(first.text)\(second.text)aside-cut".utf8).write(to: URL(fileURLWithPath: home + "/history.db"))
        #expect(try Aside.texts(in: home) == [first.text, second.text])
        #expect(Aside.isText(first.text) && !Aside.isText(GroupMessage(lane: lane(), number: 1).text))
    }

    @Test("is a message that is called delivered, and that no disk of its recipient holds")
    func falselyDelivered() async throws {
        let crowd = try await crowd()
        // The database says that bob has two.
        let (message, _) = try await send(crowd)
        try receive(message)
        try await crowd.look()
        #expect(await crowd.faults.falselyDelivered == 1)
        #expect(await crowd.faults.lost == 0)
    }

    @Test("is no message that one device of its recipient holds")
    func delivered() async throws {
        let crowd = try await crowd()
        let (message, authors) = try await send(crowd)
        try authors.write("UPDATE delivery SET delivered = 1 WHERE log = 1")
        try receive(message)
        try await crowd.look()
        #expect(await crowd.faults.falselyDelivered == 0)
    }

    @Test("is lost if the author's disk does not hold what its node accepted")
    func lost() async throws {
        let crowd = try await crowd()
        let message = try #require(try await crowd.next(on: lane()))
        await crowd.accepted(message)
        try await crowd.look()
        #expect(await crowd.faults.lost == 1)
    }

    @Test("is missing on the disks of all who belong to the conversation, the author's other device among them")
    func missing() async throws {
        let crowd = try await crowd()
        _ = try await send(crowd)
        try await crowd.look()
        #expect(await crowd.missing == 2)
        #expect(await crowd.backlog == "u1.2 lacks 1, u2.1 lacks 1")
    }

    @Test("is missing only where its direct conversation is")
    func direct() {
        #expect(lane(to: 2).reaches(1) && lane(to: 2).reaches(2) && !lane(to: 2).reaches(3))
        #expect(lane().reaches(3))
    }

    @Test("is a message for what its text says, and no other text")
    func texts() {
        for recipient in [nil, 2] {
            let message = GroupMessage(lane: lane(to: recipient), number: 17)
            #expect(GroupMessage(message.text) == message)
            #expect(GroupMessage(message.text + "x") == nil)
        }
        #expect(GroupMessage("hello") == nil)
        #expect(GroupMessage("1 1 0 0 0 ") == nil)
    }

    @Test("is a state that went back")
    func retreated() async throws {
        let crowd = try await crowd()
        let (_, disk) = try await send(crowd)
        try await crowd.look()
        try disk.write("UPDATE delivery SET delivered = 1 WHERE log = 1")
        try await crowd.look()
        #expect(await crowd.faults.retreated == 1)
    }
}
