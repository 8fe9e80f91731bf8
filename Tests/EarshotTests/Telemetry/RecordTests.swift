import EarshotModel
import Logging
import Testing

@testable import Earshot
@testable import EarshotProtocol

@Suite("A record of the log")
struct RecordTests {
    private static let bob = Sample.userID(2)

    private static func link(_ change: LinkNote.Change, _ reason: String? = nil, isByPeer: Bool = false) -> LinkNote {
        LinkNote(
            change: change, userID: bob, address: PeerAddress(host: "192.0.2.7", port: 7000), isOutbound: true,
            duration: 12, reason: reason, isByPeer: isByPeer)
    }

    @Test("of a link says who, where, how long, and in the end why and who said so")
    func links() {
        let up = NodeRecord(Self.link(.established))
        #expect((up.level, up.message) == (.info, "link is up"))
        #expect(
            up.metadata == [
                "peer": "\(Self.bob.fingerprint)", "address": "192.0.2.7:7000", "direction": "outbound",
                "milliseconds": "12",
            ])
        let down = NodeRecord(Self.link(.closed))
        #expect(
            (down.message, down.metadata["reason"], down.metadata["by"]) == ("link is down", "disconnected", "here"))
        let refused = NodeRecord(Self.link(.refused, "blocked", isByPeer: true))
        #expect((refused.level, refused.message) == (.notice, "handshake refused"))
        #expect((refused.metadata["reason"], refused.metadata["by"]) == ("blocked", "peer"))
        #expect(refused.kind != NodeRecord(Self.link(.refused, "timeout")).kind)
    }

    @Test("has the level that its matter has")
    func levels() throws {
        let notice = CredentialNotice(notBefore: 1, notAfter: 2)
        let levels: [(Event, Logger.Level)] = [
            (.storageFailed("full"), .error), (.storageRecovered, .notice), (.credentialRenewed(notice), .notice),
            (.credentialExpired(notice), .error), (.discoveryUnavailable(source: "a", reason: "b"), .warning),
            (.discoveryAvailable(source: "a"), .notice), (.eventsLost(count: 3), .warning),
            (.historyRecovered(HistoryRecovery(userID: Self.bob, count: 4, renamed: [])), .notice),
        ]
        for (event, level) in levels { #expect(try #require(NodeRecord(event)).level == level, "\(event.name)") }
        #expect(NodeRecord(commit: 5, seconds: 0.9) == nil)
        #expect(NodeRecord(commit: 5, seconds: 1.5)?.metadata == ["entries": "5", "milliseconds": "1500"])
    }

    @Test("is let through a few times in a span, and then says how many were not")
    func limiter() {
        var limiter = RecordLimiter()
        let admitted = (0..<1000).map { limiter.admit("refused", now: Int64($0)) }
        #expect(admitted.prefix(RecordLimiter.burst).allSatisfy { $0 == 0 })
        #expect(admitted.dropFirst(RecordLimiter.burst).allSatisfy { $0 == nil })
        #expect(limiter.admit("another", now: 1000) == 0)
        #expect(limiter.admit("refused", now: RecordLimiter.span) == 1000 - RecordLimiter.burst)
        #expect(limiter.admit("refused", now: RecordLimiter.span) == 0)
    }

    @Test("is of one of a bounded number of kinds, whatever comes")
    func kinds() {
        var limiter = RecordLimiter()
        let admitted = (0..<10_000).count { limiter.admit("kind \($0)", now: 0) != nil }
        #expect(admitted == RecordLimiter.kinds + RecordLimiter.burst)
    }

    @Test("of trouble is forgotten after ten minutes")
    func trouble() {
        var trouble = RecentTrouble()
        trouble.note(now: 0) { $0.commitFailures += 1 }
        trouble.note(now: 300_000) { $0.commitFailures += 2 }
        #expect(trouble.counts(now: 599_999).commitFailures == 3)
        #expect(trouble.counts(now: RecentTrouble.age).commitFailures == 2)
        #expect(trouble.counts(now: 900_000).commitFailures == 0)
    }
}
