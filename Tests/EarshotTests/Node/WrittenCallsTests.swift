import Earshot
import EarshotModel
import EarshotProtocol
import EarshotStore
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Earshot

@Suite("Many calls whose messages are written together")
struct WrittenCallsTests {
    private let stranger: UserID
    private let disk = HeldDisk.Control()
    private let user: TestUser
    private let node: Node
    /// Calls that were answered.
    private let answered = Watched(0)

    init() async throws {
        stranger = try #require(UserID(bytes: [UInt8](repeating: 7, count: Bytes32.count)))
        user = try TestUser("alice")
        let environment = NodeEnvironment(
            clock: HostClock(), transport: { TCPTransport(loop: $0) },
            disk: { [disk] in HeldDisk(disk: StoreDisk($0, loop: $1), control: disk) }
        ) { _, _, _ in }
        node = try await Node.open(
            user.home, configuration: NodeConfiguration(discovery: .sources([]), logger: .quiet),
            environment: environment)
    }

    /// Calls that are made at once, and what each was told.
    private func calls(_ count: Int) -> Task<[Result<Message, EarshotError>], Never> {
        Task { [node, stranger, answered] in
            await withTaskGroup(of: Result<Message, EarshotError>.self) { group in
                for number in 0..<count {
                    group.addTask {
                        defer { answered.update { $0 += 1 } }
                        do throws(EarshotError) {
                            return .success(try await node.messages.send("\(number)", to: stranger))
                        } catch { return .failure(error) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    @Test("are answered when they are on the disk, and what is asked about a message from then on finds it")
    func found() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<40 {
                        let message = try await node.messages.send("to be taken back", to: stranger)
                        try await node.messages.cancel(message.messageID)
                    }
                }
            }
            try await group.waitForAll()
        }
        await node.stop()
    }

    @Test("wait for the disk, all of them")
    func wait() async throws {
        disk.hold()
        let answers = calls(64)
        try await disk.waitUntilHeld()
        #expect(answered.value < 64 - 16)
        disk.letGo(nil)
        let messages = try await answers.value.map { try $0.get() }
        #expect(Set(messages.map(\.messageID)).count == 64)
        await node.stop()
    }

    @Test("are told that the disk is full, each once, and nothing of them is accepted")
    func full() async throws {
        disk.hold(isFull: true)
        let answers = calls(64)
        try await disk.waitUntilHeld()
        disk.letGo(StoreError(code: .full, message: "no space is left"))
        let (accepted, failed) = await answers.value.reduce(into: (Set<MessageID>(), 0)) { sum, answer in
            switch answer {
            case .success(let message): sum.0.insert(message.messageID)
            case .failure(let error):
                #expect(error.code == .storeFull)
                sum.1 += 1
            }
        }
        #expect(failed > 16)
        #expect(accepted.count + failed == 64)
        // The disk takes writes again.
        try await node.messages.send("there is room", to: stranger)
        let history = try await node.conversations.direct(with: stranger).history(.latest, limit: 100)
        #expect(Set(history.dropLast().map(\.messageID)) == accepted)
        #expect(history.last?.text == "there is room")
        await node.stop()
    }

    @Test("are told when the node is given up meanwhile, and the disk tells them nothing more")
    func abandoned() async throws {
        disk.hold()
        let answers = calls(64)
        try await disk.waitUntilHeld()
        await node.abandon()
        let told = await answers.value
        disk.letGo(nil)
        #expect(told.filter { if case .failure(let error) = $0 { error.code == .stopped } else { false } }.count >= 17)
    }
}

/// A disk that keeps its answer to the next commit of many messages until it is told to give it.
private struct HeldDisk: Disk {
    final class Control: Sendable {
        private struct State {
            var isHolding = false
            var isFull = false
        }

        private let state = Mutex(State())
        private let held = Watched<(@Sendable (StoreError?) -> Void)?>(nil)

        /// - Parameter isFull: whether nothing of that commit is written.
        func hold(isFull: Bool = false) { state.withLock { $0 = State(isHolding: true, isFull: isFull) } }

        func waitUntilHeld() async throws {
            try await held.wait(for: "the disk has written many messages") { $0.map { _ in } }
        }

        /// - Parameter error: why it has failed.
        func letGo(_ error: StoreError?) { held.value?(error) }

        /// - Returns: whether this commit is one to hold, and whether it is to fail.
        fileprivate func take(_ commit: Commit) -> (isHeld: Bool, isFull: Bool) {
            state.withLock { state in
                guard state.isHolding, commit.entries.reduce(0, { $0 + $1.entries.count }) > 16 else {
                    return (false, false)
                }
                state.isHolding = false
                return (true, state.isFull)
            }
        }

        fileprivate func hold(_ answer: @escaping @Sendable (StoreError?) -> Void) { held.update { $0 = answer } }
    }

    let disk: StoreDisk
    let control: Control

    func commit(
        _ commit: Commit, isAlone: Bool, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let (isHeld, isFull) = control.take(commit)
        let answer: @Sendable (StoreError?) -> Void = { error in
            completion(error.map { .failure($0) } ?? .success(()))
        }
        guard !isFull else { return control.hold(answer) }
        disk.commit(commit, isAlone: isAlone) { result in
            if isHeld { control.hold(answer) } else { completion(result) }
        }
    }

    func read(_ read: EntriesRead, completion: @escaping @Sendable (Result<[EntryRecord], StoreError>) -> Void) {
        disk.read(read, completion: completion)
    }

    func readChains(_ read: ChainsRead, completion: @escaping @Sendable (Result<BranchChains, StoreError>) -> Void) {
        disk.readChains(read, completion: completion)
    }

    func findExpired(
        in logID: LogID, after sequence: UInt64, by clock: ExpiryClock,
        completion: @escaping @Sendable (Result<ExpiredEntries, StoreError>) -> Void
    ) {
        disk.findExpired(in: logID, after: sequence, by: clock, completion: completion)
    }

    func findKeys(_ keys: [EntryKey], completion: @escaping @Sendable (Result<[KeyedEntry], StoreError>) -> Void) {
        disk.findKeys(keys, completion: completion)
    }

    func drain() async { await disk.drain() }
}
