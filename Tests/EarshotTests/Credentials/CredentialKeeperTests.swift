import EarshotModel
import EarshotProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Earshot

@Suite("The keeper of a credential")
struct CredentialKeeperTests {
    private static let day: Int64 = 24 * 3_600_000

    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        try home.create(name: "alice")
    }

    @Test("renews in time, again and again: on the disk first, then for the node")
    func renewal() async throws {
        try await watch { run in
            var last = run.keeper.credential
            for _ in 0..<3 {
                let due = CredentialSchedule.renewal(notBefore: last.notBefore, notAfter: last.notAfter)
                await run.advance(to: due - 1)
                #expect(run.keeper.credential == last)
                await run.advance(to: due)
                let renewed = run.keeper.credential
                #expect(renewed.notAfter == run.clock.now + 30 * Self.day)
                #expect((renewed.userID, renewed.deviceID, renewed.name) == (last.userID, last.deviceID, last.name))
                let kept = try home.readCredential()
                #expect(kept == renewed)
                #expect(run.adopted.last == renewed)
                last = renewed
            }
            #expect(run.adopted.count == 3)
            #expect(run.events.isEmpty)
        }
    }

    @Test("of a sealed identity renews with the passphrase that the node was given at its start")
    func unlocked() async throws {
        // The node got it when it was made, and must not need the file again.
        let identity = try home.readIdentity(passphrase: nil)
        #expect(unlink(home.identityFile) == 0)
        try await watch(identity: .unlocked(identity)) { run in
            await run.advance(to: run.clock.now + 21 * Self.day)
            #expect(run.adopted.count == 1)
            #expect(run.events.isEmpty)
        }
    }

    @Test("of a sealed identity without the passphrase tells when it will be over and when it is, and why")
    func sealed() async throws {
        try await watch(identity: .sealed) { run in
            let credential = run.keeper.credential
            await run.advance(to: credential.notAfter + 5 * Self.day)
            let names = run.events.map(\.name)
            #expect(names == Array(repeating: .credentialWillExpire, count: 4) + [.credentialExpired])
            for notice in run.events.compactMap(\.credentialNotice) {
                #expect(notice.problem == .sealed)
                #expect(notice.notAfter == credential.notAfter)
            }
            #expect(run.adopted.isEmpty)
        }
    }

    @Test("that cannot write tells why, once, keeps the old one, and renews when it can")
    func unwritable() async throws {
        let obstacle = home.credentialFile + ".new"
        try await watch { run in
            let credential = run.keeper.credential
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            await run.advance(to: credential.notBefore + 20 * Self.day + 3_600_000)
            #expect(run.events.map(\.name) == [.credentialWillExpire])
            guard case .failed(let reason)? = run.events.first?.credentialNotice?.problem else {
                Issue.record("it does not tell why")
                return
            }
            #expect(reason.contains("cannot be written"))
            #expect(run.keeper.credential == credential)
            try FileManager.default.removeItem(atPath: obstacle)
            await run.advance(to: run.clock.now + 60_000)
            #expect(run.events.count == 1)
            #expect(run.adopted == [run.keeper.credential])
            let kept = try home.readCredential()
            #expect(kept == run.keeper.credential)
        }
    }

    @Test("of a clock that was a year ahead has a valid one again as soon as the clock is right")
    func wasAhead() async throws {
        try await watch { run in
            let now = run.clock.now
            await run.jump(to: now + 365 * Self.day)
            #expect(run.keeper.credential.notBefore > now)
            await run.jump(to: now + 60_000)
            #expect(run.keeper.credential.isValid(at: now))
            #expect(run.adopted.count == 2)
            let kept = try home.readCredential()
            #expect(kept == run.keeper.credential)
            #expect(run.events.isEmpty)
        }
    }

    @Test("of a clock that was behind has a valid one again within a minute of when the clock is right")
    func wasBehind() async throws {
        try await watch { run in
            let now = run.clock.now
            await run.jump(to: 1000)
            #expect(run.keeper.credential.notBefore == 0)
            #expect(run.keeper.credential.isValid(at: 1000))
            // What is on the disk can be read again.
            let kept = try home.readCredential()
            #expect(kept == run.keeper.credential)
            await run.jump(to: now)
            #expect(run.keeper.credential.isValid(at: now))
            #expect(run.adopted.count == 2)
        }
    }

    @Test("that cannot renew tells of a clock that was set back, and why it cannot")
    func setBack() async throws {
        try await watch(identity: .sealed) { run in
            let now = run.clock.now
            await run.jump(to: now - 10 * Self.day)
            #expect(run.events.map(\.name) == [.credentialNotYetValid])
            #expect(run.events.first?.credentialNotice?.problem == .sealed)
            await run.jump(to: now)
            #expect(run.events.count == 1)
            #expect(run.adopted.isEmpty)
        }
    }

    /// Runs a keeper under a clock that begins now, for as long as the body takes.
    private func watch(
        identity: IdentityAccess = .file, _ body: (KeeperRun) async throws -> Void
    ) async throws {
        let unlocked = UnlockedHome(
            keys: try home.readDevice(), credential: try home.readCredential(), identity: identity, networkKey: nil)
        let run = KeeperRun(home: home, unlocked: unlocked)
        let task = Task { await run.run() }
        await run.clock.untilAsleep()
        try await body(run)
        task.cancel()
        try await withDeadline("the keeper ends") { await task.value }
    }
}

/// A keeper that runs, and what it did.
private final class KeeperRun: Sendable {
    let clock: TestClock
    let keeper: CredentialKeeper
    private let log = Mutex((events: [Event](), adopted: [Credential]()))

    init(home: Home, unlocked: UnlockedHome) {
        clock = TestClock(now: Moment.now.wallClock)
        keeper = CredentialKeeper(home: home, unlocked: unlocked, clock: clock.wallClock)
    }

    var events: [Event] { log.withLock(\.events) }
    var adopted: [Credential] { log.withLock(\.adopted) }

    func run() async {
        await keeper.run { credential in
            log.withLock { $0.adopted.append(credential) }
        } post: { event in
            log.withLock { $0.events.append(event) }
        }
    }

    /// Lets the keeper wake as often as it wants until a moment.
    func advance(to moment: Int64) async {
        await clock.untilAsleep()
        while clock.now < moment {
            clock.advanceToNextWake(before: moment)
            await clock.untilAsleep()
        }
    }

    /// Sets the clock, whatever lies between.
    func jump(to moment: Int64) async {
        await clock.untilAsleep()
        clock.set(to: moment)
        await clock.untilAsleep()
    }
}

extension Event {
    fileprivate var credentialNotice: CredentialNotice? {
        switch self {
        case .credentialWillExpire(let notice), .credentialExpired(let notice), .credentialRenewed(let notice),
            .credentialNotYetValid(let notice):
            notice
        default: nil
        }
    }
}
