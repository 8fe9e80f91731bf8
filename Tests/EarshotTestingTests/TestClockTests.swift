import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("The clock of a test network", .timeLimit(.ofHungTest))
struct TestClockTests {
    @Test("lets a task sleep until time is moved on")
    func sleep() async throws {
        let network = try TestNetwork()
        let (clock, start) = (network.clock, network.clock.now)
        let (slept, continuation) = AsyncStream<Duration>.makeStream()
        let task = Task {
            try await clock.sleep(for: .seconds(60))
            continuation.yield(start.duration(to: clock.now))
        }
        // However it is with the task's beginning, its sleep ends after 60 s.
        let moving = Task { while !Task.isCancelled { await network.advance(by: .seconds(30)) } }
        let waited = try #require(await slept.first { _ in true })
        moving.cancel()
        try await task.value
        #expect(waited >= .seconds(60))
        #expect(network.now.timeIntervalSince1970 >= 1_767_225_660)
    }

    @Test("ends a sleep whose task is cancelled")
    func cancelled() async throws {
        let network = try TestNetwork()
        let task = Task { [clock = network.clock] in try await clock.sleep(for: .seconds(3600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("counts whole milliseconds")
    func instants() throws {
        let clock = try TestNetwork().clock
        let later = clock.now.advanced(by: .microseconds(1500))
        #expect(clock.now.duration(to: later) == .milliseconds(2))
        #expect(clock.now < later && clock.minimumResolution == .milliseconds(1))
    }
}

@Suite("A node of another test network", .timeLimit(.ofHungTest))
struct ForeignNodeTests {
    @Test("is refused with an error by everything that is done to a node")
    func refused() async throws {
        let (network, other) = (try TestNetwork(), try TestNetwork())
        let (alice, stranger) = (try await network.node("alice"), try await other.node("bob"))
        let calls: [() async throws -> Void] = [
            { try network.cut(alice, stranger) }, { try network.mend(stranger, alice) },
            { try network.delay(alice, stranger, by: .seconds(1)) }, { try network.breakConnections(stranger, alice) },
            { try network.fillDisk(of: stranger) }, { try network.freeDisk(of: stranger) },
            { try network.jumpClock(of: stranger, by: .seconds(1)) },
            { try network.duplicateHandOut(to: "a", of: stranger) },
            { try network.crashAfterHandOut(to: "a", of: stranger) }, { try await network.crash(stranger) },
        ]
        for call in calls {
            let error = await #expect(throws: EarshotError.self) { try await call() }
            #expect(error?.code == .foreignNode && error?.parameters.name == "bob")
        }
        await network.stop()
        await other.stop()
    }
}

@Suite("Values that are made for tests")
struct MadeValueTests {
    @Test("are a user and messages as a node gives them, the same ones for the same names")
    func made() throws {
        let bob = try User.make("bob", trust: .blocked)
        #expect(bob.userID == .make("bob") && bob.name.text == "bob" && bob.trust == .blocked)
        #expect(UserID.make("bob") != .make("alice"))
        var draft = MessageDraft("hi", headers: ["a": "b"])
        draft.mentions = [bob.userID]
        let message = Message.make(draft, from: bob.userID, to: .make("alice"), number: 2)
        #expect(message.text == "hi" && message.headers == ["a": "b"] && message.mentions == [bob.userID])
        #expect(message.senderID == bob.userID && message.recipientIDs == [.make("alice")] && !message.isOwn)
        #expect(message.states == [.make("alice"): .delivered])
        #expect(message.id != Message.make(draft, from: bob.userID, to: .make("alice"), number: 1).id)
        #expect(message.createdAt == .ofMadeValues && message.expiresAt > message.createdAt)
        #expect(throws: EarshotError.self) { try User.make("") }
    }
}
