import Synchronization
import Testing

@testable import EarshotDiscovery

@Suite("A source of discovery", .timeLimit(.minutes(1)))
struct ReconnectingTests {
    private struct Strange: Error {}

    @Test("starts again after any error, and reports it", arguments: [true, false])
    func failures(isOurs: Bool) async throws {
        let reports = Mutex<[SourceReport]>([])
        var attempts = 0
        try await reconnecting(
            floor: .milliseconds(1), ceiling: .milliseconds(1),
            reporting: { report in reports.withLock { $0.append(report) } }
        ) {
            attempts += 1
            guard attempts > 3 else { throw isOurs ? DiscoveryError(.outOfResources, "pipe") : Strange() as any Error }
            return StackEnd()
        }
        #expect(attempts == 4)
        #expect(reports.withLock(\.count) == 3)
    }

    @Test("does not start again if the node cannot be advertised", arguments: [true, false])
    func invalid(isThrown: Bool) async throws {
        let error = DiscoveryError(.invalidAnnouncement, "too long")
        await #expect {
            try await reconnecting(floor: .seconds(60), ceiling: .seconds(60), reporting: { _ in }) {
                if isThrown { throw error }
                return StackEnd(failure: error)
            }
        } throws: {
            ($0 as? DiscoveryError)?.code == .invalidAnnouncement
        }
    }

    @Test("ends when it is cancelled")
    func cancelled() async throws {
        let task = Task {
            try await reconnecting(floor: .seconds(60), ceiling: .seconds(60), reporting: { _ in }) { throw Strange() }
        }
        task.cancel()
        // Before it began it returns, and while it waits it throws.
        do { try await task.value } catch is CancellationError {}
    }
}
