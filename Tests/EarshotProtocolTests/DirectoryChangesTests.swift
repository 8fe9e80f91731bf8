import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What changed among users and waits for the disk")
struct DirectoryChangesTests {
    private var changes = DirectoryChanges()
    private let bob = device("bob")

    private func record(_ lastSeen: Int64) -> UserRecord {
        UserRecord(
            userID: bob.userID, name: bob.name, trust: .unverified, isPinned: false, firstSeen: 1, lastSeen: lastSeen)
    }

    private func user(_ lastSeen: Int64) -> User { User(record(lastSeen), conflictingID: nil, isOnline: true) }

    private mutating func take() -> CommitInFlight {
        var next = CommitInFlight()
        changes.move(into: &next)
        return next
    }

    @Test("is told in one event of a user, however often they came and went while the disk failed")
    mutating func merged() {
        changes.write(record(1))
        changes.tell(.userDiscovered(user(1)), isMerged: true)
        for time in 2...Int64(9) { changes.tell(.userUpdated(user(time), changes: [.isOnline]), isMerged: true) }
        #expect(changes.eventCount == 1)
        let events = take().userEvents
        #expect(events.map(\.name) == [.userDiscovered] && changes.isEmpty)
    }

    @Test("is not told, nor written, of a user who was forgotten before")
    mutating func forgotten() {
        changes.write(record(1))
        changes.tell(.userDiscovered(user(1)), isMerged: true)
        changes.forget(bob.userID, isUntold: true)
        let next = take()
        #expect(next.userEvents.isEmpty && next.commit.users.isEmpty && next.commit.forgottenUsers == [bob.userID])
    }

    @Test("is tried again after a commit that failed, but for what changed since and who was forgotten")
    mutating func takenBack() {
        changes.write(record(1))
        let failed = take()
        changes.takeBack(failed, directory: UserDirectory(users: [record(1)], devices: []))
        let again = take().commit.users
        #expect(again.map(\.lastSeen) == [1])
        changes.write(record(2))
        changes.takeBack(failed, directory: UserDirectory(users: [record(1)], devices: []))
        let newer = take().commit.users
        #expect(newer.map(\.lastSeen) == [2])
        changes.takeBack(failed, directory: UserDirectory(users: [], devices: []))
        #expect(changes.isEmpty)
    }
}
