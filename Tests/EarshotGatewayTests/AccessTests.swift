import Earshot
import NIOHTTP1
import Testing

@testable import EarshotGateway

@Suite("Access to the local API")
struct AccessTests {
    private func userID(_ text: Character) throws -> UserID {
        try #require(UserID(String(repeating: text, count: 51) + "0"))
    }

    @Test("is for what the scopes of a token say", arguments: Scope.allCases)
    func scopes(scope: Scope) throws {
        for needed in Scope.allCases {
            // Who may send may also leave it to a person.
            let isAllowed = scope == .all || scope == needed || scope == .send && needed == .draft
            let access = Access(token: .init(id: "x", name: "x"), [scope])
            #expect(((try? access.check(needed)) != nil) == isAllowed)
        }
        #expect(throws: Never.self) { try Access.owner.check(.all) }
    }

    @Test("to send can be limited to some users")
    func recipients() throws {
        let (bob, carol) = (try userID("1"), try userID("2"))
        let access = Access(token: .init(id: "x", name: "x"), [.send], recipients: [.user(bob)])
        #expect(throws: Never.self) { try access.check(sendingTo: .user(bob)) }
        let error = #expect(throws: GatewayError.self) { try access.check(sendingTo: .user(carol)) }
        #expect(error?.code == .forbidden && error?.parameters.userID == carol)
        #expect(throws: Never.self) {
            try Access(token: .init(id: "x", name: "x"), [.send]).check(sendingTo: .user(carol))
        }
        #expect(throws: GatewayError.self) {
            try Access(token: .init(id: "x", name: "x"), [.read]).check(sendingTo: .user(bob))
        }
    }

    @Test("to upload files is bounded for every token that may not do everything, and tightest where it may not send")
    func uploads() {
        func limit(_ scopes: Set<Scope>) -> UInt64? {
            let uploader = Access(token: .init(id: "x", name: "bot"), scopes).uploader
            #expect(uploader == nil || uploader?.token == "bot")
            return uploader?.limit
        }
        #expect(limit([.draft]) == Limits.draftUploadBytes && limit([.draft, .read]) == Limits.draftUploadBytes)
        #expect(limit([.send]) == Limits.unsentUploadBytes && limit([.draft, .send]) == Limits.unsentUploadBytes)
        #expect(limit([.all]) == nil && Access.owner.uploader == nil)
        for scope in Scope.allCases where scope != .all { #expect(limit([scope]) != nil) }
    }

    @Test("has a rate for each token, and one for all who show none")
    func rates() throws {
        let start = ContinuousClock.now
        let time = Ticks(start)
        let rates = RequestRates(perSecond: 10) { time.now }
        for _ in 0..<20 { try rates.take(.token("a")) }
        let error = #expect(throws: GatewayError.self) { try rates.take(.token("a")) }
        #expect(error?.code == .tooManyRequests && error.map { Response($0).headers["retry-after"] } == ["1"])
        for _ in 0..<20 { try rates.take(.strangers) }
        #expect(throws: GatewayError.self) { try rates.take(.strangers) }
        time.advance(by: .seconds(1))
        for _ in 0..<10 { try rates.take(.token("a")) }
        #expect(throws: GatewayError.self) { try rates.take(.token("a")) }
    }

    @Test("by requests that are held has a limit for programs, and another for the owner")
    func held() throws {
        let held = HeldRequests(limit: 2)
        let program = Access(token: .init(id: "x", name: "x"), [.all])
        let release = try held.hold(for: program)
        _ = try held.hold(for: Access(token: .init(id: "y", name: "y"), [.read]))
        let error = #expect(throws: GatewayError.self) { try held.hold(for: program) }
        #expect(error?.code == .tooManyRequests && error?.code.status == .tooManyRequests)
        _ = try held.hold(for: .owner)
        release()
        #expect(throws: Never.self) { try held.hold(for: program) }
    }

    @Test(
        "leaves places for requests that end soon, however few files the process may have",
        arguments: [0, 256, 1024, 4096, 1 << 20])
    func places(openFiles: Int) {
        let places = GatewayPlaces(openFiles: openFiles)
        #expect(places.connections <= GatewayLimits.connections)
        #expect(places.connections > 2 * places.heldRequests && places.heldRequests > 0)
    }
}
