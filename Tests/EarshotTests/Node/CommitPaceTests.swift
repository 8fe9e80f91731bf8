import Testing

@testable import Earshot

@Suite("A commit may hold the event loop")
struct CommitPaceTests {
    private let quick = CommitPace.longest / 2
    private let slow = CommitPace.longest * 2

    @Test("once as many as are wanted were quick, one after the other")
    func quickInARow() {
        var pace = CommitPace()
        for _ in 1..<CommitPace.quickBefore { pace.note(quick) }
        #expect(!pace.isQuick)
        pace.note(quick)
        #expect(pace.isQuick)
    }

    @Test("not for long after one that was slow")
    func afterSlow() {
        var pace = CommitPace()
        for _ in 0..<CommitPace.quickBefore { pace.note(quick) }
        pace.note(slow)
        for _ in 1..<CommitPace.quickAfterSlow {
            pace.note(quick)
            #expect(!pace.isQuick)
        }
        pace.note(quick)
        #expect(pace.isQuick)
    }
}
