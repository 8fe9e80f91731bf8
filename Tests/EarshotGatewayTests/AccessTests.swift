import Earshot
import Foundation
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

    @Test("has a rate for each token, and for each user of the machine one who shows none, and another who logs in")
    func rates() throws {
        let start = ContinuousClock.now
        let time = Ticks(start)
        let rates = RequestRates(perSecond: 10) { time.now }
        for _ in 0..<20 { try rates.take(.token("a")) }
        let error = #expect(throws: GatewayError.self) { try rates.take(.token("a")) }
        #expect(error?.code == .tooManyRequests && error.map { Response($0).headers["retry-after"] } == ["1"])
        let users: [SocketUser] = [.user(1), .user(2), .nobody, .unknown]
        let others: [RequestRates.Sender] = users.flatMap { [.stranger($0), .login($0)] }
        for sender in others {
            for _ in 0..<20 { try rates.take(sender) }
            #expect(throws: GatewayError.self) { try rates.take(sender) }
        }
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

    @Test(
        "to the page is for its own user alone, whoever else of the machine asks, and for whatever",
        arguments: [("GET", "/"), ("GET", "/main.js"), ("POST", "/v1/login"), ("GET", "/v1/node"), ("GET", "/nothing")])
    func otherUsers(method: String, path: String) async throws {
        try await TestNode.with("alice") { alice in
            let gatekeeper = PageGatekeeper(
                tokens: try await TokenBook(node: alice.node), rates: RequestRates(perSecond: 100), nonce: "x")
            let head = HTTPRequestHead(
                version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: ["host": "127.0.0.1:7118"])
            for user in [SocketUser.user(UInt32(geteuid()) &+ 1), .user(UInt32(geteuid()) &+ 1000), .nobody] {
                let error = #expect(throws: GatewayError.self) {
                    try gatekeeper.admit(head, .loopback(port: 7118, from: user))
                }
                #expect(error?.code == .foreignUser && error?.code.status == .forbidden)
            }
            // Where the kernel does not tell, the proofs of sessions keep others out.
            for user in [SocketUser.own, .unknown] {
                do throws(GatewayError) { _ = try gatekeeper.admit(head, .loopback(port: 7118, from: user)) } catch {
                    #expect(error.code == .unauthorized)
                }
            }
        }
    }

    @Test("knows from the kernel's answer whose socket it is, that it was closed, and that it does not know")
    func socketOwner() {
        func answer(type: UInt8, count: Int, _ changes: [Int: UInt8] = [:]) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            bytes[4] = type
            for (place, byte) in changes { bytes[place] = byte }
            return bytes
        }
        // The user stands at 80, and the inode at 84.
        #expect(SocketQuestion.read(answer(type: 20, count: 88, [80: 0xe8, 81: 3, 84: 7])) == .user(1000))
        #expect(SocketQuestion.read(answer(type: 20, count: 88, [84: 7])) == .user(0))
        #expect(SocketQuestion.read(answer(type: 20, count: 88)) == .nobody)
        let (missing, forbidden) = (
            [16: UInt8(254), 17: 255, 18: 255, 19: 255], [16: UInt8(255), 17: 255, 18: 255, 19: 255]
        )
        #expect(SocketQuestion.read(answer(type: 2, count: 36, missing)) == .nobody)
        #expect(SocketQuestion.read(answer(type: 2, count: 36, forbidden)) == .unknown)
        for bytes in [[], answer(type: 20, count: 80), answer(type: 3, count: 88)] {
            #expect(SocketQuestion.read(bytes) == .unknown)
        }
        let question = SocketQuestion(
            socket: [2, 0, 0x1b, 0xce, 127, 0, 0, 1], peer: [2, 0, 0x9c, 0x40, 127, 0, 0, 1])
        #expect(question.request.count == 72 && Array(question.request[24..<28]) == [0x1b, 0xce, 0x9c, 0x40])
    }
}
