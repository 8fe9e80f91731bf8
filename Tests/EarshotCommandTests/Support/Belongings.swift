import Synchronization
import Testing

/// What a test has started: it stays until the test ends, whatever the test still names. An optimizing compiler ends the life of
/// an object with its last use, and what is in a variable that nobody names any more would end in the middle of the test.
final class Belongings: Sendable {
    @TaskLocal private static var current: Belongings?
    private let all = Mutex<[any AnyObject & Sendable]>([])

    /// Keeps what is being made. The suite has the trait `.keepsWhatItStarts`.
    static func keep(_ object: any AnyObject & Sendable) {
        guard let current else {
            Issue.record("this suite has no .keepsWhatItStarts")
            return
        }
        current.all.withLock { $0.append(object) }
    }

    /// What has ended needs nobody to keep it.
    static func letGo(_ object: any AnyObject & Sendable) {
        current?.all.withLock { $0.removeAll { $0 === object } }
    }

    fileprivate static func keeping(_ body: @Sendable () async throws -> Void) async throws {
        let belongings = Belongings()
        defer { belongings.letGo() }
        try await $current.withValue(belongings, operation: body)
    }

    /// What came last goes first.
    private func letGo() {
        while let last = all.withLock({ $0.popLast() }) { withExtendedLifetime(last) {} }
    }
}

/// Gives each test of a suite its belongings.
struct BelongingsTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws { try await Belongings.keeping(function) }
}

extension Trait where Self == BelongingsTrait {
    static var keepsWhatItStarts: Self { Self() }
}
