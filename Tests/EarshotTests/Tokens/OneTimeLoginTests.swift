import Earshot
import Testing

@Suite("A one-time login")
struct OneTimeLoginTests {
    private let start = ContinuousClock.now
    private var logins = OneTimeLogins()

    @Test("is good once")
    mutating func once() {
        let login = logins.issue(at: start)
        let other = logins.issue(at: start)
        let answers = [login, login, "x", other].map { logins.redeem($0, at: start) }
        #expect(answers == [true, false, false, true])
    }

    @Test("is good for a minute")
    mutating func stale() {
        let login = logins.issue(at: start)
        let isGood = logins.redeem(login, at: start + OneTimeLogins.lifetime)
        #expect(!isGood)
    }

    @Test("ends when more were made than are good at once")
    mutating func many() {
        let texts = (0...OneTimeLogins.limit).map { _ in logins.issue(at: start) }
        let answers = texts.map { logins.redeem($0, at: start) }
        #expect(answers == [false] + [Bool](repeating: true, count: OneTimeLogins.limit))
    }
}
