import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

/// Nodes that find each other, and are more than each keeps links to.
@Suite("Nodes that are more than each may have links")
struct CrowdTests {
    private static let count = 8
    private static let linkLimit = 3
    private var group = MachineGroup()

    init() {
        for number in 0..<Self.count {
            _ = group.add(device("member \(number)", seed: UInt64(number + 1)), linkLimit: Self.linkLimit)
        }
        for member in 0..<Self.count { findOthers(member) }
        group.pass(1_000)
    }

    private mutating func findOthers(_ member: Int) {
        for other in 0..<Self.count where other != member { group.find(other, by: member) }
    }

    private func linked(_ member: Int) -> Set<UserID> {
        Set(group.members[member].machine.establishedLinks.map(\.peer.userID))
    }

    private func unlinked(_ member: Int) -> [Int] {
        (0..<Self.count).filter { $0 != member && !linked(member).contains(group.userID($0)) }
    }

    private func received(_ member: Int) -> [String] {
        group.members[member].events.compactMap {
            if case .messageReceived(let message) = $0 { message.text } else { nil }
        }
    }

    private func isDelivered(_ text: String, from member: Int) -> Bool {
        let sent = group.members[member].events.compactMap {
            if case .messageQueued(let message) = $0, message.text == text { message.messageID } else { nil }
        }
        return group.members[member].events.contains {
            if case .messageDelivered(let change) = $0 { sent.contains(change.messageID) } else { false }
        }
    }

    private mutating func send(_ text: String, from: Int, to: Int) {
        let recipientID = group.userID(to)
        _ = group.request(from) { machine, requestID, now in
            machine.send([.message(MessageDraft(text))], to: .user(recipientID), requestID: requestID, now: now)
        }
    }

    @Test("have no more links than they may, and leave it at that")
    mutating func limit() {
        for member in 0..<Self.count {
            #expect((1...Self.linkLimit).contains(linked(member).count))
            #expect(group.members[member].machine.load.exceeded.isEmpty)
        }
        let before = (0..<Self.count).map { linked($0) }
        group.pass(Timing.roaming / 2)
        #expect((0..<Self.count).map { linked($0) } == before, "nobody dials and gives way without end")
    }

    @Test("deliver a message to somebody who has no link, and was never met, within a second")
    mutating func unmet() throws {
        for from in 0..<Self.count {
            let to = try #require(unlinked(from).first)
            let start = group.now.uptime
            send("from \(from)", from: from, to: to)
            while !isDelivered("from \(from)", from: from), group.now.uptime < start + 5_000 { group.pass(10) }
            #expect(isDelivered("from \(from)", from: from))
            #expect(group.now.uptime - start < 1_000)
            #expect(received(to).contains("from \(from)"))
        }
        for member in 0..<Self.count { #expect(linked(member).count <= Self.linkLimit) }
    }

    @Test("deliver what all write to all at once, each message once")
    mutating func everybody() {
        for from in 0..<Self.count {
            for to in 0..<Self.count where to != from { send("\(from) to \(to)", from: from, to: to) }
        }
        group.pass(30_000)
        for to in 0..<Self.count {
            let expected = (0..<Self.count).filter { $0 != to }.map { "\($0) to \(to)" }
            #expect(received(to).sorted() == expected)
        }
    }

    @Test("meet everybody in the end, and call those online who have no link only because there are too many")
    mutating func presence() throws {
        group.pass(Int64(Self.count) * Timing.roaming)
        for member in 0..<Self.count {
            #expect(group.members[member].machine.users.count == Self.count - 1)
            #expect(group.members[member].machine.users.allSatisfy { $0.isOnline })
        }
        let other = try #require(unlinked(0).first)
        group.members[0].events = []
        group.lose(other, by: 0)
        #expect(group.user(other, of: 0)?.isOnline == false)
        let changes = group.members[0].events.compactMap { event -> Bool? in
            guard case .userUpdated(let user, let changes) = event, user.userID == group.userID(other),
                changes.contains(.isOnline)
            else { return nil }
            return user.isOnline
        }
        #expect(changes == [false])
    }

    @Test("tell the author of a message that it was read, though they have no link by then")
    mutating func readLater() throws {
        let to = try #require(unlinked(0).first)
        send("read me", from: 0, to: to)
        group.pass(1_000)
        let message = try #require(
            group.members[to].events.compactMap { if case .messageReceived(let message) = $0 { message } else { nil } }
                .first)
        for other in unlinked(0) where other != to { send("later", from: 0, to: other) }
        for other in 0..<Self.count where other != to && other != 0 { send("to others", from: to, to: other) }
        group.pass(10_000)
        try #require(!linked(0).contains(group.userID(to)))
        group.markRead(message.messageID, by: to)
        group.pass(1_000)
        #expect(
            group.members[0].events.contains {
                if case .messageRead(let change) = $0 { change.messageID == message.messageID } else { false }
            })
    }
}
