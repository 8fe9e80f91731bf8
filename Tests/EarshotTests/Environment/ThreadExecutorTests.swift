import Foundation
import Testing

@testable import Earshot

@Suite("A thread that gives way")
struct ThreadExecutorTests {
    private struct Call {
        /// Of the thread.
        let nice: Int32
        /// Whether another call was at work.
        let isDisturbed: Bool
    }

    private actor Worker {
        private let executor = ThreadExecutor("earshot.test")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private var isAtWork = false
        private(set) var calls = 0

        func work() -> Call {
            let isDisturbed = isAtWork
            isAtWork = true
            defer { isAtWork = false }
            calls += 1
            return Call(nice: getpriority(Int32(PRIO_PROCESS.rawValue), 0), isDisturbed: isDisturbed)
        }
    }

    @Test("does one call after another, each with a higher nice value, also after it had nothing to do")
    func calls() async {
        let (worker, own) = (Worker(), getpriority(Int32(PRIO_PROCESS.rawValue), 0))
        for round in 1...20 {
            let results = await withTaskGroup(of: Call.self) { group in
                for _ in 0..<50 { group.addTask { await worker.work() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.allSatisfy { $0.nice == min(19, own + 10) && !$0.isDisturbed })
            #expect(await worker.calls == round * 50)
        }
    }
}
