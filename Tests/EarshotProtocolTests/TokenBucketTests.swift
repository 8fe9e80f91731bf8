import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A budget")
struct TokenBucketTests {
    @Test("is full at first, is used up, and fills up again with time, never beyond its size")
    func fills() {
        var bucket = TokenBucket(capacity: 10, perSecond: 5, now: 1_000)
        let first = (0..<11).count { _ in bucket.take(1, now: 1_000) }
        #expect(first == 10)
        let second = (0..<11).count { _ in bucket.take(1, now: 1_999) }
        #expect(second == 4)
        #expect(!bucket.isFull(now: 3_000))
        let third = (0..<20).count { _ in bucket.take(1, now: 100_000) }
        #expect(third == 10)
    }

    @Test("is not filled by a clock that stands still or runs backwards")
    func backwards() {
        var bucket = TokenBucket(capacity: 2, perSecond: 1, now: 10_000)
        let first = bucket.take(2, now: 10_000)
        #expect(first)
        let second = bucket.take(1, now: 0)
        #expect(!second)
        let third = bucket.take(1, now: 10_999)
        #expect(!third)
        let fourth = bucket.take(1, now: 11_000)
        #expect(fourth)
    }

    @Test("that is overdrawn owes what it lacks, its own size at the most")
    func debt() {
        var bucket = TokenBucket(capacity: 10, perSecond: 5, now: 0)
        let first = bucket.charge(10, now: 0)
        #expect(first)
        let second = bucket.charge(1_000_000, now: 0)
        #expect(!second)
        #expect(bucket.isInDebt(now: 1_999))
        #expect(!bucket.isInDebt(now: 2_000))
        #expect(bucket.isFull(now: .max))
    }

    @Test("of a user is not a device's or a link's, and is forgotten when it is full again")
    func peers() throws {
        var budgets = PeerBudgets()
        let users = try (0..<UInt8(3)).map { try #require(UserID(bytes: [UInt8](repeating: $0, count: 32))) }
        let first = budgets.charge(Limits.peerRequests + 1, to: users[0], now: 0)
        #expect(!first)
        let second = budgets.charge(Limits.peerRequests, to: users[1], now: 0)
        #expect(second)
        #expect(budgets.isExceeded(by: users[0], now: 0))
        #expect(!budgets.isExceeded(by: users[1], now: 0) && !budgets.isExceeded(by: users[2], now: 0))
        let wait = Int64(1000 / Limits.peerRequestsPerSecond + 1)
        #expect(!budgets.isExceeded(by: users[0], now: wait))
    }

    @Test("of an address that floods shuts out nobody who comes from another")
    func addresses() {
        var budget = AddressBudget(perAddress: 4, perAddressAndSecond: 1, perSecond: 8)
        let first = (0..<100).count { _ in budget.admits("10.0.0.1", now: 0) }
        #expect(first == 4)
        let second = (2..<100).count { number in budget.admits("10.0.1.\(number % 4)", now: 0) }
        #expect(second == 9)
        // The common budget is used up; who was quiet has another.
        let third = budget.admits("10.0.1.0", now: 0)
        #expect(!third)
        let fourth = budget.admits("10.0.0.9", now: 0)
        #expect(fourth)
    }

    @Test("is held for a bounded number of addresses, whoever comes")
    func manyAddresses() {
        var budget = AddressBudget(perAddress: 4, perAddressAndSecond: 1, perSecond: 8)
        let admitted = (0..<5_000).count { budget.admits("a\($0)", now: 0) }
        #expect(admitted == 16)
    }
}
