import EarshotModel
import EarshotProtocol
import EarshotStore
import Synchronization

/// What other threads leave for the node's loop: what programs ask, and what has become of a commit. Nothing else of the node's
/// needs a lock.
final class LoopInbox: Sendable {
    let asking = Asking<Request>()
    private let finished = Mutex<FinishedCommit?>(nil)

    /// The loop begins no commit before it has taken the one before.
    func leave(_ commit: FinishedCommit) { finished.withLock { $0 = commit } }

    /// - Returns: the last commit, unless it was taken already.
    func takeFinishedCommit() -> FinishedCommit? { finished.withLock { $0.take() } }

    /// What a program asks, and who waits for the answer.
    struct Request {
        let question: Question
        let answer: PendingRequests.Answer<RequestAnswer>
    }

    /// What a program asks.
    enum Question {
        /// Most questions by far: this one needs no object.
        case send([EntryDraft], Destination)
        case other(@Sendable (inout NodeMachine, RequestID, Moment) -> [NodeAction])
    }

    /// What has become of a commit.
    struct FinishedCommit {
        let begin: ContinuousClock.Instant
        let result: Result<Void, StoreError>
        let entries: Int
        let isJournalled: Bool
        let hasContents: Bool
        /// Whether messages become whole, or count, that have had their places before.
        let hasLateContents: Bool

        init(_ commit: Commit, begin: ContinuousClock.Instant, result: Result<Void, StoreError>) {
            (self.begin, self.result) = (begin, result)
            entries = commit.entries.reduce(0) { $0 + $1.entries.count }
            isJournalled = !commit.journal.isEmpty || commit.beginsGeneration
            hasLateContents = !commit.bodies.isEmpty || !commit.regarded.isEmpty
            hasContents = entries > 0 || hasLateContents || !commit.erasures.isEmpty
        }
    }
}
