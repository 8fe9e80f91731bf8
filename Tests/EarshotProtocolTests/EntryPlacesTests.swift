import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("An entry says something")
struct EntryPlacesTests {
    private static let conversations: [(name: String, record: ConversationRecord)] = [
        ("one", .direct(UserID(words(1)), UserID(words(1)))), ("two", .direct(UserID(words(1)), UserID(words(2)))),
        ("open", ConversationRecord(conversationID: ConversationID(words(3)), kind: .open, participantIDs: [])),
        ("private", ConversationRecord(conversationID: ConversationID(words(4)), kind: .private, participantIDs: [])),
    ]

    /// In logs of messages of which conversations, and whether in control logs.
    private static func places(of kind: EntryKind) -> (messages: Set<String>, isControl: Bool) {
        let everywhere: Set = ["one", "two", "open", "private"]
        return switch kind {
        case .text, .edit, .retract, .reaction, .branches, .cut: (everywhere, false)
        case .join, .leave: (["open", "private"], false)
        case .version: (["private"], false)
        case .profile: (["one", "two"], false)
        case .decision, .erasure, .shown: (["one"], false)
        case .created, .add, .remove, .update, .pass, .handOver, .closed, .begin: ([], true)
        // These say nothing anywhere.
        case .unknown, .cutOff, .misplaced, .disregarded: (everywhere, true)
        }
    }

    @Test("only in a log of the kind, and in a conversation of the kind, that it is for", arguments: EntryKind.allCases)
    func places(kind: EntryKind) {
        let (messages, isControl) = Self.places(of: kind)
        let saysNothing = [.unknown, .cutOff, .misplaced, .disregarded].contains(kind)
        for (name, record) in Self.conversations {
            #expect(kind.mayStand(in: .messages, of: record) == messages.contains(name), "\(name)")
            let isAllowed = isControl && (name == "private" || saysNothing)
            #expect(kind.mayStand(in: .control, of: record) == isAllowed, "\(name), control")
        }
    }
}
