import Testing

@testable import EarshotDiscovery

@Suite("Blocking work")
struct BlockingWorkTests {
    @Test("has a thread each, however much of it there is", .timeLimit(.minutes(1)))
    func many() async throws {
        let count = 300
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await BlockingWork.run { wakeUp throws(DiscoveryError) in
                        begin.yield()
                        _ = try Polling.readable([wakeUp.fileDescriptor], milliseconds: -1)
                    }
                }
            }
            var running = 0
            for await _ in begun.prefix(count) { running += 1 }
            #expect(running == count)
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
