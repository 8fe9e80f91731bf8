import EarshotModel
import Testing

@Suite("A message's layout")
struct MessageLayoutTests {
    @Test("has texts of up to 1 KiB of UTF-8 each, and is checked with the draft")
    func limits() throws {
        let longest = String(repeating: "é", count: 512)
        var draft = MessageDraft("a")
        draft.layout = MessageLayout(
            caption: longest, subcaption: longest, imageTitle: longest, imageSubtitle: longest,
            accessibilityLabel: longest)
        try draft.validate()
        let parts: [(String, WritableKeyPath<MessageLayout, String>)] = [
            ("caption", \.caption), ("subcaption", \.subcaption), ("image title", \.imageTitle),
            ("image subtitle", \.imageSubtitle), ("accessibility label", \.accessibilityLabel),
        ]
        for (name, part) in parts {
            var layout = MessageLayout()
            layout[keyPath: part] = longest + "a"
            draft.layout = layout
            expectInvalid(MessageDraft.Invalid.layoutTextTooLong(part: name, bytes: 1025)) { try draft.validate() }
            #expect(throws: MessageDraft.Invalid.layoutTextTooLong(part: name, bytes: 1025)) {
                try draft.content.validate()
            }
        }
    }

    @Test("that is empty is none")
    func empty() {
        var draft = MessageDraft("a")
        draft.layout = MessageLayout()
        #expect(draft.layout == nil)
        draft.layout = MessageLayout(caption: "c")
        #expect(draft.layout?.caption == "c" && MessageDraft(draft.content).layout == draft.layout)
    }
}
