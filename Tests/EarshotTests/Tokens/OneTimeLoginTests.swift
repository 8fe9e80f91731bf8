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
        let answers = [login.id, login.id, "x", other.id].map { logins.redeem($0, at: start) { _ in true } }
        #expect(answers == [login, nil, nil, other])
    }

    @Test("is good for those who prove that they have it; who does not costs nobody the login")
    mutating func proved() {
        let login = logins.issue(at: start)
        let refused = logins.redeem(login.id, at: start) { _ in false }
        let taken = logins.redeem(login.id, at: start) { $0.secret == login.secret }
        #expect(refused == nil && taken == login)
    }

    @Test("is good for a minute")
    mutating func stale() {
        let login = logins.issue(at: start)
        let answer = logins.redeem(login.id, at: start + OneTimeLogins.lifetime) { _ in true }
        #expect(answer == nil)
    }

    @Test("ends when more were made than are good at once")
    mutating func many() {
        let all = (0...OneTimeLogins.limit).map { _ in logins.issue(at: start) }
        let answers = all.map { logins.redeem($0.id, at: start) { _ in true } }
        #expect(answers == [nil] + all.dropFirst().map(Optional.init))
    }
}
