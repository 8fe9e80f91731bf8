import Foundation
import Testing

@testable import Earshot

@Suite("A place that a program has kept as a text")
struct CursorTests {
    @Test("is read again, also from JSON")
    func kept() throws {
        let cursor = InboxCursor(generation: 7, number: 12)
        let json = try JSONEncoder().encode(["place": cursor])
        #expect(try JSONDecoder().decode([String: String].self, from: json) == ["place": cursor.description])
        #expect(try JSONDecoder().decode([String: InboxCursor].self, from: json) == ["place": cursor])
        #expect(try InboxCursor(parsing: cursor.description) == cursor)
    }

    @Test(
        "is an error where the text was damaged, and never the beginning",
        arguments: ["", "0", "beginning", "1.2.3", "null"])
    func damaged(text: String) throws {
        let readers: [(String) throws -> Void] = [
            { _ = try InboxCursor(parsing: $0) }, { _ = try EventID(parsing: $0) }, { _ = try MessageID(parsing: $0) },
            { _ = try ConversationID(parsing: $0) }, { _ = try UserID(parsing: $0) },
        ]
        for read in readers {
            let error = #expect(throws: EarshotError.self) { try read(text) }
            #expect(error?.code == .invalidIdentifier)
        }
        let json = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([InboxCursor].self, from: json) }
    }
}
