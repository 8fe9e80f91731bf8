import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The next commit")
struct CommitQueueTests {
    private var queue = CommitQueue()
    private func now(_ uptime: Int64) -> Moment { Moment(wallClock: 0, uptime: uptime) }

    @Test("waits a moment for company where it may, and for nothing where it may not")
    mutating func patience() {
        queue.mayWait(now: now(100))
        queue.mayWait(now: now(105))
        #expect(!queue.isDue(.patient, now: now(100)) && queue.isDue(.pressing, now: now(100)))
        #expect(queue.deadline(.patient) == 100 + Timing.lazyCommit)
        #expect(queue.isDue(.patient, now: now(100 + Timing.lazyCommit)))
        queue.hurry()
        #expect(queue.isDue(.patient, now: now(100)) && !queue.isDue(.none, now: now(100)))
    }

    @Test("is made at once where nobody asked it to wait for company, so that its deadline does not pass unused")
    mutating func unasked() {
        #expect(queue.deadline(.patient) <= 100 && queue.isDue(.patient, now: now(100)))
    }

    @Test("waits for no company where somebody waits for its answer, and answers once")
    mutating func requests() {
        let messageID = MessageID(log: LogID(Bytes32()), sequence: 1)
        queue.answer(PendingRequest(requestID: RequestID(7), answer: .markedRead(messageID)))
        #expect(queue.isDue(.patient, now: now(100)) && queue.hasRequests)
        let taken = queue.takeRequests()
        #expect(taken.map(\.requestID) == [RequestID(7)] && !queue.hasRequests)
    }

    @Test("is made when the one before it is done, and not before")
    mutating func oneAtATime() {
        queue.begin(CommitInFlight())
        #expect(!queue.isDue(.pressing, now: now(1)) && queue.deadline(.pressing) == .max)
        let (_, isRecovery) = queue.finish()
        #expect(!isRecovery && queue.isDue(.pressing, now: now(1)))
    }

    @Test("is tried again some time after the disk refused one, and its success is told once")
    mutating func retry() {
        queue.begin(CommitInFlight())
        _ = queue.takeFailed()
        let (retryAt, isFirst) = queue.fail(now: now(100))
        #expect(isFirst && queue.hasFailed && retryAt == 100 + Timing.commitRetry)
        #expect(!queue.isDue(.pressing, now: now(retryAt - 1)) && queue.isDue(.pressing, now: now(retryAt)))
        queue.begin(CommitInFlight())
        _ = queue.takeFailed()
        let (_, isFirstAgain) = queue.fail(now: now(retryAt))
        #expect(!isFirstAgain)
        queue.begin(CommitInFlight())
        let (_, isRecovery) = queue.finish()
        #expect(isRecovery && !queue.hasFailed)
    }

    @Test("is tried at once when the node stops")
    mutating func stop() {
        queue.begin(CommitInFlight())
        _ = queue.takeFailed()
        _ = queue.fail(now: now(100))
        queue.stop()
        #expect(queue.isDue(.patient, now: now(100)))
    }
}
