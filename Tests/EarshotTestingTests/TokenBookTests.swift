import Earshot
import EarshotTesting
import Foundation
import Synchronization
import Testing

@Suite("A node's tokens", .timeLimit(.ofHungTest))
struct TokenBookTests {
    @Test("work until they expire, and not a moment longer")
    func expiry() async throws {
        let network = try TestNetwork()
        let tokens = try await TokenBook(node: try await network.node("alice"))
        let (token, text) = try await tokens.create(
            "late", scopes: ["read"], recipients: nil, lifetime: .seconds(60))
        let (_, lasting) = try await tokens.create("lasting", scopes: ["read"], recipients: nil, lifetime: nil)
        #expect(tokens.token(shownAs: text)?.tokenID == token.tokenID)
        await network.advance(by: .seconds(59))
        #expect(tokens.token(shownAs: text) != nil)
        await network.advance(by: .seconds(1))
        #expect(tokens.token(shownAs: text) == nil)
        #expect(tokens.token(shownAs: lasting) != nil)
        await network.stop()
    }

    @Test(
        "are known by all of their text, and by nothing else", arguments: ["", "_", "__", "earshot__", "earshot_x_y"])
    func text(wrong: String) async throws {
        let network = try TestNetwork()
        let tokens = try await TokenBook(node: try await network.node("alice"))
        let (_, text) = try await tokens.create("one", scopes: ["read"], recipients: nil, lifetime: nil)
        let (_, other) = try await tokens.create("two", scopes: ["all"], recipients: nil, lifetime: nil)
        let (parts, others) = (text.split(separator: "_"), other.split(separator: "_"))
        let secret = Base32Text.flipped(parts[2])
        for text in [
            wrong, text + "x", "x" + text, text.uppercased(), "\(parts[0])_\(parts[1])_\(secret)",
            "\(parts[0])_\(parts[1])_\(others[2])", "\(parts[0])_\(parts[1])", "\(text)_\(parts[2])",
            "\(parts[0])_\(parts[1])_\(String(repeating: "0", count: 100_000))",
        ] {
            #expect(tokens.token(shownAs: text) == nil)
        }
        #expect(tokens.token(shownAs: text)?.name == "one")
        await network.stop()
    }

    @Test("end what is held with them, when they expire")
    func watches() async throws {
        let network = try TestNetwork()
        let tokens = try await TokenBook(node: try await network.node("alice"))
        let (token, _) = try await tokens.create("late", scopes: ["read"], recipients: nil, lifetime: .seconds(60))
        let ended = Mutex(0)
        let unwatch = tokens.watch(token.tokenID) { ended.withLock { $0 += 1 } }
        let forgotten = tokens.watch(token.tokenID) { ended.withLock { $0 += 10 } }
        forgotten()
        await network.advance(by: .seconds(59))
        #expect(ended.withLock(\.self) == 0)
        await network.advance(by: .seconds(1))
        #expect(ended.withLock(\.self) == 1)
        unwatch()
        _ = tokens.watch(token.tokenID) { ended.withLock { $0 += 100 } }
        #expect(ended.withLock(\.self) == 101)
        await network.stop()
    }

    @Test("make room for others when they have expired, and their names are free")
    func expiredName() async throws {
        let network = try TestNetwork()
        let tokens = try await TokenBook(node: try await network.node("alice"))
        let (first, old) = try await tokens.create(
            "late", scopes: ["read"], recipients: nil, lifetime: .seconds(60))
        await network.advance(by: .seconds(60))
        let (second, _) = try await tokens.create("late", scopes: ["read"], recipients: nil, lifetime: nil)
        #expect(tokens.all.map(\.tokenID) == [second.tokenID] && first.tokenID != second.tokenID)
        #expect(tokens.token(shownAs: old) == nil)
        await network.stop()
    }

    @Test("that the disk does not let go of are refused all the same, and can be revoked again")
    func revokedInVain() async throws {
        let network = try TestNetwork()
        let alice = try await network.node("alice")
        let tokens = try await TokenBook(node: alice)
        let (_, text) = try await tokens.create("old", scopes: ["all"], recipients: nil, lifetime: nil)
        try await network.crash(alice)
        for _ in 1...2 {
            let error = await #expect(throws: EarshotError.self) { try await tokens.revoke("old") }
            #expect(error?.code == .stopped)
            #expect(tokens.token(shownAs: text) == nil)
        }
        await network.stop()
    }

    @Test("are bounded")
    func bound() async throws {
        let network = try TestNetwork()
        let tokens = try await TokenBook(node: try await network.node("alice"))
        for number in 0..<TokenBook.limit {
            _ = try await tokens.create("\(number)", scopes: ["read"], recipients: nil, lifetime: nil)
        }
        let error = await #expect(throws: EarshotError.self) {
            try await tokens.create("one more", scopes: ["read"], recipients: nil, lifetime: nil)
        }
        #expect(error?.code == .invalidName)
        let full = await #expect(throws: EarshotError.self) {
            try await tokens.create("one-more", scopes: ["read"], recipients: nil, lifetime: nil)
        }
        #expect(full?.code == .tooManyTokens)
        await network.stop()
    }
}

private enum Base32Text {
    /// Another text of the same form.
    static func flipped(_ text: Substring) -> String { String(text.dropLast()) + (text.last == "0" ? "1" : "0") }
}
