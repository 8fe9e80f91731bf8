import Foundation
import Testing

@testable import Earshot

@Suite("A thread that gives way")
struct ThreadExecutorTests {
    private actor Worker {
        private let executor = ThreadExecutor("earshot.test")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private var isAtWork = false
        private(set) var calls = 0

        /// - Returns: the nice value of the thread, and whether another call was at work.
        func work() -> (nice: Int32, isDisturbed: Bool) {
            let isDisturbed = isAtWork
            isAtWork = true
            defer { isAtWork = false }
            calls += 1
            return (getpriority(Int32(PRIO_PROCESS.rawValue), 0), isDisturbed)
        }
    }

    @Test("does one call after another, each with a higher nice value, also after it had nothing to do")
    func calls() async {
        let (worker, own) = (Worker(), getpriority(Int32(PRIO_PROCESS.rawValue), 0))
        for round in 1...20 {
            let results = await withTaskGroup(of: (nice: Int32, isDisturbed: Bool).self) { group in
                for _ in 0..<50 { group.addTask { await worker.work() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.allSatisfy { $0.nice == min(19, own + 10) && !$0.isDisturbed })
            #expect(await worker.calls == round * 50)
        }
    }
}
