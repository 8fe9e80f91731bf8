import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Messages to a conversation are held while a log of it is taken back")
struct SendHoldsTests {
    private let bob = ConversationRecord.direct(device("alice").userID, device("bob").userID).conversationID
    private var holds = SendHolds()
    private func now(_ uptime: Int64) -> Moment { Moment(wallClock: 0, uptime: uptime) }

    @Test("for a time that further claims do not lengthen, and again after a pause")
    mutating func time() {
        holds.begin(bob, now: now(0)) { _ in true }
        holds.begin(bob, now: now(Timing.recovery / 2)) { _ in true }
        #expect(holds.due == Timing.recovery && !holds.isPaused(bob))
        let early = holds.pauseIfOver(bob, now: now(Timing.recovery - 1))
        let over = holds.pauseIfOver(bob, now: now(Timing.recovery))
        #expect(early == nil && over != nil && holds.isPaused(bob))
        let end = Timing.recovery + Timing.recoveryPause
        let isEarly = holds.renewIfOver(bob, isRecovering: true, now: now(end - 1))
        let isRenewed = holds.renewIfOver(bob, isRecovering: true, now: now(end))
        #expect(!isEarly && isRenewed && !holds.isPaused(bob))
        holds.rearm()
        #expect(holds.due == end + Timing.recovery)
    }

    @Test("and no longer remembered after the pause, where nothing is taken back any more")
    mutating func forgotten() {
        holds.begin(bob, now: now(0)) { _ in true }
        _ = holds.pauseIfOver(bob, now: now(Timing.recovery))
        let isRenewed = holds.renewIfOver(bob, isRecovering: false, now: now(.max / 2))
        #expect(!isRenewed && holds.conversationIDs.isEmpty)
    }
}
