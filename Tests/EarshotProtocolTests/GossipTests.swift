import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What peers are told of a conversation that has changed")
struct GossipTests {
    private let general = ConversationID.open("general", networkTag: "open")
    private var gossip = Gossip(deviceID: device("alice").deviceID)
    private let log = HandWrittenLog(by: device("bob"), to: device("alice").userID).logID

    private func now(_ uptime: Int64) -> Moment { Moment(wallClock: 0, uptime: uptime) }

    @Test("is compared a while after the first change, and not later because more follows")
    mutating func comparison() {
        gossip.changed(general, now: now(0))
        gossip.changed(general, now: now(Timing.comparison - 1))
        #expect(gossip.deadline == Timing.comparison)
        let early = gossip.takeDue(now: now(Timing.comparison - 1))
        let due = gossip.takeDue(now: now(Timing.comparison))
        #expect(early.comparisons.isEmpty && due.comparisons == [general])
        #expect(gossip.deadline == .max)
    }

    @Test("goes to each user whom the author does not reach, once, after a moment that differs from node to node")
    mutating func announcement() {
        let users = [device("carol").userID, device("dave").userID].sorted()
        gossip.announce(log, to: users, now: now(0))
        gossip.announce(log, to: users, now: now(1))
        #expect(Timing.announcement.contains(gossip.deadline))
        let due = gossip.takeDue(now: now(Timing.announcement.upperBound))
        #expect(due.announcements.map(\.userID) == users)
        var other = Gossip(deviceID: device("bob").deviceID)
        gossip.announce(log, to: users, now: now(0))
        other.announce(log, to: users, now: now(0))
        #expect(gossip.deadline != other.deadline)
    }

    @Test("is announced up to a limit")
    mutating func limit() {
        for number in 0..<Limits.announcements + 5 {
            gossip.announce(log, to: [UserID(Bytes32.numbered(number))], now: now(0))
        }
        #expect(gossip.takeDue(now: now(.max / 2)).announcements.count == Limits.announcements)
    }
}

extension Bytes32 {
    fileprivate static func numbered(_ number: Int) -> Bytes32 {
        var bytes = [UInt8](repeating: 0, count: Bytes32.count)
        Swift.withUnsafeBytes(of: number.bigEndian) { bytes.replaceSubrange(0..<8, with: $0) }
        return Bytes32(bytes) ?? Bytes32()
    }
}
