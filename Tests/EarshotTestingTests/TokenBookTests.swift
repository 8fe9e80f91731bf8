import Earshot
import EarshotTesting
import Foundation
import Testing

@Suite("A node's tokens", .timeLimit(.minutes(1)))
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
        #expect(full?.code == .overloaded)
        await network.stop()
    }
}

private enum Base32Text {
    /// Another text of the same form.
    static func flipped(_ text: Substring) -> String { String(text.dropLast()) + (text.last == "0" ? "1" : "0") }
}
